#include "cli/top/top_columns.h"

#include <algorithm>
#include <numeric>

#include "cli/display/display.h"

namespace heddle::cli {
namespace {

constexpr int kGap = 2, kShortestBar = 6, kLongestColumnBar = 24;

int least_width(const FitColumn& column) {
  int width = columns(column.title);
  if (column.texts.empty()) return std::max(width, kShortestBar);
  for (const std::string& text : column.texts) width = std::max(width, columns(text));
  return width;
}

/// Returns the columns that fit: the index and the width of each column, in the order of the
/// columns.
std::vector<std::pair<std::size_t, int>> chosen(const std::vector<FitColumn>& all, int width) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return all[i].rank; });
  std::vector<std::pair<std::size_t, int>> taken;
  int room = width;
  for (std::size_t i : order) {
    const int needed = least_width(all[i]) + (taken.empty() ? 0 : kGap);
    if (!taken.empty() && needed > room) continue;
    taken.emplace_back(i, least_width(all[i]));
    room -= needed;
  }
  std::sort(taken.begin(), taken.end());
  std::vector<std::pair<std::size_t, int>*> bars;
  for (auto& column : taken)
    if (all[column.first].texts.empty()) bars.push_back(&column);
  for (auto* column : bars) {
    const int more = std::clamp(room / static_cast<int>(bars.size()), 0,
                                std::max(0, kLongestColumnBar - column->second));
    column->second += more;
  }
  return taken;
}

std::string padded(const std::string& text, int width, bool right) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - columns(text))), ' ');
  return right ? blanks + text : text + blanks;
}

std::string bar_of(const std::pair<double, double>& amounts, int width, bool utf8) {
  if (amounts.first < 0) return padded("", width, false);
  return bar(amounts.first, amounts.second, width, utf8);
}

}  // namespace

std::vector<std::string> fit_columns(const std::vector<FitColumn>& all, std::size_t rows, int width,
                                     bool utf8) {
  std::vector<std::string> lines(rows + 1);
  for (const auto& [index, wide] : chosen(all, width)) {
    const FitColumn& column = all[index];
    for (std::size_t line = 0; line < lines.size(); ++line) {
      if (!lines[line].empty()) lines[line] += std::string(kGap, ' ');
      if (line == 0)
        lines[line] += padded(column.title, wide, column.right);
      else if (column.texts.empty())
        lines[line] += bar_of(column.bars[line - 1], wide, utf8);
      else
        lines[line] += padded(column.texts[line - 1], wide, column.right);
    }
  }
  for (std::string& line : lines) {
    line = clip(line, width);
    line.erase(line.find_last_not_of(' ') + 1);
  }
  return lines;
}

}  // namespace heddle::cli
