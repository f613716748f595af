#include "master/run_end.h"

#include <algorithm>
#include <vector>

namespace heddle::master {

void RunEnd::leave(RunStatus status, const std::string& reason, real::Time now) {
  registration_.record_workers(now);
  recorder_.leaving(clock_.emulated(now), name_of(status), reason);
  clock_.start(now);
  life_ = {Life::kLeaving, status, reason};
  limit_ = now + std::chrono::milliseconds(status == RunStatus::kInterrupted ? 700 : 3000);
  outbox_.to_all(wire::Shutdown{reason});
}

void RunEnd::settle(real::Time now) {
  if (life_.is(Life::kRunning)) leave_if_done(now);
  if (!life_.is(Life::kLeaving)) return;
  const auto left =
      links_.count(NodeLinks::State::kAlive) + links_.count(NodeLinks::State::kReturning);
  if (left == 0 || now >= limit_) life_.state = Life::kOver;
}

void RunEnd::leave_if_done(real::Time now) {
  if (engine_.done()) {
    const std::vector<Job>& jobs = engine_.state().jobs();
    const bool failed = std::ranges::any_of(jobs, &Job::failed);
    leave(failed ? RunStatus::kFailed : RunStatus::kDone, "all jobs have ended", now);
  } else if (nodes_.nothing_left(now)) {
    const LiveNodes::End end = nodes_.end();
    leave(end.status, end.reason, now);
  }
}

std::string RunEnd::trouble() const {
  if (!life_.status || *life_.status == RunStatus::kDone) return "";
  if (*life_.status != RunStatus::kFailed) return life_.reason;
  std::string first;
  int others = 0;
  for (const Job& job : engine_.state().jobs()) {
    if (!job.failed()) continue;
    if (!first.empty())
      ++others;
    else
      first = "job " + job.spec().name + " " + std::string(wire::name_of(job.state())) + ": " +
              job.failure();
  }
  return others == 0 ? first
                     : first + "; " + std::to_string(others) +
                           (others == 1 ? " more job failed" : " more jobs failed");
}

}  // namespace heddle::master
