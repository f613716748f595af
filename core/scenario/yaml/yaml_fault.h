#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Explains why a text is not YAML: what is most likely wrong where the parser gave up (a tab, an
/// indentation, a brace that is not closed, a text that needs quotes), and what was expected. Moves
/// `column` to the fault if that is elsewhere in the line. `line` and `column` count from 0.
/// Returns the parser's message if nothing better is known.
std::string explain_yaml_fault(std::string_view text, int line, int& column,
                               const std::string& message);

}  // namespace heddle
