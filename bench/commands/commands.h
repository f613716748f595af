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
  std::vector<std::string> files;  ///< two, of the same bench
  bool json = false;
};

/// `heddle bench --compare`: prints what changed between two results, and the noise of each
/// (bench/compare_results.h).
int compare_bench_command(const CompareBenchOptions& options);

/// The options that every bench has.
struct CommonOptions {
  bool quick = false;  ///< fewer cases or smaller ones, and shorter
  bool json = false;
};
/// The options of benches that start real containers.
struct RealOptions : CommonOptions {
  std::optional<std::string> cgroup;  ///< as `heddle run` takes it
};

/// What `heddle bench sim` measures: each policy at each number of nodes.
struct SimBenchOptions : CommonOptions {
  std::vector<std::string> schedulers;  ///< policies, as --policy has them; none: every scheduler
  std::vector<int> nodes = {100, 1000, 10000};
  std::string dispatch = "heartbeat";
  std::string journal = "full";
  SimLoad load;  ///< the rest
};

/// `heddle bench sim`: prints what simulations cost (bench/sim_bench.h).
int sim_bench_command(const SimBenchOptions& options);

/// What `heddle bench policy` measures: each policy at each number of nodes and pending tasks.
struct PolicyBenchOptions : CommonOptions {
  std::vector<std::string> schedulers;  ///< policies, as --policy has them; none: every preset
  std::vector<int> nodes = {10, 100, 1000, 10'000};
  std::vector<int> pending = {100, 10'000, 100'000};
  std::uint64_t seed = 1;
  int repeat = 1;  ///< measurements of each case
};

/// `heddle bench policy`: prints what decisions cost (bench/policy_bench.h).
int policy_bench_command(const PolicyBenchOptions& options);

struct FidelityBenchOptions : RealOptions {
  std::vector<std::string> fractions;  ///< of a CPU; none: the plan's
  std::vector<double> seconds;         ///< real; none: the plan's
};

/// `heddle bench fidelity`: prints how far tasks' times are from the ideal
/// (bench/fidelity_bench.h), by runs of this very program in a temporary directory.
int fidelity_bench_command(const FidelityBenchOptions& options);

struct LaunchBenchOptions : RealOptions {
  std::vector<int> at_once = {1, 2, 4, 8};
  int tasks = 300;  ///< a measurement
  int rounds = 5;
  bool peers = false;  ///< other ways to start programs beside it
};

/// `heddle bench launch`: prints how many containers a second a worker starts and reaps, beside
/// bare starts of the same program (bench/launch_bench.h).
int launch_bench_command(const LaunchBenchOptions& options);

struct SuspendBenchOptions : RealOptions {
  int times = 200;  ///< that each case is suspended and resumed
};

/// `heddle bench suspend`: prints how long it takes from the command until a container is stopped,
/// and until it runs again (bench/suspend_bench.h).
int suspend_bench_command(const SuspendBenchOptions& options);

/// What `heddle bench heartbeat` measures: each number of workers with each number of containers.
struct HeartbeatBenchOptions : RealOptions {
  std::vector<int> workers = {1, 16, 100, 1000};  ///< processes that speak as workers do
  std::vector<int> containers = {0, 10, 50};      ///< of each
  std::vector<int> real = {16};                   ///< numbers of heddle-worker, without containers
  double seconds = 10;                            ///< that each is measured
  bool tcp = false;                               ///< the master and its workers by TCP, with keys
};

/// `heddle bench heartbeat`: prints what workers cost the master that serves them, and how long it
/// takes to answer (bench/heartbeat_bench.h).
int heartbeat_bench_command(const HeartbeatBenchOptions& options);

/// What `heddle bench io` measures: transfers from one node's data service to another's.
struct IoBenchOptions : CommonOptions {
  IoPlan plan;
};

/// `heddle bench io`: prints how fast and how evenly data moves between nodes (bench/io_bench.h).
int io_bench_command(const IoBenchOptions& options);

/// What `heddle bench start` measures: real runs of so many nodes, without containers.
struct StartBenchOptions : RealOptions {
  std::vector<int> nodes = {100, 500, 2000};
};

/// `heddle bench start`: prints how long runs of many nodes take to start and, interrupted, to end,
/// and the memory they take (bench/start_bench.h).
int start_bench_command(const StartBenchOptions& options);

/// Results for people.
using FormatResults = std::string (*)(const wire::Json& results);
/// Prints results, as JSON or as `format` has them, or says what went wrong; the exit status for
/// that, or for an interruption.
int print_bench(const Result<wire::Json>& results, bool json, FormatResults format);
/// The same of the results that `results_of` makes of rows.
int print_rows(const Result<std::vector<wire::Json>>& rows,
               wire::Json (*results_of)(std::vector<wire::Json>), bool json, FormatResults format);

}  // namespace heddle::bench
