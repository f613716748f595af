#pragma once

#include <vector>

#include "report/history.h"

namespace heddle::report {

/// If a chart has more containers than this, completed ones of a phase that follow each other
/// closely are drawn as one.
inline constexpr std::size_t kMostBars = 30'000;

/// A container in the Gantt chart, or several that are drawn as one bar.
struct Bar {
  std::size_t first = 0;  ///< first attempt, an index into RunHistory::attempts
  std::size_t count = 1;
  int lane = 0;  ///< lane of the node, from 0; bars of a lane do not overlap
  EmuTime from, until;
};

struct Bars {
  std::vector<Bar> bars;   ///< in the order of attempts
  std::vector<int> lanes;  ///< number of lanes of each shown node
};

/// Returns the bars of the containers on the first `nodes_shown` nodes. Each container gets the
/// first free lane of its node, in the order of decisions. If there are more than `most` bars,
/// completed containers of the same phase become one bar if they follow each other in a lane with a
/// gap of less than a 2000th of the run. Containers that were suspended or did not complete remain
/// separate.
Bars gantt_bars(const RunHistory& history, std::size_t nodes_shown, std::size_t most = kMostBars);

}  // namespace heddle::report
