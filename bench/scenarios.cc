#include "bench/scenarios.h"

#include <array>
#include <cmath>
#include <string>

#include "core/scenario/draw.h"

namespace heddle::bench {
namespace {

constexpr std::int64_t kJobTasks = 100;  ///< of a job of sim_scenario(); a tenth are reduces
constexpr double kMemoryUsed = 0.8;      ///< share of the request
constexpr int kUsers = 20, kStages = 3;
/// Maximum number of containers on a node, and maximum number of containers that end on it between
/// two heartbeats.
constexpr std::int64_t kNodeTasks = 16, kBeatTasks = 3;
/// The same limits if all containers are executors.
constexpr std::int64_t kNodeExecutors = 4, kBeatExecutors = 1;

/// Returns a scenario with nodes of 8 cores and 16 GiB, in racks of 40.
Scenario racks(const char* name, std::int64_t nodes, const PolicySpec& policy) {
  constexpr std::int64_t kRackNodes = 40;
  Scenario scenario = scenario_of(name, 1.0, 1.0, nodes, {Millicores(8000), EmuBytes(16 * kGib)});
  for (std::int64_t i = 0; i < nodes; ++i)
    scenario.cluster.nodes[i].rack = "r" + std::to_string(i / kRackNodes + 1);
  scenario.policy = policy;
  return scenario;
}

JobSpec& add_job(Scenario& scenario) {
  JobSpec& job = scenario.jobs.emplace_back();
  job.name = "j" + std::to_string(scenario.jobs.size());
  return job;
}

/// Returns the nodes that a phase prefers: 30 nodes, as for ten blocks of three replicas, or all
/// nodes if there are fewer. The nodes are equally spaced and ascend. `number` decides where the
/// first one is.
std::vector<NodeId> preferred_nodes(std::int64_t number, std::int64_t nodes) {
  constexpr std::int64_t kPreferred = 30;
  const std::int64_t count = std::min(kPreferred, nodes);
  std::vector<NodeId> chosen;
  for (std::int64_t i = 0; i < count; ++i)
    chosen.push_back(NodeId{(number * 7 + i * nodes / count) % nodes});
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

PhaseSpec sim_phase(const char* name, PhaseKind kind, std::int64_t tasks, std::int64_t gib) {
  PhaseSpec phase =
      phase_of(name, kind, static_cast<int>(tasks), {Millicores(1000), EmuBytes(gib * kGib)});
  phase.cpu = {Drawn::Dist::kLognormal, 20e6, 0.5};
  phase.memory = {{0, {Drawn::Dist::kConstant, kMemoryUsed * static_cast<double>(gib * kGib), 0}}};
  return phase;
}

void add_phases(std::int64_t number, std::int64_t tasks, const SimLoad& load, JobSpec& job) {
  const std::int64_t reduces = tasks / 10;
  const int maps = load.masters ? 1 : 0;
  if (load.masters)
    job.phases.push_back(phase_of("am", PhaseKind::kAm, 1, {Millicores(500), EmuBytes(kGib / 2)}));
  job.phases.push_back(sim_phase("map", PhaseKind::kMap, tasks - reduces, number % 3 + 1));
  if (reduces > 0) {
    job.phases.push_back(sim_phase("reduce", PhaseKind::kReduce, reduces, number / 3 % 3 + 1));
    job.phases.back().after = {maps};
  }
  if (!load.prefer) return;
  for (std::int64_t i = maps; i < std::ssize(job.phases); ++i)
    if (const std::int64_t at = 2 * number + i - maps; at % 3 == 0)
      job.phases[i].prefer = preferred_nodes(at, load.nodes);
}

/// Draws the properties of a job from the seed.
struct Draws {
  enum What { kTasks, kMapCores, kMapGib, kReduceCores, kReduceGib, kExecutorCores, kQueue, kUser };
  std::uint64_t seed;
  std::int64_t job;

  std::size_t below(std::size_t count, What what) const {
    return draw_key(seed, {static_cast<std::uint64_t>(job), static_cast<std::uint64_t>(what)}) %
           count;
  }
  int tasks() const {
    const std::size_t percent = below(100, kTasks);
    return percent < 60 ? 10 : percent < 90 ? 50 : percent < 99 ? 200 : 1000;
  }
  Resources size(What cores, What gib) const {
    static constexpr std::array kCores = {500, 1000, 1000, 2000};
    static constexpr std::array kGibs = {1, 1, 2, 3, 4};
    return {Millicores(kCores[below(kCores.size(), cores)]),
            EmuBytes(kGibs[below(kGibs.size(), gib)] * kGib)};
  }
};

void make_map_reduce(const Draws& draws, const PolicyLoad& load, JobSpec& job) {
  const int tasks = draws.tasks(), reduces = tasks / 10;
  job.phases = {phase_of("map", PhaseKind::kMap, tasks - reduces,
                         draws.size(Draws::kMapCores, Draws::kMapGib)),
                phase_of("reduce", PhaseKind::kReduce, reduces,
                         draws.size(Draws::kReduceCores, Draws::kReduceGib))};
  job.phases.back().after = {0};
  if (draws.job % 3 == 0) job.phases.front().prefer = preferred_nodes(draws.job, load.nodes);
}

void make_spark(const Draws& draws, const PolicyLoad& load, JobSpec& job) {
  const int executors = std::clamp(draws.tasks() / 10, 2, 50);
  const int cores = draws.below(2, Draws::kExecutorCores) == 0 ? 2 : 4;
  job.framework = Framework::kSpark;
  job.iterative = draws.job % 20 == 0;
  job.phases = {phase_of("executors", PhaseKind::kExecutor, executors,
                         {Millicores(1000 * cores), EmuBytes(2 * cores * kGib)})};
  job.phases.front().threads = cores;
  StageSpec stage;
  stage.tasks = executors * cores;
  job.stages.assign(load.executors ? 1 : kStages, stage);
}

}  // namespace

Scenario scenario_of(const char* name, double core_fraction, double memory_scale,
                     std::int64_t nodes, const Resources& capacity) {
  Scenario scenario;
  scenario.name = name;
  scenario.emulation.core_fraction = core_fraction;
  scenario.emulation.memory_scale = memory_scale;
  for (std::int64_t i = 1; i <= nodes; ++i) {
    NodeSpec& node = scenario.cluster.nodes.emplace_back();
    node.name = "n" + std::to_string(i);
    node.capacity = node.allowance = capacity;
  }
  return scenario;
}

QueueSpec& add_queue(const std::string& name, Scenario& scenario) {
  QueueSpec& queue = scenario.queues.emplace_back();
  queue.name = name;
  return queue;
}

PhaseSpec phase_of(const char* name, PhaseKind kind, int tasks, const Resources& request) {
  PhaseSpec phase;
  phase.name = name;
  phase.kind = kind;
  phase.tasks = tasks;
  phase.request = request;
  return phase;
}

Scenario sim_scenario(const SimLoad& load) {
  Scenario scenario = racks("bench-sim", load.nodes, load.policy);
  scenario.cluster.dispatch = load.dispatch;
  for (int i = 1; i <= load.queues; ++i)
    add_queue("q" + std::to_string(i), scenario).capacity = 1.0 / load.queues;
  const std::int64_t tasks = std::int64_t{load.nodes} * load.tasks_per_node;
  const std::int64_t jobs = (tasks + kJobTasks - 1) / kJobTasks;
  for (std::int64_t i = 0; i < jobs; ++i) {
    JobSpec& job = add_job(scenario);
    add_phases(i, std::min(kJobTasks, tasks - i * kJobTasks), load, job);
    job.submit = EmuTime(emu_seconds(30).count() * i / jobs);
    job.queue = scenario.queues[i * load.queues / jobs].name;
  }
  return scenario;
}

Scenario rigid_scenario(int jobs) {
  constexpr std::array kSizes = {1, 1, 1, 2, 2, 4, 8, 16, 32, 40};
  constexpr std::array kOverestimates = {1, 1, 2, 4};
  // A job has 10.7 processors for 300 s on average, so 40 s between submissions are a load of 0.8.
  constexpr double kGap = 40e6, kTime = 300e6;
  Scenario scenario = scenario_of("rigid", 1.0, 1.0, 100, {Millicores(1000), EmuBytes(kGib)});
  scenario.emulation.time_scale = 1.0;
  scenario.simulation.ideal = true;
  scenario.cluster.dispatch = Dispatch::kImmediate;
  scenario.cluster.heartbeat = EmuTime(3'600'000'000);
  scenario.cluster.node_timeout = EmuTime(36'000'000'000);
  add_queue("default", scenario);
  EmuTime submit{0};
  for (int i = 0; i < jobs; ++i) {
    const auto key = [i](std::uint64_t what) {
      return draw_key(1, {static_cast<std::uint64_t>(i), what});
    };
    const auto seconds = [&](Drawn::Dist dist, double mean, double cv, std::uint64_t what) {
      return EmuTime((std::llround(draw({dist, mean, cv}, key(what)) / 1e6) + 1) * 1'000'000);
    };
    submit += seconds(Drawn::Dist::kExponential, kGap, 1, 0);
    const EmuTime time = seconds(Drawn::Dist::kLognormal, kTime, 1.5, 1);
    JobSpec& job = add_job(scenario);
    job.queue = "default";
    job.submit = submit;
    job.walltime = time * kOverestimates[key(2) % kOverestimates.size()];
    PhaseSpec& phase =
        job.phases.emplace_back(phase_of("p", PhaseKind::kMap, kSizes[key(3) % kSizes.size()],
                                         {Millicores(1000), EmuBytes(1 << 20)}));
    phase.gang = true;
    phase.sleep.mean = static_cast<double>(time.count());
  }
  return scenario;
}

Scenario one_task_scenario(int jobs) {
  Scenario scenario =
      scenario_of("one-task", 1.0, 1.0, 100, {Millicores(65'000), EmuBytes(65 * kGib)});
  scenario.emulation.time_scale = 1.0;
  add_queue("default", scenario);
  for (int i = 0; i < jobs; ++i) {
    JobSpec& job = add_job(scenario);
    job.queue = "default";
    job.submit = EmuTime(100'000LL * i);
    PhaseSpec& phase = job.phases.emplace_back(
        phase_of("p", PhaseKind::kMap, 1, {Millicores(1000), EmuBytes(kGib)}));
    phase.sleep = {Drawn::Dist::kExponential, 1000e6, 0};
  }
  return scenario;
}

Scenario policy_scenario(const PolicyLoad& load) {
  Scenario scenario = racks("bench-policy", load.nodes, load.policy);
  scenario.seed = load.seed;
  for (int i = 1; i <= 4; ++i) {
    QueueSpec& queue = add_queue("q" + std::to_string(i), scenario);
    queue.capacity = 0.1 * i;
    queue.weight = i;
  }
  const std::int64_t beats = load.warm_up() + load.heartbeats;
  const std::int64_t enough = load.pending +
                              load.nodes * (load.executors ? kNodeExecutors : kNodeTasks) +
                              beats * (load.executors ? kBeatExecutors : kBeatTasks);
  for (std::int64_t i = 0, tasks = 0; tasks < enough; ++i) {
    const Draws draws{load.seed, i};
    JobSpec& job = add_job(scenario);
    job.queue = scenario.queues[draws.below(4, Draws::kQueue)].name;
    job.user = "u" + std::to_string(draws.below(kUsers, Draws::kUser));
    if (load.executors || i % 10 == 0)
      make_spark(draws, load, job);
    else
      make_map_reduce(draws, load, job);
    tasks += job.task_count();
  }
  return scenario;
}

}  // namespace heddle::bench
