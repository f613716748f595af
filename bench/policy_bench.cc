#include "bench/policy_bench.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "bench/bench.h"
#include "bench/external_bench.h"
#include "bench/forks.h"
#include "bench/policy_feed.h"
#include "common/own_usage.h"
#include "core/policy/registry.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;

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
    for (int i = 0; i < load_.warm_up(); ++i) beat(&PolicyFeed::report);
    const Totals loaded = beats(load_.heartbeats, &PolicyFeed::report);
    const Totals idle = beats(std::max(load_.heartbeats / 10, 1), &PolicyFeed::idle_report);
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
  using Report = const std::vector<Event>& (PolicyFeed::*)();

  TaskWork work_of(TaskId task) const {
    TaskWork work;
    const JobSpec& job = scenario_.jobs[task.phase.job.value];
    work.executor = job.phases[task.phase.phase].kind == PhaseKind::kExecutor;
    return work;
  }

  Totals beats(int count, Report report) {
    sums_ = {};
    sums_.decision_us.reserve(count);
    sums_.step_us.reserve(count);
    const std::int64_t launched = feed_.launched(), heap = heap_bytes();
    for (int i = 0; i < count; ++i) beat(report);
    sums_.placements = feed_.launched() - launched;
    sums_.grown_bytes = heap_bytes() - heap;
    return std::move(sums_);
  }

  void beat(Report report) {
    feed_.next();
    submit();
    const std::vector<Event>& events = (feed_.*report)();
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
void judge_policy(const Json& row, Json& aims) {
  if (row.at("nodes") != kPolicyAimNodes || row.at("pending") != kPolicyAimPending) return;
  const std::string scheduler = row.at("scheduler");
  const bool executors = scheduler.ends_with(kExecutorLoad);
  const bool heavy = std::ranges::find(kHeavy, scheduler) != kHeavy.end();
  if (!executors)
    aims.push_back(aim_at_least(scheduler + ": placements a second", row.at("placements_per_s"),
                                heavy ? kAimHeavyRate : kAimDecisionRate));
  if (!heavy)
    aims.push_back(aim_at_most(scheduler + ": microseconds of 99 % of heartbeats",
                               row.at("step_us").at("p99"),
                               executors ? kAimExecutorsP99_us : kAimP99_us));
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
      return run_external_bench(
          {.quick = quick_, .json = json_, .policies = schedulers_, .task_user = task_user_});
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
    return policy_results(measure_each(
        loads(),
        [](const PolicyLoad& load) {
          return scheduler_of(load) + ", " + std::to_string(load.nodes) + " nodes, " +
                 std::to_string(load.pending) + " pending tasks";
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
     {"peak_bytes", "peak MiB", 0, Better::kLess, 1 << 20}}};

Json measure_policy(const PolicyLoad& load) { return PolicyMeasurement(load).measure(); }

Json policy_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const std::vector<Json*>& group : grouped(rows, {"scheduler", "pending"})) {
    for (const Json* row : group) judge_policy(*row, aims);
    const Json& first = *group.front();
    add_growth(group, "beat_us",
               first.at("scheduler").get<std::string>() + ", " + first.at("pending").dump() +
                   " pending: growth of the cost of a heartbeat",
               aims);
  }
  return bench_results(kPolicyForm, std::move(rows), std::move(aims));
}

std::string format_policy_results(const Json& results) {
  return format_bench(kPolicyForm, results) + kPublished;
}

std::unique_ptr<Bench> policy_bench() { return std::make_unique<PolicyBench>(); }

}  // namespace heddle::bench
