// Reads Spark jobs: their executors and the stages that executors run.

#include <algorithm>

#include "common/cpu_line.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {
namespace {

constexpr int kMaxExecutors = kMaxTasks;

/// A stage as it is in the scenario, before iterations are expanded.
struct WrittenStage {
  StageSpec stage;
  bool iterate = false;
};

}  // namespace

template <>
void describe(Keys& keys, const StageSpec& stage) {
  keys.number("tasks", stage.tasks, measure::kWhole, {1, kMaxTasks}, "number of tasks");
  keys.drawn("cpu", stage.cpu, measure::kDuration, "core-seconds per task");
  describe_data(keys, stage.input, stage.shuffle, stage.output, stage.skew,
                "bytes each task hands over to the next stage");
  keys.flag("cached", stage.cached,
            "whether executors keep the input that they have read in memory")
      .rarely();
}

template <>
void describe(Keys& keys, const WrittenStage& written) {
  describe(keys, written.stage);
  keys.flag("iterate", written.iterate, "whether iterations repeat the stage");
}

template <>
void describe(Keys& keys, const ExecutorKeys& e) {
  keys.number("count", e.sizes.count, measure::kWhole, {1, kMaxExecutors}, "number of executors");
  keys.number("cores", e.sizes.cores, measure::kCores, {Millicores(1), kMaxCores}, "cores of each");
  keys.number("memory", e.sizes.memory, measure::kBytes, {EmuBytes(1), kMaxBytes},
              "memory of each");
  keys.counts(e.counts);
  keys.all_otherwise("the workload's");
  keys.flag("gang", e.gang, "start only when all fit at once").otherwise("the job's");
  where_key(keys, e.where).otherwise("the job's");
  keys.number("threads", e.threads, measure::kWhole, {1, kMaxThreads},
              "tasks of a stage that an executor runs at once")
      .otherwise("its cores, rounded up");
  add_memory(keys, "use", e.use, "memory used: a peak, or a profile over the job's progress")
      .otherwise("the workload's");
}

const Keys& executor_keys() { return keys_of<ExecutorKeys>("executors"); }
const Keys& stage_keys() { return keys_of<StageSpec>("stage"); }
const Keys& written_stage_keys() { return keys_of<WrittenStage>("stage"); }

namespace {

WrittenStage read_stage(const Section& section) {
  WrittenStage written;
  section.read(&written);
  if (!section.has("cpu") && !has_data(section))
    section.field().error("has no work; expected cpu, input, shuffle or output");
  if (written.stage.cached && !section.has("input"))
    section.get("cached")->error("needs input; expected input in the same stage");
  return written;
}

/// The range of stages that are repeated. These are the marked stages, or all stages if no stage is
/// marked.
struct Repeated {
  std::size_t begin = 0, end = 0;
};

Repeated repeated(const Field& field, const std::vector<WrittenStage>& stages) {
  auto marked = [](const WrittenStage& stage) { return stage.iterate; };
  auto first = std::find_if(stages.begin(), stages.end(), marked);
  if (first == stages.end()) return {0, stages.size()};
  auto end = std::find_if_not(first, stages.end(), marked);
  if (std::any_of(end, stages.end(), marked))
    field.error(
        "has stages without iterate between stages with iterate; expected the stages with iterate "
        "to be consecutive");
  return {static_cast<std::size_t>(first - stages.begin()),
          static_cast<std::size_t>(end - stages.begin())};
}

/// Appends the stages, with the iterations expanded.
void repeat(const std::vector<WrittenStage>& written, const Repeated& part, int iterations,
            std::vector<StageSpec>& stages) {
  auto append = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) stages.push_back(written[i].stage);
  };
  append(0, part.begin);
  for (int n = 0; n < iterations; ++n) append(part.begin, part.end);
  append(part.end, written.size());
}

}  // namespace

ExecutorKeys read_executors(const Field& field, bool whole) {
  ExecutorKeys keys;
  const Section section(field, executor_keys());
  if (whole)
    for (const char* key : {"count", "cores", "memory"}) section.need(key);
  section.read(&keys);
  check_threads(section, keys.sizes.cores.value_or(Millicores(0)), keys.threads);
  return keys;
}

void apply_executors(const ExecutorKeys& keys, const PhaseContext& context, PhaseSpec& executor) {
  executor.name = "executor";
  executor.kind = PhaseKind::kExecutor;
  executor.tasks = keys.sizes.count.value_or(executor.tasks);
  executor.request.cores = keys.sizes.cores.value_or(executor.request.cores);
  executor.request.memory = keys.sizes.memory.value_or(executor.request.memory);
  executor.request.counts = keys.counts;
  executor.request = normalised(executor.request, context.cluster);
  if (keys.threads) executor.threads = keys.threads;
  if (!keys.use.empty()) executor.memory = keys.use;
  executor.gang = keys.gang.value_or(context.gang);
  executor.where = keys.where.empty() ? context.where : keys.where;
  add_partition(context, executor);
}

void read_stages(const Section& job, int iterations, WorkloadPlan& plan) {
  auto field = job.need("stages");
  if (!field) return;
  const auto& items = field->node().items;
  if (!field->is_list("a list of at least one stage", 1) ||
      !field->has_at_most(kMaxStages, "stages"))
    return;
  std::vector<WrittenStage> written;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Section section(field->item(i), written_stage_keys());
    if (items[i].kind != YamlNode::Kind::kMap) continue;
    written.push_back(read_stage(section));
    if (written.back().iterate && !job.has("iterations"))
      section.get("iterate")->error("needs iterations; expected iterations in the job");
  }
  const Repeated part = repeated(*field, written);
  const std::size_t all =
      written.size() + (part.end - part.begin) * static_cast<std::size_t>(iterations - 1);
  if (all > kMaxStages)
    return job.get("iterations")
        ->error("makes " + std::to_string(all) + " stages; expected at most " +
                std::to_string(kMaxStages));
  repeat(written, part, iterations, plan.stages);
  plan.iterative = iterations > 1;
}

}  // namespace heddle
