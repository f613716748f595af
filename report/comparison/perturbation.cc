#include "report/comparison/perturbation.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/draw.h"

namespace heddle::report {
namespace {

/// Parts of the keys of the draws.
constexpr std::uint64_t kPhase = 1, kSubmit = 2, kRun = 3;
constexpr double kUnit_s = 1;  ///< the unit of times in logs

std::uint64_t number_of(EmuTime time) { return static_cast<std::uint64_t>(time.count()); }

/// Returns the new time of each submission.
std::map<EmuTime, EmuTime> moved(const Scenario& scenario, std::uint64_t key) {
  std::map<EmuTime, EmuTime> times;
  for (const JobSpec& job : scenario.jobs) times[job.submit];
  const double all_s =
      draw_between(0, to_seconds(scenario.cluster.heartbeat), draw_key(key, {kPhase}));
  for (auto at = times.begin(); at != times.end(); ++at) {
    const auto next = std::next(at);
    const double most_s =
        next == times.end() ? kUnit_s : std::min(kUnit_s, to_seconds(next->first - at->first));
    at->second = at->first +
                 emu_seconds(all_s + draw_between(0, most_s,
                                                  draw_key(key, {kSubmit, number_of(at->first)})));
  }
  return times;
}

void scale_work(TaskSpec& task, double factor) {
  for (Drawn* work : {&task.cpu, &task.sleep})
    if (work->mean > 0) work->mean = std::max(1.0, std::round(work->mean * factor));
}

}  // namespace

void perturb(Scenario& scenario, const std::map<std::string, double>& run_s, std::uint64_t key) {
  const std::map<EmuTime, EmuTime> submissions = moved(scenario, key);
  EmuTime& grace =
      scenario.cluster.walltime_grace.emplace(scenario.cluster.walltime_grace.value_or(EmuTime(0)));
  grace += emu_seconds(kUnit_s);
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    JobSpec& job = scenario.jobs[i];
    job.submit = submissions.at(job.submit);
    const auto run = run_s.find(job.name);
    if (run == run_s.end() || !(run->second > 0)) continue;
    const double most_s = std::min(kUnit_s, run->second) / 2;
    const double factor = 1 + draw_between(-most_s, most_s, draw_key(key, {kRun, i})) / run->second;
    for (PhaseSpec& phase : job.phases) {
      scale_work(phase, factor);
      for (TaskSpec& task : phase.each) scale_work(task, factor);
    }
  }
}

}  // namespace heddle::report
