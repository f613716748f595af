#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Says how a column is narrowed if the table is too wide.
enum class Narrow {
  kKeep,     ///< nothing
  kDrop,     ///< it is left out; of several, the last first
  kShorten,  ///< its cells are shortened in the middle; different cells stay different if they can
  kWrap,     ///< its cells go on in further lines; for the last column
};

/// A column of a printed table.
struct Column {
  std::string title;
  bool right = false;  ///< right-aligned, for numbers
  Narrow narrow = Narrow::kKeep;
  int most =
      0;  ///< longer cells are shortened in the middle, however wide the table may be; 0: none
};

/// Formats a table. Columns are padded to their widest cell and separated by two spaces. Every line
/// ends with a newline, and no line has spaces at its end. A row is allowed to have fewer cells
/// than there are columns. Widths are numbers of UTF-8 characters. Control characters of terminals
/// and line ends are escaped.
///
/// If the table is wider than `width`, columns are narrowed until it fits: wrapped if that leaves
/// enough room for words, then left out, then shortened. A line below the table says so. 0: no
/// limit.
std::string format_table(const std::vector<Column>& columns,
                         const std::vector<std::vector<std::string>>& rows, int width = 0);

/// Shortens the texts that are longer than `width` characters in the middle: "appli…_0149". The end
/// that is kept is as long as it has to be for different texts to stay different, if it can be.
std::vector<std::string> shortened(const std::vector<std::string>& texts, int width);

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

/// Formats a summary (summary.json) for people: whether the times of a real run can be used, a line
/// for each job, and then the figures of the whole run.
std::string format_summary(const wire::Json& summary);

}  // namespace heddle::report
