#pragma once

#include <cstddef>
#include <vector>

#include "report/history.h"

namespace heddle::report {

/// A part of a Gantt chart: `nodes` nodes from `first_node` on, in [from, until).
struct ChartWindow {
  std::size_t first_node = 0, nodes = 0;
  EmuTime from, until;
};

/// The Gantt chart of a large run, in pieces. Needs about 70 bytes for each container.
class GanttPieces {
 public:
  explicit GanttPieces(RunHistory history);

  /// Returns gantt_data() of a part of the chart, with at most `most` bars. The numbers of nodes
  /// count from `first_node`. Parts outside of the chart are empty.
  wire::Json piece(const ChartWindow& window, std::size_t most) const;

 private:
  RunHistory whole_;             ///< its attempts are indexed
  std::vector<int> lanes_;       ///< of each container
  std::vector<int> node_lanes_;  ///< of each node
};

}  // namespace heddle::report
