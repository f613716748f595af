#pragma once

#include <string>

#include "wire/fields.h"

namespace heddle::report {

/// compare.json as CSV (RFC 4180, lines end with \n): a header, then a line for each metric, part
/// of the jobs and policy. Nothing between two commas is null. docs/results.md lists the columns.
std::string comparison_csv(const wire::Json& comparison);

/// sweep.json as CSV: a line for each point and metric.
std::string sweep_csv(const wire::Json& sweep);

}  // namespace heddle::report
