#include "trace/import/spark_executors.h"

#include <algorithm>
#include <cmath>

#include "common/cpu_line.h"
#include "yaml/limits.h"

namespace heddle::trace::spark {
namespace {

constexpr Repair kLargePeak{
    "peak_above_executor",
    "executors used more memory than they had with their overhead: their use is cut to it"};
constexpr Repair kManyTasks{"many_tasks",
                            "stages that ran together have more than 1000000 tasks: the rest is "
                            "left out"};

constexpr double kMostCv = 10;  ///< the limit of scenarios
/// Differences of times below this share of their mean are not drawn.
constexpr double kLeastCv = 1e-6;
// Spark adds this to the memory of a container if nothing is set (spark.executor.memoryOverhead).
constexpr std::int64_t kLeastOverhead = 384LL << 20;
constexpr double kOverheadShare = 0.1;
/// spark.yarn.am.memory, spark.driver.memory
constexpr std::int64_t kMasterMemory = 512LL << 20, kDriverMemory = 1LL << 30;

/// Returns whether a resource manager adds an overhead to the memory of containers.
bool has_overhead(const App& app) {
  const std::string& master = app.master;
  return master.starts_with("yarn") || master.starts_with("k8s") || master.starts_with("mesos");
}

/// Returns the memory of a container in which a JVM has `heap`. `set`: the overhead that was set.
std::int64_t with_overhead(const App& app, std::int64_t heap, Integer set) {
  if (set) return heap + *set;
  if (!has_overhead(app)) return heap;
  const double share = std::clamp(app.overhead_factor.value_or(kOverheadShare), 0.0, 100.0);
  return heap +
         std::max<std::int64_t>(kLeastOverhead, std::llround(static_cast<double>(heap) * share));
}

EmuBytes bytes(std::int64_t count) {
  return EmuBytes(std::clamp<std::int64_t>(count, 1, kMostBytes));
}

std::int64_t cores_of_executor(const App& app) {
  std::int64_t cores = app.executor_cores.value_or(0);
  if (!app.executor_cores) {
    for (const auto& [id, use] : app.executors) cores = std::max(cores, use.cores);
    for (const Use& use : app.uses) cores = std::max(cores, use.cores);
  }
  return std::max<std::int64_t>(cores, 1);
}

/// Returns the memory of executors as a profile over the job's progress. Groups without a peak have
/// that of the group before.
std::vector<std::pair<double, Drawn>> profile_of(const std::vector<StageGroup>& groups,
                                                 EmuBytes most, bool& cut) {
  double all = 0, done = 0;
  for (const StageGroup& group : groups) all += group.mean * static_cast<double>(group.tasks);
  std::vector<std::pair<double, Drawn>> profile;
  for (const StageGroup& group : groups) {
    if (group.peak > 0) {
      cut |= group.peak > most.count();
      const auto peak = static_cast<double>(std::min(group.peak, most.count()));
      const double progress = profile.empty() || all <= 0 ? 0 : done / all;
      if (!profile.empty() && profile.back().first >= progress)
        profile.back().second.mean = std::max(profile.back().second.mean, peak);
      else if (profile.empty() || profile.back().second.mean != peak)
        profile.emplace_back(progress, Drawn{.mean = peak});
    }
    done += group.mean * static_cast<double>(group.tasks);
  }
  return profile;
}

/// Adds the times of a stage's tasks to the sums of a group.
void add_stage(const Stage& stage, StageGroup& group, double& sum, double& squares) {
  group.stages.push_back(&stage);
  group.peak = std::max(group.peak, stage.peak);
  for (const Run& run : stage.runs) {
    const auto time = static_cast<double>(std::max<std::int64_t>(run.length * 1000, 1));
    sum += time;
    squares += time * time;
    ++group.tasks;
  }
}

}  // namespace

bool has_executors(const App& app, const ImportOptions& options) {
  return options.spark_as == ImportOptions::SparkAs::kExecutors && !app.local &&
         app.logged_executors > 0;
}

Resources executor_container(const App& app, const ImportOptions& options) {
  const std::int64_t cores = cores_of_executor(app);
  const std::int64_t heap = app.bytes_of_executor().value_or(
      app.memory_per_core(options.memory_per_core).count() * cores);
  return {Millicores(1000 * cores), bytes(with_overhead(app, heap, app.executor_overhead))};
}

std::optional<Resources> master_container(const App& app) {
  if (app.deploy_mode == "cluster")
    return Resources{
        Millicores(1000 * app.driver_cores.value_or(1)),
        bytes(with_overhead(app, app.driver_memory.value_or(kDriverMemory), app.driver_overhead))};
  if (!app.master.starts_with("yarn")) return std::nullopt;
  return Resources{
      Millicores(1000 * app.master_cores.value_or(1)),
      bytes(with_overhead(app, app.master_memory.value_or(kMasterMemory), app.master_overhead))};
}

Executors executors_of(const App& app, const std::vector<Stage*>& stages) {
  Executors executors;
  std::vector<std::pair<std::int64_t, int>> changes;  // executors go before others come
  std::int64_t core_ms = 0;
  for (const Use& use : app.uses) {
    changes.emplace_back(use.from, 1);
    changes.emplace_back(std::max(use.until, use.from + 1), -1);
    executors.held_s += static_cast<double>(use.until - use.from) / 1000;
    core_ms += (use.until - use.from) * use.cores;
  }
  std::ranges::sort(changes);
  int now = 0;
  for (const auto& [at, change] : changes) executors.most = std::max(executors.most, now += change);
  executors.all = std::ssize(app.uses);
  double busy_ms = 0;
  for (const Stage* stage : stages)
    for (const Run& run : stage->runs)
      busy_ms += static_cast<double>(run.length) * static_cast<double>(app.task_cores.value_or(1));
  if (core_ms > 0)
    executors.busy_s = executors.held_s * std::min(1.0, busy_ms / static_cast<double>(core_ms));
  return executors;
}

std::vector<StageGroup> groups_of(const std::vector<Stage*>& stages, ImportReport& report) {
  std::vector<StageGroup> groups;
  std::size_t first = 0;  // of the last group
  double sum = 0, squares = 0;
  const auto close = [&] {
    if (groups.empty()) return;
    StageGroup& group = groups.back();
    const auto count = static_cast<double>(group.tasks);
    group.mean = sum / count;
    const double variance = std::max(0.0, squares / count - group.mean * group.mean);
    group.cv = std::min(std::sqrt(variance) / group.mean, kMostCv);
    if (group.cv < kLeastCv) group.cv = 0;
    if (group.tasks > kMaxTasks) {
      report.repaired(kManyTasks, "stage " + std::to_string(group.stages.front()->id));
      group.tasks = kMaxTasks;
    }
  };
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::vector<int> before = stages_before(stages, i, report);
    const bool waits = std::ranges::any_of(
        before, [&](int stage) { return static_cast<std::size_t>(stage) >= first; });
    if (groups.empty() || waits) {
      close();
      groups.emplace_back();
      sum = squares = 0;
      first = i;
    }
    add_stage(*stages[i], groups.back(), sum, squares);
  }
  close();
  return groups;
}

