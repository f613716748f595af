#pragma once

#include <deque>
#include <set>
#include <vector>

#include "core/model/work.h"

namespace heddle {

/// Tracks the inputs of one attempt, or of one part of an executor. Tells which reads to begin, and
/// when all inputs are complete. Workers and the simulator both use this class. Pure.
class Inputs {
 public:
  /// `sources`: number of distinct sources that must be read, see TaskWork.
  explicit Inputs(int sources = 0) : sources_(sources) {}

  /// Adds reads. Drops a read if its source has already been read. If a read of the same source is
  /// queued, the new read replaces the queued read.
  void add(const std::vector<DataRead>& reads);
  /// Returns the reads to begin now, in order. At most kParallelReads then run at the same time.
  std::vector<DataRead> begin();
  /// Notes that a read that begin() returned is complete and correct.
  void done(const DataRead& read);
  /// Notes that no node has the data of a read that begin() returned. Returns false if no other
  /// read replaces it. In that case, the source or the input block is lost.
  bool failed(const DataRead& read);
  bool complete() const {
    return queue_.empty() && under_way_.empty() && std::ssize(there_) >= sources_;
  }

 private:
  void forget(const DataRead& read);

  int sources_;
  std::set<int> there_;  ///< sources that have been read
  std::deque<DataRead> queue_;
  std::vector<DataRead> under_way_;
};

}  // namespace heddle
