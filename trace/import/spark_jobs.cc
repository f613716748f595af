#include "trace/import/spark_jobs.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace heddle::trace::spark {
namespace {

constexpr std::size_t kMostPhases = 1000;  ///< of a job, the limit of scenarios

constexpr Repair kAgain{"task_again", "a task succeeded again: the first success counts"};
constexpr Repair kUnfinished{"unfinished",
                             "a stage has fewer successful tasks than it should: only those count"};
constexpr Repair kManyStages{"many_stages",
                             "an application has more than 1000 stages: the later one is left out"};

/// Keeps the first success of each task.
void keep_first_runs(std::int64_t id, Stage& stage, ImportReport& report) {
  std::ranges::sort(stage.runs, {}, [](const Run& run) {
    return std::tuple(run.index, run.launch + run.length, run.launch);
  });
  const auto again = std::unique(stage.runs.begin(), stage.runs.end(),
                                 [](const Run& a, const Run& b) { return a.index == b.index; });
  for (auto run = again; run != stage.runs.end(); ++run)
    report.repaired(kAgain, "stage " + std::to_string(id));
  stage.runs.erase(again, stage.runs.end());
  if (std::ssize(stage.runs) < stage.tasks)
    report.repaired(kUnfinished, "stage " + std::to_string(id));
}

/// Returns the stages that must be complete before a stage: its parents, and the stages that
/// were complete when it was submitted. Of the latter, `latest` is the one that was submitted
/// last, so it comes after each one that was complete by then.
std::vector<int> after(const std::vector<Executed>& stages, std::size_t of, ImportReport& report) {
  const Executed& own = stages[of];
  std::vector<std::int64_t>& parents = own.stage->parents;
  std::ranges::sort(parents);
  std::optional<std::size_t> latest;
  for (std::size_t i = of; i-- > 0 && !latest;)
    if (stages[i].complete <= own.submit) latest = i;
  std::vector<int> after;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const bool parent = std::ranges::binary_search(parents, stages[i].id);
    if (i >= of) {
      if (parent) report.repaired(kNoDependency, "stage " + std::to_string(own.id));
      continue;
    }
    const bool follows = latest && stages[i].complete <= own.submit &&
                         (i == *latest || stages[i].complete > stages[*latest].submit);
    if (parent || follows) after.push_back(static_cast<int>(i));
  }
  return after;
}

void set_tasks(PhaseSpec& phase, const std::vector<Run>& runs, std::int64_t cores) {
  phase.tasks = static_cast<int>(runs.size());
  const auto work_of = [&](const Run& run) {
    TaskSpec task;
    const auto time = static_cast<double>(std::max<std::int64_t>(run.length * 1000, 1));
    const auto threads = static_cast<double>(cores);
    task.cpu.mean = std::min(static_cast<double>(run.cpu), time * threads);
    task.sleep.mean = std::round(time - task.cpu.mean / threads);
    return task;
  };
  const bool equal = std::ranges::all_of(runs, [&](const Run& run) {
    return run.length == runs.front().length && run.cpu == runs.front().cpu;
  });
  if (equal) {
    static_cast<TaskSpec&>(phase) = work_of(runs.front());
    return;
  }
  for (const Run& run : runs) phase.each.push_back(work_of(run));
}

}  // namespace

std::vector<Executed> executed(App& app, ImportReport& report) {
  std::vector<Executed> all;
  for (auto& [id, stage] : app.stages) {
    if (stage.runs.empty()) {
      if (stage.tasks > 0) report.repaired(kNoTask, "stage " + std::to_string(id));
      continue;
    }
    keep_first_runs(id, stage, report);
    std::int64_t first = kLatest, last = 0;
    for (const Run& run : stage.runs) {
      first = std::min(first, run.launch);
      last = std::max(last, run.launch + run.length);
    }
    Executed one{id, stage.submit, stage.complete, &stage};
    if (one.submit == kLatest) one.submit = first;
    if (one.complete == kLatest) one.complete = stage.failed >= 0 ? stage.failed : last;
    one.complete = std::max(one.complete, one.submit);
    all.push_back(one);
  }
  std::ranges::sort(
      all, {}, [](const Executed& one) { return std::tuple(one.submit, one.complete, one.id); });
  while (all.size() > kMostPhases) {
    report.repaired(kManyStages, "stage " + std::to_string(all.back().id));
    all.pop_back();
  }
  return all;
}

std::vector<PhaseSpec> phases_of(const std::vector<Executed>& stages, const Resources& request,
                                 std::int64_t cores, ImportReport& report) {
  std::vector<PhaseSpec> phases;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    PhaseSpec& phase = phases.emplace_back();
    phase.name = "stage-" + std::to_string(stages[i].id);
    phase.request = request;
    phase.after = after(stages, i, report);
    set_tasks(phase, stages[i].stage->runs, cores);
  }
  return phases;
}

}  // namespace heddle::trace::spark
