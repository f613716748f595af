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
/// ends with a newline, and no line has spaces at its end. A row is allowed to have fewer cells
/// than there are columns. Widths are numbers of UTF-8 characters. Control characters of terminals
/// and line ends are escaped.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows);

/// Returns the same as a Markdown table.
std::string markdown_table(const std::vector<Column>& columns,
                           const std::vector<std::vector<std::string>>& rows);

/// Formats `value` times `factor`. Null becomes "-".
std::string number_cell(const wire::Json& value, fmt::format_string<const double&> format,
                        double factor = 1);

/// Returns a text as a field of CSV (RFC 4180). An empty text becomes `""`, because an empty field
/// stands for null. If a spreadsheet would take the text for a formula, the field is quoted and
/// begins with an apostrophe.
std::string csv_text(std::string_view text);

/// Formats a summary (summary.json) for people: a line for each job, then the figures of the whole
/// run.
std::string format_summary(const wire::Json& summary);

}  // namespace heddle::report
