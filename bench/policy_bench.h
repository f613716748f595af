#pragma once

#include <string>
#include <vector>

#include "bench/policy_scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// The numbers of nodes and of pending tasks for which there are aims.
inline constexpr int kPolicyAimNodes = 10'000, kPolicyAimPending = 100'000;

/// Suffix of the policy's name in rows whose load has only executors.
inline constexpr const char* kExecutorLoad = " (executors)";

/// Feeds heartbeats (PolicyFeed) to the engine with the load's policy, in three stages. The first
/// stage lasts until the cluster is full. The second stage has the heartbeats that are measured.
/// The third stage has heartbeats from nodes on which nothing has happened. Submits jobs so that
/// about `pending` tasks wait.
///
/// Returns {nodes, pending, heartbeats, placements, containers, beat_us, decide_us, x, idle_us,
/// decision_us: {p50, p99, max}, step_us: {p50, p99, max}, placements_per_s, grown_bytes,
/// peak_bytes}. `beat_us` is the CPU time of the step of a heartbeat, and `idle_us` is the same if
/// nothing has happened on the node. `decide_us` is the CPU time of the policy in such a step.
/// `decision_us` and `step_us` are wall times of single decisions and steps. Submissions are
/// separate steps. Their time counts only in placements_per_s.
wire::Json measure_policy(const PolicyLoad& load);

/// Combines measurements of the same load into one row (bench/results.h). REQUIRES: there is at
/// least one measurement.
wire::Json combined_policy(const std::vector<wire::Json>& rows);

/// Returns the results (bench/results.h) of rows that also have `scheduler`. Adds `x` to each row:
/// the row's cost of a heartbeat divided by that of the row that has the same scheduler, the same
/// number of pending tasks and the fewest nodes. Checks each of these aims for which there are
/// rows. The first three are for 10 000 nodes and 100 000 pending tasks:
///
/// - There are at least 50 000 placements per second, and 99 % of steps take at most 100
///   microseconds.
/// - With haste, haste-a, estimation and ikayak, there are at least 20 000 placements per second.
///   There is no aim for steps.
/// - With only executors, 99 % of steps take at most 200 microseconds. There is no aim for
///   placements.
/// - With the most nodes, a heartbeat costs at most 3 times as much as with the fewest nodes.
wire::Json policy_results(std::vector<wire::Json> rows);

/// Formats the results for people, with published rates of other systems.
std::string format_policy_results(const wire::Json& results);

}  // namespace heddle::bench
