#pragma once

#include <boost/container/flat_set.hpp>
#include <optional>

#include "core/model/event.h"

namespace heddle {

/// A few containers, as of a node; ascending.
using ContainerSet = boost::container::flat_set<ContainerId>;

/// Where a live container stands; one that ended is no longer in the state.
enum class ContainerState { kAllocated, kRunning, kSuspended };

struct Container {
  ContainerId id;
  TaskId task;
  int attempt = 1;
  NodeId node;
  Resources resources;
  ContainerState state = ContainerState::kAllocated;
  bool killed = false;  ///< a Kill is under way
  bool waits = false;   ///< its inputs are not complete yet: it holds what it has and does nothing
  bool fetches =
      false;            ///< its inputs are what maps hand over: it says itself when it has them all
  EmuBytes hands_over;  ///< what it will leave for reduces
  EmuTime allocated_at;
  std::optional<EmuTime> started_at;
  ContainerUse use;  ///< as of its node's last heartbeat
};

/// What it holds now: all it was given, but for its cores while it is suspended.
inline Resources held(const Container& container) {
  if (container.state != ContainerState::kSuspended) return container.resources;
  return {Millicores(0), container.resources.memory};
}

}  // namespace heddle
