#pragma once

#include <csignal>
#include <initializer_list>

#include "common/result.h"
#include "common/units.h"

namespace heddle::worker {

/// Signals that end a worker in order.
inline constexpr std::initializer_list<int> kEndSignals = {SIGTERM, SIGINT, SIGHUP};

/// Stops this process with all its threads for the given time, or until it gets a signal that ends
/// a worker (kEndSignals). The signal stays pending. A child process lets this process continue,
/// because a stopped process notices nothing.
Result<void> freeze_ourselves(real::Duration length);

}  // namespace heddle::worker
