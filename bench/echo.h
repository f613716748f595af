#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "bench/heartbeat_worker.h"
#include "common/units.h"

namespace heddle::bench {

/// The baseline for heartbeats. Messages of the same size as heartbeats are sent over ZeroMQ alone,
/// and a ROUTER socket answers them.
struct Echo {
  std::string endpoint;
  std::size_t message = 0, answer = 0;  ///< bytes
  real::Duration period{0};
};

/// Answers messages until this process is killed. REQUIRES: no other socket is bound to the
/// endpoint.
void serve_echo(const Echo& echo);

/// Sends one message per period until this process is killed. Sends the first message after
/// `offset`.
void play_echo_worker(const Echo& echo, real::Duration offset, const std::atomic<bool>& measuring,
                      BeatPage& page);

}  // namespace heddle::bench
