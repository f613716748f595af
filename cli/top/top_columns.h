#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle::cli {

/// A column of a table that has to fit a terminal: texts, or bars that take what room there is.
struct FitColumn {
  std::string title;
  int rank = 0;                                      ///< the higher, the sooner it is left out
  bool right = false;                                ///< its texts
  std::vector<std::string> texts;                    ///< empty: bars
  std::vector<std::pair<double, double>> bars = {};  ///< used, allocated: see bar(); below 0: none
};

/// The title and then the rows, none wider than `width`: the columns that fit, by rank, in their
/// order; bars are 6 to 24 cells wide. The first by rank is there in any case, cut if need be.
std::vector<std::string> fit_columns(const std::vector<FitColumn>& columns, std::size_t rows,
                                     int width, bool utf8);

}  // namespace heddle::cli
