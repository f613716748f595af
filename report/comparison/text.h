#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/fields.h"

namespace heddle::report {

/// compare.json for people: of each metric a line a policy, with median, spread, and the difference
/// from the baseline: headlines, of the others the more telling that differ anywhere, and waiting
/// and completion by class, queue and, where they are few, workload. The rest is in the file. Below
/// it the options in which the policies differ, what went wrong, and the conclusions in words.
std::string format_comparison(const wire::Json& comparison);
/// The same as Markdown.
std::string markdown_comparison(const wire::Json& comparison);

/// sweep.json for people: a line a point, with median and spread of the headline metrics.
std::string format_sweep(const wire::Json& sweep);
std::string markdown_sweep(const wire::Json& sweep);

/// "class small: mean completion, s" of a comparison's metric.
std::string metric_title(const wire::Json& metric);
/// How many of the runs of a comparison's policy are done.
std::int64_t runs_done(const wire::Json& policy);
/// A value as its unit has it, without the unit but for shares: "12.3", "45.6 %"; "-" for null.
std::string metric_text(const wire::Json& value, std::string_view unit);
/// "+12.3 %", "-" for null.
std::string change_text(const wire::Json& relative);

}  // namespace heddle::report
