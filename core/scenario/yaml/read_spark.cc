// Reads Spark jobs: their executors and the stages that executors run.

#include <algorithm>

#include "core/scenario/yaml/sections.h"

namespace heddle {
namespace {

constexpr int kMaxExecutors = kMaxTasks;

/// A stage as it is in the scenario, before iterations are expanded.
struct WrittenStage {
  StageSpec stage;
  bool iterate = false;
};

WrittenStage read_stage(const Section& section) {
  WrittenStage written;
  StageSpec& stage = written.stage;
  section.whole("tasks", stage.tasks, {1, kMaxTasks});
  read_drawn_duration(section, "cpu", stage.cpu);
  read_drawn_bytes(section, "input", stage.input);
  section.flag("cached", stage.cached);
  read_drawn_bytes(section, "shuffle", stage.shuffle);
  read_drawn_bytes(section, "output", stage.output);
  read_skew(section, stage.skew);
  section.flag("iterate", written.iterate);
  if (!section.has("cpu") && !has_data(section))
    section.field().error("has no work; expected cpu, input, shuffle or output");
  if (stage.cached && !section.has("input"))
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
  Section section(field, "executors");
  if (whole)
    for (const char* key : {"count", "cores", "memory"}) section.need(key);
  section.whole("count", keys.sizes.count, {1, kMaxExecutors});
  section.cores("cores", keys.sizes.cores, {Millicores(1), kMaxCores});
  section.bytes("memory", keys.sizes.memory, {EmuBytes(1), kMaxBytes});
  read_threads(section, keys.sizes.cores.value_or(Millicores(0)), keys.threads);
  read_memory(section, "use", keys.use);
  bool gang = false;
  if (section.flag("gang", gang)) keys.gang = gang;
  return keys;
}

void apply_executors(const ExecutorKeys& keys, const PhaseContext& context, PhaseSpec& executor) {
  executor.name = "executor";
  executor.kind = PhaseKind::kExecutor;
  executor.tasks = keys.sizes.count.value_or(executor.tasks);
  executor.request.cores = keys.sizes.cores.value_or(executor.request.cores);
  executor.request.memory = keys.sizes.memory.value_or(executor.request.memory);
  executor.request = normalised(executor.request, context.cluster);
  if (keys.threads) executor.threads = keys.threads;
  if (!keys.use.empty()) executor.memory = keys.use;
  executor.gang = keys.gang.value_or(context.gang);
}

void read_stages(const Section& job, WorkloadPlan& plan) {
  auto field = job.need("stages");
  if (!field) return;
  const auto& items = field->node().items;
  if (!field->is_list("a list of at least one stage", 1) ||
      !field->has_at_most(kMaxStages, "stages"))
    return;
  std::vector<WrittenStage> written;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Section section(field->item(i), "stage");
    if (items[i].kind != YamlNode::Kind::kMap) continue;
    written.push_back(read_stage(section));
    if (written.back().iterate && !job.has("iterations"))
      section.get("iterate")->error("needs iterations; expected iterations in the job");
  }
  int iterations = 1;
  job.whole("iterations", iterations, {1, kMaxStages});
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
