#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The choices of --color, which say when output is colored.
enum class ColorWhen { kAuto, kAlways, kNever };

/// Returns whether to color output. With kAuto, output is colored if it goes to a terminal that
/// supports colors and NO_COLOR is not set (https://no-color.org). `no_color` and `term` are the
/// values of the environment variables NO_COLOR and TERM, or null if they are not set.
bool wants_color(ColorWhen when, const char* no_color, const char* term, bool terminal);

/// Sets when this process colors its output. The default is kAuto.
void set_color(ColorWhen when);
/// Returns whether this process colors the output to this descriptor.
bool colored(int descriptor);

enum class Color { kRed, kGreen, kYellow };

/// Returns the text with the escape codes that make a terminal show it in this color.
std::string paint(Color color, std::string_view text);

/// Colors a message "PROGRAM: …". If "warning:" follows the name, "warning:" is yellow. If not, the
/// program's name is red.
std::string paint_message(std::string_view message);

/// Colors the cells of tables that tell about success. The cells "failed", "killed", "MISSING" and
/// "worse" are red. The cell "better" is green. Cells are separated by two or more blanks. A line
/// that begins with "affected:" is yellow. All other text stays the same.
std::string paint_tables(std::string_view text);

}  // namespace heddle
