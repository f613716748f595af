#pragma once

#include <string>
#include <vector>

#include "report/comparison/comparison.h"
#include "wire/fields.h"

/// Statements of comparisons and sweeps about real runs whose times other programs changed
/// (report/disturbance.h). Figures and verdicts leave such runs out. If all runs of a variant are
/// affected, its figures are shown, but nothing is concluded from them.
namespace heddle::report {

/// By repeat: whether the run is affected. Empty: no run is.
using Affected = std::vector<bool>;

/// Returns whether the run of a repeat is affected.
bool is_affected(const Affected& affected, std::size_t repeat);
/// Returns the values without those of affected runs.
Values without_affected(const Values& values, const Affected& affected);
/// Returns the values to describe a variant by: those without affected runs, or all values if there
/// are no others.
Values shown_values(const Values& values, const Affected& affected);

/// Returns how many runs of a variant (a policy of compare.json, a point of sweep.json) are
/// affected.
std::int64_t affected_runs(const wire::Json& variant);

/// Returns "2 of 4 real runs are affected by other programs" about all runs of a batch
/// (compare.json or sweep.json), or "" if none is.
std::string affected_heading(const wire::Json& batch);
/// Returns a sentence for each variant that has affected runs, such as "fair: 2 of 4 real runs are
/// affected (repeats 1, 3); figures and verdicts leave them out", and how to make the runs again.
std::vector<std::string> affected_notes(const wire::Json& batch);

}  // namespace heddle::report
