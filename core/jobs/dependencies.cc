#include "core/jobs/dependencies.h"

#include <algorithm>

namespace heddle {

Dependencies::Dependencies(const Scenario& scenario) : scenario_(&scenario) {
  const auto& jobs = scenario.jobs;
  if (std::ranges::all_of(jobs, [](const JobSpec& job) { return job.after.empty(); })) return;
  dependents_.resize(jobs.size());
  waiting_.resize(jobs.size());
  for (std::int64_t i = 0; i < std::ssize(jobs); ++i) {
    const JobSpec& job = jobs[static_cast<std::size_t>(i)];
    Waiting& waiting = waiting_[static_cast<std::size_t>(i)];
    waiting = {job.submit, std::vector<bool>(job.after.size()), job.after.size()};
    for (std::size_t condition = 0; condition < job.after.size(); ++condition)
      dependents_[job.after[condition].job.value].push_back({JobId{i}, condition});
  }
}

Dependencies::Verdict Dependencies::verdict(AfterWhen when, Point point) {
  if (when == AfterWhen::kStart) return Verdict::kHolds;
  if (point == Point::kStart) return Verdict::kOpen;
  if (when == AfterWhen::kAny) return Verdict::kHolds;
  const bool as_wanted = (when == AfterWhen::kOk) == (point == Point::kOk);
  return as_wanted ? Verdict::kHolds : Verdict::kHopeless;
}

void Dependencies::ended(JobId job, bool completed, EmuTime at) {
  if (dependents_.empty()) return;
  const std::size_t first = hopeless_.size();
  came_to(job, completed ? Point::kOk : Point::kNotOk, at);
  // Jobs that are given up end as well. The list grows in the loop.
  for (std::size_t i = first; i < hopeless_.size(); ++i)
    came_to(hopeless_[i].job, Point::kNotOk, at);
}

void Dependencies::came_to(JobId job, Point point, EmuTime at) {
  if (dependents_.empty()) return;
  for (const Dependent& dependent : dependents_[job.value]) {
    const JobCondition& condition = scenario_->jobs[dependent.job.value].after[dependent.condition];
    switch (verdict(condition.when, point)) {
      case Verdict::kOpen:
        break;
      case Verdict::kHolds:
        satisfy(dependent, at + condition.delay);
        break;
      case Verdict::kHopeless:
        give_up(dependent, job);
    }
  }
}

void Dependencies::satisfy(const Dependent& dependent, EmuTime at) {
  Waiting& waiting = waiting_[dependent.job.value];
  if (waiting.hopeless || waiting.holds[dependent.condition]) return;
  waiting.holds[dependent.condition] = true;
  waiting.from = std::max(waiting.from, at);
  if (--waiting.open == 0) eligible_.push_back({dependent.job, waiting.from});
}

void Dependencies::give_up(const Dependent& dependent, JobId cause) {
  Waiting& waiting = waiting_[dependent.job.value];
  if (std::exchange(waiting.hopeless, true)) return;
  const JobCondition& condition = scenario_->jobs[dependent.job.value].after[dependent.condition];
  hopeless_.push_back(
      {dependent.job, "it waits for job " + scenario_->jobs[cause.value].name +
                          (condition.when == AfterWhen::kOk ? ", which has not completed"
                                                            : " to fail, which has completed")});
}

std::vector<JobCondition> Dependencies::open(JobId job) const {
  std::vector<JobCondition> open;
  if (waiting_.empty()) return open;
  const auto& after = scenario_->jobs[job.value].after;
  for (std::size_t i = 0; i < after.size(); ++i)
    if (!waiting_[job.value].holds[i]) open.push_back(after[i]);
  return open;
}

}  // namespace heddle
