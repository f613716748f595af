#pragma once

#include <chrono>
#include <utility>

#include "wire/messages.h"

namespace heddle::master {

/// Returns a worker's report of an event at `when`, a time of the worker's clock.
inline wire::Report reported(std::int64_t number, std::chrono::nanoseconds when,
                             decltype(wire::Report::what) what) {
  return {number, when.count(), std::move(what)};
}

inline ContainerStarted started(std::int64_t container) { return {ContainerId{container}}; }

inline ContainerEnded ended(std::int64_t container, Outcome outcome = Outcome::kCompleted) {
  ContainerEnded ended;
  ended.container = ContainerId{container};
  ended.outcome = outcome;
  return ended;
}

}  // namespace heddle::master
