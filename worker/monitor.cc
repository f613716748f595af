#include "worker/monitor.h"

#include <algorithm>

namespace heddle::worker {
namespace {

double bytes_over(real::Bytes from, real::Bytes to, real::Duration span) {
  return (static_cast<double>(from.count()) + static_cast<double>(to.count())) / 2 *
         static_cast<double>(span.count());
}

}  // namespace

void Monitor::add(ContainerId container, real::Time now) { tracks_[container] = {.at = now}; }

void Monitor::record(ContainerId container, const Sample& sample, real::Time now) {
  Track& track = tracks_.at(container);
  real::Bytes before = track.sampled ? track.last.stats.memory : sample.stats.memory;
  track.byte_ns += bytes_over(before, sample.stats.memory, now - track.at);
  track.peak = std::max({track.peak, sample.stats.peak, sample.stats.memory});
  track.last = sample;
  track.sampled = true;
  track.at = now;
}

std::vector<ContainerUse> Monitor::uses() const {
  std::vector<ContainerUse> uses;
  for (const auto& [container, track] : tracks_)
    uses.push_back({container, scale_.cpu_to_emulated(track.last.stats.cpu),
                    scale_.to_emulated(track.last.stats.memory), track.last.progress});
  return uses;
}

AttemptUsage Monitor::finish(ContainerId container, const cgroup::ContainerStats& last,
                             real::Time now) const {
  AttemptUsage usage;
  usage.cpu = scale_.cpu_to_emulated(last.cpu);
  auto it = tracks_.find(container);
  const Track track = it == tracks_.end() ? Track{.at = now} : it->second;
  real::Bytes peak = std::max(track.peak, last.peak);
  real::Bytes held = track.sampled ? track.last.stats.memory : peak;
  // The end may lie before a sample that was taken while the process was still there. The master
  // accepts no negative usage.
  const real::Duration since = std::max(now - track.at, real::Duration(0));
  double byte_ns = track.byte_ns + bytes_over(held, held, since);
  usage.peak_memory = scale_.to_emulated(peak);
  usage.memory_byte_seconds = byte_ns / 1e9 / (scale_.memory * scale_.time);
  return usage;
}

}  // namespace heddle::worker
