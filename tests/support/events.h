#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/units.h"
#include "core/model/action.h"
#include "core/model/event.h"

namespace heddle {

inline Event event_at(double seconds, decltype(Event::what) what) {
  return {emu_seconds(seconds), std::move(what)};
}

inline ContainerStarted started(std::int64_t container) { return {ContainerId{container}}; }

inline ContainerEnded ended(std::int64_t container, Outcome outcome = Outcome::kCompleted,
                            OomCause oom = OomCause::kNone, const std::string& reason = "") {
  ContainerEnded ended;
  ended.container = ContainerId{container};
  ended.outcome = outcome;
  ended.oom = oom;
  ended.reason = reason;
  return ended;
}

/// Returns the first attempt of a task, as the engine fills the action in.
inline Launch launch_of(std::int64_t container, const TaskId& task, NodeId node,
                        const Resources& resources) {
  Launch launch;
  launch.phase = task.phase;
  launch.node = node;
  launch.resources = resources;
  launch.container = ContainerId{container};
  launch.task = task.index;
  launch.attempt = 1;
  return launch;
}

}  // namespace heddle
