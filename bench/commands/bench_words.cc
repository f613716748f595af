#include "bench/commands/bench_words.h"

#include <CLI/CLI.hpp>
#include <type_traits>

#include "cli/run/run_words.h"

namespace heddle::bench {
namespace {

// Bounds of `heddle bench sim`. Most machines do not have the memory for more.
constexpr int kMostNodes = 100'000, kMostTasksPerNode = 10'000, kMostQueues = 100;
// Bounds of the options of `heddle bench policy`.
constexpr int kMostPending = 1'000'000, kMostRepeats = 100;
// Bounds of `heddle bench fidelity`. The start of a shorter task would take longer than its work.
constexpr double kLeastTask_s = 0.01, kMostTask_s = 60;
// Bounds of `heddle bench heartbeat`. Each worker is a process.
constexpr int kMostWorkers = 5000, kMostContainers = 1000;
constexpr double kLeastWindow_s = 1, kMostWindow_s = 300;
// Bounds of `heddle bench io`.
constexpr int kMostTransfers = 1000, kMostMegabytes = 1 << 16;
constexpr double kLeastTransfer_s = 0.1, kLeastRate = 1, kMostRate = 10'000;
// Bound of `heddle bench start`: the most nodes a scenario may have.
constexpr int kMostStarted = 20'000;
// Bounds of `heddle bench launch` and `suspend`.
constexpr int kMostAtOnce = 64, kMostMeasured = 100'000, kMostRounds = 100;

template <class Number>
void add_number(CLI::App* word, const char* name, Number& number,
                std::type_identity_t<Number> least, std::type_identity_t<Number> most,
                const char* what) {
  word->add_option(name, number, what)->check(CLI::Range(least, most))->capture_default_str();
}

/// Adds an option that takes several numbers, separated by commas.
template <class Number>
void add_numbers(CLI::App* word, const char* name, std::vector<Number>& numbers,
                 std::type_identity_t<Number> least, std::type_identity_t<Number> most,
                 const char* what) {
  word->add_option(name, numbers, what)
      ->delimiter(',')
      ->check(CLI::Range(least, most))
      ->capture_default_str();
}

/// Adds the options that every bench has. They come last in the help.
template <class Options>
void add_common(CLI::App* word, Options& options, const char* quick) {
  word->add_flag("--quick", options.quick, quick);
  if constexpr (requires { options.cgroup; })
    word->add_option("--cgroup", options.cgroup, "control group to live in");
  word->add_flag("--json", options.json, "print JSON instead of a table");
}

void add_start(CLI::App* word, StartBenchOptions& options) {
  add_numbers(word, "--nodes", options.nodes, 1, kMostStarted,
              "numbers of nodes, separated by commas");
  add_common(word, options, "20 nodes");
}

void add_policy(CLI::App* word, PolicyBenchOptions& options) {
  word->add_option("--schedulers", options.schedulers,
                   "policies, as --policy has them, separated by commas; default: all presets")
      ->delimiter(',');
  add_numbers(word, "--nodes", options.nodes, 1, kMostNodes,
              "numbers of nodes, separated by commas");
  add_numbers(word, "--pending", options.pending, 1, kMostPending,
              "tasks that wait for a container, about, separated by commas");
  word->add_option("--seed", options.seed, "what jobs are drawn from")->capture_default_str();
  add_number(word, "--repeat", options.repeat, 1, kMostRepeats,
             "measurements of each case; medians are shown");
  add_common(word, options, "fewer sizes, and fewer heartbeats of small ones; under two minutes");
}

void add_sim(CLI::App* word, SimBenchOptions& options) {
  word->add_option("--schedulers", options.schedulers,
                   "policies, as --policy has them, separated by commas; default: all schedulers")
      ->delimiter(',');
  add_numbers(word, "--nodes", options.nodes, 1, kMostNodes,
              "numbers of nodes, separated by commas");
  add_number(word, "--tasks-per-node", options.load.tasks_per_node, 1, kMostTasksPerNode,
             "tasks = nodes times this");
  word->add_option("--dispatch", options.dispatch, "heartbeat or immediate")
      ->check(CLI::IsMember({"heartbeat", "immediate"}))
      ->capture_default_str();
  word->add_option("--journal", options.journal, "full, or decisions: without heartbeats")
      ->check(CLI::IsMember({"full", "decisions"}))
      ->capture_default_str();
  add_number(word, "--queues", options.load.queues, 1, kMostQueues,
             "equal queues, used one after the other");
  word->add_flag("--masters", options.load.masters, "jobs have application masters");
  word->add_flag("--prefer", options.load.prefer, "a third of the phases prefer some nodes");
  add_common(word, options, "100 and 1000 nodes, under two minutes");
}

void add_fidelity(CLI::App* word, FidelityBenchOptions& options) {
  word->add_option("--fractions", options.fractions,
                   "of a CPU, separated by commas; default 2.5%,8%,25%")
      ->delimiter(',');
  word->add_option("--seconds", options.seconds,
                   "real time that tasks should take, separated by commas; default 1,4")
      ->delimiter(',')
      ->check(CLI::Range(kLeastTask_s, kMostTask_s));
  add_common(word, options, "a few seconds, to see that it works");
}

void add_launch(CLI::App* word, LaunchBenchOptions& options) {
  add_numbers(word, "--at-once", options.at_once, 1, kMostAtOnce,
              "containers under way at any time, separated by commas");
  add_number(word, "--tasks", options.tasks, 1, kMostMeasured, "that one measurement starts");
  add_number(word, "--rounds", options.rounds, 1, kMostRounds, "of which the medians are told");
  word->add_flag("--peers", options.peers, "also cgexec, crun and Slurm, where they are installed");
  add_common(word, options, "one round of 50 tasks each");
}

void add_suspend(CLI::App* word, SuspendBenchOptions& options) {
  add_number(word, "--times", options.times, 1, kMostMeasured,
             "that each case is suspended and resumed");
  add_common(word, options, "20 times each");
}

void add_heartbeat(CLI::App* word, HeartbeatBenchOptions& options) {
  add_numbers(word, "--workers", options.workers, 1, kMostWorkers,
              "numbers of workers, separated by commas");
  add_numbers(word, "--containers", options.containers, 0, kMostContainers,
              "of each worker, numbers separated by commas");
  add_numbers(word, "--real", options.real, 0, kMostWorkers,
              "numbers of heddle-worker processes, separated by commas; 0: none");
  add_number(word, "--seconds", options.seconds, kLeastWindow_s, kMostWindow_s,
             "that each is measured");
  word->add_flag("--tcp", options.tcp, "by TCP with keys, as over several hosts, not by ipc");
  add_common(word, options, "1, 16 and 1000 workers for 3 seconds");
}

void add_io(CLI::App* word, IoBenchOptions& options) {
  add_numbers(word, "--transfers", options.plan.transfers, 1, kMostTransfers,
              "at once, numbers separated by commas");
  add_number(word, "--seconds", options.plan.seconds, kLeastTransfer_s, kMostTask_s,
             "that paced transfers should take");
  add_number(word, "--rate", options.plan.megabytes_per_s, kLeastRate, kMostRate,
             "of the nodes' networks when paced, MB/s");
  add_number(word, "--megabytes", options.plan.megabytes, 1, kMostMegabytes,
             "that are moved as fast as can be");
  add_common(word, options, "less data, and one second");
}

}  // namespace

void add_bench_words(CLI::App& bench, BenchOptions& options, std::function<int()>& action) {
  bench.require_subcommand(0, 1);
  bench
      .add_option("--compare", options.compared.files,
                  "what --json printed before a change, and after")
      ->expected(2)
      ->type_name("A.json B.json");
  bench.add_flag("--json", options.compared.json, "print JSON instead of a table");
  bench.callback([&options, &bench, &action] {
    if (bench.get_subcommands().empty())
      action = [&options] { return compare_bench_command(options.compared); };
  });
  const auto add = [&](const char* name, auto& its, auto command, auto add_options) {
    add_options(cli::add_word(bench, cli::benches(), name, action,
                              [&its, command] { return command(its); }),
                its);
  };
  add("fidelity", options.fidelity, fidelity_bench_command, add_fidelity);
  add("policy", options.policy, policy_bench_command, add_policy);
  add("heartbeat", options.heartbeat, heartbeat_bench_command, add_heartbeat);
  add("io", options.io, io_bench_command, add_io);
  add("sim", options.sim, sim_bench_command, add_sim);
  add("launch", options.launch, launch_bench_command, add_launch);
  add("suspend", options.suspend, suspend_bench_command, add_suspend);
  add("start", options.start, start_bench_command, add_start);
}

}  // namespace heddle::bench
