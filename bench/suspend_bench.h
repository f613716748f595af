#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/launch_ways.h"
#include "wire/fields.h"

namespace heddle::bench {

/// How containers are stopped, and amid what.
struct SuspendCase {
  SuspendWith with = SuspendWith::kSignal;
  bool throttled = false;  ///< burn against their quotas, and together against the node's
  bool launching = false;  ///< the worker starts another one every 20 ms
};

/// All of them: neighbours differ in `launching` only.
std::vector<SuspendCase> suspend_cases();

/// A node on which containers, kBurners of them, burn all CPU that they get, a tenth of a CPU each.
inline constexpr int kBurners = 8;
wire::Welcome suspend_node(const SuspendCase& one, wire::Welcome node);

/// Starts the burners, ids 1 to kBurners. Returns once all run.
Result<void> start_burners(WorkerMaster& master);

/// Suspends and resumes one burner after the other, so many times: {with, tasks, beside, times,
/// stop_ms: {p50, p99, max}, run_ms: {…}}, from the command's sending to when the worker saw all
/// its threads stopped, and to when it had them go on. REQUIRES: start_burners.
Result<wire::Json> measure_suspends(WorkerMaster& master, const SuspendCase& one, int times,
                                    std::int64_t& next_id);

/// The same of a bare process that burns: from SIGSTOP, and SIGCONT, to when /proc says so. Fails
/// once `interrupted` says so.
Result<wire::Json> measure_bare_suspends(BareWay& bare, int times, std::int64_t& next_id,
                                         const std::function<bool()>& interrupted);

/// Results (bench/results.h): the bare rows as one, the others as they are. Aims: 99th percentiles
/// of all but the bare one at most 5 ms. REQUIRES: one bare row at least.
wire::Json suspend_results(const std::vector<wire::Json>& bare, std::vector<wire::Json> rows);

/// The results for people.
std::string format_suspend_results(const wire::Json& results);

}  // namespace heddle::bench
