#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "net/curve.h"

namespace heddle::bench {

/// What a process that sends heartbeats (a worker's, or bare messages) has measured, in memory that
/// it shares with the one that asked for it.
struct BeatPage {
  static constexpr int kMostTrips = 400;
  std::atomic<bool> joined;
  std::atomic<int> containers;               ///< that it has now
  std::atomic<int> beats;                    ///< sent while it was measured; so with what follows
  std::atomic<int> trips;                    ///< answered
  std::atomic<std::int64_t> sent, received;  ///< bytes of heartbeats and of their answers
  std::array<std::int64_t, kMostTrips> trip_ns;  ///< from before a heartbeat was put into words to
                                                 ///< when its answer was understood

  void count_beat(std::size_t bytes);
  void count_trip(std::int64_t ns, std::size_t bytes);
};

/// A worker that has no tasks and no groups: it joins a run, starts what it is told to start, by
/// saying so, and sends heartbeats with as many containers, by the worker's own protocol, words and
/// socket.
struct LightWorker {
  std::string endpoint;
  std::optional<net::CurveClient> curve;
  std::string run;
  std::string node;
};

/// Plays it until the master lets it go or is gone. `measuring`: whether heartbeats sent now count.
void play_light_worker(const LightWorker& worker, const std::atomic<bool>& measuring,
                       BeatPage& page);

}  // namespace heddle::bench
