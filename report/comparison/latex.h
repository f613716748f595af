#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace heddle::report {

/// Escapes a text for LaTeX. Control characters become blanks.
std::string latex_text(std::string_view text);

/// Returns a table as a tabular of LaTeX with the rules of the package booktabs. A row whose first
/// cell is not empty begins a group of rows, which a little space separates from the group before.
/// Cells of numbers have minus signs, and en dashes between two numbers.
std::string latex_table(const std::vector<Column>& columns,
                        const std::vector<std::vector<std::string>>& rows);

/// Returns a paragraph in small type, for readers, that explains a table above it.
std::string latex_note(std::string_view text);

/// Returns the lines of a text as comments of LaTeX.
std::string latex_comment(std::string_view text);

}  // namespace heddle::report
