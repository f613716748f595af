#include "tests/sim/random_scenario.h"

#include <algorithm>
#include <random>

#include "core/scenario/fit.h"

namespace heddle::sim {
namespace {

constexpr std::int64_t kGib = 1LL << 30;
constexpr std::int64_t kMib = 1LL << 20;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  /// Draws a number between both ends, which are included. Does not use a standard distribution,
  /// because its results may differ between implementations.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }
  template <class T>
  T any_of(std::initializer_list<T> choices) {
    return *(choices.begin() + between(0, std::ssize(choices) - 1));
  }

 private:
  std::mt19937_64 engine_;
};

void draw_nodes(Dice& dice, Scenario& scenario) {
  const std::int64_t nodes = dice.between(1, 6);
  for (std::int64_t i = 1; i <= nodes; ++i) {
    NodeSpec node;
    node.name = "n" + std::to_string(i);
    node.capacity = {Millicores(1000 * dice.between(4, 12)), EmuBytes(kGib * dice.between(8, 24))};
    node.allowance = node.capacity - Resources{Millicores(0), EmuBytes(kGib * dice.between(0, 1))};
    node.speed = dice.any_of({0.5, 1.0, 1.0, 2.0});
    node.rack = dice.any_of({"r1", "r2"});
    node.disk_bytes_per_s = dice.any_of({50e6, 200e6});
    node.network_bits_per_s = dice.any_of({0.2e9, 1e9});
    scenario.cluster.nodes.push_back(node);
  }
  scenario.cluster.dispatch = dice.any_of({Dispatch::kHeartbeat, Dispatch::kImmediate});
  scenario.cluster.heartbeat = emu_seconds(dice.any_of({0.5, 1.0, 3.0}));
  scenario.simulation.ideal = dice.one_in(2);
  scenario.storage.replicas = static_cast<int>(dice.between(1, 3));
}

void draw_queues(Dice& dice, Scenario& scenario) {
  auto add = [&](const char* name, const char* parent, double capacity) {
    QueueSpec queue;
    queue.name = name;
    queue.parent = parent;
    queue.capacity = capacity;
    queue.max_capacity = dice.any_of({0.8, 1.0, 1.0});
    queue.user_limit = dice.any_of({0.3, 1.0});
    queue.weight = static_cast<double>(dice.between(1, 4));
    if (dice.one_in(3)) queue.min = {Millicores(1000), EmuBytes(kGib)};
    scenario.queues.push_back(queue);
  };
  switch (dice.between(1, 3)) {
    case 1:
      add("q1", "", 1);
      break;
    case 2:
      add("q1", "", 0.7);
      add("q2", "", 0.3);
      break;
    case 3:
      add("both", "", 0.6);
      add("q1", "both", 0.5);
      add("q2", "both", 0.5);
      add("q3", "", 0.4);
      break;
  }
}

std::vector<std::string> leaves(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const QueueSpec& queue : scenario.queues)
    if (queue.name != "both") names.push_back(queue.name);
  return names;
}

PhaseSpec draw_phase(Dice& dice, const char* name, PhaseKind kind, const Scenario& scenario) {
  PhaseSpec phase;
  phase.name = name;
  phase.kind = kind;
  phase.tasks = static_cast<int>(dice.between(1, 12));
  phase.request = {Millicores(500 * dice.between(1, 4)), EmuBytes(kGib / 2 * dice.between(1, 7))};
  phase.cpu = {Drawn::Dist::kLognormal, 1e6 * static_cast<double>(dice.between(1, 20)), 0.5};
  if (dice.one_in(2)) phase.threads = static_cast<int>(dice.between(1, 3));
  if (dice.one_in(3)) phase.sleep = {Drawn::Dist::kUniform, 5e6, 0.5};
  if (dice.one_in(2)) {
    auto peak = static_cast<double>(phase.request.memory.count()) * 0.9;
    phase.memory = {{0, {Drawn::Dist::kConstant, peak / 4, 0}},
                    {0.5, {Drawn::Dist::kConstant, peak, 0}}};
  }
  for (std::int64_t node = 0; node < std::ssize(scenario.cluster.nodes); ++node)
    if (dice.one_in(4)) phase.prefer.push_back(NodeId{node});
  return phase;
}

