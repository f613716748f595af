#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Tracks the map outputs of one job: what they are, where they are, and which part each reduce
/// reads. The sources of a reduce are the tasks of its preceding phases that have outputs for it,
/// numbered consecutively.
class Shuffle {
 public:
  /// The spec must outlive the object.
  explicit Shuffle(const JobSpec& spec) : spec_(&spec) {}

  /// Returns whether tasks of phase `reduce` read the outputs of `phase`: `reduce` is a phase of
  /// reduces and depends on `phase`.
  bool reads_from(int reduce, int phase) const;
  /// Returns the number of sources of a task of that phase; 0: it has no inputs of this kind.
  int sources(int reduce) const;
  /// Returns what task `index` of phase `reduce` reads of all outputs available now.
  std::vector<DataRead> reads(int reduce, int index) const;
  /// Returns what the task reads of one map's output, if the map is one of its sources and its
  /// output is available.
  std::optional<DataRead> read(int reduce, int index, int map_phase, int map) const;

  /// Records that a map has completed with an output of `size` bytes.
  void wrote(int phase, int task, ContainerId container, NodeId node, EmuBytes size) {
    if (hands_over(phase)) outputs_[{phase, task}] = {container, node, size};
  }
  /// Forgets all outputs on the node. Returns the tasks that wrote them: (phase, task), ascending.
  std::vector<std::pair<int, int>> lose(NodeId node);
  /// Forgets an object. Returns the task that wrote it, if the object was available.
  std::optional<std::pair<int, int>> lose(std::uint64_t object);

 private:
  struct Output {
    ContainerId container;
    NodeId node;
    EmuBytes size;
  };
  bool hands_over(int phase) const { return spec_->phases[phase].shuffle.mean > 0; }
  DataRead read_of(int reduce, int index, int source, const Output& output) const;

  const JobSpec* spec_;
  std::map<std::pair<int, int>, Output> outputs_;  ///< by phase and task
};

}  // namespace heddle
