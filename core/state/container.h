#pragma once

#include <boost/container/flat_set.hpp>
#include <optional>

#include "core/model/event.h"

namespace heddle {

/// A small set of containers, such as those of a node; ascending.
using ContainerSet = boost::container::flat_set<ContainerId>;

/// State of a live container; a container that ended is no longer in the cluster state.
enum class ContainerState { kAllocated, kRunning, kSuspended };

struct Container {
  ContainerId id;
  TaskId task;
  int attempt = 1;
  NodeId node;
  Resources resources;
  ContainerState state = ContainerState::kAllocated;
  bool killed = false;   ///< a Kill is under way
  bool waits = false;    ///< its inputs are incomplete: it holds its resources and does nothing
  bool fetches = false;  ///< its inputs are map outputs; the task reports when it has them all
  EmuBytes hands_over;   ///< bytes that it will leave for reduces
  EmuTime allocated_at;
  std::optional<EmuTime> started_at;
  ContainerUse use;  ///< as of its node's last heartbeat
};

/// Returns the resources that the container holds: all that were allocated, without the cores while
/// it is suspended.
inline Resources held(const Container& container) {
  if (container.state != ContainerState::kSuspended) return container.resources;
  return {Millicores(0), container.resources.memory};
}

}  // namespace heddle
