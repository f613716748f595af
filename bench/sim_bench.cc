#include "bench/sim_bench.h"

#include <chrono>
#include <filesystem>

#include "bench/bench.h"
#include "bench/rigid_bench.h"
#include "bench/workbench.h"
#include "common/own_usage.h"
#include "core/policy/registry.h"
#include "sim/simulation.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kAimNodes = 10'000, kAimTasks = 100'000;
constexpr double kAimSeconds = 60;
constexpr std::int64_t kRateNodes = 1000, kManyTasks = 1'000'000;
constexpr double kAimEventRate = 200'000, kAimFifoRate = 300'000, kAimBytes = 2e9;

std::int64_t tasks_of(const Scenario& scenario) {
  std::int64_t tasks = 0;
  for (const JobSpec& job : scenario.jobs) tasks += job.task_count();
  return tasks;
}

/// Judges a row of a scheduler.
void judge_simulation(const Json& row, Aims& aims) {
  const std::string scheduler = row.at("scheduler");
  const bool large = row.at("nodes") == kAimNodes;
  if (large && row.at("tasks") == kAimTasks)
    aims.at_most(scheduler + ": CPU seconds of 100000 tasks on 10000 nodes", row.at("cpu_s"),
                 kAimSeconds);
  if (row.at("nodes") == kRateNodes)
    aims.at_least(scheduler + ": ends of tasks a second on 1000 nodes", row.at("tasks_per_s"),
                  scheduler == "fifo" ? kAimFifoRate : kAimEventRate);
  if (large && row.at("tasks") == kManyTasks)
    aims.at_most(scheduler + ": bytes of 1000000 tasks on 10000 nodes", row.at("peak_bytes"),
                 kAimBytes);
}

void judge_simulations(std::vector<Json>& rows, Aims& aims) {
  const auto name = [](const Json& row) {
    return row.at("scheduler").get<std::string>() + ": growth of the cost of a step";
  };
  judge_groups(rows, {"scheduler"}, "step_us", name, judge_simulation, aims);
}

/// A case: one row of the results.
struct SimCase {
  std::string scheduler;
  SimLoad load;
};

/// Measures each policy at each number of nodes.
class SimBench : public Bench {
 public:
  SimBench()
      : Bench({.form = kSimForm, .quick = "100 and 1000 nodes only; takes less than two minutes"}) {
  }

 private:
  // Most machines do not have the memory for more.
  static constexpr int kMostNodes = 100'000, kMostTasksPerNode = 10'000, kMostQueues = 100;
  static constexpr int kQuickNodes = 1000;
  static constexpr int kMostJobs = 1'000'000, kQuickJobs = 10'000;
  /// A simulation that takes less than kShort_s is measured kTimes times.
  static constexpr double kShort_s = 1;
  static constexpr int kTimes = 3;

  void add_own_options(Command word) override {
    add_texts(word, "--schedulers", schedulers_, "POLICY,...",
              "policies, separated by commas (default: every scheduler)");
    require_choice(word.add_option("--workload", workload_,
                                   "yarn: MapReduce jobs; rigid: gangs with walltimes; one-task: "
                                   "jobs of one task (default: " +
                                       workload_ + ")"),
                   {"yarn", "rigid", "one-task"});
    add_texts(word, "--log", logs_, "FILE,...",
              "simulate these logs, in a format of heddle import, instead of a workload");
    add_number(word, "--jobs", jobs_, 1, kMostJobs, "number of jobs, if rigid or one-task");
    add_numbers(word, "--nodes", nodes_, 1, kMostNodes,
                "numbers of nodes of a yarn workload, separated by commas");
    add_number(word, "--tasks-per-node", load_.tasks_per_node, 1, kMostTasksPerNode,
               "number of tasks per node");
    require_choice(word.add_option("--dispatch", dispatch_,
                                   "when decisions are made (default: " + dispatch_ + ")"),
                   {"heartbeat", "immediate"});
    require_choice(word.add_option("--journal", journal_,
                                   "what to record: full, or decisions: all but heartbeats "
                                   "(default: " +
                                       journal_ + ")"),
                   {"full", "decisions"});
    add_number(word, "--queues", load_.queues, 1, kMostQueues,
               "number of equal queues; jobs take them in turn");
    word.add_flag("--masters", load_.masters, "give jobs application masters");
    word.add_flag("--prefer", load_.prefer, "let a third of the phases prefer some nodes");
  }

  Json measure() override {
    return logs_.empty() && workload_ == "yarn" ? measure_yarn() : measure_all_rigid();
  }

  std::string format(const Json& results) const override {
    return format_bench(results.at("bench") == kRigidForm.bench ? kRigidForm : kSimForm, results);
  }

