#pragma once

#include <deque>
#include <set>
#include <vector>

#include "core/model/work.h"

namespace heddle {

/// What one attempt (or one part of an executor's) has yet to read: which reads queue, which are
/// under way, and when all is there. Workers and the simulator use the same. Pure.
class Inputs {
 public:
  /// `sources`: different sources that must come, see TaskWork.
  explicit Inputs(int sources = 0) : sources_(sources) {}

  /// Takes more reads in. One of a source that is there already is dropped; one of a source that
  /// queues takes the former's place.
  void add(const std::vector<DataRead>& reads);
  /// Reads to begin now, in order, so that at most kParallelReads are under way.
  std::vector<DataRead> begin();
  /// A read that was begun has come, whole and right.
  void done(const DataRead& read);
  /// A read that was begun can be had nowhere. False if nothing stands in for it: its source is
  /// lost, or a block is.
  bool failed(const DataRead& read);
  bool complete() const {
    return queue_.empty() && under_way_.empty() && std::ssize(there_) >= sources_;
  }

 private:
  void forget(const DataRead& read);

  int sources_;
  std::set<int> there_;  ///< sources
  std::deque<DataRead> queue_;
  std::vector<DataRead> under_way_;
};

}  // namespace heddle
