#include "sim/sampler.h"

namespace heddle::sim {
namespace {

/// Approximate maximum number of sample lines in a heartbeat period.
constexpr std::int64_t kSamplesPerPeriod = 64;
/// Number of samples of a node in a thinned run, if their distances were equal.
constexpr std::int64_t kSamplesPerRun = 500;
/// A line has an entry for each container, so this many count as another line.
constexpr std::int64_t kContainersPerLine = 16;

}  // namespace

Sampler::Sampler(std::size_t nodes, bool thin)
    : nodes_(nodes),
      thin_(thin),
      every_((std::ssize(nodes_) + kSamplesPerPeriod - 1) / kSamplesPerPeriod) {}

bool Sampler::takes(EmuTime now, NodeId id) {
  Node& node = nodes_[id.value];
  if ((node.beats++ + id.value) % every_ != 0) return false;
  return !thin_ || now - node.at >= EmuTime(now.count() / kSamplesPerRun) * node.lines;
}

double Sampler::cores(EmuTime now, const WorkerModel::Beat& beat) {
  Node& node = nodes_[beat.heartbeat.node.value];
  const EmuTime span = now - node.at;
  const double cores = span > EmuTime(0) ? static_cast<double>((beat.cpu - node.cpu).count()) /
                                               static_cast<double>(span.count())
                                         : 0;
  node.cpu = beat.cpu;
  node.at = now;
  node.lines = 1 + std::ssize(beat.heartbeat.containers) / kContainersPerLine;
  return cores;
}

}  // namespace heddle::sim
