#include "master/run_end.h"

#include <algorithm>
#include <vector>

namespace heddle::master {

RunEnd::RunEnd(LiveParts& parts, LiveNodes& nodes, Registration& registration)
    : parts_(parts), nodes_(nodes), registration_(registration) {}

void RunEnd::leave(RunStatus status, const std::string& reason, real::Time now) {
  registration_.record_workers(now);
  parts_.recorder.leaving(parts_.clock.emulated(now), name_of(status), reason);
  parts_.clock.start(now);
  parts_.life = Life::kLeaving;
  parts_.status = status;
  parts_.reason = reason;
  limit_ = now + std::chrono::milliseconds(status == RunStatus::kInterrupted ? 700 : 3000);
  parts_.send_to_all(wire::Shutdown{reason});
}

void RunEnd::settle(real::Time now) {
  if (parts_.life == Life::kRunning) leave_if_done(now);
  if (parts_.life != Life::kLeaving) return;
  const auto left = parts_.links.count(NodeLinks::State::kAlive) +
                    parts_.links.count(NodeLinks::State::kReturning);
  if (left == 0 || now >= limit_) parts_.life = Life::kOver;
}

void RunEnd::leave_if_done(real::Time now) {
  if (parts_.engine.done()) {
    const std::vector<Job>& jobs = parts_.engine.state().jobs();
    const bool failed = std::any_of(
        jobs.begin(), jobs.end(), [](const Job& job) { return job.state() == JobState::kFailed; });
    leave(failed ? RunStatus::kFailed : RunStatus::kDone, "all jobs have ended", now);
  } else if (nodes_.nothing_left()) {
    const LiveNodes::End end = nodes_.end();
    leave(end.status, end.reason, now);
  }
}

std::string RunEnd::trouble() const {
  if (!parts_.status || *parts_.status == RunStatus::kDone) return "";
  if (*parts_.status != RunStatus::kFailed) return parts_.reason;
  std::string first;
  int others = 0;
  for (const Job& job : parts_.engine.state().jobs()) {
    if (job.state() != JobState::kFailed) continue;
    if (!first.empty())
      ++others;
    else
      first = "job " + job.spec().name + " failed: " + job.failure();
  }
  return others == 0 ? first
                     : first + "; " + std::to_string(others) +
                           (others == 1 ? " more job failed" : " more jobs failed");
}

}  // namespace heddle::master
