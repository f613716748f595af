#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "bench/heartbeat_worker.h"
#include "common/units.h"

namespace heddle::bench {

/// The baseline for heartbeats: messages of the same size over bare ZeroMQ, answered by a ROUTER.
struct Echo {
  std::string endpoint;
  std::size_t message = 0, answer = 0;  ///< bytes
  real::Duration period{0};
};

/// Answers messages until it is killed. REQUIRES: nothing else is bound to the endpoint.
void serve_echo(const Echo& echo);

/// Sends one message per period, the first after `offset`, until it is killed.
void play_echo_worker(const Echo& echo, real::Duration offset, const std::atomic<bool>& measuring,
                      BeatPage& page);

}  // namespace heddle::bench
