#pragma once

#include <list>
#include <optional>
#include <string>

#include "report/history.h"
#include "report/page/pieces.h"
#include "serve/maker.h"
#include "serve/result_tree.h"

namespace heddle::serve {

/// A run with more containers is large: its page gets the containers in pieces.
inline constexpr std::int64_t kManyContainers = 20'000;
/// Number of large runs that are kept. A run with a million containers takes about 70 MB.
inline constexpr std::size_t kKeptRuns = 3;
/// Number of bars in a piece.
inline constexpr std::size_t kMostPieceBars = 8000;

/// The large runs that were asked for last. One thread uses this object.
class LargeRuns {
 public:
  /// Returns the history of a large run that has ended. Reads the index of the containers, or makes
  /// it from the journal and writes it for the next time, if the directory can be written. Returns
  /// nullopt if the run is not large.
  static Result<std::optional<report::RunHistory>> history(const ResultPlace& place);

  /// Keeps the containers of a large run for the pieces of its chart.
  void keep(const ResultPlace& place, report::RunHistory history);

  /// Returns a piece of the run's Gantt chart as JSON.
  Made piece(const ResultPlace& place, const report::ChartWindow& window);

 private:
  struct Kept {
    std::string id, stamp;
    report::GanttPieces pieces;
  };
  std::list<Kept> kept_;  ///< the one that was asked for last is the first
};

}  // namespace heddle::serve
