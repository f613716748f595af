#include "core/policy/scheduler/backfill/estimates.h"

#include <algorithm>

#include "core/scenario/draw.h"

namespace heddle::backfill {

constinit const WordOption<EstimatesBy> kEstimates(
    {.name = "estimates",
     .words = {"requested", "exact", "last-two"},
     .by_default = "requested",
     .help =
         "how long jobs are expected to run: as requested, as an oracle knows it, or the mean of "
         "the user's last two run times"});

EmuTime corrected(EmuTime estimate, EmuTime elapsed, EmuTime requested) {
  constexpr int kMinutes[] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000};
  for (const int minutes : kMinutes) {
    if (estimate > elapsed) return std::min(estimate, requested);
    estimate = after(estimate, emu_seconds(60.0 * minutes));
  }
  return estimate > elapsed ? std::min(estimate, requested) : requested;
}

EmuTime Estimates::requested(JobId job) const {
  return scenario_.jobs[static_cast<std::size_t>(job.value)].walltime.value_or(kForever);
}

EmuTime Estimates::exact(JobId job) const {
  const auto known = exact_.find(job);
  if (known != exact_.end()) return known->second;
  const JobSpec& spec = scenario_.jobs[static_cast<std::size_t>(job.value)];
  EmuTime longest(1);
  const PhaseSpec& phase = spec.phases.front();
  for (int task = 0; task < phase.tasks; ++task)
    longest = std::max(
        longest, ideal_time(draw_work(scenario_, {{job, 0}, task}), phase.request.cores, 1, true));
  return exact_[job] = std::min(longest, requested(job));
}

EmuTime Estimates::of_waiting(JobId job) const {
  if (by_ == EstimatesBy::kExact) return exact(job);
  const EmuTime most = requested(job);
  if (by_ == EstimatesBy::kRequested) return most;
  const auto user = users_.find(scenario_.jobs[static_cast<std::size_t>(job.value)].user);
  if (user == users_.end() || !user->second.before) return most;
  const EmuTime mean((*user->second.last + *user->second.before).count() / 2);
  return std::clamp(mean, EmuTime(1), most);
}

EmuTime Estimates::of_running(JobId job, EmuTime elapsed) const {
  const auto at_start = running_.find(job);
  const EmuTime estimate = at_start == running_.end() ? of_waiting(job) : at_start->second;
  return can_be_short() ? corrected(estimate, elapsed, requested(job)) : estimate;
}

EmuTime Estimates::next_short(const ClusterState& cluster, EmuTime now) const {
  EmuTime next = kForever;
  for (const auto& [job, estimate] : running_) {
    const EmuTime from = cluster.job(job).walltime_from(now).value_or(now);
    next = std::min(next, after(from, of_running(job, now - from)));
  }
  return next;
}

void Estimates::refresh(const View& view) {
  if (!can_be_short()) return;
  for (const JobId id : view.changed_jobs) {
    const Job& job = view.cluster.job(id);
    if (!job.finished() || running_.erase(id) == 0) continue;
    const auto from = job.walltime_from(view.now);
    if (!from) continue;
    LastTwo& user = users_[job.spec().user];
    user.before = user.last;
    user.last = view.now - *from;
  }
}

}  // namespace heddle::backfill