  /// Measures jobs of one phase, under easy and conservative if no scheduler is given.
  Json measure_all_rigid() {
    const bool one_task = logs_.empty() && workload_ == "one-task";
    std::vector<std::string> schedulers = schedulers_;
    if (schedulers.empty())
      schedulers = one_task ? std::vector<std::string>{"fifo"}
                            : std::vector<std::string>{"easy", "conservative"};
    struct Case {
      std::string scheduler, workload;
    };
    std::vector<Case> cases;
    for (const std::string& workload : logs_.empty() ? std::vector{workload_} : logs_)
      for (const std::string& scheduler : schedulers) cases.push_back({scheduler, workload});
    const int jobs = quick_ ? std::min(jobs_, kQuickJobs) : jobs_;
    return bench_results(
        kRigidForm,
        measure_each(
            cases, [](const Case& one) { return one.workload + ", " + one.scheduler; },
            [&](const Case& one) {
              Scenario scenario = !logs_.empty() ? log_scenario(one.workload)
                                  : one_task     ? one_task_scenario(jobs)
                                                 : rigid_scenario(jobs);
              scenario.policy =
                  naming("--schedulers", [&] { return need(parse_policy(one.scheduler)); });
              const std::string name =
                  logs_.empty() ? workload_
                                : std::filesystem::path(one.workload).filename().string();
              std::vector<Json> rows;
              do {
                rows.push_back(
                    in_child([&] { return measure_rigid(scenario, name, one.scheduler); }));
              } while (rows.front().at("cpu_s") < kShort_s && std::ssize(rows) < kTimes);
              return combined(kRigidForm, rows);
            }));
  }

  Json measure_yarn() {
    return bench_results(
        kSimForm,
        measure_each(
            cases(),
            [](const SimCase& one) {
              return one.scheduler + ", " + std::to_string(one.load.nodes) + " nodes";
            },
            [&](const SimCase& one) {
              std::vector<Json> rows;
              do {
                rows.push_back(in_child([&] { return measure_sim(one.load); }));
              } while (rows.front().at("cpu_s") < kShort_s && std::ssize(rows) < kTimes);
              Json row = combined(kSimForm, rows);
              row.update(
                  {{"scheduler", one.scheduler}, {"dispatch", dispatch_}, {"journal", journal_}});
              return row;
            }));
  }

  std::vector<SimCase> cases() {
    load_.dispatch = dispatch_ == "immediate" ? Dispatch::kImmediate : Dispatch::kHeartbeat;
    load_.journal_heartbeats = journal_ == "full";
    std::vector<SimCase> cases;
    for (const std::string& scheduler :
         schedulers_.empty() ? scheduler_names(false) : schedulers_) {
      load_.policy = naming("--schedulers", [&] { return need(parse_policy(scheduler)); });
      for (int nodes : nodes_) {
        if (quick_ && nodes > kQuickNodes) continue;
        load_.nodes = nodes;
        cases.push_back({scheduler, load_});
      }
    }
    return cases;
  }

  std::vector<std::string> schedulers_;  ///< written as for --policy; empty: every scheduler
  std::string workload_ = "yarn";
  std::vector<std::string> logs_;
  int jobs_ = 100'000;
  std::vector<int> nodes_ = {100, 1000, 10000};
  std::string dispatch_ = "heartbeat", journal_ = "full";
  SimLoad load_;  ///< the other options
};

}  // namespace

const BenchForm kSimForm = {
    "sim",
    {{"scheduler", "scheduler"}, {"dispatch", "dispatch"}, {"nodes", "nodes"}, {"tasks", "tasks"}},
    {{"wall_s", "wall s", 2, Better::kLess},
     {"cpu_s", "cpu s", 2, Better::kLess},
     {"steps", "steps"},
     {"step_us", "us/step", 2, Better::kLess},
     {"x", "x", 2},
     {"task_us", "us/task", 1, Better::kLess},
     {"decision_us/p50", "p50 us", 1, Better::kLess},
     {"decision_us/p99", "p99 us", 1, Better::kLess},
     {"decision_us/max", "max us", 0, Better::kLess},
     {"tasks_per_s", "tasks/s", 0, Better::kMore},
     {"makespan_s", "makespan s", 1},
     {"peak_bytes", "peak MiB", 0, Better::kLess, 1 << 20}},
    judge_simulations};

Json measure_sim(const SimLoad& load) {
  const Scenario scenario = sim_scenario(load);
  std::int64_t journal_bytes = 0;
  auto count = [&](std::string_view lines) { journal_bytes += std::ssize(lines); };
  const Clock::time_point start = Clock::now();
  const double cpu_before = thread_cpu_s();
  sim::Simulation simulation(
      scenario, {load.journal_heartbeats, [] { return Clock::now().time_since_epoch(); }}, count,
      [](std::string_view) {});
  while (simulation.advance(1'000'000)) {
  }
  const double cpu_s = thread_cpu_s() - cpu_before;
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  if (simulation.status() != RunStatus::kDone)
    throw Failed("the simulation ended " + std::string(name_of(simulation.status())) + ": " +
                 simulation.reason());
  const std::int64_t peak = peak_bytes();  // before decision_us is copied
  const auto tasks = static_cast<double>(tasks_of(scenario));
  const auto steps = static_cast<double>(simulation.decisions());
  return {{"nodes", load.nodes},
          {"tasks", tasks_of(scenario)},
          {"wall_s", wire::rounded(wall_s)},
          {"cpu_s", wire::rounded(cpu_s)},
          {"steps", simulation.decisions()},
          {"step_us", wire::rounded(cpu_s * 1e6 / steps)},
          {"x", nullptr},
          {"task_us", wire::rounded(cpu_s * 1e6 / tasks)},
          {"decision_us", wire::percentiles(simulation.decision_us())},
          {"tasks_per_s", wire::rounded(tasks / cpu_s)},
          {"makespan_s", to_seconds(simulation.now())},
          {"journal_bytes", journal_bytes},
          {"peak_bytes", peak}};
}

std::unique_ptr<Bench> sim_bench() { return std::make_unique<SimBench>(); }

}  // namespace heddle::bench
