#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// A column of a printed table.
struct Column {
  std::string title;
  bool right = false;  ///< numbers
};

/// Columns padded to their widest cell and parted by two spaces; every line ends with a newline and
/// none with a space. `rows` may be shorter than the columns. Widths count UTF-8 characters; what a
/// terminal might obey is escaped, line ends too.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows);

/// The same as a Markdown table.
std::string markdown_table(const std::vector<Column>& columns,
                           const std::vector<std::vector<std::string>>& rows);

/// A number for people: `value` times `factor` in that format; "-" for null.
std::string number_cell(const wire::Json& value, fmt::format_string<const double&> format,
                        double factor = 1);

/// A text as a field of CSV (RFC 4180); an empty one is `""`, as nothing stands for null. A text
/// that a spreadsheet would take for a formula is given an apostrophe in front and quoted.
std::string csv_text(std::string_view text);

/// A summary (summary.json) for people: a line a job, then the run's own figures.
std::string format_summary(const wire::Json& summary);

}  // namespace heddle::report
