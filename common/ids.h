#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace heddle {

/// An identifier that can't be mistaken for one of another kind. Ids count from 0 in the order of
/// the scenario (nodes, jobs) or of creation (containers), so sorting by id gives a fixed order.
template <class Tag>
struct Id {
  std::int64_t value = -1;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using NodeId = Id<struct NodeTag>;
using JobId = Id<struct JobTag>;
/// Identifies one task attempt; unique in a run.
using ContainerId = Id<struct ContainerTag>;

/// Identifies a phase of a job: index into the job's phases, in scenario order.
struct PhaseId {
  JobId job;
  int phase = -1;
  friend constexpr auto operator<=>(PhaseId, PhaseId) = default;
};

/// Identifies a task of a phase: index 0 … tasks-1.
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
