#include "bench/commands/bench_words.h"

#include <limits>
#include <sstream>
#include <type_traits>

#include "cli/base/command_table.h"
#include "cli/base/exit_status.h"
#include "common/command_line/command_line.h"
#include "common/text.h"

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
// Bound of `heddle bench start`: the maximum number of nodes of a scenario.
constexpr int kMostStarted = 20'000;
// Bounds of `heddle bench launch` and `suspend`.
constexpr int kMostAtOnce = 64, kMostMeasured = 100'000, kMostRounds = 100;

std::string with_default(const std::string& what, const std::string& value) {
  return value.empty() ? what : what + " (default: " + value + ")";
}

template <class Number>
std::string shown(Number number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

template <class Number>
void require_within(CommandOption option, const char* value, Number least, Number most) {
  if constexpr (std::is_floating_point_v<Number>)
    require_number(option, value, least, most);
  else
    require_integer(option, value, static_cast<std::int64_t>(least),
                    static_cast<std::int64_t>(most));
}

template <class Number>
void add_number(Command word, const char* name, Number& number, std::type_identity_t<Number> least,
                std::type_identity_t<Number> most, const char* what) {
  CommandOption option = word.add_option(name, number, with_default(what, shown(number)));
  require_within(option, "N", least, most);
}

/// Adds an option that takes several numbers, separated by commas.
template <class Number>
void add_numbers(Command word, const char* name, std::vector<Number>& numbers,
                 std::type_identity_t<Number> least, std::type_identity_t<Number> most,
                 const char* what) {
  std::vector<std::string> defaults;
  for (Number number : numbers) defaults.push_back(shown(number));
  CommandOption option =
      word.add_option(name, numbers, with_default(what, join(defaults, ","))).delimiter(',');
  require_within(option, "N,...", least, most);
}

/// Adds the options that every bench has. They come last in the help.
template <class Options>
void add_common(Command word, Options& options, const char* quick) {
  word.add_flag("--quick", options.quick, quick);
  if constexpr (requires { options.cgroup; })
    word.add_option("--cgroup", options.cgroup, "create control groups below GROUP")
        .type_name("GROUP");
  word.add_flag("--json", options.json, "print JSON instead of a table");
}

void add_external(Command word, ExternalBenchOptions& options) {
  word.add_option("--policies", options.policies,
                  "exec:PATH or external=ENDPOINT, separated by commas (default: fifo in Python "
                  "and in C++)")
      .delimiter(',')
      .type_name("POLICY,...");
  word.add_option("--task-user", options.task_user, "user of these programs (default: auto)")
      .type_name("USER");
  require_integer(
      word.add_option("--nodes", options.nodes,
                      "number of nodes (default: " + std::to_string(options.nodes) + ")"),
      "N", 1, 20'000);
  require_integer(
      word.add_option("--tasks", options.tasks,
                      "number of tasks (default: " + std::to_string(options.tasks) + ")"),
      "N", 1, 1'000'000);
  add_common(word, options, "200 tasks on 20 nodes only");
}

void add_start(Command word, StartBenchOptions& options) {
  add_numbers(word, "--nodes", options.nodes, 1, kMostStarted,
              "numbers of nodes, separated by commas");
  add_common(word, options, "20 nodes only");
}

void add_policy(Command word, PolicyBenchOptions& options) {
  word.add_option("--schedulers", options.schedulers,
                  "policies, separated by commas (default: every preset); exec:PATH measures a "
                  "program as heddle bench external does")
      .delimiter(',')
      .type_name("POLICY,...");
  word.add_option("--task-user", options.task_user, "user of such programs (default: auto)")
      .type_name("USER");
  add_numbers(word, "--nodes", options.nodes, 1, kMostNodes,
              "numbers of nodes, separated by commas");
  add_numbers(word, "--pending", options.pending, 1, kMostPending,
              "approximate numbers of tasks that wait for a container, separated by commas");
  require_integer(word.add_option("--seed", options.seed,
                                  with_default("seed of the jobs", shown(options.seed))),
                  "N", 0, std::numeric_limits<std::int64_t>::max());
  add_number(word, "--repeat", options.repeat, 1, kMostRepeats,
             "number of measurements of each case; medians are shown");
  add_common(word, options, "fewer sizes and heartbeats; takes less than two minutes");
}

void add_sim(Command word, SimBenchOptions& options) {
  word.add_option("--schedulers", options.schedulers,
                  "policies, separated by commas (default: every scheduler)")
      .delimiter(',')
      .type_name("POLICY,...");
  add_numbers(word, "--nodes", options.nodes, 1, kMostNodes,
              "numbers of nodes, separated by commas");
  add_number(word, "--tasks-per-node", options.load.tasks_per_node, 1, kMostTasksPerNode,
             "number of tasks per node");
  require_choice(word.add_option("--dispatch", options.dispatch,
                                 with_default("when decisions are made", options.dispatch)),
                 {"heartbeat", "immediate"});
  require_choice(word.add_option("--journal", options.journal,
                                 with_default("what to record: full, or decisions: all but "
                                              "heartbeats",
                                              options.journal)),
                 {"full", "decisions"});
  add_number(word, "--queues", options.load.queues, 1, kMostQueues,
             "number of equal queues; jobs take them in turn");
  word.add_flag("--masters", options.load.masters, "give jobs application masters");
  word.add_flag("--prefer", options.load.prefer, "let a third of the phases prefer some nodes");
  add_common(word, options, "100 and 1000 nodes only; takes less than two minutes");
}

void add_fidelity(Command word, FidelityBenchOptions& options) {
  word.add_option("--fractions", options.fractions,
                  "shares of a CPU per core, separated by commas (default: 2.5%,8%,25%)")
      .delimiter(',')
      .type_name("SHARE,...");
  require_number(word.add_option("--seconds", options.seconds,
                                 "real seconds that tasks should take, separated by commas "
                                 "(default: 1,4)")
                     .delimiter(','),
                 "N,...", kLeastTask_s, kMostTask_s);
  add_common(word, options, "a check that it works; takes a few seconds");
}

void add_launch(Command word, LaunchBenchOptions& options) {
  add_numbers(word, "--at-once", options.at_once, 1, kMostAtOnce,
              "numbers of containers that start at the same time, separated by commas");
  add_number(word, "--tasks", options.tasks, 1, kMostMeasured,
             "number of tasks that one measurement starts");
  add_number(word, "--rounds", options.rounds, 1, kMostRounds,
             "number of rounds; medians are shown");
  word.add_flag("--peers", options.peers,
                "also measure cgexec, crun and Slurm if they are installed");
  add_common(word, options, "one round of 50 tasks each");
}

void add_suspend(Command word, SuspendBenchOptions& options) {
  add_number(word, "--times", options.times, 1, kMostMeasured,
             "how often each case is suspended and resumed");
  add_common(word, options, "20 times each");
}

void add_heartbeat(Command word, HeartbeatBenchOptions& options) {
  add_numbers(word, "--workers", options.workers, 1, kMostWorkers,
              "numbers of workers, separated by commas");
  add_numbers(word, "--containers", options.containers, 0, kMostContainers,
              "numbers of containers per worker, separated by commas");
  add_numbers(word, "--real", options.real, 0, kMostWorkers,
              "numbers of real heddle-worker processes, separated by commas; 0: none");
  add_number(word, "--seconds", options.seconds, kLeastWindow_s, kMostWindow_s,
             "seconds that each case is measured");
  word.add_flag("--tcp", options.tcp,
                "connect by TCP with keys, as runs over several hosts do, instead of by ipc");
  add_common(word, options, "1, 16 and 1000 workers for 3 seconds each");
}

void add_io(Command word, IoBenchOptions& options) {
  add_numbers(word, "--transfers", options.plan.transfers, 1, kMostTransfers,
              "numbers of transfers at the same time, separated by commas");
  add_number(word, "--seconds", options.plan.seconds, kLeastTransfer_s, kMostTask_s,
             "seconds that paced transfers should take");
  add_number(word, "--rate", options.plan.megabytes_per_s, kLeastRate, kMostRate,
             "speed of the nodes' networks for paced transfers, in MB/s");
  add_number(word, "--megabytes", options.plan.megabytes, 1, kMostMegabytes,
             "megabytes that unpaced transfers move");
  add_common(word, options, "less data and transfers of one second");
}

}  // namespace

void add_bench_words(CommandLine& bench, BenchOptions& options, std::function<int()>& action) {
  bench.require_subcommand(0, 1);
  bench
      .add_option("--compare", options.compared.files,
                  "compare what --json printed before a change and after it")
      .expected(2)
      .type_name("BEFORE AFTER");
  bench.add_flag("--json", options.compared.json, "print JSON instead of a table");
  action = [&options] { return compare_bench_command(options.compared); };
  const auto add = [&](const char* name, auto& its, auto command, auto add_options) {
    const Command word = cli::add_word(bench, cli::benches(), name);
    add_options(word, its);
    word.callback([&action, &its, command] {
      action = [&its, command] { return cli::status_or_fail(command(its)); };
    });
  };
  add("fidelity", options.fidelity, fidelity_bench_command, add_fidelity);
  add("policy", options.policy, policy_bench_command, add_policy);
  add("heartbeat", options.heartbeat, heartbeat_bench_command, add_heartbeat);
  add("io", options.io, io_bench_command, add_io);
  add("sim", options.sim, sim_bench_command, add_sim);
  add("launch", options.launch, launch_bench_command, add_launch);
  add("suspend", options.suspend, suspend_bench_command, add_suspend);
  add("start", options.start, start_bench_command, add_start);
  add("external", options.external, external_bench_command, add_external);
}

}  // namespace heddle::bench
