#pragma once

#include <boost/container/flat_set.hpp>
#include <optional>

#include "core/model/event.h"

namespace heddle {

/// A small set of containers in ascending order, such as the containers of a node.
using ContainerSet = boost::container::flat_set<ContainerId>;

/// State of a live container. A container that has ended is not in the cluster state.
enum class ContainerState { kAllocated, kRunning, kSuspended };

struct Container {
  ContainerId id;
  TaskId task;
  int attempt = 1;
  NodeId node;
  Resources resources;
  ContainerState state = ContainerState::kAllocated;
  bool killed = false;   ///< a Kill for it was accepted
  bool waits = false;    ///< it does nothing until its inputs are complete
  bool fetches = false;  ///< its task reads map outputs, and reports when it has read all
  EmuBytes hands_over;   ///< size of the output that it will leave for reduces
  EmuTime allocated_at;
  std::optional<EmuTime> started_at;
  ContainerUse use;  ///< as of its node's last heartbeat
};

/// Returns the resources that the container holds. A running container holds all allocated
/// resources, and a suspended one all but the cores.
inline Resources held(const Container& container) {
  Resources held = container.resources;
  if (container.state == ContainerState::kSuspended) held.cores = Millicores(0);
  return held;
}

}  // namespace heddle
