#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/launch_ways.h"
#include "wire/fields.h"

namespace heddle::bench {

/// A case: how containers are stopped, and what else the node does.
struct SuspendCase {
  SuspendWith with = SuspendWith::kSignal;
  bool throttled = false;  ///< burners run against their own quotas and the node's
  bool launching = false;  ///< the worker launches another container every 20 ms
};

/// Returns all cases, in pairs that differ in `launching` only.
std::vector<SuspendCase> suspend_cases();

/// Turns `node` into the node of a case. On it, kBurners containers use all CPU that they get, a
/// tenth of a CPU each.
inline constexpr int kBurners = 8;
wire::Welcome suspend_node(const SuspendCase& one, wire::Welcome node);

/// Starts the burners, with ids 1 to kBurners. Returns once all run.
Result<void> start_burners(WorkerMaster& master);

/// Suspends and resumes one burner after the other, `times` times in all. Returns {with, tasks,
/// beside, times, stop_ms: {p50, p99, max}, run_ms: {…}}: the time from sending the command until
/// the worker saw all threads stopped, and until it had resumed them. REQUIRES: start_burners.
Result<wire::Json> measure_suspends(WorkerMaster& master, const SuspendCase& one, int times,
                                    std::int64_t& next_id);

/// Does the same with a bare process that burns: the time from SIGSTOP or SIGCONT until /proc shows
/// the new state. Error: `interrupted` returns true.
Result<wire::Json> measure_bare_suspends(BareWay& bare, int times, std::int64_t& next_id,
                                         const std::function<bool()>& interrupted);

/// Returns the results (bench/results.h): the bare rows combined to one, the others unchanged.
/// Aims: every 99th percentile but the bare one is at most 5 ms. REQUIRES: at least one bare row.
wire::Json suspend_results(const std::vector<wire::Json>& bare, std::vector<wire::Json> rows);

/// Formats the results for people.
std::string format_suspend_results(const wire::Json& results);

}  // namespace heddle::bench
