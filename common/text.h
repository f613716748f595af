#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The candidate that is most likely meant by `word` (edit distance with transpositions at most a
/// third of its length, at least 1), or "" if none is near. Ties go to the first.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// The last `digits` hexadecimal digits of the number.
std::string hexadecimal(std::uint32_t number, int digits);

/// True if a JSON text is nested deeper than that. Parsers take any depth; but what copies or
/// prints a value goes down with it, and the stack ends.
bool nested_deeper(std::string_view json, int depth);

// What a terminal might obey instead of showing it: control characters (C0, DEL, C1), characters
// that change the direction of text or break lines, and bytes that are no UTF-8.
/// The text with such characters written as \u001b, such bytes as \x9b. Line ends and tabs stay.
std::string printable(std::string_view text);
/// The same, and with line ends written as \n.
std::string printable_line(std::string_view text);
/// The text with a blank in place of each of them, of line ends and of tabs.
std::string blanked(std::string_view text);

/// True for names the project accepts: [A-Za-z0-9][A-Za-z0-9._-]{0,63}.
bool valid_name(std::string_view name);

}  // namespace heddle
