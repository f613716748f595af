#include "core/scenario/fidelity_limits.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/fit.h"
#include "core/scenario/usage.h"

namespace heddle {
namespace {

bool moves_data(const JobSpec& job, const PhaseSpec& phase) {
  return phase.input.mean > 0 || phase.shuffle.mean > 0 || phase.output.mean > 0 ||
         std::any_of(phase.after.begin(), phase.after.end(),
                     [&](int before) { return job.phases[before].shuffle.mean > 0; });
}

/// Returns work with the mean values of the task's distributions.
TaskWork mean_work(const TaskSpec& task, Millicores cores) {
  TaskWork work;
  work.threads = threads_of(task, cores);
  work.cpu = CoreTime(static_cast<std::int64_t>(task.cpu.mean));
  work.sleep = EmuTime(static_cast<std::int64_t>(task.sleep.mean));
  work.pauses = task.pauses;
  work.pause = EmuTime(static_cast<std::int64_t>(task.pause.mean));
  follow(task.usage, work);
  return work;
}

/// Returns the largest step up of a task's memory, in emulated bytes. A rise within a hundredth of
/// the progress counts as a step.
double largest_memory_step(const TaskSpec& task) {
  constexpr double kSteep = 0.01 + 1e-9;
  double step = 0, before = 0, at = 0;
  for (const auto& [progress, use] : task.memory) {
    const bool first = &use == &task.memory.front().second;
    if (first || progress - at <= kSteep) step = std::max(step, use.mean - before);
    before = use.mean;
    at = progress;
  }
  return step;
}

/// Returns the speed of the fastest node.
double fastest(const ClusterSpec& cluster) {
  double speed = 0;
  for (const NodeSpec& node : cluster.nodes) speed = std::max(speed, node.speed);
  return speed;
}

/// As the function of the header; `speed` is that of the fastest node.
std::optional<double> ideal_real_seconds(const Scenario& scenario, double speed, const JobSpec& job,
                                         const PhaseSpec& phase) {
  if (phase.kind != PhaseKind::kMap && phase.kind != PhaseKind::kReduce) return std::nullopt;
  if (moves_data(job, phase)) return std::nullopt;
  const bool shares = scenario.emulation.cpu_limit == CpuLimit::kShares;
  auto ideal_of = [&](const TaskSpec& task) {
    const Millicores cores = phase.request.cores;
    return std::max(ideal_time(mean_work(task, cores), cores, speed, shares), EmuTime(1));
  };
  EmuTime ideal = ideal_of(phase.task(0));
  for (const TaskSpec& task : phase.each) ideal = std::min(ideal, ideal_of(task));
  return to_seconds(ideal) * *scenario.emulation.time_scale;
}

}  // namespace

Resources half_of_request(const Resources& request) {
  // Only cores and memory are measured, and only they can be more than a task needs.
  Resources half = request;
  half.cores = Millicores((request.cores.count() + 1) / 2);
  half.memory = EmuBytes((request.memory.count() + 1) / 2);
  return half;
}

Resources smallest_container(const Scenario& scenario, const Resources& request) {
  const double scale = scenario.emulation.memory_scale.value_or(1);
  const EmuBytes floor(std::llround(std::ceil(static_cast<double>(kLeastMemory.count()) / scale)));
  Resources least = half_of_request(request);
  least.memory = std::min(request.memory, std::max(least.memory, floor));
  return least;
}

std::optional<double> ideal_real_seconds(const Scenario& scenario, const JobSpec& job,
                                         const PhaseSpec& phase) {
  return ideal_real_seconds(scenario, fastest(scenario.cluster), job, phase);
}

std::optional<ShortTask> shortest_task_below_limit(const Scenario& scenario) {
  const double speed = fastest(scenario.cluster);
  std::optional<ShortTask> shortest;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      if (std::optional<double> seconds = ideal_real_seconds(scenario, speed, job, phase))
        if (*seconds < (shortest ? shortest->seconds : kLeastTask_s))
          shortest = {&job, &phase, *seconds};
  return shortest;
}

std::optional<LateMemory> latest_memory_above_limits(const Scenario& scenario, double fill_rate,
                                                     double spare_cpus) {
  const double speed = fastest(scenario.cluster);
  std::optional<LateMemory> latest;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases) {
      const double step = largest_memory_step(phase.task(0));
      const std::optional<double> task_s = ideal_real_seconds(scenario, speed, job, phase);
      if (!task_s || step <= 0) continue;
      std::int64_t all = 0, most = 0;
      for (const NodeSpec& node : scenario.cluster.nodes) {
        const std::int64_t here = std::min(phase.tasks - all, times(phase.request, node.allowance));
        all += here;
        most = std::max(most, here);
      }
      const double step_s = step * *scenario.emulation.memory_scale / fill_rate;
      const double late_s =
          step_s * std::max(static_cast<double>(most), static_cast<double>(all) / spare_cpus);
      const double share = late_s / *task_s;
      if (late_s > kLateMemory_s && share > (latest ? latest->share : kLateMemoryShare))
        latest = {&job, &phase, all, late_s, share};
    }
  return latest;
}

}  // namespace heddle
