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
  bool throttled = false;  ///< the quotas of the burners and of the node throttle the burners
  bool launching = false;  ///< the worker launches another container every 20 ms
};

/// Returns all cases. They come in pairs that differ only in `launching`.
std::vector<SuspendCase> suspend_cases();

/// Turns `node` into the node of a case. On this node, there are kBurners burners. A burner is a
/// container that uses all CPU that it can get, a tenth of a CPU.
inline constexpr int kBurners = 8;
wire::Welcome suspend_node(const SuspendCase& one, wire::Welcome node);

/// Starts the burners, with ids 1 to kBurners. Returns when all of them run.
Result<void> start_burners(WorkerMaster& master);

/// Suspends and resumes one burner after the other, `times` times in total. Returns {with, tasks,
/// beside, times, stop_ms: {p50, p99, max}, run_ms: {p50, p99, max}}. `stop_ms` is the time from
/// sending the command to suspend until the worker has seen that all threads are stopped. `run_ms`
/// is the time from sending the command to resume until the worker has resumed all threads.
/// REQUIRES: start_burners.
Result<wire::Json> measure_suspends(WorkerMaster& master, const SuspendCase& one, int times,
                                    std::int64_t& next_id);

/// Does the same with a process that uses CPU and has no worker. The times last from SIGSTOP or
/// SIGCONT until /proc shows the new state. Error: `interrupted` returns true.
Result<wire::Json> measure_bare_suspends(BareWay& bare, int times, std::int64_t& next_id,
                                         const std::function<bool()>& interrupted);

/// Returns the results (bench/results.h). The bare rows are combined into one row, and the other
/// rows are unchanged. The aim for each row except the bare row is that its 99th percentiles are at
/// most 5 ms. REQUIRES: there is at least one bare row.
wire::Json suspend_results(const std::vector<wire::Json>& bare, std::vector<wire::Json> rows);

/// Formats the results for people.
std::string format_suspend_results(const wire::Json& results);

}  // namespace heddle::bench
