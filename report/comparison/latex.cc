#include "report/comparison/latex.h"

#include <algorithm>

#include "common/text.h"

namespace heddle::report {
namespace {

using Row = std::vector<std::string>;

/// Returns LaTeX for a character, or "" if LaTeX prints the character as it is.
std::string_view latex_of(char c) {
  switch (c) {
    case '\\':
      return "\\textbackslash{}";
    case '~':
      return "\\textasciitilde{}";
    case '^':
      return "\\textasciicircum{}";
    case '<':
      return "\\textless{}";
    case '>':
      return "\\textgreater{}";
    case '|':
      return "\\textbar{}";
    // LaTeX would take these for an argument of the line end before them.
    case '[':
      return "{[}";
    case '*':
      return "{*}";
    case '&':
      return "\\&";
    case '%':
      return "\\%";
    case '$':
      return "\\$";
    case '#':
      return "\\#";
    case '_':
      return "\\_";
    case '{':
      return "\\{";
    case '}':
      return "\\}";
    default:
      return "";
  }
}

std::string without(std::string text, std::string_view part) {
  if (const std::size_t at = text.find(part); at != std::string::npos) text.erase(at, part.size());
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns whether a cell has only numbers: "-12.3 %", "98.0-102.0", "-1.0 % to +2.0 %".
bool is_of_numbers(const std::string& cell) {
  const std::string rest = without(without(cell, "beyond "), " to ");
  return rest.find_first_not_of("0123456789+-.,[]()% ") == std::string::npos &&
         std::ranges::any_of(rest, is_digit);
}

std::string latex_numbers(const std::string& cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '-')
      text += i > 0 && (is_digit(cell[i - 1]) || cell[i - 1] == '%') ? "--" : "$-$";
    else if (cell[i] == ' ' && i + 1 < cell.size() && cell[i + 1] == '%')
      text += "\\,";
    else
      text += latex_text(cell.substr(i, 1));
  }
  return text;
}

std::string latex_cell(const std::string& cell) {
  return is_of_numbers(cell) ? latex_numbers(cell) : latex_text(cell);
}

std::string latex_row(const Row& cells, std::size_t columns) {
  std::string text;
  for (std::size_t i = 0; i < columns; ++i) {
    if (i > 0) text += " & ";
    if (i < cells.size()) text += latex_cell(cells[i]);
  }
  return text + " \\\\\n";
}

}  // namespace

std::string latex_text(std::string_view text) {
  std::string result;
  for (const char c : blanked(text))
    if (const std::string_view latex = latex_of(c); latex.empty())
      result += c;
    else
      result += latex;
  return result;
}

std::string latex_table(const std::vector<Column>& columns, const std::vector<Row>& rows) {
  std::string text = "\\begin{tabular}{@{}";
  Row titles;
  for (const Column& column : columns) {
    text += column.right ? 'r' : 'l';
    titles.push_back(column.title);
  }
  text += "@{}}\n\\toprule\n" + latex_row(titles, columns.size()) + "\\midrule\n";
  const bool grouped =
      std::ranges::any_of(rows, [](const Row& row) { return row.empty() || row[0].empty(); });
  for (const Row& row : rows) {
    if (grouped && &row != &rows.front() && !row.empty() && !row[0].empty())
      text += "\\addlinespace\n";
    text += latex_row(row, columns.size());
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string latex_note(std::string_view text) {
  return "\\par\\smallskip{\\footnotesize " + latex_text(text) + "\\par}\n";
}

std::string latex_comment(std::string_view text) {
  std::string comment;
  while (!text.empty()) comment += "% " + blanked(take_until(text, '\n')) + "\n";
  return comment;
}

}  // namespace heddle::report
