#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle::cli {

/// A column of a table that has to fit a terminal. The column has texts, or bars that take the
/// available width.
struct FitColumn {
  std::string title;
  int rank = 0;                                      ///< columns with higher ranks are left out
                                                     ///< first
  bool right = false;                                ///< texts are right-aligned
  std::vector<std::string> texts;                    ///< empty: the column has bars
  std::vector<std::pair<double, double>> bars = {};  ///< used, allocated: see bar(); below 0: no
                                                     ///< bar
};

/// Returns the title line and then the rows. No line is wider than `width`. If not all columns fit,
/// columns are chosen by rank. They are shown in the given order. Bars are 6 to 24 cells wide. The
/// column with the lowest rank is always shown, and cut if necessary.
std::vector<std::string> fit_columns(const std::vector<FitColumn>& columns, std::size_t rows,
                                     int width, bool utf8);

}  // namespace heddle::cli
