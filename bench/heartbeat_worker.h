#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "common/units.h"
#include "net/curve.h"

namespace heddle::bench {

/// Measurements of a process that sends heartbeats of a worker, or messages of the same size. The
/// page is in memory shared with the process that requested the measurements.
struct BeatPage {
  static constexpr int kMostTrips = 400;
  std::atomic<bool> joined;
  std::atomic<int> containers;  ///< current number of containers
  /// Heartbeats sent while measuring. All values below also cover only this time.
  std::atomic<int> beats;
  std::atomic<int> trips;                        ///< answered heartbeats
  std::atomic<std::int64_t> sent, received;      ///< bytes of heartbeats and of their answers
  std::array<std::int64_t, kMostTrips> trip_ns;  ///< from encoding to decoding the answer

  void count_beat(std::size_t bytes);
  void count_trip(std::int64_t ns, std::size_t bytes);
};

/// A worker without tasks and groups. The worker joins a run. If the master tells it to launch a
/// container, it reports the container as started. Its heartbeats have the usage of all these
/// containers. The protocol, encoding and socket are those of a real worker.
struct LightWorker {
  std::string endpoint;
  std::optional<net::CurveClient> curve;
  std::string run;
  std::string node;
};

/// The baseline for heartbeats. Messages of the same size as heartbeats are sent over ZeroMQ alone,
/// and a ROUTER socket answers them.
struct Echo {
  std::string endpoint;
  std::size_t message = 0, answer = 0;  ///< bytes
  real::Duration period{0};
};

/// Acts as the worker until the master dismisses it or is gone. Heartbeats that are sent while
/// `measuring` is true count.
void play_light_worker(const LightWorker& worker, const std::atomic<bool>& measuring,
                       BeatPage& page);
/// Answers messages until this process is killed. REQUIRES: no other socket is bound to the
/// endpoint.
void serve_echo(const Echo& echo);
/// Sends one message per period until this process is killed. Sends the first message after
/// `offset`.
void play_echo_worker(const Echo& echo, real::Duration offset, const std::atomic<bool>& measuring,
                      BeatPage& page);

}  // namespace heddle::bench
