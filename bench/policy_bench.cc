#include "bench/policy_bench.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "bench/bench.h"
#include "bench/workbench.h"
#include "common/overloads.h"
#include "common/own_usage.h"
#include "core/policy/placement/executor_placement.h"
#include "core/policy/registry.h"
#include "core/scenario/draw.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr int kLongest = 9;  ///< heartbeats

constexpr double kAimDecisionRate = 50'000, kAimHeavyRate = 20'000, kAimP99_us = 100,
                 kAimExecutorsP99_us = 200;
/// The numbers of nodes and of pending tasks for which there are aims.
constexpr int kPolicyAimNodes = 10'000, kPolicyAimPending = 100'000;
/// Suffix of the policy's name in rows whose load has only executors.
constexpr const char* kExecutorLoad = " (executors)";
/// Policies whose decisions need more than an order of jobs.
constexpr std::array kHeavy = {"haste", "haste-a", "estimation", "ikayak"};

const char* const kPublished =
    "published, on other machines: Hydra 40000 placements/s, Kubernetes' scheduler 700 to 1100 "
    "pods/s, Slurm 500 jobs/s\n";

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::int64_t heap_bytes() { return static_cast<std::int64_t>(::mallinfo2().uordblks); }

/// Measures the time that another policy takes.
class Timed : public Policy {
 public:
  struct Times {
    double cpu_s = 0;       ///< of all decisions
    double decided_us = 0;  ///< wall time of the last decision
  };
  Timed(std::unique_ptr<Policy> policy, Times& times) : policy_(std::move(policy)), times_(times) {}
  Decision decide(const View& view, std::span<const Event> events) override {
    const double cpu_before = thread_cpu_s();
    const Clock::time_point start = Clock::now();
    Decision decision = policy_->decide(view, events);
    times_.decided_us = us_since(start);
    times_.cpu_s += thread_cpu_s() - cpu_before;
    return decision;
  }

 private:
  std::unique_ptr<Policy> policy_;
  Times& times_;
};

class PolicyMeasurement {
 public:
  explicit PolicyMeasurement(const PolicyLoad& load)
      : load_(load),
        scenario_(policy_scenario(load)),
        engine_(scenario_, std::make_unique<Timed>(make_policy(scenario_), decided_),
                [this](TaskId task) { return work_of(task); }),
        feed_(scenario_) {}

  Json measure() {
    feed_.take_in(engine_.step(EmuTime(0), feed_.registrations()));
    for (int i = 0; i < load_.warm_up(); ++i) beat(false);
    const Totals loaded = beats(load_.heartbeats, false);
    const Totals idle = beats(std::max(load_.heartbeats / 10, 1), true);
    const auto count = static_cast<double>(load_.heartbeats);
    return {
        {"nodes", load_.nodes},
        {"pending", load_.pending},
        {"heartbeats", load_.heartbeats},
        {"placements", loaded.placements},
        {"containers", feed_.launched() - feed_.ended()},
        {"waiting", waiting_ - feed_.launched()},
        {"idle_us", wire::rounded(idle.beats_s * 1e6 / std::max(load_.heartbeats / 10, 1))},
        {"beat_us", wire::rounded(loaded.beats_s * 1e6 / count)},
        {"decide_us", wire::rounded(loaded.decided_s * 1e6 / count)},
        {"x", nullptr},
        {"decision_us", wire::percentiles(loaded.decision_us)},
        {"step_us", wire::percentiles(loaded.step_us)},
        {"placements_per_s", wire::rounded(static_cast<double>(loaded.placements) / loaded.all_s)},
        {"grown_bytes", wire::rounded(static_cast<double>(loaded.grown_bytes) / count)},
        {"peak_bytes", peak_bytes()}};
  }

 private:
  struct Totals {
    std::int64_t placements = 0, grown_bytes = 0;
    double all_s = 0, beats_s = 0, decided_s = 0;  ///< CPU time
    std::vector<double> decision_us, step_us;      ///< wall time
  };

  TaskWork work_of(TaskId task) const {
    TaskWork work;
    const JobSpec& job = scenario_.jobs[task.phase.job.value];
    work.executor = job.phases[task.phase.phase].kind == PhaseKind::kExecutor;
    return work;
  }

