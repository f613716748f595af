#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "report/history.h"
#include "report/page/pieces.h"
#include "serve/result_tree.h"
#include "serve/text_cache.h"

namespace heddle::serve {

/// A run with more containers is large: its page gets the containers in pieces.
inline constexpr std::int64_t kManyContainers = 20'000;
/// Number of large runs that are kept. A run with a million containers takes about 70 MB.
inline constexpr std::size_t kKeptRuns = 3;
/// Number of bars in a piece.
inline constexpr std::size_t kMostPieceBars = 8000;

/// The large runs that were asked for last. One thread uses this object, but any thread can call
/// share_read().
class LargeRuns {
 public:
  /// Returns the history of a large run that has ended. Reads the index of the containers, or makes
  /// it from the journal and writes it for the next time, if the directory can be written. Returns
  /// nullopt if the run is not large.
  Result<std::optional<report::RunHistory>> history(const ResultPlace& place);

  /// Returns the share of a run's journal that is read, from 0 to 1, while its index is made.
  /// Otherwise returns nullopt.
  std::optional<double> share_read(const std::string& id) const;

  /// Keeps the containers of a large run for the pieces of its chart.
  void keep(const ResultPlace& place, report::RunHistory history);

  /// Returns a piece of the run's Gantt chart as JSON.
  ResponseText piece(const ResultPlace& place, const report::ChartWindow& window);

 private:
  /// Reads the journal. While it does, share_read() returns how far it is.
  Result<report::RunHistory> history_of_journal(const ResultPlace& place, Scenario scenario);

  struct Kept {
    std::string id, stamp;
    report::GanttPieces pieces;
  };
  std::list<Kept> kept_;  ///< the one that was asked for last is the first
  mutable std::mutex mutex_;
  std::string reading_;             ///< id of the run whose journal is read; guarded by mutex_
  std::int64_t journal_bytes_ = 1;  ///< guarded by mutex_
  std::atomic<std::int64_t> read_bytes_ = 0;
};

}  // namespace heddle::serve
