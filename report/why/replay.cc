#include "report/why/replay.h"

#include <algorithm>

#include "external/make_policy.h"

namespace heddle::report {
namespace {

/// Returns whether a task of the job is doing something. A reduce that waits for maps does not
/// count while the job still asks for containers.
bool runs_a_task(const ClusterState& cluster, const Job& job) {
  bool asks = false;
  for (int phase = 0; phase < std::ssize(job.spec().phases); ++phase)
    asks |= job.pending(phase) > 0;
  const auto& containers = cluster.holdings(job.id()).containers;
  return std::any_of(containers.begin(), containers.end(), [&](ContainerId id) {
    const Container& container = *cluster.container(id);
    const auto phase = static_cast<std::size_t>(container.task.phase.phase);
    return job.spec().phases[phase].kind != PhaseKind::kAm &&
           container.state == ContainerState::kRunning && !(container.waits && asks);
  });
}

/// Returns the earliest start among live tasks.
std::optional<EmuTime> first_start(const ClusterState& cluster, const Job& job) {
  std::optional<EmuTime> first;
  for (ContainerId id : cluster.holdings(job.id()).containers) {
    const Container& container = *cluster.container(id);
    const auto phase = static_cast<std::size_t>(container.task.phase.phase);
    if (!container.started_at || job.spec().phases[phase].kind == PhaseKind::kAm) continue;
    first = std::min(first.value_or(*container.started_at), *container.started_at);
  }
  return first;
}

}  // namespace

WhyReplay::WhyReplay(const Scenario& scenario, const std::vector<JobId>& jobs, bool later)
    : WhyReplay(scenario, jobs, later, external::make_policy(scenario).policy) {}

WhyReplay::WhyReplay(const Scenario& scenario, const std::vector<JobId>& jobs, bool later,
                     std::unique_ptr<Policy> policy)
    : anywhere_(scenario.cluster.dispatch == Dispatch::kImmediate),
      later_(later),
      policy_(policy.get()),
      replay_(scenario, std::move(policy)),
      unsubmitted_(jobs) {
  const auto submit = [&](JobId job) {
    return scenario.jobs[static_cast<std::size_t>(job.value)].submit;
  };
  std::sort(unsubmitted_.begin(), unsubmitted_.end(),
            [&](JobId a, JobId b) { return submit(a) > submit(b); });
  for (JobId job : jobs) logs_[job];
}

Result<void> WhyReplay::add(const wire::Json& record) {
  HEDDLE_TRY(replay_.add(record));
  ask();
  return {};
}

Result<void> WhyReplay::finish() {
  HEDDLE_TRY(replay_.finish());
  ask();
  return {};
}

void WhyReplay::ask() {
  if (replay_.steps() == steps_) return;
  steps_ = replay_.steps();
  for (; !unsubmitted_.empty(); unsubmitted_.pop_back()) {
    const JobId next = unsubmitted_.back();
    if (replay_.state().job(next).spec().submit > now()) break;
    asked_.insert(next);
  }
  for (auto job = asked_.begin(); job != asked_.end();) {
    const JobId id = *job++;  // ask() can erase it
    ask(replay_.state().job(id));
  }
}

void WhyReplay::ask(const Job& job) {
  const ClusterState& cluster = replay_.state();
  const View view = unchanged_view(now(), cluster, anywhere_);
  WaitLog& log = logs_[job.id()];
  if (job.state() <= JobState::kPending) {
    std::vector<Obstacle> why = policy_->obstacles(view, job.id());
    if (why.empty()) why.push_back({{job.id(), -1}, {}, obstacle::Unknown{}});
    log.at(now(), std::move(why));
    return;
  }
  // The first wait ended when the first task started. The report of this start arrived later.
  if (begun_.insert(job.id()).second) log.at(first_start(cluster, job).value_or(now()), {});
  if (job.finished() || !later_) {
    log.at(now(), {});
    asked_.erase(job.id());
  } else if (runs_a_task(cluster, job)) {
    log.at(now(), {});
  } else {
    log.at(now(), policy_->obstacles(view, job.id()));
  }
}

}  // namespace heddle::report
