#include "core/scenario/doubts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

/// Collects warnings about phases. Jobs of which the same is to be said share one.
class Warnings {
 public:
  void add(const JobSpec& job, const PhaseSpec& phase, const std::string& what) {
    std::string rest = ", phase \"" + phase.name + "\": " + what;
    const auto [known, is_new] = places_.try_emplace(rest, same_.size());
    if (is_new)
      same_.push_back({job.name, std::move(rest), 0});
    else
      ++same_[known->second].others;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const Same& same : same_) {
      std::string jobs = "job \"" + same.job + '"';
      if (same.others > 0)
        jobs += " and " + std::to_string(same.others) + (same.others == 1 ? " other" : " others");
      texts.push_back(jobs + same.rest);
    }
    return texts;
  }

 private:
  struct Same {
    std::string job, rest;
    int others;
  };
  std::vector<Same> same_;
  std::map<std::string, std::size_t> places_;  ///< in same_
};

/// Returns the mean of the peak of a task's memory, in bytes.
double peak_memory(const TaskSpec& task) {
  double peak = 0;
  for (const auto& [progress, memory] : task.memory) peak = std::max(peak, memory.mean);
  for (const UsageCorner& corner : task.usage)
    peak = std::max(peak, static_cast<double>(corner.memory.count()));
  return peak;
}

double peak_memory(const PhaseSpec& phase) {
  double peak = peak_memory(static_cast<const TaskSpec&>(phase));
  for (const TaskSpec& task : phase.each) peak = std::max(peak, peak_memory(task));
  return peak;
}

bool has_maps(const JobSpec& job) {
  return std::any_of(job.phases.begin(), job.phases.end(),
                     [](const PhaseSpec& phase) { return phase.kind == PhaseKind::kMap; });
}

/// Returns the mean CPU work of all tasks of a job, in core-microseconds.
double work_of(const JobSpec& job) {
  double work = 0;
  for (const PhaseSpec& phase : job.phases)
    if (phase.kind != PhaseKind::kCommand) {
      work += phase.each.empty() ? phase.tasks * phase.cpu.mean : 0;
      for (const TaskSpec& task : phase.each) work += task.cpu.mean;
    }
  for (const StageSpec& stage : job.stages) work += stage.tasks * stage.cpu.mean;
  return work;
}

/// Returns a lower bound of the makespan: all work on all cores, or the last submission.
double least_makespan_s(const Scenario& scenario) {
  double cores = 0, work = 0, last = 0;
  for (const NodeSpec& node : scenario.cluster.nodes)
    cores += static_cast<double>(node.capacity.cores.count()) / 1000 * node.speed;
  for (const JobSpec& job : scenario.jobs) {
    work += work_of(job);
    last = std::max(last, to_seconds(job.submit));
  }
  return std::max(cores > 0 ? work / 1e6 / cores : 0, last);
}

/// Returns whether tasks of the job are emulated and use no memory.
bool states_no_memory(const JobSpec& job) {
  return std::ranges::any_of(job.phases, [](const PhaseSpec& phase) {
    const bool emulated = phase.kind != PhaseKind::kCommand && phase.kind != PhaseKind::kAm;
    return emulated && peak_memory(phase) == 0;
  });
}

/// Returns a warning if nodes give containers more memory than they have, but tasks use none.
std::string unused_overcommit(const Scenario& scenario) {
  const auto node = std::ranges::find_if(scenario.cluster.nodes, [](const NodeSpec& one) {
    return one.allowance.memory > one.capacity.memory;
  });
  const auto silent = std::ranges::count_if(scenario.jobs, states_no_memory);
  if (node == scenario.cluster.nodes.end() || silent == 0) return "";
  return "memory is overcommitted (node \"" + node->name + "\" allows containers " +
         print_bytes(node->allowance.memory) + " of " + print_bytes(node->capacity.memory) +
         "), but the tasks of " + std::to_string(silent) + " of " +
         std::to_string(scenario.jobs.size()) +
         " jobs state no memory: they use none, and nothing is killed for it; expected memory in "
         "their phases, or use in executors";
}

}  // namespace

std::vector<std::string> doubts(const Scenario& scenario) {
  Warnings warnings;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases) {
      const auto peak = EmuBytes(std::llround(peak_memory(phase)));
      if (peak > phase.request.memory && phase.kind != PhaseKind::kCommand)
        warnings.add(job, phase,
                     "its tasks use " + print_bytes(peak) + " of memory and request " +
                         print_bytes(phase.request.memory) + ", so the kernel may kill them");
      if (phase.kind == PhaseKind::kReduce && phase.after.empty() && has_maps(job))
        warnings.add(job, phase,
                     "these reduces wait for no maps; expected after: [NAME] of a map phase");
    }
  std::vector<std::string> texts = warnings.texts();
  if (std::string text = unused_overcommit(scenario); !text.empty())
    texts.push_back(std::move(text));
  return texts;
}

std::string unscaled_time(const CheckedScenario& read, double from_min) {
  if (read.states_time_scale) return "";
  const double minutes = least_makespan_s(read.scenario) / 60;
  if (minutes < from_min) return "";
  return "emulation.time_scale is not given, so an emulated second lasts a real second and the run "
         "takes at least " +
         std::to_string(std::lround(minutes)) +
         " minutes; expected a time_scale such as 0.1 if that is too long";
}

}  // namespace heddle
