#pragma once

#include <string>
#include <vector>

#include "bench/policy_scenario.h"
#include "wire/fields.h"

namespace heddle::bench {

/// The size that the aims speak of.
inline constexpr int kPolicyAimNodes = 10'000, kPolicyAimPending = 100'000;

/// The suffix of a policy's name in rows whose load is executors alone.
inline constexpr const char* kExecutorLoad = " (executors)";

/// Feeds the engine, with the load's policy, heartbeats (PolicyFeed) until the cluster is full and
/// then as many as are to be measured, jobs being submitted so that about `pending` tasks wait; in
/// the end some on nodes on which nothing has happened. Gives {nodes, pending, heartbeats,
/// placements, containers, beat_us, decide_us, x, idle_us, decision_us: {p50, p99, max}, step_us:
/// likewise, placements_per_s, grown_bytes, peak_bytes}: CPU time of a heartbeat's step and of the
/// policy in it, wall time of single decisions and steps. Submissions are steps of their own; only
/// placements_per_s has their time in it too.
wire::Json measure_policy(const PolicyLoad& load);

/// Measurements of the same load as one row (bench/results.h). REQUIRES: at least one.
wire::Json combined_policy(const std::vector<wire::Json>& rows);

/// Results (bench/results.h) of rows that have `scheduler` too; to each row is added `x`, the cost
/// of its heartbeat over that of the same scheduler with the fewest nodes and as much pending.
/// Aims, each where there are rows to tell: at 10 000 nodes and 100 000 pending tasks 50 000
/// placements a second (20 000 with haste, haste-a, estimation, ikayak) and 99 % of steps under 100
/// microseconds (not with these); of a load of executors 99 % of steps under 200; with the most
/// nodes a heartbeat costs at most 3 times as much as with the fewest.
wire::Json policy_results(std::vector<wire::Json> rows);

/// The results for people, with what others published.
std::string format_policy_results(const wire::Json& results);

}  // namespace heddle::bench
