#include "bench/sim_scenario.h"

#include <algorithm>

#include "bench/bench_cluster.h"

namespace heddle::bench {
namespace {

constexpr std::int64_t kJobTasks = 100;  ///< a tenth of them are reduces
constexpr double kMemoryUsed = 0.8;      ///< share of the request

void add_equal_queues(int count, Scenario& scenario) {
  for (int i = 1; i <= count; ++i) {
    QueueSpec& queue = scenario.queues.emplace_back();
    queue.name = "q" + std::to_string(i);
    queue.capacity = 1.0 / count;
  }
}

PhaseSpec sim_phase(const char* name, PhaseKind kind, std::int64_t tasks, std::int64_t gib) {
  PhaseSpec phase;
  phase.name = name;
  phase.kind = kind;
  phase.tasks = static_cast<int>(tasks);
  phase.request = {Millicores(1000), EmuBytes(gib * kGib)};
  phase.cpu = {Drawn::Dist::kLognormal, 20e6, 0.5};
  phase.memory = {{0, {Drawn::Dist::kConstant, kMemoryUsed * static_cast<double>(gib * kGib), 0}}};
  return phase;
}

PhaseSpec master() {
  PhaseSpec am;
  am.name = "am";
  am.kind = PhaseKind::kAm;
  am.request = {Millicores(500), EmuBytes(kGib / 2)};
  return am;
}

JobSpec job(std::int64_t number, std::int64_t tasks, const SimLoad& load) {
  JobSpec job;
  job.name = "j" + std::to_string(number + 1);
  const std::int64_t reduces = tasks / 10;
  const int maps = load.masters ? 1 : 0;
  if (load.masters) job.phases.push_back(master());
  job.phases.push_back(sim_phase("map", PhaseKind::kMap, tasks - reduces, number % 3 + 1));
  if (reduces > 0) {
    job.phases.push_back(sim_phase("reduce", PhaseKind::kReduce, reduces, number / 3 % 3 + 1));
    job.phases.back().after = {maps};
  }
  if (!load.prefer) return job;
  for (std::int64_t i = maps; i < std::ssize(job.phases); ++i)
    if (const std::int64_t at = 2 * number + i - maps; at % 3 == 0)
      job.phases[i].prefer = preferred_nodes(at, load.nodes);
  return job;
}

}  // namespace

Scenario sim_scenario(const SimLoad& load) {
  Scenario scenario;
  scenario.name = "bench-sim";
  scenario.emulation.core_fraction = scenario.emulation.memory_scale = 1.0;
  scenario.cluster.dispatch = load.dispatch;
  scenario.policy = load.policy;
  add_bench_nodes(load.nodes, scenario);
  add_equal_queues(load.queues, scenario);
  const std::int64_t tasks = std::int64_t{load.nodes} * load.tasks_per_node;
  const std::int64_t jobs = (tasks + kJobTasks - 1) / kJobTasks;
  for (std::int64_t i = 0; i < jobs; ++i) {
    scenario.jobs.push_back(job(i, std::min(kJobTasks, tasks - i * kJobTasks), load));
    scenario.jobs.back().submit = EmuTime(emu_seconds(30).count() * i / jobs);
    scenario.jobs.back().queue = scenario.queues[i * load.queues / jobs].name;
  }
  return scenario;
}

}  // namespace heddle::bench
