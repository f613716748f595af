#include "sim/sampler.h"

#include <algorithm>
#include <utility>

namespace heddle::sim {
namespace {

/// Approximate maximum number of sample lines in a heartbeat period.
constexpr std::int64_t kSamplesPerPeriod = 64;
/// Number of samples of a node in a thinned run, if their distances were equal.
constexpr std::int64_t kSamplesPerRun = 500;
/// A line has an entry for each container, so this many count as another line.
constexpr std::int64_t kContainersPerLine = 16;
/// With more nodes, each has fewer samples.
constexpr std::int64_t kManyNodes = 1000;
/// The time so far at most doubles between two samples.
constexpr std::int64_t kMostWeight = kSamplesPerRun / 2;

}  // namespace

Sampler::Sampler(std::size_t nodes, bool thin, EmuTime period)
    : nodes_(nodes),
      due_(nodes),
      thin_(thin),
      period_(period),
      every_((std::ssize(nodes_) + kSamplesPerPeriod - 1) / kSamplesPerPeriod) {
  for (std::int64_t i = 0; i < std::ssize(nodes_); ++i) due_.set(NodeId{i}, EmuTime(0));
}

bool Sampler::takes(NodeId id, EmuTime made) {
  Node& node = nodes_[id.value];
  // First samples are staggered. In a thinned run, the nodes keep step, so that heartbeats between
  // their samples need not be simulated.
  if (!std::exchange(node.seen, true) && !thin_)
    due_.set(id, made + period_ * ((every_ - id.value % every_) % every_));
  return made >= due_.time_of(id);
}

double Sampler::take(EmuTime now, EmuTime made, const WorkerModel::Beat& beat) {
  const NodeId id = beat.heartbeat.node;
  Node& node = nodes_[id.value];
  const EmuTime span = now - node.at;
  const double cores = span > EmuTime(0) ? static_cast<double>((beat.cpu - node.cpu).count()) /
                                               static_cast<double>(span.count())
                                         : 0;
  node.cpu = beat.cpu;
  node.at = now;
  due_.set(id, made + period_ * (every_ * distance(made, std::ssize(beat.heartbeat.containers))));
  return cores;
}

/// Returns the least n of which n * every_ periods are the share of the time after them.
std::int64_t Sampler::distance(EmuTime made, std::int64_t containers) const {
  if (!thin_) return 1;
  const std::int64_t weight =
      std::min((1 + containers / kContainersPerLine) * ((std::ssize(nodes_) - 1) / kManyNodes + 1),
               kMostWeight);
  const std::int64_t step = (kSamplesPerRun - weight) * every_ * period_.count();
  return std::max<std::int64_t>(1, (weight * made.count() + step - 1) / step);
}

}  // namespace heddle::sim
