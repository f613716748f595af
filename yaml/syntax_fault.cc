#include "yaml/syntax_fault.h"

#include <algorithm>
#include <set>
#include <vector>

namespace heddle {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// Calls `visit` with each character of the line that is not in quotes, and with the place of the
/// character.
template <class Visit>
void for_each_unquoted(std::string_view line, const Visit& visit) {
  char quote = '\0';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else
      visit(c, at);
  }
}

/// Returns the line without its comment.
std::string_view code_of(std::string_view line) {
  std::size_t end = line.size();
  for_each_unquoted(line, [&](char c, std::size_t at) {
    if (c == '#' && (at == 0 || line[at - 1] == ' ')) end = std::min(end, at);
  });
  return line.substr(0, end);
}

bool is_blank(std::string_view line) {
  return code_of(line).find_first_not_of(" \t\r") == std::string_view::npos;
}

/// A brace or bracket that is open.
struct Bracket {
  char open;
  std::size_t line;
};

char closing(char open) { return open == '{' ? '}' : ']'; }

std::string in_quotes(char c) { return std::string("\"") + c + "\""; }

std::string of_line(std::size_t line) { return "of line " + std::to_string(line + 1); }

/// Opens or closes a bracket. If closing it is wrong, returns why. Otherwise returns "".
std::string take_bracket(char c, std::size_t line, std::vector<Bracket>& open) {
  if (c == '{' || c == '[') open.push_back({c, line});
  if (c != '}' && c != ']') return "";
  if (open.empty()) return in_quotes(c) + " closes nothing; expected none here";
  const Bracket last = open.back();
  open.pop_back();
  if (closing(last.open) == c) return "";
  return in_quotes(c) + " stands where the " + in_quotes(last.open) + " " + of_line(last.line) +
         " is open; expected " + in_quotes(closing(last.open));
}

/// Explains a wrong brace or bracket before or at the place. Returns "" if all are right.
std::string bracket_fault(const std::vector<std::string_view>& lines, std::size_t line,
                          std::size_t column) {
  std::vector<Bracket> open;
  std::string fault;
  for (std::size_t at = 0; at <= line && fault.empty(); ++at)
    for_each_unquoted(code_of(lines[at]), [&](char c, std::size_t i) {
      if (fault.empty() && (at < line || i <= column)) fault = take_bracket(c, at, open);
    });
  if (!fault.empty() || open.empty()) return fault;
  return "the " + in_quotes(open.back().open) + " " + of_line(open.back().line) +
         " is not closed; expected " + in_quotes(closing(open.back().open));
}

std::string indentation_fault(const std::vector<std::string_view>& lines, std::size_t line) {
  std::set<std::size_t> above;
  for (std::size_t at = 0; at < line; ++at)
    if (!is_blank(lines[at])) above.insert(indentation(lines[at]));
  std::string expected;
  for (std::size_t spaces : above)
    expected += (expected.empty() ? "" : " or ") + std::to_string(spaces);
  const std::size_t spaces = indentation(lines[line]);
  return "this line is indented by " + std::to_string(spaces) +
         (spaces == 1 ? " space" : " spaces") + ", but no line above it is; expected " + expected;
}

/// Returns the line without indentation, comment and "- ": "name: a" for "  - name: a  # b".
std::string_view text_of(std::string_view line) {
  std::string_view code = code_of(line);
  while (code.starts_with(' ') || code.starts_with("- ")) code.remove_prefix(1);
  while (code.ends_with(' ') || code.ends_with('\t') || code.ends_with('\r')) code.remove_suffix(1);
  return code;
}

/// Returns the text in quotes. Cuts long texts.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return "\"" + std::string(text) + "\"";
  return "\"" + std::string(text.substr(0, kLongest)) + "…\"";
}

/// Explains a list member such as "-name: a". Returns "" if the line does not begin like this.
std::string dash_fault(std::string_view line) {
  const std::string_view text = text_of(line);
  if (!text.starts_with('-') || text.size() == 1 || text.starts_with("--")) return "";
  const std::string_view word = text.substr(1, text.find(' ') - 1);
  return shown(text.substr(0, word.size() + 1)) + " has no space after \"-\"; expected " +
         shown("- " + std::string(word));
}

/// Explains a line such as "policy fifo" or "policy:fifo". Returns "" if the line is not a plain
/// text without ": ".
std::string key_fault(std::string_view line) {
  const std::string_view text = text_of(line);
  if (text.empty() || text.ends_with(':') || text.find(": ") != std::string_view::npos ||
      text.find_first_of("{}[]\"'|>&*!") != std::string_view::npos)
    return "";
  const std::size_t colon = text.find(':');
  const std::size_t blank = text.find(' ');
  const std::size_t end = std::min({colon, blank, text.size()});
  const std::string key = std::string(text.substr(0, end)) + ":";
  const std::string value(text.substr(std::min(end + 1, text.size())));
  if (end == colon)
    return shown(text) + " has no space after \":\"; expected " + shown(key + " " + value);
  const bool two_words = value.find(' ') == std::string::npos;
  return shown(text) + " has no \":\"; expected " +
         (blank == std::string_view::npos ? shown(key)
          : two_words                     ? shown(key + " " + value)
                                          : "\"key: value\"");
}

