#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "bench/heartbeat_worker.h"
#include "common/units.h"

namespace heddle::bench {

/// The baseline of heartbeats: messages of the same size over bare ZeroMQ, that a ROUTER answers.
struct Echo {
  std::string endpoint;
  std::size_t message = 0, answer = 0;  ///< bytes
  real::Duration period{0};
};

/// Answers until it is killed. REQUIRES: none else is bound there.
void serve_echo(const Echo& echo);

/// Sends a message each period, the first after `offset`, until it is killed.
void play_echo_worker(const Echo& echo, real::Duration offset, const std::atomic<bool>& measuring,
                      BeatPage& page);

}  // namespace heddle::bench
