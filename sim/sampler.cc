#include "sim/sampler.h"

namespace heddle::sim {
namespace {

/// Approximate maximum number of sample lines in a heartbeat period.
constexpr std::int64_t kSamplesPerPeriod = 64;

}  // namespace

Sampler::Sampler(std::size_t nodes)
    : nodes_(nodes), every_((std::ssize(nodes_) + kSamplesPerPeriod - 1) / kSamplesPerPeriod) {}

bool Sampler::takes(NodeId node) { return (nodes_[node.value].beats++ + node.value) % every_ == 0; }

double Sampler::cores(EmuTime now, const WorkerModel::Beat& beat) {
  Node& node = nodes_[beat.heartbeat.node.value];
  const EmuTime span = now - node.at;
  const double cores = span > EmuTime(0) ? static_cast<double>((beat.cpu - node.cpu).count()) /
                                               static_cast<double>(span.count())
                                         : 0;
  node.cpu = beat.cpu;
  node.at = now;
  return cores;
}

}  // namespace heddle::sim
