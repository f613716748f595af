#include "workloads/catalogue/parts.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

constexpr double kDefaultInput = 2048 * kMiB;
constexpr double kBytesPerReduce = 512 * kMiB;
// Above every bound of tasks.
constexpr double kTooMany = 1e8;

}  // namespace

Drawn constant(double value) { return {Drawn::Dist::kConstant, std::round(value), 0}; }

Resources cores_and_mib(double cores, double mib) {
  return {Millicores(std::llround(cores * 1000)), EmuBytes(std::llround(mib * kMiB))};
}

std::vector<std::pair<double, Drawn>> use_of(double mib) { return {{0.0, constant(mib * kMiB)}}; }

Split split(double bytes, EmuBytes block_size, std::optional<int> parts) {
  Split split;
  split.size = parts ? std::ceil(bytes / *parts) : static_cast<double>(block_size.count());
  const double tasks = std::ceil(bytes / split.size);
  split.tasks = static_cast<int>(std::clamp<double>(tasks, 1, kTooMany));
  const double last = bytes - split.size * (tasks - 1);
  // A heading task has 1/1000 of the others at the least, as in scenarios.
  split.heading = std::max(last / split.size, 0.001);
  return split;
}

int reduces_for(double bytes) {
  return static_cast<int>(std::clamp<double>(std::ceil(bytes / kBytesPerReduce), 1, kTooMany));
}

PhaseSpec map_phase(const std::string& name, double bytes, const PassCost& cost,
                    const WorkloadSizes& sizes, const WorkloadContext& context) {
  const Split blocks = split(bytes, context.block_size, sizes.maps);
  PhaseSpec map;
  map.name = name;
  map.kind = PhaseKind::kMap;
  map.tasks = blocks.tasks;
  map.request = cost.request;
  map.cpu = sizes.cpu.value_or(constant(cost.map_cpu * blocks.size / kMiB * 1e6));
  map.memory = use_of(cost.map_use);
  map.input = constant(blocks.size);
  map.shuffle = constant(blocks.size * cost.shuffle);
  if (cost.shuffle == 0) map.output = constant(blocks.size * cost.output);
  map.skew.heading = blocks.heading;
  return map;
}

PhaseSpec reduce_phase(const std::string& name, double bytes, const PassCost& cost,
                       const WorkloadSizes& sizes) {
  PhaseSpec reduce;
  reduce.name = name;
  reduce.kind = PhaseKind::kReduce;
  reduce.tasks = sizes.reduces.value_or(reduces_for(bytes));
  reduce.request = cost.request;
  reduce.cpu = constant(cost.reduce_cpu * bytes / reduce.tasks / kMiB * 1e6);
  reduce.memory = cost.reduce_use;
  reduce.output = constant(bytes * cost.output / reduce.tasks);
  reduce.skew.zipf = cost.zipf;
  return reduce;
}

double add_pass(WorkloadPlan& plan, const std::string& suffix, double bytes, const PassCost& cost,
                const WorkloadSizes& sizes, const WorkloadContext& context) {
  auto add = [&](PhaseSpec phase) {
    if (!plan.phases.empty()) phase.after = {static_cast<int>(plan.phases.size()) - 1};
    plan.phases.push_back(std::move(phase));
  };
  add(map_phase("map" + suffix, bytes, cost, sizes, context));
  if (cost.shuffle == 0) return bytes * cost.output;
  const double handed = bytes * cost.shuffle;
  add(reduce_phase("reduce" + suffix, handed, cost, sizes));
  return handed * cost.output;
}

double input_of(const WorkloadSizes& sizes) {
  return sizes.input ? static_cast<double>(sizes.input->count()) : kDefaultInput;
}

}  // namespace heddle
