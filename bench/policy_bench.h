#pragma once

#include <vector>

#include "bench/policy_scenario.h"
#include "bench/results.h"

namespace heddle::bench {

/// Feeds heartbeats (PolicyFeed) to the engine with the load's policy, in three stages. The first
/// stage lasts until the cluster is full. The second stage has the heartbeats that are measured.
/// The third stage has heartbeats from nodes on which nothing has happened. Submits jobs so that
/// about `pending` tasks wait.
///
/// Returns the row, without `scheduler`. `beat_us`, `decide_us` and `idle_us` are CPU times per
/// heartbeat. `decision_us` and `step_us` are wall times of single decisions and steps. Submissions
/// are separate steps. Their time counts only in placements_per_s.
wire::Json measure_policy(const PolicyLoad& load);

extern const BenchForm kPolicyForm;

/// Returns the results (bench/results.h) of such rows, with `x` in each row.
wire::Json policy_results(std::vector<wire::Json> rows);

/// Formats the results for people, with published rates of other systems.
std::string format_policy_results(const wire::Json& results);

}  // namespace heddle::bench
