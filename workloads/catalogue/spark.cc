// Workloads that run as stages of executors.

#include <algorithm>
#include <cmath>

#include "workloads/catalogue/parts.h"

namespace heddle::workloads {
namespace {

// Core-seconds that every task of a stage needs, even without data.
constexpr double kStageTaskCpu = 0.1;

/// Returns the size of an executor. If iKayak's experiments have the workload, the size is that in
/// the experiments.
Resources executor_of(std::string_view name) {
  if (name == "pagerank" || name == "nweight") return cores_and_mib(2, 8192);
  if (name == "index") return cores_and_mib(4, 6144);
  return cores_and_mib(4, 4096);
}

/// Returns the number of executors: one per GiB of input, 2 to 16.
int executors_for(double input) {
  return static_cast<int>(std::clamp<double>(std::ceil(input / 1024 / kMiB), 2, 16));
}

/// Returns an executor phase. The memory of an executor rises while it loads its data. When the
/// share `loaded` of its work is done, the memory stays the same.
PhaseSpec executors(std::string_view name, const WorkloadSizes& sizes, double loaded) {
  Resources request = executor_of(name);
  request.cores = sizes.executors.cores.value_or(request.cores);
  request.memory = sizes.executors.memory.value_or(request.memory);
  const double mib = static_cast<double>(request.memory.count()) / kMiB;
  PhaseSpec phase;
  phase.name = "executor";
  phase.kind = PhaseKind::kExecutor;
  phase.tasks = sizes.executors.count.value_or(executors_for(input_of(sizes)));
  phase.request = request;
  phase.memory = {{0.0, bytes(std::round(0.2 * mib) * kMiB)},
                  {loaded, bytes(std::round(0.8 * mib) * kMiB)}};
  return phase;
}

/// Returns a stage that reads the blocks of the input.
StageSpec reading_stage(const PassCost& cost, const WorkloadSizes& sizes,
                        const WorkloadContext& context) {
  const Split blocks = split(input_of(sizes), context.block_size, sizes.maps);
  StageSpec stage;
  stage.tasks = blocks.tasks;
  stage.cpu = sizes.cpu.value_or(seconds(kStageTaskCpu + cost.map_cpu * blocks.size / kMiB));
  stage.input = bytes(blocks.size);
  stage.shuffle = bytes(blocks.size * cost.shuffle);
  stage.skew.heading = blocks.heading;
  return stage;
}

/// Returns a stage that reads the `handed` bytes that the previous stage has handed over. The new
/// stage hands over `shuffle` bytes for each byte that it reads.
StageSpec next_stage(double handed, const PassCost& cost, double shuffle,
                     const WorkloadSizes& sizes) {
  StageSpec stage;
  // Spark's partitions are smaller than MapReduce's, because several run in one executor.
  stage.tasks = sizes.reduces.value_or(4 * reduces_for(handed));
  stage.cpu = seconds(kStageTaskCpu + cost.reduce_cpu * handed / stage.tasks / kMiB);
  stage.shuffle = bytes(handed * shuffle / stage.tasks);
  stage.skew.zipf = cost.zipf;
  return stage;
}

/// Makes the last stage write its result instead of handing it over.
void write_result(StageSpec& stage, double result) {
  stage.shuffle = {};
  stage.output = bytes(result / stage.tasks);
}

/// Expands equal iterations over a cached input. Each iteration hands over little data.
WorkloadPlan over_cached(std::string_view name, const WorkloadSizes& sizes,
                         const WorkloadContext& context) {
  const int iterations = iterations_of(name, sizes);
  const PassCost cost = cost_of(name);
  StageSpec read = reading_stage(cost, sizes, context);
  read.cached = true;
  WorkloadSizes one = sizes;
  one.reduces = sizes.reduces.value_or(1);
  const StageSpec gather = next_stage(input_of(sizes) * cost.shuffle, cost, 0, one);
  WorkloadPlan plan;
  plan.phases = {executors(name, sizes, 1.0 / iterations)};
  for (int n = 0; n < iterations; ++n) plan.stages.insert(plan.stages.end(), {read, gather});
  return plan;
}

/// Expands iterations. A first stage reads the input. Each iteration is a stage that reads what the
/// previous stage has handed over. `growth`: bytes that an iteration hands over per byte that it
/// reads.
WorkloadPlan over_shuffles(std::string_view name, const WorkloadSizes& sizes,
                           const WorkloadContext& context, double growth) {
  const int iterations = iterations_of(name, sizes);
  const PassCost cost = cost_of(name);
  WorkloadPlan plan;
  plan.phases = {executors(name, sizes, 1.0 / (iterations + 1))};
  plan.stages = {reading_stage(cost, sizes, context)};
  double handed = input_of(sizes) * cost.shuffle;
  for (int n = 0; n < iterations; ++n) {
    plan.stages.push_back(next_stage(handed, cost, growth, sizes));
    handed *= growth;
  }
  write_result(plan.stages.back(), handed / growth * cost.output);
  return plan;
}

}  // namespace

WorkloadPlan expand_spark(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context) {
  if (name == "kmeans" || name == "logistic-regression") return over_cached(name, sizes, context);
  return over_shuffles(name, sizes, context, name == "nweight" ? 1.2 : name == "bayes" ? 0.2 : 1);
}

}  // namespace heddle::workloads