void make_executor_job(const App& app, const std::vector<StageGroup>& groups,
                       const Executors& executors, const ImportOptions& options, JobSpec& job,
                       ImportReport& report) {
  job.framework = Framework::kSpark;
  job.deploy = app.dynamic == "true" ? Deploy::kDynamic : Deploy::kYarnCluster;
  if (app.idle_timeout)
    job.executor_idle_timeout =
        emu_seconds(std::clamp(*app.idle_timeout, 1e-3, to_seconds(kMaxTime)));
  if (const std::optional<Resources> request = master_container(app)) {
    PhaseSpec& master = job.phases.emplace_back();
    master.name = "am";
    master.kind = PhaseKind::kAm;
    master.threads = 1;
    master.request = *request;
  }
  PhaseSpec& executor = job.phases.emplace_back();
  executor.name = "executor";
  executor.kind = PhaseKind::kExecutor;
  executor.tasks = std::clamp(executors.most, 1, kMaxTasks);
  executor.request = executor_container(app, options);
  executor.threads = static_cast<int>(std::clamp<std::int64_t>(
      cores_of_executor(app) / app.task_cores.value_or(1), 1, kMaxThreads));
  bool cut = false;
  executor.memory = profile_of(groups, executor.request.memory, cut);
  if (cut) report.repaired(kLargePeak, "application " + app.id);
  for (const StageGroup& group : groups) {
    StageSpec& stage = job.stages.emplace_back();
    stage.tasks = static_cast<int>(group.tasks);
    stage.cpu.mean = std::max(1.0, std::round(group.mean));
    stage.cpu.cv = group.cv;
    if (group.cv > 0) stage.cpu.dist = Drawn::Dist::kLognormal;
  }
}

}  // namespace heddle::trace::spark
