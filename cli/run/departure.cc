#include "cli/run/departure.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/disturbance.h"

namespace heddle::cli {
namespace {

constexpr double kShare = 0.1, kLeast_real_s = 2;
/// Smallest difference of a job's work that is worth a name. The forecast has steps of 2 %.
constexpr double kLeastWork = 0.03;

bool waits(const wire::Progress& progress) {
  return std::ranges::find(progress.nodes, "waiting", &wire::Progress::Node::state) !=
         progress.nodes.end();
}

/// Share of their cores that tasks use at least while other programs do not slow them down.
constexpr double kUsualUse = 0.9;

/// Says how other programs slow the run down, with ": " before it. Returns "" if they do not.
std::string by_load(const wire::Progress& progress,
                    const DepartureWatch::ForeignShare& foreign_cpu) {
  double used = 0, held = 0;
  for (const wire::Progress::Node& node : progress.nodes) {
    used += node.used_cores;
    held += static_cast<double>(node.allocated.cores.count()) / 1e3;
  }
  if (!foreign_cpu || held <= 0 || used >= kUsualUse * held) return "";
  const std::optional<double> foreign = foreign_cpu();
  if (!foreign || *foreign <= report::kForeign) return "";
  return fmt::format(
      ": other programs have used {:.0f} % of this machine's CPU, and tasks use {:.1f} of the "
      "{:.1f} "
      "cores that they hold",
      100 * *foreign, used, held);
}

}  // namespace

DepartureWatch::DepartureWatch(const report::Forecast& forecast, double time_scale)
    : forecast_(forecast),
      bound_s_(std::max(kShare * forecast.makespan_s.value_or(forecast.work.end_s()),
                        kLeast_real_s / time_scale)) {}

std::optional<std::string> DepartureWatch::note(const wire::Progress& progress,
                                                const ForeignShare& foreign_cpu) {
  if (state_ == State::kReturned || waits(progress)) return std::nullopt;
  const double now_s = progress.now_s;
  const double lag_s = now_s - forecast_.work.time_of(progress.work, now_s);
  if (state_ == State::kWithin && std::abs(lag_s) > bound_s_) {
    state_ = State::kDeparted;
    return fmt::format("at {:.1f} s the run is {:.1f} s {} its forecast{}", now_s, std::abs(lag_s),
                       lag_s > 0 ? "behind" : "ahead of", where(progress, lag_s > 0, foreign_cpu));
  }
  if (state_ == State::kDeparted && std::abs(lag_s) <= bound_s_ / 2) {
    state_ = State::kReturned;
    return fmt::format("at {:.1f} s the run follows its forecast again; the difference is {:.1f} s",
                       now_s, std::abs(lag_s));
  }
  return std::nullopt;
}

std::string DepartureWatch::where(const wire::Progress& progress, bool behind,
                                  const ForeignShare& foreign_cpu) const {
  for (const wire::Progress::Node& node : progress.nodes)
    if (behind && node.state == "lost" && !forecast_.out(node.name, progress.now_s))
      return ": node " + node.name + " is lost, which was not expected";
  if (std::string load = behind ? by_load(progress, foreign_cpu) : ""; !load.empty()) return load;
  // If the completed tasks are as expected, the job whose work differs most.
  int most_tasks = 0;
  double most_work = kLeastWork;
  std::string by_tasks, by_work;
  for (const wire::Progress::Job& job : progress.job_list) {
    const auto expected = std::ranges::find(forecast_.jobs, job.name, &report::Forecast::Job::name);
    if (expected == forecast_.jobs.end()) continue;
    const int sign = behind ? 1 : -1;
    const int completed = expected->completed(progress.now_s);
    if (const int tasks = sign * (completed - job.tasks_done); tasks > most_tasks) {
      most_tasks = tasks;
      by_tasks = fmt::format(": job {} has completed {} of {} tasks, forecast {}", job.name,
                             job.tasks_done, job.tasks, completed);
    }
    const double done = expected->done(progress.now_s);
    if (const double work = sign * (done - job.work); work > most_work) {
      most_work = work;
      by_work = fmt::format(": job {} has done {:.0f} % of its work, forecast {:.0f} %", job.name,
                            100 * job.work, 100 * done);
    }
  }
  return by_tasks.empty() ? by_work : by_tasks;
}

}  // namespace heddle::cli
