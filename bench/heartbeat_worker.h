#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "net/curve.h"

namespace heddle::bench {

/// Measurements of a process that sends heartbeats (a worker's, or bare messages), in memory shared
/// with the process that asked for them.
struct BeatPage {
  static constexpr int kMostTrips = 400;
  std::atomic<bool> joined;
  std::atomic<int> containers;                   ///< current number of containers
  std::atomic<int> beats;                        ///< sent while measuring, like all below
  std::atomic<int> trips;                        ///< answered heartbeats
  std::atomic<std::int64_t> sent, received;      ///< bytes of heartbeats and of their answers
  std::array<std::int64_t, kMostTrips> trip_ns;  ///< from encoding to decoding the answer

  void count_beat(std::size_t bytes);
  void count_trip(std::int64_t ns, std::size_t bytes);
};

/// A worker without tasks and groups. It joins a run, reports each container that it is told to
/// launch as started, and sends heartbeats with as many containers. It uses the protocol, encoding
/// and socket of a real worker.
struct LightWorker {
  std::string endpoint;
  std::optional<net::CurveClient> curve;
  std::string run;
  std::string node;
};

/// Plays the worker until the master dismisses it or is gone. `measuring` says whether heartbeats
/// sent at the moment count.
void play_light_worker(const LightWorker& worker, const std::atomic<bool>& measuring,
                       BeatPage& page);

}  // namespace heddle::bench
