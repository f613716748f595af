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
  bool right = false;  ///< right-aligned, for numbers
};

/// Formats a table. Columns are padded to their widest cell and separated by two spaces. Every line
/// ends with a newline and none with a space. `rows` may have fewer cells than there are columns.
/// Widths count UTF-8 characters. Control characters of terminals are escaped, including line ends.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows);

/// Returns the same as a Markdown table.
std::string markdown_table(const std::vector<Column>& columns,
                           const std::vector<std::vector<std::string>>& rows);

/// Formats `value` times `factor`; "-" for null.
std::string number_cell(const wire::Json& value, fmt::format_string<const double&> format,
                        double factor = 1);

/// Returns a text as a field of CSV (RFC 4180). An empty text is `""`, because an empty field
/// stands for null. A text that a spreadsheet would take for a formula is quoted and begins with an
/// apostrophe.
std::string csv_text(std::string_view text);

/// Formats a summary (summary.json) for people: a line for each job, then the run's own figures.
std::string format_summary(const wire::Json& summary);

}  // namespace heddle::report
