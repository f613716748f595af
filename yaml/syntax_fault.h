#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Explains why a text is not YAML. Looks at the place where the parser stopped. Returns what is
/// probably wrong there, for example a tab or a brace that is not closed, and what was expected. If
/// the fault is at another place, sets `line` and `column` to that place. `line` and `column` count
/// from 0. If the function finds no fault, it returns the parser's message.
std::string explain_yaml_fault(std::string_view text, int& line, int& column,
                               const std::string& message);

/// Explains a quote that is not closed, or that only the quote of a later text closes. `line` and
/// `column` are the place where the last scalar begins, and count from 0. Returns "" if the scalar
/// has no quotes, or ends well.
std::string explain_open_quote(std::string_view text, int line, int column);

}  // namespace heddle
