#include "bench/policy_scenario.h"

#include <algorithm>
#include <array>

#include "bench/bench_cluster.h"
#include "core/policy/placement/executor_placement.h"
#include "core/policy/registry.h"
#include "core/scenario/draw.h"

namespace heddle::bench {
namespace {

constexpr int kUsers = 20;
constexpr int kStages = 3;
/// Maximum number of containers on a node, and maximum number of containers that end on it between
/// two heartbeats.
constexpr std::int64_t kNodeTasks = 16, kBeatTasks = 3;
/// The same limits if all containers are executors.
constexpr std::int64_t kNodeExecutors = 4, kBeatExecutors = 1;

/// Draws one of `choices` from the seed, the job and `what`.
template <class T, std::size_t N>
T one_of(const std::array<T, N>& choices, std::uint64_t seed, std::int64_t job, int what) {
  return choices[draw_key(seed,
                          {static_cast<std::uint64_t>(job), static_cast<std::uint64_t>(what)}) %
                 N];
}

enum What { kTasks, kMapCores, kMapGib, kReduceCores, kReduceGib, kExecutorCores, kQueue, kUser };

int tasks_of(std::uint64_t seed, std::int64_t job) {
  static constexpr std::array<int, 100> kSizes = [] {
    std::array<int, 100> sizes{};
    for (int i = 0; i < 100; ++i) sizes[i] = i < 60 ? 10 : i < 90 ? 50 : i < 99 ? 200 : 1000;
    return sizes;
  }();
  return one_of(kSizes, seed, job, kTasks);
}

Resources size_of(std::uint64_t seed, std::int64_t job, What cores, What gib) {
  static constexpr std::array<int, 4> kCores = {500, 1000, 1000, 2000};
  static constexpr std::array<std::int64_t, 5> kGibs = {1, 1, 2, 3, 4};
  return {Millicores(one_of(kCores, seed, job, cores)),
          EmuBytes(one_of(kGibs, seed, job, gib) * kGib)};
}

PhaseSpec phase(const char* name, PhaseKind kind, int tasks, const Resources& request) {
  PhaseSpec phase;
  phase.name = name;
  phase.kind = kind;
  phase.tasks = tasks;
  phase.request = request;
  return phase;
}

void make_map_reduce(std::int64_t number, const PolicyLoad& load, JobSpec& job) {
  const int tasks = tasks_of(load.seed, number), reduces = tasks / 10;
  job.phases = {phase("map", PhaseKind::kMap, tasks - reduces,
                      size_of(load.seed, number, kMapCores, kMapGib)),
                phase("reduce", PhaseKind::kReduce, reduces,
                      size_of(load.seed, number, kReduceCores, kReduceGib))};
  job.phases.back().after = {0};
  if (number % 3 == 0) job.phases.front().prefer = preferred_nodes(number, load.nodes);
}

void make_spark(std::int64_t number, const PolicyLoad& load, JobSpec& job) {
  const int executors = std::clamp(tasks_of(load.seed, number) / 10, 2, 50);
  const int cores = one_of(std::array{2, 4}, load.seed, number, kExecutorCores);
  job.framework = Framework::kSpark;
  job.iterative = number % 20 == 0;
  job.phases = {phase("executors", PhaseKind::kExecutor, executors,
                      {Millicores(1000 * cores), EmuBytes(2 * cores * kGib)})};
  job.phases.front().threads = cores;
  StageSpec stage;
  stage.tasks = executors * cores;
  job.stages.assign(load.executors ? 1 : kStages, stage);
}

void add_queues(Scenario& scenario) {
  for (int i = 1; i <= 4; ++i) {
    QueueSpec& queue = scenario.queues.emplace_back();
    queue.name = "q" + std::to_string(i);
    queue.capacity = 0.1 * i;
    queue.weight = i;
  }
}

}  // namespace

bool has_executor_load(const PolicySpec& policy) { return !uses(policy, kFirstFitPart); }

Scenario policy_scenario(const PolicyLoad& load) {
  Scenario scenario;
  scenario.name = "bench-policy";
  scenario.seed = load.seed;
  scenario.emulation.core_fraction = scenario.emulation.memory_scale = 1.0;
  scenario.policy = load.policy;
  add_bench_nodes(load.nodes, scenario);
  add_queues(scenario);
  const std::int64_t beats = load.warm_up() + load.heartbeats;
  const std::int64_t enough = load.pending +
                              load.nodes * (load.executors ? kNodeExecutors : kNodeTasks) +
                              beats * (load.executors ? kBeatExecutors : kBeatTasks);
  for (std::int64_t i = 0, tasks = 0; tasks < enough; ++i) {
    JobSpec& job = scenario.jobs.emplace_back();
    job.name = "j" + std::to_string(i + 1);
    job.queue =
        scenario.queues[draw_key(load.seed, {static_cast<std::uint64_t>(i), kQueue}) % 4].name;
    job.user =
        "u" + std::to_string(draw_key(load.seed, {static_cast<std::uint64_t>(i), kUser}) % kUsers);
    if (load.executors || i % 10 == 0)
      make_spark(i, load, job);
    else
      make_map_reduce(i, load, job);
    tasks += job.task_count();
  }
  return scenario;
}

}  // namespace heddle::bench
