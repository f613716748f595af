#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Tracks the map outputs of one job: their sizes, the nodes that hold them, and which part each
/// reduce reads. The sources of a reduce are the tasks of the preceding phases with outputs for the
/// reduce. Sources are numbered consecutively.
class Shuffle {
 public:
  /// The spec must outlive the object.
  explicit Shuffle(const JobSpec& spec) : spec_(&spec) {}

  /// Returns whether tasks of phase `reduce` read the outputs of `phase`. This is so if `reduce` is
  /// a phase of reduces that depends on `phase`.
  bool reads_from(int reduce, int phase) const;
  /// Returns the number of sources of each task of phase `reduce`. Returns 0 if the tasks read no
  /// map outputs.
  int sources(int reduce) const;
  /// Returns the reads of task `index` of phase `reduce` from all outputs that are available now.
  std::vector<DataRead> reads(int reduce, int index) const;
  /// Returns the read of the task from the output of one map. Returns nullopt if the map is not a
  /// source of the task or its output is not available.
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
