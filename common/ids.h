#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace heddle {

/// An identifier. The ids of different kinds have different types, so they can't be confused. Ids
/// count from 0. Nodes and jobs are numbered in the order of the scenario, and containers in the
/// order of creation. Therefore sorting by id gives a fixed order.
template <class Tag>
struct Id {
  std::int64_t value = -1;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using NodeId = Id<struct NodeTag>;
using JobId = Id<struct JobTag>;
/// Identifies one task attempt. The id is unique in a run.
using ContainerId = Id<struct ContainerTag>;

/// Identifies a phase of a job. `phase` is the index of the phase in the scenario's order.
struct PhaseId {
  JobId job;
  int phase = -1;
  friend constexpr auto operator<=>(PhaseId, PhaseId) = default;
};

/// Identifies a task of a phase. `index` is 0 … tasks-1.
struct TaskId {
  PhaseId phase;
  int index = -1;
  friend constexpr auto operator<=>(TaskId, TaskId) = default;
};

}  // namespace heddle

template <class Tag>
struct std::hash<heddle::Id<Tag>> {
  std::size_t operator()(heddle::Id<Tag> id) const noexcept {
    return std::hash<std::int64_t>{}(id.value);
  }
};
