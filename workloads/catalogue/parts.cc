#include "workloads/catalogue/parts.h"

#include <algorithm>
#include <cmath>

namespace heddle::workloads {
namespace {

constexpr double kDefaultInput = 2048 * kMiB;
constexpr double kBytesPerReduce = 512 * kMiB;
// Core-seconds that every MapReduce task needs, even without data. Its JVM starts, sets up and
// commits.
constexpr double kTaskCpu = 1;
// More than any bound on tasks.
constexpr double kTooMany = 1e8;

/// Returns the spill penalty of a pass, in whole hundredths. If the heap is smaller, garbage is
/// collected more often, and the data that is handed over is written and read once more.
double spill_penalty(const PassCost& cost) {
  return std::round(100 * (0.2 + 0.6 * std::min(cost.shuffle, 1.0))) / 100;
}

}  // namespace

Drawn seconds(double value) { return {Drawn::Dist::kConstant, std::round(value * 1e3) * 1e3, 0}; }

Drawn bytes(double value) {
  const double unit = value < kMiB ? 1 : 1024;
  return {Drawn::Dist::kConstant, std::round(value / unit) * unit, 0};
}

Resources cores_and_mib(double cores, double mib) {
  return {Millicores(std::llround(cores * 1000)), EmuBytes(std::llround(mib * kMiB))};
}

std::vector<std::pair<double, Drawn>> use_of(double mib) { return {{0.0, bytes(mib * kMiB)}}; }

Split split(double size, EmuBytes block_size, std::optional<int> parts) {
  Split split;
  split.size = parts ? std::ceil(size / *parts) : static_cast<double>(block_size.count());
  const double tasks = std::ceil(size / split.size);
  split.tasks = static_cast<int>(std::clamp<double>(tasks, 1, kTooMany));
  const double last = size - split.size * (tasks - 1);
  // The number has six digits so that people can read it. It is at least a thousandth, as in
  // scenarios.
  split.heading = std::max(std::round(last / split.size * 1e6) / 1e6, 0.001);
  return split;
}

int reduces_for(double handed) {
  return static_cast<int>(std::clamp<double>(std::ceil(handed / kBytesPerReduce), 1, kTooMany));
}

PhaseSpec map_phase(const std::string& name, double input, const PassCost& cost,
                    const WorkloadSizes& sizes, const WorkloadContext& context) {
  const Split blocks = split(input, context.block_size, sizes.maps);
  PhaseSpec map;
  map.name = name;
  map.kind = PhaseKind::kMap;
  map.tasks = blocks.tasks;
  map.request = cost.request;
  map.cpu = sizes.cpu.value_or(seconds(kTaskCpu + cost.map_cpu * blocks.size / kMiB));
  map.memory = use_of(cost.map_use);
  map.input = bytes(blocks.size);
  map.shuffle = bytes(blocks.size * cost.shuffle);
  if (cost.shuffle == 0) map.output = bytes(blocks.size * cost.output);
  map.skew.heading = blocks.heading;
  map.spill_penalty = spill_penalty(cost);
  return map;
}

PhaseSpec reduce_phase(const std::string& name, double handed, const PassCost& cost,
                       const WorkloadSizes& sizes) {
  PhaseSpec reduce;
  reduce.name = name;
  reduce.kind = PhaseKind::kReduce;
  reduce.tasks = sizes.reduces.value_or(reduces_for(handed));
  reduce.request = cost.request;
  reduce.cpu = seconds(kTaskCpu + cost.reduce_cpu * handed / reduce.tasks / kMiB);
  reduce.memory = cost.reduce_use;
  reduce.output = bytes(handed * cost.output / reduce.tasks);
  reduce.skew.zipf = cost.zipf;
  reduce.spill_penalty = spill_penalty(cost);
  return reduce;
}

double add_pass(WorkloadPlan& plan, const std::string& suffix, double input, const PassCost& cost,
                const WorkloadSizes& sizes, const WorkloadContext& context) {
  auto add = [&](PhaseSpec phase) {
    if (!plan.phases.empty()) phase.after = {static_cast<int>(plan.phases.size()) - 1};
    plan.phases.push_back(std::move(phase));
  };
  add(map_phase("map" + suffix, input, cost, sizes, context));
  if (cost.shuffle == 0) return input * cost.output;
  const double handed = input * cost.shuffle;
  add(reduce_phase("reduce" + suffix, handed, cost, sizes));
  return handed * cost.output;
}

double input_of(const WorkloadSizes& sizes) {
  return sizes.input ? static_cast<double>(sizes.input->count()) : kDefaultInput;
}

}  // namespace heddle::workloads