/// Returns the line before `line` that is not blank. Returns `line` if there is none.
std::size_t line_before(const std::vector<std::string_view>& lines, std::size_t line) {
  std::size_t before = line;
  while (before > 0 && is_blank(lines[before - 1])) --before;
  return before > 0 ? before - 1 : line;
}

/// Explains a missing space after "-" in the line or in the line before it, or a missing ":" in the
/// line before it. Sets `line` to the line of the fault. Returns "" if nothing is missing.
std::string missing_fault(const std::vector<std::string_view>& lines, std::size_t& line) {
  const std::size_t before = line_before(lines, line);
  for (std::size_t at : {line, before})
    if (std::string fault = dash_fault(lines[at]); !fault.empty()) {
      line = at;
      return fault;
    }
  std::string fault = before == line ? "" : key_fault(lines[before]);
  if (!fault.empty()) line = before;
  return fault;
}

/// Explains a text with ": " in it, or a line that is indented below a key that has a value.
std::string value_fault(const std::vector<std::string_view>& lines, std::size_t line) {
  const std::string_view code = code_of(lines[line]);
  const std::size_t first = code.find(": ");
  if (first != std::string_view::npos && code.find(": ", first + 1) != std::string_view::npos)
    return "\": \" stands twice in this line; expected quotes around a text that contains \": \"";
  const std::size_t before = line_before(lines, line);
  if (indentation(lines[line]) > indentation(lines[before]))
    return "this line is indented below line " + std::to_string(before + 1) +
           ", which has a value already; expected the same indentation";
  return "a \":\" that belongs to no key; expected \"key: value\"";
}

/// Returns the place of the quote that closes the quote at `begin`. Returns the size of the text if
/// there is none.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    const bool twice = quote == '\'' && text[at] == quote && text.substr(at + 1).starts_with(quote);
    if (twice || (quote == '"' && text[at] == '\\'))
      ++at;
    else if (text[at] == quote)
      return at;
  }
  return text.size();
}

}  // namespace

std::string explain_yaml_fault(std::string_view text, int& line, int& column,
                               const std::string& message) {
  const std::vector<std::string_view> lines = lines_of(text);
  if (line < 0 || column < 0) return message;
  const std::size_t at = std::min(static_cast<std::size_t>(line), lines.size() - 1);
  const std::string_view here = lines[at];
  const auto has = [&](const char* part) { return message.find(part) != std::string::npos; };
  const std::size_t tab = here.substr(0, here.find_first_not_of(" \t")).find('\t');
  if (tab != std::string_view::npos) {
    column = static_cast<int>(tab);
    return "a tab in the indentation; expected spaces";
  }
  const bool in_braces = at > 0 && !bracket_fault(lines, at - 1, std::string_view::npos).empty();
  if (!in_braces && (has("illegal map value") || has("end of map") || has("end of sequence"))) {
    std::size_t place = at;
    if (std::string fault = missing_fault(lines, place); !fault.empty()) {
      line = static_cast<int>(place);
      column = static_cast<int>(lines[place].find(text_of(lines[place])));
      return fault;
    }
  }
  if (has("flow") || has("illegal block entry") || has("illegal map"))
    if (std::string fault = bracket_fault(lines, at, static_cast<std::size_t>(column));
        !fault.empty())
      return fault;
  if (has("end of map") || has("end of sequence")) return indentation_fault(lines, at);
  if (has("illegal map value")) return value_fault(lines, at);
  if (has("unknown token") && static_cast<std::size_t>(column) < here.size())
    return "a text cannot begin with " + in_quotes(here[static_cast<std::size_t>(column)]) +
           "; expected quotes around it";
  if (has("anchor is not defined")) return "an alias (*name) without an anchor (&name) before it";
  return message;
}

std::string explain_open_quote(std::string_view text, int line, int column) {
  if (text.empty()) return "";
  std::size_t begin = 0;
  for (int at = 0; at < line; ++at) begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  begin += static_cast<std::size_t>(column);
  if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) return "";
  const std::size_t end = end_of_quoted(text, begin);
  const bool closed = end < text.size();
  const bool one_line = text.substr(begin, end - begin).find('\n') == std::string_view::npos;
  const bool end_follows =
      end + 1 >= text.size() ||
      std::string_view(" \t\r\n,:]}").find(text[end + 1]) != std::string_view::npos;
  if (closed && (one_line || end_follows)) return "";
  return "the quote " + of_line(static_cast<std::size_t>(line)) + " is not closed" +
         (closed ? " in its line" : "") + "; expected " + text[begin] + " at the end of the text";
}

}  // namespace heddle