/// Draws a heading skew, a trailing skew or Zipf's skew, or all three together.
Skew draw_skew(Dice& dice) {
  switch (dice.between(1, 4)) {
    case 1:
      return {0.3, 1, 0};
    case 2:
      return {1, 1.5, 0};
    case 3:
      return {1, 1, 0.7};
    default:
      return {0.3, 1.5, 0.5};
  }
}

/// Draws some of the data that a task may read and write, unevenly, and pauses.
void draw_data(Dice& dice, PhaseSpec& phase) {
  auto bytes = [&](Drawn& drawn) {
    if (dice.one_in(2))
      drawn = {Drawn::Dist::kUniform, static_cast<double>(kMib * dice.between(1, 500)), 0.4};
  };
  bytes(phase.input);
  if (phase.input.mean > 0) phase.prefer.clear();
  bytes(phase.output);
  bytes(phase.shuffle);
  if (dice.one_in(3)) phase.skew = draw_skew(dice);
  if (dice.one_in(4)) {
    phase.pauses = static_cast<int>(dice.between(1, 3));
    phase.pause = {Drawn::Dist::kConstant, 1e6, 0};
  }
  if (dice.one_in(4)) phase.start_spread = emu_seconds(10);
}

/// Draws stages for executors, which are the job's only phase besides its master's.
void draw_stages(Dice& dice, JobSpec& job) {
  const double seconds = 1e6 * static_cast<double>(dice.between(1, 5));
  job.framework = Framework::kSpark;
  job.deploy = dice.any_of({Deploy::kYarnCluster, Deploy::kYarnClient, Deploy::kDynamic});
  job.executor_idle_timeout = emu_seconds(dice.any_of({2.0, 60.0}));
  for (std::int64_t n = dice.between(1, 4); n > 0; --n) {
    StageSpec stage;
    stage.tasks = static_cast<int>(dice.between(1, 20));
    stage.cpu = {Drawn::Dist::kLognormal, seconds, 0.5};
    if (dice.one_in(2)) stage.input = {Drawn::Dist::kConstant, 64.0 * kMib, 0};
    stage.cached = stage.input.mean > 0 && dice.one_in(2);
    if (n > 1 && dice.one_in(2)) stage.shuffle = {Drawn::Dist::kConstant, 32.0 * kMib, 0};
    if (n == 1 && dice.one_in(2)) stage.output = {Drawn::Dist::kConstant, 16.0 * kMib, 0};
    if (dice.one_in(4)) stage.skew = draw_skew(dice);
    job.stages.push_back(stage);
    // Iterations are written as repeated stages. Equal stages read the same input.
    if (dice.one_in(4)) job.stages.push_back(stage);
  }
}

/// Makes a gang that needs at most a third of the cluster, half a node per task, whatever the
/// masters of other jobs hold.
void make_gang(PhaseSpec& phase, const Scenario& scenario) {
  phase.gang = true;
  phase.tasks = std::min(phase.tasks, static_cast<int>(std::ssize(scenario.cluster.nodes)));
  phase.request = {Millicores(1000), EmuBytes(kGib)};
  phase.memory.clear();
  phase.start_spread = EmuTime(0);
}

PhaseSpec application_master() {
  PhaseSpec am;
  am.name = "am";
  am.kind = PhaseKind::kAm;
  am.request = {Millicores(500), EmuBytes(kGib / 2)};
  return am;
}

