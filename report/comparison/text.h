#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/fields.h"

namespace heddle::report {

/// Returns compare.json as text. The table has a line for each shown metric and policy, with
/// median, spread and the difference from the baseline. The table shows these metrics:
///
/// - the headlines
/// - a selection of the other metrics of all jobs and of runs, if not all their values are equal
/// - waiting and completion by class and queue
/// - waiting and completion by workload, if there are few workloads
/// - waiting, completion, slowdown, core-hours and cost by user, if there are few users
///
/// The other metrics are only in compare.json. Below the table, the text names the options in which
/// the policies differ, what went wrong, and the conclusions.
std::string format_comparison(const wire::Json& comparison, int width = 0);
/// Returns the same as Markdown.
std::string markdown_comparison(const wire::Json& comparison);
/// Returns the same as tables of LaTeX with the package booktabs. The other lines are comments.
std::string latex_comparison(const wire::Json& comparison);

/// Returns sweep.json as text: a line for each point, with median and spread of the headline
/// metrics.
std::string format_sweep(const wire::Json& sweep, int width = 0);
std::string markdown_sweep(const wire::Json& sweep);
std::string latex_sweep(const wire::Json& sweep);

/// Returns the title of a comparison's metric, such as "class small: mean completion, s".
std::string metric_title(const wire::Json& metric);
/// Formats a value of that unit, such as "12.3". Only shares are written with a unit: "45.6 %".
/// Null becomes "-".
std::string metric_text(const wire::Json& value, std::string_view unit);
/// Formats a relative change, such as "+12.3 %". Null becomes "-".
std::string change_text(const wire::Json& relative);

}  // namespace heddle::report
