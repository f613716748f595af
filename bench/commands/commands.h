#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/fidelity_scenario.h"
#include "bench/io_bench.h"
#include "bench/sim_scenario.h"
#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

struct CompareBenchOptions {
  std::vector<std::string> files;  ///< two files, each with results of the same bench
  bool json = false;
};

/// `heddle bench --compare`: prints the changes between two results, and the noise of each result
/// (bench/compare_results.h).
int compare_bench_command(const CompareBenchOptions& options);

/// The options that every bench has.
struct CommonOptions {
  bool quick = false;  ///< measure fewer or smaller cases, for a shorter time
  bool json = false;
};
/// The options of benches that start real containers.
struct RealOptions : CommonOptions {
  std::optional<std::string> cgroup;  ///< argument of --cgroup, as for `heddle run`
};

/// Options of `heddle bench sim`, which measures each policy at each number of nodes.
struct SimBenchOptions : CommonOptions {
  std::vector<std::string> schedulers;  ///< written as for --policy; empty: every scheduler
  std::vector<int> nodes = {100, 1000, 10000};
  std::string dispatch = "heartbeat";
  std::string journal = "full";
  SimLoad load;  ///< the other options
};

/// `heddle bench sim`: prints the cost of simulations (bench/sim_bench.h).
int sim_bench_command(const SimBenchOptions& options);

/// Options of `heddle bench policy`, which measures each policy at each number of nodes and of
/// pending tasks.
struct PolicyBenchOptions : CommonOptions {
  std::vector<std::string> schedulers;  ///< written as for --policy; empty: every preset
  std::vector<int> nodes = {10, 100, 1000, 10'000};
  std::vector<int> pending = {100, 10'000, 100'000};
  std::uint64_t seed = 1;
  int repeat = 1;                        ///< measurements of each case
  std::optional<std::string> task_user;  ///< of programs outside of Heddle
};

/// `heddle bench policy`: prints the cost of decisions (bench/policy_bench.h). If the policies are
/// programs outside of Heddle, works like external_bench_command.
int policy_bench_command(const PolicyBenchOptions& options);

struct FidelityBenchOptions : RealOptions {
  std::vector<std::string> fractions;  ///< shares of a CPU; empty: those of FidelityPlan
  std::vector<double> seconds;  ///< ideal times, in real seconds; empty: those of FidelityPlan
};

/// `heddle bench fidelity`: prints how far the durations of tasks are from the ideal
/// (bench/fidelity_bench.h). Runs this program for each case in a temporary directory.
int fidelity_bench_command(const FidelityBenchOptions& options);

struct LaunchBenchOptions : RealOptions {
  std::vector<int> at_once = {1, 2, 4, 8};
  int tasks = 300;  ///< per measurement
  int rounds = 5;
  bool peers = false;  ///< also measure other programs that start containers
};

/// `heddle bench launch`: prints how many containers a worker starts and reaps per second. Also
/// prints how many starts of the same program are possible without a worker (bench/launch_bench.h).
int launch_bench_command(const LaunchBenchOptions& options);

struct SuspendBenchOptions : RealOptions {
  int times = 200;  ///< number of suspensions and resumptions per case
};

/// `heddle bench suspend`: prints the time from the command until a container is stopped, and until
/// it runs again (bench/suspend_bench.h).
int suspend_bench_command(const SuspendBenchOptions& options);

/// Options of `heddle bench heartbeat`, which measures each number of workers with each number of
/// containers.
struct HeartbeatBenchOptions : RealOptions {
  std::vector<int> workers = {1, 16, 100, 1000};  ///< processes that speak the protocol of a worker
  std::vector<int> containers = {0, 10, 50};      ///< per worker
  std::vector<int> real = {16};  ///< numbers of heddle-worker processes, without containers
  double seconds = 10;           ///< duration of each measurement
  bool tcp = false;              ///< the master and its workers use TCP, with keys
};

/// `heddle bench heartbeat`: prints what heartbeats cost the master that serves the workers, and
/// how long the master takes to answer (bench/heartbeat_bench.h).
int heartbeat_bench_command(const HeartbeatBenchOptions& options);

/// Options of `heddle bench io`, which measures transfers between the data services of two nodes.
struct IoBenchOptions : CommonOptions {
  IoPlan plan;
};

/// `heddle bench io`: prints how fast and how evenly data moves between nodes (bench/io_bench.h).
int io_bench_command(const IoBenchOptions& options);

/// Options of `heddle bench external`, which simulates with external policies.
struct ExternalBenchOptions : CommonOptions {
  /// Written as for --policy; empty: fifo in Python and in C++.
  std::vector<std::string> policies;
  std::optional<std::string> task_user;
  int nodes = 100;
  int tasks = 10'000;
};

/// `heddle bench external`: prints the round trips of decisions beside a bare echo
/// (bench/external_bench.h).
int external_bench_command(const ExternalBenchOptions& options);

/// Options of `heddle bench start`, which measures real runs without containers, for each number of
/// nodes.
struct StartBenchOptions : RealOptions {
  std::vector<int> nodes = {100, 500, 2000};
};

/// `heddle bench start`: prints how long runs of many nodes take to start, how long they take to
/// end after an interrupt, and how much memory they use (bench/start_bench.h).
int start_bench_command(const StartBenchOptions& options);

/// Formats results for people.
using FormatResults = std::string (*)(const wire::Json& results);
/// Prints the results as JSON or in the form of `format`. If there is an error instead, prints the
/// error. Returns the exit status for the results, for the error, or for an interruption by the
/// user.
int print_bench(const Result<wire::Json>& results, bool json, FormatResults format);
/// Does the same for rows, from which `results_of` makes the results.
int print_rows(const Result<std::vector<wire::Json>>& rows,
               wire::Json (*results_of)(std::vector<wire::Json>), bool json, FormatResults format);

}  // namespace heddle::bench
