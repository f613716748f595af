#pragma once

#include <deque>
#include <set>
#include <vector>

#include "core/model/work.h"

namespace heddle {

/// Tracks the inputs of one attempt (or of one part of an executor): which reads are queued, which
/// are under way, and when all inputs are complete. Workers and the simulator both use it. Pure.
class Inputs {
 public:
  /// `sources`: number of distinct sources that must arrive, see TaskWork.
  explicit Inputs(int sources = 0) : sources_(sources) {}

  /// Adds reads. If the source of a read has already arrived, the read is dropped. If a read of the
  /// same source is queued, the new read replaces it.
  void add(const std::vector<DataRead>& reads);
  /// Returns the reads to begin now, in order, so that at most kParallelReads are under way.
  std::vector<DataRead> begin();
  /// Notes that a read that was begun has arrived completely and correctly.
  void done(const DataRead& read);
  /// Notes that no node can serve a read that was begun. Returns false if no other read replaces
  /// it; then the source, or an input block, is lost.
  bool failed(const DataRead& read);
  bool complete() const {
    return queue_.empty() && under_way_.empty() && std::ssize(there_) >= sources_;
  }

 private:
  void forget(const DataRead& read);

  int sources_;
  std::set<int> there_;  ///< sources that have arrived
  std::deque<DataRead> queue_;
  std::vector<DataRead> under_way_;
};

}  // namespace heddle
