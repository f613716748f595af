#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Returns the candidate that `word` most likely means, or "" if no candidate is near. A candidate
/// is near if its edit distance, with transpositions, is at most a third of the length of `word`,
/// or 1 if that is more. If no candidate is near, a candidate that starts with `word` counts, if
/// `word` has 3 characters or more. Of several equal candidates, the first counts.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "text; did you mean "WORD"?" if a known word is near to `word`. Returns the text if not.
std::string with_nearest(const std::string& text, std::string_view word,
                         const std::vector<std::string>& known);

/// Joins the words, for example to "a, b, c".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Returns the last `digits` hexadecimal digits of the number.
std::string hexadecimal(std::uint32_t number, int digits);

/// Returns whether a JSON text is nested deeper than `depth`. Parsers accept any depth. Code that
/// copies or prints a value is recursive, so a value that is nested too deeply would overflow the
/// stack.
bool nested_deeper(std::string_view json, int depth);

// The next functions replace characters that a terminal can interpret as commands. These are
// control characters (C0, DEL, C1), characters that change the direction of text or break lines,
// and bytes that are not UTF-8.
/// Escapes characters in the form \u001b, and bytes in the form \x9b. Line ends and tabs stay the
/// same.
std::string printable(std::string_view text);
/// Escapes like printable(), and also writes line ends as \n.
std::string printable_line(std::string_view text);
/// Replaces each of these characters and bytes, each line end and each tab by a blank.
std::string blanked(std::string_view text);

/// Returns the place of the first byte that is not UTF-8 text: a byte that is not UTF-8, or NUL.
/// Returns npos if there is none.
std::size_t find_no_text(std::string_view bytes);

/// Returns a path as UTF-8 text: bytes that are not UTF-8 text become %XX, and '%' becomes %25.
std::string path_text(std::string_view path);
/// Returns the path of a text that path_text() has returned.
std::string path_from(std::string_view text);

/// Removes and returns the text before the separator, and removes the separator.
std::string_view take_until(std::string_view& text, char separator);

/// Returns whether Heddle accepts the name: [A-Za-z0-9][A-Za-z0-9._-]{0,63}.
bool valid_name(std::string_view name);

/// Returns the text in single quotes for a POSIX shell.
std::string shell_quoted(std::string_view text);
/// Returns the text as one word for a POSIX shell: in quotes if it has other characters than
/// letters, digits and those of usual paths.
std::string shell_word(std::string_view text);

}  // namespace heddle
