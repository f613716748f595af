#include "trace/import/spark_app.h"

#include <algorithm>
#include <tuple>

namespace heddle::trace::spark {
namespace {

constexpr Repair kAgain{"task_again", "a task succeeded again: the first success counts"};
constexpr Repair kUnfinished{"unfinished",
                             "a stage has fewer successful tasks than it should: only those count"};
constexpr Repair kManyStages{
    "many_stages", "an application has more than 10000 stages: the later one is left out"};

std::string place_of(const Stage& stage) { return "stage " + std::to_string(stage.id); }

/// Keeps the first success of each task.
void keep_first_runs(Stage& stage, ImportReport& report) {
  std::ranges::sort(stage.runs, {}, [](const Run& run) {
    return std::tuple(run.index, run.launch + run.length, run.launch);
  });
  const auto again = std::unique(stage.runs.begin(), stage.runs.end(),
                                 [](const Run& a, const Run& b) { return a.index == b.index; });
  for (auto run = again; run != stage.runs.end(); ++run) report.repaired(kAgain, place_of(stage));
  stage.runs.erase(again, stage.runs.end());
  if (std::ssize(stage.runs) < stage.tasks) report.repaired(kUnfinished, place_of(stage));
}

/// Takes times that a stage does not say from its tasks.
void complete_times(Stage& stage) {
  std::int64_t first = kLatest, last = 0;
  for (const Run& run : stage.runs) {
    first = std::min(first, run.launch);
    last = std::max(last, run.launch + run.length);
  }
  if (stage.submit == kLatest) stage.submit = first;
  if (stage.complete == kLatest) stage.complete = stage.failed >= 0 ? stage.failed : last;
  stage.complete = std::max(stage.complete, stage.submit);
}

}  // namespace

EmuBytes App::memory_per_core(EmuBytes otherwise) const {
  std::int64_t cores = executor_cores.value_or(0);
  if (local) cores = std::max(cores, local_cores.value_or(0));
  if (!executor_cores || local) {
    for (const auto& [name, use] : executors) cores = std::max(cores, use.cores);
    for (const Use& use : uses) cores = std::max(cores, use.cores);
  }
  const Integer bytes = bytes_of_executor();
  return bytes && cores > 0 ? EmuBytes(std::max<std::int64_t>(*bytes / cores, 1)) : otherwise;
}

std::vector<Stage*> executed(App& app, ImportReport& report) {
  std::vector<Stage*> all;
  for (auto& [id, stage] : app.stages) {
    if (stage.runs.empty()) {
      if (stage.tasks > 0) report.repaired(kNoTask, place_of(stage));
      continue;
    }
    keep_first_runs(stage, report);
    complete_times(stage);
    all.push_back(&stage);
  }
  std::ranges::sort(all, {}, [](const Stage* stage) {
    return std::tuple(stage->submit, stage->complete, stage->id);
  });
  for (; all.size() > kMostPhases; all.pop_back())
    report.repaired(kManyStages, place_of(*all.back()));
  return all;
}

std::vector<int> stages_before(const std::vector<Stage*>& stages, std::size_t of,
                               ImportReport& report) {
  const Stage& own = *stages[of];
  std::vector<std::int64_t> parents = own.parents;
  std::ranges::sort(parents);
  // The last stage that was submitted of those that were complete when this one was submitted. It
  // implies each one that was complete by then.
  std::optional<std::size_t> latest;
  for (std::size_t i = of; i-- > 0 && !latest;)
    if (stages[i]->complete <= own.submit) latest = i;
  std::vector<int> before;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const bool parent = std::ranges::binary_search(parents, stages[i]->id);
    const bool follows = latest && stages[i]->complete <= own.submit &&
                         (i == *latest || stages[i]->complete > stages[*latest]->submit);
    if (i < of && (parent || follows)) before.push_back(static_cast<int>(i));
    if (i >= of && parent) report.repaired(kNoDependency, place_of(own));
  }
  return before;
}

}  // namespace heddle::trace::spark
