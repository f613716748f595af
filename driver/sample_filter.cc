#include "driver/sample_filter.h"

#include <algorithm>
#include <cmath>

#include "wire/journal_lines.h"

namespace heddle::driver {
namespace {

// The most by which a sample that is left out may differ from the straight line.
constexpr double kCores = 1e-3;
constexpr double kCpu = 1e-3;  ///< core-seconds
constexpr double kProgress = 1e-5;
constexpr double kBytes = 64 << 10;

/// Returns whether a value lies on the straight line through two others. `ahead`: the time from the
/// newer one of these, as a share of the time between them.
bool lies_on(double before, double last, double ahead, double value, double most) {
  return std::abs(last + (last - before) * ahead - value) <= most;
}

double number(EmuBytes bytes) { return static_cast<double>(bytes.count()); }

bool continues(const ContainerUse& before, const ContainerUse& last, double ahead,
               const ContainerUse& use) {
  return before.container == use.container && last.container == use.container &&
         last.memory == use.memory &&
         lies_on(to_core_seconds(before.cpu), to_core_seconds(last.cpu), ahead,
                 to_core_seconds(use.cpu), kCpu) &&
         lies_on(before.progress, last.progress, ahead, use.progress, kProgress) &&
         lies_on(number(before.disk), number(last.disk), ahead, number(use.disk), kBytes) &&
         lies_on(number(before.network), number(last.network), ahead, number(use.network), kBytes);
}

bool continues(const Sample& before, const Sample& last, const Sample& sample) {
  const std::vector<ContainerUse>& uses = sample.heartbeat.containers;
  const std::vector<ContainerUse>& first = before.heartbeat.containers;
  const std::vector<ContainerUse>& second = last.heartbeat.containers;
  if (last.memory != sample.memory || std::abs(last.cores - sample.cores) > kCores ||
      second.size() != uses.size() || first.size() != uses.size() || before.at >= last.at)
    return false;
  const double ahead = static_cast<double>((sample.at - last.at).count()) /
                       static_cast<double>((last.at - before.at).count());
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (!continues(first[i], second[i], ahead, uses[i])) return false;
  return true;
}

bool is_idle(const Sample& sample) {
  return sample.heartbeat.containers.empty() && sample.memory == EmuBytes(0) &&
         sample.cores < kCores;
}

/// Returns the mean cores from `from` to the newer sample. `older` has those up to its own time.
double mean_cores(EmuTime from, const Sample& older, const Sample& newer) {
  const auto first = static_cast<double>((older.at - from).count());
  const auto second = static_cast<double>((newer.at - older.at).count());
  return first + second > 0 ? (older.cores * first + newer.cores * second) / (first + second)
                            : newer.cores;
}

}  // namespace

SampleFilter::SampleFilter(std::size_t nodes, std::optional<EmuTime> silence)
    : nodes_(nodes), silence_(silence) {}

std::string SampleFilter::take(Sample sample) {
  Node& node = node_of(sample.heartbeat.node);
  const bool silent = silence_ && sample.at - newest_ >= *silence_;
  if (!silent && node.lines.size() == 2 && continues(node.lines[0], node.lines[1], sample)) {
    if (node.later) sample.cores = mean_cores(node.lines[1].at, *node.later, sample);
    node.later = std::move(sample);
    return {};
  }
  std::string lines = flush(node);
  return lines += write(node, std::move(sample));
}

std::string SampleFilter::end(ContainerId container) {
  const auto found = containers_.find(container);
  if (found == containers_.end()) return {};
  Node& node = node_of(found->second);
  containers_.erase(found);
  return flush(node);
}

std::string SampleFilter::end(NodeId id) {
  Node& node = node_of(id);
  if (node.later && is_idle(*node.later)) node.later.reset();
  return flush(node);
}

std::string SampleFilter::flush(Node& node) {
  if (!node.later) return {};
  Sample sample = *std::move(node.later);
  node.later.reset();
  return write(node, std::move(sample));
}

std::string SampleFilter::write(Node& node, Sample sample) {
  std::string line = wire::sample_line(sample.at, sample.heartbeat, sample.cores, sample.memory);
  newest_ = std::max(newest_, sample.at);
  for (const ContainerUse& use : sample.heartbeat.containers)
    containers_[use.container] = sample.heartbeat.node;
  if (node.lines.size() == 2) node.lines.erase(node.lines.begin());
  node.lines.push_back(std::move(sample));
  return line;
}

}  // namespace heddle::driver
