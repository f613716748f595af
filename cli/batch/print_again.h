#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/batch/batch.h"

namespace heddle::cli {

/// Options by their names, and whether they were given.
using GivenOptions = std::vector<std::pair<bool, const char*>>;

/// Returns whether the argument SCENARIO of a batch is a directory of results, which the command
/// prints again.
bool prints_again(const BatchOptions& options);

/// Returns the plan of the results that the command prints again. `kind`: "compare" or "sweep".
/// `of_runs`: the options of this kind that only make sense if runs are made. Errors (kUsage): the
/// directory has no results of this kind, or such an option was given.
Result<BatchPlan> plan_to_print(const BatchOptions& options, const std::string& kind,
                                GivenOptions of_runs);

/// Prints the results, without a run and without a change of their files. `plan`: of
/// plan_to_print(), maybe with its variants in another order. Returns the exit status.
int print_again(const BatchOptions& options, const BatchPlan& plan);

}  // namespace heddle::cli
