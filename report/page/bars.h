#pragma once

#include <vector>

#include "report/history.h"

namespace heddle::report {

/// Containers above which those of one phase that follow each other closely are drawn as one.
inline constexpr std::size_t kMostBars = 30'000;

/// A container in the Gantt chart, or several that are drawn as one.
struct Bar {
  std::size_t first = 0;  ///< its attempt, an index into RunHistory::attempts
  std::size_t count = 1;
  int lane = 0;  ///< of its node, from 0; bars of a lane don't overlap
  EmuTime from, until;
};

struct Bars {
  std::vector<Bar> bars;   ///< in the order of attempts
  std::vector<int> lanes;  ///< how many each node shown has
};

/// Lanes are first fit by node, in the order of decisions. Only containers of the first
/// `nodes_shown` nodes. Where these are more than `most`, completed ones of the same phase that
/// follow each other in a lane with less than a 2000th of the run between them become one; what was
/// suspended or did not complete stays by itself.
Bars gantt_bars(const RunHistory& history, std::size_t nodes_shown, std::size_t most = kMostBars);

}  // namespace heddle::report