void draw_spark(Dice& dice, const Scenario& scenario, JobSpec& job) {
  draw_stages(dice, job);
  if (job.deploy != Deploy::kYarnClient && !dice.one_in(6))
    job.phases.push_back(application_master());
  PhaseSpec executor;
  executor.name = "executor";
  executor.kind = PhaseKind::kExecutor;
  executor.tasks = static_cast<int>(dice.between(1, 5));
  executor.request = {Millicores(1000), EmuBytes(kGib * dice.between(1, 3))};
  executor.threads = static_cast<int>(dice.between(1, 3));
  executor.memory = {{0, {Drawn::Dist::kConstant, 0.3 * kGib, 0}},
                     {0.5, {Drawn::Dist::kUniform, 0.6 * kGib, 0.2}}};
  job.phases.push_back(executor);
  if (dice.one_in(4)) make_gang(job.phases.back(), scenario);
}

/// Adds a phase that follows the phases `after`.
void add_phase(Dice& dice, const Scenario& scenario, const char* name, PhaseKind kind,
               std::vector<int> after, bool data, JobSpec& job) {
  PhaseSpec phase = draw_phase(dice, name, kind, scenario);
  phase.after = std::move(after);
  if (data) draw_data(dice, phase);
  if (dice.one_in(kind == PhaseKind::kMap ? 4 : 6)) make_gang(phase, scenario);
  job.phases.push_back(std::move(phase));
}

/// Draws one of three jobs: maps; maps of one or two kinds and reduces; or these and a second pass,
/// which may read the output of the first pass's reduces.
void draw_map_reduce(Dice& dice, const Scenario& scenario, JobSpec& job) {
  if (dice.one_in(3)) job.phases.push_back(application_master());
  const int first = static_cast<int>(job.phases.size());
  const bool data = dice.one_in(2);
  auto last = [&] { return static_cast<int>(job.phases.size()) - 1; };
  auto add = [&](const char* name, PhaseKind kind, std::vector<int> after) {
    add_phase(dice, scenario, name, kind, std::move(after), data, job);
  };
  add("map", PhaseKind::kMap, {});
  if (dice.one_in(2)) return;
  const bool join = dice.one_in(4);
  if (join) add("other-map", PhaseKind::kMap, {});
  add("reduce", PhaseKind::kReduce,
      join ? std::vector<int>{first, first + 1} : std::vector<int>{first});
  if (!dice.one_in(4)) return;
  if (dice.one_in(2)) add("second-map", PhaseKind::kMap, {last()});
  add("second-reduce", PhaseKind::kReduce, {last()});
}

JobSpec draw_job(Dice& dice, int number, const Scenario& scenario) {
  JobSpec job;
  job.name = "j" + std::to_string(number);
  const auto queues = leaves(scenario);
  job.queue = queues[static_cast<std::size_t>(dice.between(0, std::ssize(queues) - 1))];
  job.user = dice.any_of({"ann", "bob"});
  job.priority = static_cast<int>(dice.between(0, 2));
  job.weight = static_cast<double>(dice.between(1, 3));
  job.submit = EmuTime(dice.between(0, 30'000'000));
  if (dice.one_in(4))
    draw_spark(dice, scenario, job);
  else
    draw_map_reduce(dice, scenario, job);
  return job;
}

