// Reads jobs that name a workload.

#include <algorithm>

#include "common/text.h"
#include "core/scenario/draw.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {

template <>
void describe(Keys& keys, const WorkloadSizes& sizes) {
  keys.number("input", sizes.input, measure::kBytes, {EmuBytes(1), kMaxBytes},
              "parameter of a workload: bytes it reads")
      .otherwise("the workload's");
  keys.number("maps", sizes.maps, measure::kWhole, {1, kMaxTasks},
              "parameter of a workload: number of maps")
      .otherwise("the workload's");
  keys.number("reduces", sizes.reduces, measure::kWhole, {1, kMaxTasks},
              "parameter of a workload: reduces of a pass")
      .otherwise("the workload's");
  keys.value("cpu", &sizes.cpu, std::make_unique<OptionalDrawnForm<EmuTime>>(measure::kDuration),
             "parameter of a workload: core-seconds per map")
      .otherwise("the workload's");
  keys.number("jobs", sizes.jobs, measure::kWhole, {1, kMaxJobs},
              "parameter of a mix: number of jobs")
      .otherwise("the workload's");
  keys.number("iterations", sizes.iterations, measure::kWhole, {1, kMaxStages},
              "how often stages run, or parameter of a workload")
      .otherwise("1, or the workload's");
}

namespace {

constexpr const char* kSizeKeys[] = {"input", "maps",       "reduces",  "cpu",
                                     "jobs",  "iterations", "executors"};

/// Reports sizes that the workload does not have.
void check_sizes(const Section& section, const WorkloadInfo& info) {
  std::vector<std::string> taken;
  for (const WorkloadSize& size : info.sizes) taken.push_back(size.key);
  for (const char* key : kSizeKeys) {
    auto field = section.get(key);
    if (std::string_view(key) == "executors") continue;  // checked together with the framework
    if (field && std::find(taken.begin(), taken.end(), key) == taken.end())
      field->error("is not a parameter of workload \"" + info.name + "\"; expected " +
                   join(taken, " or "));
  }
}

/// Returns the jobs of the workload, without the settings of the scenario.
Result<std::vector<MixJob>> expand(const WorkloadTable& table, const WorkloadInfo& info,
                                   const WorkloadSizes& sizes, WorkloadContext use, int count) {
  if (info.mix) return table.expand_mix(info.name, sizes, use);
  std::vector<MixJob> jobs;
  const int different = info.drawn ? std::max(count, 1) : 1;
  const std::uint64_t key = use.key;
  for (int n = 1; n <= different; ++n) {
    use.key = draw_key(key, {static_cast<std::uint64_t>(n)});
    auto plan = table.expand(info.name, sizes, use);
    if (!plan) return std::move(plan).error();
    jobs.push_back({"", std::move(*plan)});
  }
  return jobs;
}

/// Applies the scenario's settings to a plan.
void settle(const ExecutorKeys& executors, const PhaseContext& context, WorkloadPlan& plan) {
  for (PhaseSpec& phase : plan.phases) {
    phase.gang = context.gang;
    phase.where = context.where;
    phase.request = normalised(phase.request, context.cluster);
    if (phase.kind == PhaseKind::kExecutor)
      apply_executors(executors, context, phase);
    else
      add_partition(context, phase);
  }
}

}  // namespace

void refuse_sizes(const Section& section, bool stages) {
  for (const char* key : kSizeKeys) {
    const bool own = std::string_view(key) == "executors" || std::string_view(key) == "iterations";
    if (stages && own) continue;
    if (auto field = section.get(key))
      field->error(
          own ? "applies only to jobs with framework: spark or with workload; expected one of them"
              : "is a parameter of a named workload; expected workload in the same job, or the key "
                "in a phase");
  }
}

ExpandedWorkload read_workload(const Section& section, WorkloadSizes sizes,
                               const WorkloadContext& use, int count, const PhaseContext& context) {
  ExpandedWorkload expanded;
  auto name = section.text("workload");
  if (!name) return expanded;
  const Field field = *section.get("workload");
  const WorkloadTable& table = field.findings().workloads;
  auto info = table.find(*name);
  if (!info) {
    field.error(info.error().text);
    return expanded;
  }
  check_sizes(section, **info);
  if ((*info)->drawn || (*info)->mix) field.findings().drawn_jobs = true;
  ExecutorKeys executors;
  if (auto at = section.get("executors")) {
    if (use.framework != Framework::kSpark)
      at->error(
          "applies only to jobs with framework: spark; expected framework: spark, or no such key");
    executors = read_executors(*at, false);
    sizes.executors = executors.sizes;
  }
  if ((*info)->mix && count > 0)
    section.get("count")->error(
        "a mix already consists of many jobs; expected jobs instead of count");
  auto jobs = expand(table, **info, sizes, use, count);
  if (!jobs) {
    field.error(jobs.error().text);
    return expanded;
  }
  expanded.differ = (*info)->mix || ((*info)->drawn && count > 0);
  expanded.jobs = std::move(*jobs);
  for (MixJob& job : expanded.jobs) settle(executors, context, job.plan);
  return expanded;
}

}  // namespace heddle
