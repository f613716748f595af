#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// When output is colored: the choices of --color.
enum class ColorWhen { kAuto, kAlways, kNever };

/// Decides whether to color output. With kAuto it is colored if it goes to a terminal that
/// understands colors and NO_COLOR is not set (https://no-color.org). `no_color` and `term` are
/// variables of the environment, null if not set.
bool wants_color(ColorWhen when, const char* no_color, const char* term, bool terminal);

/// Sets when this process colors its output (default: kAuto).
void set_color(ColorWhen when);
/// Returns whether this process colors what it writes to the descriptor.
bool colored(int descriptor);

enum class Color { kRed, kGreen, kYellow };

/// Returns the text in this color, as terminals show it.
std::string paint(Color color, std::string_view text);

/// Colors a message "PROGRAM: …". The program's name is red, or a "warning:" after it is yellow.
std::string paint_message(std::string_view message);

/// Colors what tables say about success: the cells "failed", "killed", "MISSING" and "worse" are
/// red, "better" is green. Cells are separated by two blanks or more. A line that begins with
/// "disturbed:" is yellow. All other text stays the same.
std::string paint_tables(std::string_view text);

}  // namespace heddle