void draw_options(Dice& dice, Scenario& scenario) {
  auto& options = scenario.policy.options;
  const std::string& scheduler = scenario.policy.preset;
  auto set = [&](const char* name, const char* value) { options.emplace_back(name, value); };
  const bool dress = scheduler == "dress";
  if (dress && dice.one_in(2))
    set("categories", dice.any_of({"[0.05, 0.2]", "[0.3]", "[0, 0.1, 0.5]"}));
  if (dice.one_in(2)) set("delay", dice.any_of({"mapreduce", "both", "spark"}));
  set("delay_reset", dice.any_of({"launch", "launch", "never"}));
  set("delay_time", dice.any_of({"none", "none", "2", "20"}));
  const bool haste = scheduler == "haste" || scheduler == "haste-a";
  if (dress) set("indicator_base", dice.any_of({"total", "available"}));
  if (haste) set("initial_assignment", dice.any_of({"knapsack", "knapsack", "none"}));
  if (dress) set("large_pool", dice.any_of({"rest", "rest", "capped"}));
  set("max_am_share", dice.any_of({"0.05", "0.1", "0.2"}));
  if (dress) set("min_ratio", dice.any_of({"0", "0.1"}));
  set("node_delay", dice.any_of({"0", "3", "10"}));
  set("node_order", dice.any_of({"heartbeat", "most-free"}));
  const bool strict = scheduler == "fifo" && dice.one_in(3);
  if (strict) set("order", dice.any_of({"fcfs", "sjf", "saf", "wfp3", "f1", "priority"}));
  if ((scheduler == "capacity" || scheduler == "fair") && dice.one_in(2)) {
    set("preemption", "kill");
    set("preemption_grace", dice.any_of({"0", "2", "15"}));
  }
  set("rack_delay", dice.any_of({"0", "5"}));
  if (dress) set("ratio_interval", dice.any_of({"auto", "0.25", "7"}));
  set("reduce_early_start", dice.any_of({"0", "0.05", "0.5", "1"}));
  set("reduce_ramp_limit", dice.any_of({"0", "0.5", "1"}));
  if (dress) set("release_estimate", dice.any_of({"on", "on", "off"}));
  if (dress) set("release_horizon", dice.any_of({"auto", "5", "20"}));
  if (dice.one_in(2)) set("reservable_nodes", dice.any_of({"0.05", "0.5", "1"}));
  if (dice.one_in(2)) set("reserve", dice.any_of({"true", "false"}));
  if (strict) set("strict_order", "true");
  if (haste) set("urgency", dice.any_of({"deferred", "balanced"}));
  if (scheduler == "fair" || scheduler == "drf")
    set("user_queues", dice.any_of({"auto", "true", "false"}));
}

/// Adds a resource that nodes count, and some of it to every request that is not a master's. As
/// much fits as the other amounts allow: a node has 3 or 4, and a container needs at most 1.
void draw_counted(Dice dice, Scenario& scenario) {
  scenario.cluster.resources = {{"gpu"}};
  for (NodeSpec& node : scenario.cluster.nodes) {
    node.capacity.counts.set(0, Thousandths(1000 * dice.between(3, 4)));
    node.allowance.counts = node.capacity.counts;
  }
  for (JobSpec& job : scenario.jobs)
    for (PhaseSpec& phase : job.phases)
      if (phase.kind != PhaseKind::kAm)
        phase.request.counts.set(0, Thousandths(phase.gang ? 300 : dice.any_of({0, 300, 1000})));
}

/// Lets some jobs wait for jobs before them.
void draw_conditions(Dice dice, Scenario& scenario) {
  for (std::int64_t i = 1; i < std::ssize(scenario.jobs); ++i) {
    if (!dice.one_in(3)) continue;
    const AfterWhen when = dice.any_of({AfterWhen::kOk, AfterWhen::kAny, AfterWhen::kStart});
    scenario.jobs[i].after = {
        {JobId{dice.between(0, i - 1)}, when, emu_seconds(dice.any_of({0.0, 0.0, 2.5, 30.0}))}};
  }
}

