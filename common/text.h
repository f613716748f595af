#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Returns the candidate that `word` most likely means, or "" if none is near. A candidate is near
/// if its edit distance, with transpositions, is at most a third of the length of `word` (at least
/// 1). If none is, a candidate that starts with `word` (3 characters or more) counts. Ties go to
/// the first.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// Returns "text; did you mean "WORD"?" if a known word is near to `word`, else the text.
std::string with_nearest(const std::string& text, std::string_view word,
                         const std::vector<std::string>& known);

/// Joins the words: "a, b, c".
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");

/// Returns the last `digits` hexadecimal digits of the number.
std::string hexadecimal(std::uint32_t number, int digits);

/// Returns whether a JSON text is nested deeper than `depth`. Parsers accept any depth, but code
/// that copies or prints a value recurses with it and would overflow the stack.
bool nested_deeper(std::string_view json, int depth);

// The following functions replace what a terminal might obey instead of showing it: control
// characters (C0, DEL, C1), characters that change the direction of text or break lines, and bytes
// that are not UTF-8.
/// Escapes such characters as \u001b and such bytes as \x9b. Line ends and tabs stay.
std::string printable(std::string_view text);
/// Escapes like printable(), and also writes line ends as \n.
std::string printable_line(std::string_view text);
/// Replaces each of them, line ends and tabs by a blank.
std::string blanked(std::string_view text);

/// Returns whether Heddle accepts the name: [A-Za-z0-9][A-Za-z0-9._-]{0,63}.
bool valid_name(std::string_view name);

}  // namespace heddle
