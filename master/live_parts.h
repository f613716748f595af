#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "core/engine.h"
#include "master/container_times.h"
#include "master/effects.h"
#include "master/live_clock.h"
#include "master/node_links.h"
#include "master/run_display.h"
#include "run/calendar.h"
#include "run/recorder.h"

namespace heddle::master {

struct LiveOptions {
  std::string run;
  bool journal_heartbeats = true;  ///< --journal full
  double realtime_offset_s = 0;    ///< CLOCK_REALTIME minus CLOCK_MONOTONIC, seconds
  /// How long the run waits at the start for the next worker to come, while some are missing.
  real::Duration registration_limit = std::chrono::seconds(60);
  /// How long the run waits for workers to return after a resume, but at least as long as a node
  /// may be silent.
  real::Duration return_limit = std::chrono::seconds(5);
  bool await_all = false;  ///< wait for workers of all nodes, lost ones included
  std::string clock = {};  ///< names the clock that times are read from, as Hello::clock
  run::Recorder::Stopwatch stopwatch = {};  ///< to measure what decisions cost
};

/// States of a real run (master/live_run.h).
enum class Life { kRegistering, kReturning, kRunning, kLeaving, kOver };

/// State that the classes of a real run share.
struct LiveParts {
  /// `scenario` (resolved) must outlive it.
  LiveParts(const Scenario& scenario, LiveOptions options);
  LiveParts(const LiveParts&) = delete;
  LiveParts& operator=(const LiveParts&) = delete;

  /// Returns CLOCK_REALTIME at `at`, in seconds.
  double wall_s(real::Time at) const;
  /// Sends a message to the workers of all live nodes.
  void send_to_all(wire::Message message);

  const Scenario& scenario;
  const LiveOptions options;
  Life life = Life::kRegistering;
  std::optional<RunStatus> status;  ///< how the run ends; set once it is leaving
  std::string reason;               ///< why the run ends; set likewise
  Effects effects;                  ///< of the present call
  Engine engine;
  run::Calendar calendar;
  run::Recorder recorder;  ///< writes to the effects
  LiveClock clock;
  NodeLinks links;
  ContainerTimes times;
  RunDisplay display;
  std::vector<Event> unseen;  ///< recorded by a previous master while leaving; new to the engine
};

inline double seconds(real::Duration d) { return std::chrono::duration<double>(d).count(); }

/// Returns the real time that a node may be silent: max(node_timeout x time_scale, 2 s).
real::Duration liveness(const Scenario& scenario);

}  // namespace heddle::master
