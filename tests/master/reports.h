#pragma once

#include <chrono>
#include <utility>

#include "tests/support/events.h"
#include "wire/messages.h"

namespace heddle::master {

/// Returns a worker's report of an event at `when`, a time of the worker's clock.
inline wire::Report reported(std::int64_t number, std::chrono::nanoseconds when,
                             decltype(wire::Report::what) what) {
  return {number, when.count(), std::move(what)};
}

}  // namespace heddle::master
