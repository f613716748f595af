#include "worker/monitor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "worker/peak.h"

namespace heddle::worker {
namespace {

double bytes_over(real::Bytes from, real::Bytes to, real::Duration span) {
  return (static_cast<double>(from.count()) + static_cast<double>(to.count())) / 2 *
         static_cast<double>(span.count());
}

/// Returns |off| / request in thousandths, as MemoryFidelity has it.
int error_of(EmuBytes off, EmuBytes request) {
  const double share = std::abs(static_cast<double>(off.count())) /
                       static_cast<double>(std::max<std::int64_t>(request.count(), 1));
  return static_cast<int>(std::min(std::round(share * 1e3), double{kMaxMemoryError}));
}

/// Charges count as equal within 2 % of the request or 1 MiB (real), whichever is more.
constexpr double kTolerance = 0.02;
constexpr real::Bytes kLeastTolerance{1 << 20};

}  // namespace

void Monitor::add(ContainerId container, real::Time now, Profile profile) {
  tracks_[container] = {.began = now, .at = now, .profile = std::move(profile)};
}

void Monitor::record(ContainerId container, const Sample& sample, real::Time now) {
  Track& track = tracks_.at(container);
  real::Bytes before = track.sampled ? track.last.stats.memory : sample.stats.memory;
  track.byte_ns += bytes_over(before, sample.stats.memory, now - track.at);
  track.kernel_peak = std::max(track.kernel_peak, sample.stats.peak);
  track.largest = std::max(track.largest, sample.stats.memory);
  track.cache = std::max(track.cache, sample.stats.cache);
  if (!track.profile.points.empty() && now - track.began >= settled_) {
    const EmuBytes wanted = memory_use(track.profile.points, sample.progress);
    const EmuBytes off = scale_.to_emulated(sample.stats.memory) - wanted;
    if (track.last_error) ++track.errors[*track.last_error];
    track.last_error = error_of(off, track.profile.request);
  }
  track.last = sample;
  track.sampled = true;
  track.at = now;
}

void Monitor::note(ContainerId container, const cgroup::MemoryUse& use) {
  Track& track = tracks_.at(container);
  track.largest = std::max(track.largest, use.own());
  track.cache = std::max(track.cache, use.cache);
  track.noted = true;
}

std::vector<ContainerUse> Monitor::uses() const {
  std::vector<ContainerUse> uses;
  for (const auto& [container, track] : tracks_)
    uses.push_back({container, scale_.cpu_to_emulated(track.last.stats.cpu),
                    scale_.to_emulated(track.last.stats.memory), track.last.progress});
  return uses;
}

AttemptUsage Monitor::finish(ContainerId container, const cgroup::ContainerStats& last,
                             real::Time now, const FillReport& filled,
                             std::optional<real::Bytes> limit) const {
  AttemptUsage usage;
  usage.cpu = scale_.cpu_to_emulated(last.cpu);
  auto it = tracks_.find(container);
  const Track track = it == tracks_.end() ? Track{.at = now} : it->second;
  const Peak peak = peak_of({.kernel = std::max(track.kernel_peak, last.peak),
                             .largest = std::max({track.largest, last.memory, filled.highest}),
                             .cache = std::max(track.cache, last.cache),
                             .sampled = track.sampled || track.noted,
                             .limit = limit});
  real::Bytes held = track.sampled ? track.last.stats.memory : peak.bytes;
  // The end may lie before a sample that was taken while the process was still there. The master
  // accepts no negative usage.
  const real::Duration since = std::max(now - track.at, real::Duration(0));
  double byte_ns = track.byte_ns + bytes_over(held, held, since);
  usage.peak_memory = scale_.to_emulated(peak.bytes);
  usage.peak_method = peak.method;
  usage.memory_byte_seconds = byte_ns / 1e9 / (scale_.memory * scale_.time);
  if (!track.profile.points.empty()) {
    MemoryFidelity fidelity{
        track.errors, {}, false, std::chrono::duration<double>(filled.cpu).count()};
    if (track.last_error && since >= settled_) ++fidelity.samples[*track.last_error];
    for (const real::Duration lag : filled.lags)
      fidelity.lag_ms.push_back(std::chrono::duration<double, std::milli>(lag).count());
    const EmuBytes tolerance = std::max(
        EmuBytes(std::llround(kTolerance * static_cast<double>(track.profile.request.count()))),
        scale_.to_emulated(kLeastTolerance));
    fidelity.peak_missed = usage.peak_memory + tolerance < peak_use(track.profile.points);
    usage.memory = std::move(fidelity);
  }
  return usage;
}

}  // namespace heddle::worker
