#pragma once

#include <string>
#include <vector>

#include "bench/policy_scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// The size of cluster and load that the aims are for.
inline constexpr int kPolicyAimNodes = 10'000, kPolicyAimPending = 100'000;

/// Suffix of the policy's name in rows whose load has executors only.
inline constexpr const char* kExecutorLoad = " (executors)";

/// Feeds heartbeats (PolicyFeed) to the engine with the load's policy: first until the cluster is
/// full, then the number to measure, and finally some from nodes on which nothing has happened.
/// Submits jobs so that about `pending` tasks wait. Returns {nodes, pending, heartbeats,
/// placements, containers, beat_us, decide_us, x, idle_us, decision_us: {p50, p99, max}, step_us:
/// likewise, placements_per_s, grown_bytes, peak_bytes}. `beat_us`, `idle_us` and `decide_us` are
/// CPU time: of a heartbeat's step, and of the policy in it. `decision_us` and `step_us` are wall
/// time of single decisions and steps. Submissions are steps of their own, whose time counts in
/// placements_per_s only.
wire::Json measure_policy(const PolicyLoad& load);

/// Combines measurements of the same load to one row (bench/results.h). REQUIRES: at least one.
wire::Json combined_policy(const std::vector<wire::Json>& rows);

/// Returns the results (bench/results.h) of rows that also have `scheduler`. Adds `x` to each row:
/// the cost of a heartbeat over that with the fewest nodes, for the same scheduler and the same
/// number of pending tasks. Aims, each checked if its rows exist. At 10 000 nodes and 100 000
/// pending tasks: 50 000 placements per second, and 99 % of steps under 100 microseconds. For
/// haste, haste-a, estimation and ikayak: 20 000 placements per second, no aim for steps. With
/// executors only: 99 % of steps under 200 microseconds. With the most nodes, a heartbeat costs at
/// most 3 times as much as with the fewest.
wire::Json policy_results(std::vector<wire::Json> rows);

/// Formats the results for people, with published rates of other systems.
std::string format_policy_results(const wire::Json& results);

}  // namespace heddle::bench
