#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// The summaries of a scenario's runs with and without its faults, by repeat. nullopt if there is
/// no run.
struct FaultRuns {
  std::vector<std::optional<wire::Json>> with, without;
};

/// Returns what faults cost: {"policy", "baseline", "figures": [{"figure": "makespan_s" |
/// "mean_waiting_s" | "mean_completion_s" | "completion_s", "job": name or null, "measured",
/// "predicted", "error_s"}…]}. `policy` and `baseline` are the names of the variants with and
/// without faults.
///
/// `measured` and `predicted` are {"without", "with", "cost_s", "relative"}, or null if no repeat
/// has the figure in both runs. They are medians over the repeats that have it, in emulated
/// seconds: of the runs, and of the differences within a repeat. `relative` is the median
/// difference divided by the median without faults, or null if that is 0. `predicted` is of the
/// simulations of real runs, and null if there are none. `error_s` is the measured cost minus the
/// predicted cost. Pure.
wire::Json fault_cost(const std::string& policy, const std::string& baseline,
                      const FaultRuns& measured, const FaultRuns& predicted);

/// Returns a cost such as "+12.1 s, 27 %", or "-" for null.
std::string cost_text(const wire::Json& cost);
/// Returns a sentence about the headline figures of a cost.
std::string cost_in_words(const wire::Json& cost);
/// Returns the name of a figure of a cost, such as "makespan" or "job sort: completion".
std::string cost_title(const wire::Json& figure);

}  // namespace heddle::report
