#include "common/text.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace heddle {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// A character of a text.
struct Character {
  std::size_t size = 1;  ///< in bytes
  /// Code point; nullopt for a byte that is not UTF-8 (RFC 3629).
  std::optional<std::uint32_t> code;
};

/// Decodes the first character. REQUIRES: the text is not empty.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {};
  std::uint32_t code = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3FU);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {size, code};
}

bool obeyed(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C ||  // Arabic letter mark
         (code >= 0x200E && code <= 0x200F) ||  // left-to-right and right-to-left mark
         (code >= 0x2028 && code <= 0x202E) ||  // separators, embeddings and overrides
         (code >= 0x2066 && code <= 0x2069);    // isolates
}

std::string escape(std::string_view bytes, const Character& character) {
  if (character.code) return "\\u" + hexadecimal(*character.code, 4);
  return "\\x" + hexadecimal(static_cast<unsigned char>(bytes[0]), 2);
}

/// Returns the text, with each character that a terminal can interpret as a command replaced by
/// `replace(bytes, character)`.
template <class Replace>
std::string replaced(std::string_view text, const Replace& replace) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.size);
    if (!character.code || obeyed(*character.code))
      out += replace(bytes, character);
    else
      out += bytes;
    text.remove_prefix(character.size);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return replaced(text, [](std::string_view bytes, const Character& character) {
    const char32_t code = character.code.value_or(0);
    const bool harmless = code == '\n' || code == '\t';
    return harmless ? std::string(bytes) : escape(bytes, character);
  });
}

std::string printable_line(std::string_view text) {
  return replaced(text, [](std::string_view bytes, const Character& character) {
    if (character.code == '\t') return std::string(bytes);
    return character.code == '\n' ? "\\n" : escape(bytes, character);
  });
}

std::string blanked(std::string_view text) {
  return replaced(text, [](std::string_view, const Character&) { return ' '; });
}

std::size_t find_no_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const Character character = first_character(bytes.substr(at));
    if (character.code.value_or(0) == 0) return at;
    at += character.size;
  }
  return std::string_view::npos;
}

std::string path_text(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    const std::size_t bad = std::min(find_no_text(path), path.find('%'));
    text += path.substr(0, bad);
    if (bad == std::string_view::npos) break;
    text += '%' + hexadecimal(static_cast<unsigned char>(path[bad]), 2);
    path.remove_prefix(bad + 1);
  }
  return text;
}

std::string path_from(std::string_view text) {
  std::string path;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char byte = 0;
    const std::string_view digits = text.substr(at, 3).substr(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    const bool escaped = text[at] == '%' && digits.size() == 2 && error == std::errc() &&
                         end == digits.data() + digits.size();
    path += escaped ? static_cast<char>(byte) : text[at];
    if (escaped) at += 2;
  }
  return path;
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  if (word.size() > 100) return best;  // no candidate is so long
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& candidate : candidates) {
    std::size_t distance = edit_distance(lower(word), lower(candidate));
    // Short words can differ in every letter although the distance is within the limit.
    if (distance > limit || distance >= std::max(word.size(), candidate.size())) continue;
    best = candidate;
    if (distance == 0) break;
    limit = distance - 1;
  }
  if (!best.empty() || word.size() < 3) return best;
  auto begun =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const std::string& candidate) { return candidate.starts_with(word); });
  return begun == candidates.end() ? "" : *begun;
}

std::string with_nearest(const std::string& text, std::string_view word,
                         const std::vector<std::string>& known) {
  // No known word is so long. Comparing a long word takes much time.
  std::string near = word.size() > 64 ? "" : nearest_word(word, known);
  return near.empty() ? text : text + "; did you mean \"" + near + "\"?";
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (&word != &words.front()) text += separator;
    text += word;
  }
  return text;
}

std::string hexadecimal(std::uint32_t number, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

bool nested_deeper(std::string_view json, int depth) {
  int level = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{'))
      ++level;
    else if (!quoted && (c == ']' || c == '}'))
      --level;
    if (level > depth) return true;
  }
  return false;
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool valid_name(std::string_view name) {
  auto alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (name.empty() || name.size() > 64 || !alnum(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return alnum(c) || c == '.' || c == '_' || c == '-'; });
}

std::string shell_quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string shell_word(std::string_view text) {
  const bool plain =
      text.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-,:@=") ==
      std::string_view::npos;
  return plain ? std::string(text) : shell_quoted(text);
}

}  // namespace heddle
