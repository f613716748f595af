#pragma once

#include <string>

#include "wire/fields.h"

namespace heddle::report {

/// Returns compare.json as CSV (RFC 4180, but lines end with \n): a header, then a line for each
/// metric, job group and policy. An empty field stands for null. docs/reference/results.md lists
/// the columns.
std::string comparison_csv(const wire::Json& comparison);

/// Returns sweep.json as CSV: a line for each point and metric.
std::string sweep_csv(const wire::Json& sweep);

/// Returns the values of a comparison's repeats as CSV: a line for each metric, job group, policy
/// and repeat. An empty field stands for null: a run that is missing or affected.
std::string comparison_values_csv(const wire::Json& comparison);

/// Returns the values of a sweep's repeats as CSV: a line for each point, metric and repeat.
std::string sweep_values_csv(const wire::Json& sweep);

}  // namespace heddle::report
