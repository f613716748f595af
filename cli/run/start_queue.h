#pragma once

#include <cstddef>
#include <vector>

namespace heddle::cli {

/// Decides when the workers of a run are started. They are started in order, and only a bounded
/// number of them start at the same time. A start costs CPU until the worker has registered. If all
/// workers were started at once, all of them would register late.
class StartQueue {
 public:
  /// The maximum number of workers that take() returns at once. Between two calls the caller
  /// handles signals and the running processes.
  static constexpr std::size_t kBatch = 8;

  /// `at_once`: the maximum number of workers that start at the same time, at least 1.
  StartQueue(std::size_t workers, std::size_t at_once);

  /// Returns the workers to start now, ascending.
  std::vector<std::size_t> take();
  /// Records that the worker has registered or has ended. A second call for the same worker does
  /// nothing.
  void settled(std::size_t worker);

  /// Returns whether take() would return at least one worker.
  bool ready() const { return !done() && starting_ < at_once_; }
  /// Returns whether take() has returned every worker.
  bool done() const { return next_ == settled_.size(); }

 private:
  std::vector<bool> settled_;  ///< by worker
  std::size_t at_once_;
  std::size_t next_ = 0;
  std::size_t starting_ = 0;
};

/// Returns how many workers of a run are allowed to start at the same time. The master of a larger
/// run reports registrations less often, so more workers must start at the same time to keep the
/// machine busy.
std::size_t starts_at_once(std::size_t workers);

}  // namespace heddle::cli
