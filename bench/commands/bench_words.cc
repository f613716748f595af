#include "bench/commands/bench_words.h"

#include <CLI/CLI.hpp>

#include "cli/run/run_words.h"

namespace heddle::bench {
namespace {

// Bounds of `heddle bench sim`; a larger one would not fit most machines' memory.
constexpr int kMostNodes = 100'000, kMostTasksPerNode = 10'000, kMostQueues = 100;
// Of `heddle bench policy`.
constexpr int kMostPending = 1'000'000, kMostRepeats = 100;
// Of `heddle bench fidelity`: shorter tasks are nothing but their start.
constexpr double kLeastTask_s = 0.01, kMostTask_s = 60;
// Of `heddle bench heartbeat`: a process each.
constexpr int kMostWorkers = 5000, kMostContainers = 1000;
constexpr double kLeastWindow_s = 1, kMostWindow_s = 300;
// Of `heddle bench io`.
constexpr int kMostTransfers = 1000, kMostMegabytes = 1 << 16;
constexpr double kLeastTransfer_s = 0.1, kLeastRate = 1, kMostRate = 10'000;

// Of `heddle bench start`: as many as a scenario may have.
constexpr int kMostStarted = 20'000;

// Of `heddle bench launch` and `suspend`.
constexpr int kMostAtOnce = 64, kMostMeasured = 100'000, kMostRounds = 100;

}  // namespace

void BenchWords::add(CLI::App& bench, std::function<int()>& action) {
  bench.require_subcommand(0, 1);
  bench.add_option("--compare", compared_.files, "what --json printed before a change, and after")
      ->expected(2)
      ->type_name("A.json B.json");
  bench.add_flag("--json", compared_.json, "print JSON instead of a table");
  bench.callback([this, &bench, &action] {
    if (bench.get_subcommands().empty())
      action = [this] { return compare_bench_command(compared_); };
  });
  add_fidelity(bench, action);
  add_policy(bench, action);
  add_heartbeat(bench, action);
  add_io(bench, action);
  add_sim(bench, action);
  add_launch(bench, action);
  add_suspend(bench, action);
  add_start(bench, action);
}

void BenchWords::add_start(CLI::App& bench, std::function<int()>& action) {
  CLI::App* word = cli::add_word(bench, cli::benches(), "start", action,
                                 [this] { return start_bench_command(start_); });
  word->add_option("--nodes", start_.nodes, "numbers of nodes, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostStarted))
      ->capture_default_str();
  word->add_flag("--quick", start_.quick, "20 nodes");
  word->add_option("--cgroup", start_.cgroup, "control group to live in");
  word->add_flag("--json", start_.json, "print JSON instead of a table");
}

void BenchWords::add_policy(CLI::App& bench, std::function<int()>& action) {
  CLI::App* word = cli::add_word(bench, cli::benches(), "policy", action,
                                 [this] { return policy_bench_command(policy_); });
  word->add_option("--schedulers", policy_.schedulers,
                   "policies, as --policy has them, separated by commas; default: all presets")
      ->delimiter(',');
  word->add_option("--nodes", policy_.nodes, "numbers of nodes, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostNodes))
      ->capture_default_str();
  word->add_option("--pending", policy_.pending,
                   "tasks that wait for a container, about, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostPending))
      ->capture_default_str();
  word->add_option("--seed", policy_.seed, "what jobs are drawn from")->capture_default_str();
  word->add_option("--repeat", policy_.repeat, "measurements of each case; medians are shown")
      ->check(CLI::Range(1, kMostRepeats))
      ->capture_default_str();
  word->add_flag("--quick", policy_.quick,
                 "fewer sizes, and fewer heartbeats of small ones; under two minutes");
  word->add_flag("--json", policy_.json, "print JSON instead of a table");
}

void BenchWords::add_sim(CLI::App& bench, std::function<int()>& action) {
  CLI::App* sim = cli::add_word(bench, cli::benches(), "sim", action,
                                [this] { return sim_bench_command(sim_); });
  sim->add_option("--schedulers", sim_.schedulers,
                  "policies, as --policy has them, separated by commas; default: all schedulers")
      ->delimiter(',');
  sim->add_option("--nodes", sim_.nodes, "numbers of nodes, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostNodes))
      ->capture_default_str();
  sim->add_option("--tasks-per-node", sim_.load.tasks_per_node, "tasks = nodes times this")
      ->check(CLI::Range(1, kMostTasksPerNode))
      ->capture_default_str();
  sim->add_option("--dispatch", sim_.dispatch, "heartbeat or immediate")
      ->check(CLI::IsMember({"heartbeat", "immediate"}))
      ->capture_default_str();
  sim->add_option("--journal", sim_.journal, "full, or decisions: without heartbeats")
      ->check(CLI::IsMember({"full", "decisions"}))
      ->capture_default_str();
  sim->add_option("--queues", sim_.load.queues, "equal queues, used one after the other")
      ->check(CLI::Range(1, kMostQueues))
      ->capture_default_str();
  sim->add_flag("--masters", sim_.load.masters, "jobs have application masters");
  sim->add_flag("--prefer", sim_.load.prefer, "a third of the phases prefer some nodes");
  sim->add_flag("--quick", sim_.quick, "100 and 1000 nodes, under two minutes");
  sim->add_flag("--json", sim_.json, "print JSON instead of a table");
}

void BenchWords::add_fidelity(CLI::App& bench, std::function<int()>& action) {
  FidelityBenchOptions& options = fidelity_;
  CLI::App* word = cli::add_word(bench, cli::benches(), "fidelity", action,
                                 [this] { return fidelity_bench_command(fidelity_); });
  word->add_option("--fractions", options.fractions,
                   "of a CPU, separated by commas; default 2.5%,8%,25%")
      ->delimiter(',');
  word->add_option("--seconds", options.seconds,
                   "real time that tasks should take, separated by commas; default 1,4")
      ->delimiter(',')
      ->check(CLI::Range(kLeastTask_s, kMostTask_s));
  word->add_flag("--quick", options.quick, "a few seconds, to see that it works");
  word->add_option("--cgroup", options.cgroup, "control group to live in");
  word->add_flag("--json", options.json, "print JSON instead of a table");
}

void BenchWords::add_launch(CLI::App& bench, std::function<int()>& action) {
  CLI::App* word = cli::add_word(bench, cli::benches(), "launch", action,
                                 [this] { return launch_bench_command(launch_); });
  word->add_option("--at-once", launch_.at_once,
                   "containers under way at any time, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostAtOnce))
      ->capture_default_str();
  word->add_option("--tasks", launch_.tasks, "that one measurement starts")
      ->check(CLI::Range(1, kMostMeasured))
      ->capture_default_str();
  word->add_option("--rounds", launch_.rounds, "of which the medians are told")
      ->check(CLI::Range(1, kMostRounds))
      ->capture_default_str();
  word->add_flag("--peers", launch_.peers, "also cgexec, crun and Slurm, where they are installed");
  word->add_flag("--quick", launch_.quick, "one round of 50 tasks each");
  word->add_option("--cgroup", launch_.cgroup, "control group to live in");
  word->add_flag("--json", launch_.json, "print JSON instead of a table");
}

void BenchWords::add_suspend(CLI::App& bench, std::function<int()>& action) {
  CLI::App* word = cli::add_word(bench, cli::benches(), "suspend", action,
                                 [this] { return suspend_bench_command(suspend_); });
  word->add_option("--times", suspend_.times, "that each case is suspended and resumed")
      ->check(CLI::Range(1, kMostMeasured))
      ->capture_default_str();
  word->add_flag("--quick", suspend_.quick, "20 times each");
  word->add_option("--cgroup", suspend_.cgroup, "control group to live in");
  word->add_flag("--json", suspend_.json, "print JSON instead of a table");
}

void BenchWords::add_heartbeat(CLI::App& bench, std::function<int()>& action) {
  HeartbeatBenchOptions& options = heartbeat_;
  CLI::App* word = cli::add_word(bench, cli::benches(), "heartbeat", action,
                                 [this] { return heartbeat_bench_command(heartbeat_); });
  word->add_option("--workers", options.workers, "numbers of workers, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostWorkers))
      ->capture_default_str();
  word->add_option("--containers", options.containers,
                   "of each worker, numbers separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(0, kMostContainers))
      ->capture_default_str();
  word->add_option("--real", options.real,
                   "numbers of heddle-worker processes, separated by commas; 0: none")
      ->delimiter(',')
      ->check(CLI::Range(0, kMostWorkers))
      ->capture_default_str();
  word->add_option("--seconds", options.seconds, "that each is measured")
      ->check(CLI::Range(kLeastWindow_s, kMostWindow_s))
      ->capture_default_str();
  word->add_flag("--tcp", options.tcp, "by TCP with keys, as over several hosts, not by ipc");
  word->add_flag("--quick", options.quick, "1, 16 and 1000 workers for 3 seconds");
  word->add_option("--cgroup", options.cgroup, "control group to live in");
  word->add_flag("--json", options.json, "print JSON instead of a table");
}

void BenchWords::add_io(CLI::App& bench, std::function<int()>& action) {
  CLI::App* word =
      cli::add_word(bench, cli::benches(), "io", action, [this] { return io_bench_command(io_); });
  word->add_option("--transfers", io_.transfers, "at once, numbers separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostTransfers))
      ->capture_default_str();
  word->add_option("--seconds", io_.seconds, "that paced transfers should take")
      ->check(CLI::Range(kLeastTransfer_s, kMostTask_s))
      ->capture_default_str();
  word->add_option("--rate", io_.megabytes_per_s, "of the nodes' networks when paced, MB/s")
      ->check(CLI::Range(kLeastRate, kMostRate))
      ->capture_default_str();
  word->add_option("--megabytes", io_.megabytes, "that are moved as fast as can be")
      ->check(CLI::Range(1, kMostMegabytes))
      ->capture_default_str();
  word->add_flag("--quick", io_.quick, "less data, and one second");
  word->add_flag("--json", io_.json, "print JSON instead of a table");
}

}  // namespace heddle::bench
