#include "core/scenario/trust.h"

#include <algorithm>

namespace heddle {
namespace {

bool moves_data(const JobSpec& job, const PhaseSpec& phase) {
  return phase.input.mean > 0 || phase.shuffle.mean > 0 || phase.output.mean > 0 ||
         std::any_of(phase.after.begin(), phase.after.end(),
                     [&](int before) { return job.phases[before].shuffle.mean > 0; });
}

/// Its means, as one task's work.
TaskWork mean_work(const PhaseSpec& phase) {
  TaskWork work;
  work.cpu = CoreTime(static_cast<std::int64_t>(phase.cpu.mean));
  work.sleep = EmuTime(static_cast<std::int64_t>(phase.sleep.mean));
  work.pauses = phase.pauses;
  work.pause = EmuTime(static_cast<std::int64_t>(phase.pause.mean));
  work.threads = phase.threads.value_or(
      static_cast<int>(std::max<std::int64_t>((phase.request.cores.count() + 999) / 1000, 1)));
  return work;
}

}  // namespace

std::optional<double> ideal_seconds(const Scenario& scenario, const JobSpec& job,
                                    const PhaseSpec& phase) {
  if (phase.kind != PhaseKind::kMap && phase.kind != PhaseKind::kReduce) return std::nullopt;
  if (moves_data(job, phase)) return std::nullopt;
  double speed = 0;
  for (const NodeSpec& node : scenario.cluster.nodes) speed = std::max(speed, node.speed);
  const bool shares = scenario.emulation.cpu_limit == CpuLimit::kShares;
  const EmuTime ideal =
      std::max(ideal_time(mean_work(phase), phase.request.cores, speed, shares), EmuTime(1));
  return to_seconds(ideal) * *scenario.emulation.time_scale;
}

std::optional<ShortTask> too_short(const Scenario& scenario) {
  std::optional<ShortTask> shortest;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      if (std::optional<double> seconds = ideal_seconds(scenario, job, phase))
        if (*seconds < (shortest ? shortest->seconds : kLeastTask_s))
          shortest = {&job, &phase, *seconds};
  return shortest;
}

}  // namespace heddle