  Totals beats(int count, bool idle) {
    sums_ = {};
    sums_.decision_us.reserve(count);
    sums_.step_us.reserve(count);
    const std::int64_t launched = feed_.launched(), heap = heap_bytes();
    for (int i = 0; i < count; ++i) beat(idle);
    sums_.placements = feed_.launched() - launched;
    sums_.grown_bytes = heap_bytes() - heap;
    return std::move(sums_);
  }

  void beat(bool idle) {
    feed_.next();
    submit();
    const std::vector<Event>& events = feed_.report(idle);
    const double decided_before = decided_.cpu_s;
    const auto [cpu_s, wall_us] = step(events);
    sums_.beats_s += cpu_s;
    sums_.decided_s += decided_.cpu_s - decided_before;
    sums_.decision_us.push_back(decided_.decided_us);
    sums_.step_us.push_back(wall_us);
  }

  void submit() {
    std::vector<Event> events;
    while (waiting_ - feed_.launched() < load_.pending && submitted_ < std::ssize(scenario_.jobs)) {
      const JobId job{submitted_++};
      waiting_ += scenario_.jobs[job.value].task_count();
      events.push_back({feed_.now(), JobSubmitted{job}});
    }
    if (!events.empty()) step(events);
  }

  std::pair<double, double> step(const std::vector<Event>& events) {
    const double cpu_before = thread_cpu_s();
    const Clock::time_point start = Clock::now();
    const Step step = engine_.step(feed_.now(), events);
    const double wall_us = us_since(start), cpu_s = thread_cpu_s() - cpu_before;
    sums_.all_s += cpu_s;
    feed_.take_in(step);
    return {cpu_s, wall_us};
  }

  PolicyLoad load_;
  Scenario scenario_;
  Timed::Times decided_;
  Engine engine_;
  PolicyFeed feed_;
  std::int64_t submitted_ = 0;  ///< number of jobs
  std::int64_t waiting_ = 0;    ///< number of tasks of submitted jobs, including launched ones
  Totals sums_;
};

/// Judges a row of a scheduler.
void judge_policy(const Json& row, Aims& aims) {
  if (row.at("nodes") != kPolicyAimNodes || row.at("pending") != kPolicyAimPending) return;
  const std::string scheduler = row.at("scheduler");
  const bool executors = scheduler.ends_with(kExecutorLoad);
  const bool heavy = std::ranges::find(kHeavy, scheduler) != kHeavy.end();
  if (!executors)
    aims.at_least(scheduler + ": placements a second", row.at("placements_per_s"),
                  heavy ? kAimHeavyRate : kAimDecisionRate);
  if (!heavy)
    aims.at_most(scheduler + ": microseconds of 99 % of heartbeats", row.at("step_us").at("p99"),
                 executors ? kAimExecutorsP99_us : kAimP99_us);
}

void judge_policies(std::vector<Json>& rows, Aims& aims) {
  const auto name = [](const Json& row) {
    return row.at("scheduler").get<std::string>() + ", " + row.at("pending").dump() +
           " pending: growth of the cost of a heartbeat";
  };
  judge_groups(rows, {"scheduler", "pending"}, "beat_us", name, judge_policy, aims);
}

/// Returns the names of all presets that take every job: schedulers, and presets that combine
/// several parts.
std::vector<std::string> all_policies() {
  std::vector<std::string> names;
  for (const PolicyPreset& preset : policy_presets())
    if (!preset.parts.front()->rigid_only) names.emplace_back(preset.name);
  return names;
}

std::string scheduler_of(const PolicyLoad& load) {
  return policy_text(load.policy) + (load.executors ? kExecutorLoad : "");
}

/// Measures each policy at each number of nodes and of pending tasks. The load needs decisions at
/// once, so policies that are programs outside of Heddle are measured as ExternalBench does.
class PolicyBench : public Bench {
 public:
  PolicyBench()
      : Bench({.form = kPolicyForm,
               .quick = "fewer sizes and heartbeats; takes less than two minutes"}) {}

  int run() override {
    const auto programs = std::ranges::count_if(schedulers_, [](const std::string& text) {
      const Result<PolicySpec> policy = parse_policy(text);
      return policy && policy->external;
    });
    if (programs == 0) return Bench::run();
    if (programs == std::ssize(schedulers_))
      return external_bench(schedulers_, task_user_)->run_like(*this);
    return cli::fail(usage_error(
        "--schedulers: programs are measured by other figures than Heddle's own policies; "
        "expected only programs, or none"));
  }

 private:
  static constexpr int kMostNodes = 100'000, kMostPending = 1'000'000, kMostRepeats = 100;
  static constexpr int kQuickNodes = 1000, kQuickPending = 10'000, kQuickHeartbeats = 4000;

