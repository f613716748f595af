#pragma once

#include <cstddef>
#include <vector>

namespace heddle::cli {

/// Decides when the workers of a run are started: in order, and a bounded number at a time. A start
/// costs CPU until the worker has registered; if all were started at once, all would be late.
class StartQueue {
 public:
  /// The most workers that take() returns at once: between two calls the caller looks after signals
  /// and the processes that are there.
  static constexpr std::size_t kBatch = 8;

  /// `at_once`: the most workers that are starting at a time, 1 at least.
  StartQueue(std::size_t workers, std::size_t at_once);

  /// Returns the workers to start now, ascending.
  std::vector<std::size_t> take();
  /// Takes note that the worker has registered or has ended. A second call does nothing.
  void settled(std::size_t worker);

  /// Returns whether take() has workers to give.
  bool ready() const { return !done() && starting_ < at_once_; }
  /// Returns whether every worker was given out.
  bool done() const { return next_ == settled_.size(); }

 private:
  std::vector<bool> settled_;  ///< by worker
  std::size_t at_once_;
  std::size_t next_ = 0;
  std::size_t starting_ = 0;
};

/// Returns how many of so many workers may be starting at a time. A larger run reports
/// registrations less often, so more are needed to keep the machine busy.
std::size_t starts_at_once(std::size_t workers);

}  // namespace heddle::cli