/// Divides the nodes into partitions of even and of odd nodes and one of all, puts jobs into one of
/// those that they fit, and limits the jobs of users.
void draw_site(Dice dice, Scenario& scenario) {
  scenario.qos.resize(2);
  scenario.qos[0].name = "one";
  scenario.qos[0].max_jobs_per_user = 1;
  scenario.qos[1].name = "any";
  if (dice.one_in(2)) {
    scenario.qos[0].preempt = {"any"};
    scenario.qos[1].preempt_mode =
        dice.any_of({PreemptMode::kRequeue, PreemptMode::kCancel, PreemptMode::kSuspend});
    scenario.qos[1].requeue_delay = emu_seconds(dice.any_of({0.0, 20.0}));
  }
  scenario.partitions.resize(3);
  for (std::size_t i = 0; i < scenario.partitions.size(); ++i) {
    PartitionSpec& partition = scenario.partitions[i];
    partition.name = "p" + std::to_string(i);
    for (std::size_t node = 0; node < scenario.cluster.nodes.size(); ++node)
      if (i == 2 || node % 2 == i) {
        partition.nodes.push_back(NodeId{static_cast<std::int64_t>(node)});
        add_partition_label(partition.name, scenario.cluster.nodes[node].labels);
      }
  }
  const EmptyCluster cluster(scenario.cluster);
  for (JobSpec& job : scenario.jobs) {
    job.qos = dice.one_in(3) ? "one" : "any";
    job.partition = scenario.partitions[static_cast<std::size_t>(dice.between(0, 2))].name;
    const auto fits = [&](const PhaseSpec& phase) {
      const Where where{partition_rule(job.partition)};
      const Resources master = job.has_am() ? job.phases.front().request : Resources{};
      return cluster.room_for(phase.request, where, master) >= (phase.gang ? phase.tasks : 1);
    };
    if (!std::ranges::all_of(job.phases, fits)) job.partition = "p2";
    for (PhaseSpec& phase : job.phases) phase.where.push_back(partition_rule(job.partition));
  }
}

/// Reserves some nodes for a user, and others for maintenance that may repeat.
void draw_reservations(Dice dice, Scenario& scenario) {
  const auto nodes = std::ssize(scenario.cluster.nodes);
  for (const bool maintenance : {false, true}) {
    ReservationSpec& one = scenario.reservations.emplace_back();
    one.name = maintenance ? "work" : "course";
    one.maintenance = maintenance;
    if (!maintenance) one.users = {scenario.jobs.front().user};
    one.from = emu_seconds(dice.any_of({0.0, 3.5, 20.0}));
    one.until = one.from + emu_seconds(dice.any_of({2.0, 15.0, 60.0}));
    if (dice.one_in(2)) {
      one.every = one.until - one.from + emu_seconds(5);
      one.times = 3;
    }
    for (std::int64_t node = 0; node < nodes; ++node)
      if (dice.one_in(2) || node + 1 == nodes) one.nodes.push_back(NodeId{node});
  }
}

/// Makes arrays of the jobs.
void draw_arrays(Dice dice, Scenario& scenario) {
  for (JobSpec& job : scenario.jobs) {
    if (dice.one_in(3)) continue;
    job.array = dice.one_in(2) ? "one" : "two";
    job.array_limit = job.array == "one" ? 1 : 2;
  }
}

}  // namespace

Scenario random_scenario(std::uint64_t seed, const std::string& scheduler) {
  Dice dice(seed);
  Scenario scenario;
  scenario.name = "random-" + std::to_string(seed);
  scenario.seed = seed;
  scenario.emulation.core_fraction = scenario.emulation.memory_scale = 1.0;
  scenario.policy.preset = scheduler;
  draw_nodes(dice, scenario);
  draw_queues(dice, scenario);
  const std::int64_t jobs = dice.between(1, 8);
  for (int i = 1; i <= jobs; ++i) scenario.jobs.push_back(draw_job(dice, i, scenario));
  draw_options(dice, scenario);
  for (JobSpec& job : scenario.jobs) job.iterative = dice.one_in(3);
  if (seed % 3 == 0) draw_counted(dice, scenario);
  if (seed % 4 == 0) draw_conditions(dice, scenario);
  if (seed % 7 == 0) draw_site(dice, scenario);
  if (seed % 6 == 1) draw_reservations(dice, scenario);
  if (seed % 5 == 2) draw_arrays(dice, scenario);
  if (seed % 5 == 0)
    for (JobSpec& job : scenario.jobs) job.gang_restart = GangRestart::kRank;
  if (seed % 2 == 0)
    for (JobSpec& job : scenario.jobs)
      if (job.rigid()) job.release = Release::kJob;
  return scenario;
}

}  // namespace heddle::sim