  void add_own_options(Command word) override {
    add_texts(word, "--schedulers", schedulers_, "POLICY,...",
              "policies, separated by commas (default: every preset); exec:PATH measures a "
              "program as heddle bench external does");
    word.add_option("--task-user", task_user_, "user of such programs (default: auto)")
        .type_name("USER");
    add_numbers(word, "--nodes", nodes_, 1, kMostNodes, "numbers of nodes, separated by commas");
    add_numbers(word, "--pending", pending_, 1, kMostPending,
                "approximate numbers of tasks that wait for a container, separated by commas");
    add_number(word, "--seed", seed_, 0, std::numeric_limits<std::int64_t>::max(),
               "seed of the jobs");
    add_number(word, "--repeat", repeat_, 1, kMostRepeats,
               "number of measurements of each case; medians are shown");
  }

  Json measure() override {
    return bench_results(kPolicyForm,
                         measure_each(
                             loads(),
                             [](const PolicyLoad& load) {
                               return scheduler_of(load) + ", " + std::to_string(load.nodes) +
                                      " nodes, " + std::to_string(load.pending) + " pending tasks";
                             },
                             [&](const PolicyLoad& load) {
                               std::vector<Json> rows;
                               while (std::ssize(rows) < repeat_)
                                 rows.push_back(in_child([&] { return measure_policy(load); }));
                               Json row = combined(kPolicyForm, rows);
                               row["scheduler"] = scheduler_of(load);
                               return row;
                             }));
  }

  std::string format(const Json& results) const override { return format_policy_results(results); }

  std::vector<PolicyLoad> loads() const {
    std::vector<PolicyLoad> loads;
    for (const std::string& scheduler : schedulers_.empty() ? all_policies() : schedulers_) {
      PolicyLoad load{.seed = seed_};
      load.policy = naming("--schedulers", [&] { return need(parse_policy(scheduler)); });
      for (int pending : pending_)
        for (int nodes : nodes_) {
          const bool small = nodes <= kQuickNodes && pending <= kQuickPending;
          if (quick_ && !small && !(nodes == kPolicyAimNodes && pending == kPolicyAimPending))
            continue;
          load.nodes = nodes;
          load.pending = pending;
          load.heartbeats = quick_ && small ? kQuickHeartbeats : PolicyLoad{}.heartbeats;
          for (bool executors : {false, true}) {
            load.executors = executors;
            if (!executors || has_executor_load(load.policy)) loads.push_back(load);
          }
        }
    }
    return loads;
  }

  std::vector<std::string> schedulers_;  ///< written as for --policy; empty: every preset
  std::vector<int> nodes_ = {10, 100, 1000, 10'000}, pending_ = {100, 10'000, 100'000};
  std::uint64_t seed_ = 1;
  int repeat_ = 1;
  std::optional<std::string> task_user_;
};

}  // namespace

PolicyFeed::PolicyFeed(const Scenario& scenario)
    : scenario_(scenario), on_(scenario.cluster.nodes.size()) {}

std::vector<Event> PolicyFeed::registrations() const {
  std::vector<Event> events;
  for (std::int64_t i = 0; i < std::ssize(on_); ++i)
    events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  return events;
}

void PolicyFeed::next() {
  node_ = NodeId{beats_++ % std::ssize(on_)};
  now_ = EmuTime(scenario_.cluster.heartbeat.count() * beats_ / std::ssize(on_));
}

const std::vector<Event>& PolicyFeed::report(bool idle) {
  events_.clear();
  if (!wakes_.empty() && *wakes_.begin() <= now_) {
    wakes_.erase(wakes_.begin(), wakes_.upper_bound(now_));
    events_.push_back({now_, Wake{}});
  }
  if (!idle) std::erase_if(on_[node_.value], [&](ContainerId id) { return !tell(id); });
  events_.push_back(heartbeat());
  return events_;
}

