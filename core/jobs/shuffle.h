#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// What the maps of one job have handed over, where it lies, and what each reduce reads of it. A
/// reduce's sources are the tasks of the phases before it that hand something over, counted
/// through.
class Shuffle {
 public:
  /// The spec must outlive it.
  explicit Shuffle(const JobSpec& spec) : spec_(&spec) {}

  /// What tasks of `phase` hand over is read by those of phase `reduce`: that is one of reduces,
  /// and comes after it.
  bool reads_from(int reduce, int phase) const;
  /// Sources of a task of that phase; 0: nothing is handed over to it.
  int sources(int reduce) const;
  /// What task `index` of phase `reduce` reads of all that is there by now.
  std::vector<DataRead> reads(int reduce, int index) const;
  /// What it reads of one map's output, if that is one of its sources.
  std::optional<DataRead> read(int reduce, int index, int map_phase, int map) const;

  /// A map has completed with `size` bytes to hand over.
  void wrote(int phase, int task, ContainerId container, NodeId node, EmuBytes size) {
    if (hands_over(phase)) outputs_[{phase, task}] = {container, node, size};
  }
  /// Forgets all that lies on the node; who wrote it: (phase, task), ascending.
  std::vector<std::pair<int, int>> lose(NodeId node);
  /// Forgets an object; who wrote it, if it is there.
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