bool PolicyFeed::tell(ContainerId id) {
  Running& running = at(id);
  const auto add = [&](auto what) { events_.push_back({now_, std::move(what)}); };
  const auto end = [&](Outcome outcome) {
    add(ContainerEnded{id, outcome, OomCause::kNone, 0, "", {}});
    ++ended_;
    return false;
  };
  if (running.killed) return end(Outcome::kKilled);
  if (!std::exchange(running.started, true)) {
    add(ContainerStarted{id});
    return true;
  }
  if (running.finishes) return end(Outcome::kCompleted);
  if (std::exchange(running.stops, false)) {
    running.suspended = true;
    add(ContainerSuspended{id});
  } else if (std::exchange(running.resumes, false)) {
    running.suspended = false;
    add(ContainerResumed{id});
  }
  if (running.suspended || running.waits || running.left == 0) return true;
  ++running.done;
  if (--running.left > 0) return true;
  if (!running.executor) return end(Outcome::kCompleted);
  add(PartDone{id, running.part});
  return true;
}

Event PolicyFeed::heartbeat() const {
  NodeHeartbeat beat{node_};
  for (ContainerId id : on_[node_.value]) {
    const Running& running = containers_[id.value];
    if (!running.started) continue;
    const double all = running.done + running.left;
    const Resources used{Millicores(running.size.cores.count() / 2),
                         EmuBytes(running.size.memory.count() / 5 * 4)};
    beat.containers.push_back({id, CoreTime(running.done * scenario_.cluster.heartbeat.count() / 2),
                               used.memory, all > 0 ? running.done / all : 0});
    beat.use.containers += used;
  }
  beat.use.node = beat.use.containers;
  return {now_, std::move(beat)};
}

int PolicyFeed::draw_length(ContainerId id, int part) const {
  const auto key = draw_key(
      scenario_.seed, {static_cast<std::uint64_t>(id.value), static_cast<std::uint64_t>(part)});
  return static_cast<int>(key % kLongest) + 1;
}

void PolicyFeed::take_in(const Step& step) {
  for (const Action& action : step.actions) take_in(action);
}

void PolicyFeed::take_in(const Action& action) {
  std::visit(Overloads{[&](const Launch& it) { start(it); },
                       [&](const Kill& it) { at(it.container).killed = true; },
                       [&](const Finish& it) { at(it.container).finishes = true; },
                       [&](const InputsReady& it) { at(it.container).waits = false; },
                       [&](const Suspend& it) { at(it.container).stops = true; },
                       [&](const Resume& it) { at(it.container).resumes = true; },
                       [&](const WakeAt& it) { wakes_.insert(it.at); },
                       [&](const RunPart& it) {
                         Running& executor = at(it.container);
                         executor.part = it.part.number;
                         executor.left = draw_length(it.container, executor.part);
                       },
                       // Inputs are ready at once, the engine itself remembers the
                       // reservations, and no job waits for another one.
                       [](const Fetch&) {}, [](const Reserve&) {}, [](const Unreserve&) {},
                       [](const KillJob&) {}, [](const Submit&) {}, [](const SubmitAt&) {}},
             action.what);
}

void PolicyFeed::start(const Launch& launch) {
  Running running;
  running.node = launch.node;
  running.size = launch.resources;
  running.waits = launch.work.waits;
  running.executor = launch.work.executor;
  if (!running.executor) running.left = draw_length(launch.container, 0);
  containers_.push_back(running);
  on_[launch.node.value].push_back(launch.container);
}

const BenchForm kPolicyForm = {
    "policy",
    {{"scheduler", "scheduler"}, {"nodes", "nodes"}, {"pending", "pending"}},
    {{"heartbeats", "heartbeats"},
     {"placements", "placements"},
     {"idle_us", "idle us", 2, Better::kLess},
     {"beat_us", "us/beat", 2, Better::kLess},
     {"decide_us", "decide us", 2, Better::kLess},
     {"x", "x", 2},
     {"decision_us/p50", "p50 us", 1, Better::kLess},
     {"decision_us/p99", "p99 us", 1, Better::kLess},
     {"decision_us/max", "max us", 0, Better::kLess},
     {"step_us/p99", "step p99", 1, Better::kLess},
     {"placements_per_s", "placements/s", 0, Better::kMore},
     {"grown_bytes", "bytes/beat", 0, Better::kLess},
     {"peak_bytes", "peak MiB", 0, Better::kLess, 1 << 20}},
    judge_policies};

bool has_executor_load(const PolicySpec& policy) { return !uses(policy, kFirstFitPart); }

Json measure_policy(const PolicyLoad& load) { return PolicyMeasurement(load).measure(); }

std::string format_policy_results(const Json& results) {
  return format_bench(kPolicyForm, results) + kPublished;
}

std::unique_ptr<Bench> policy_bench() { return std::make_unique<PolicyBench>(); }

}  // namespace heddle::bench
