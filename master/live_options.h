#pragma once

#include <functional>
#include <string>

#include "common/result.h"
#include "common/units.h"
#include "core/scenario/fault_watch.h"
#include "driver/recorder.h"

namespace heddle::master {

/// Options of a real run (master/live_run.h).
struct LiveOptions {
  std::string run;
  bool journal_heartbeats = true;  ///< --journal full
  double realtime_offset_s = 0;    ///< CLOCK_REALTIME minus CLOCK_MONOTONIC, seconds
  /// How long the run waits at the start for each next worker while workers are missing, and later
  /// for a lost worker to come back (FaultWatch).
  real::Duration patience = kWorkerPatience;
  /// How long a resumed run waits for workers to return. If a node may be silent for longer, the
  /// run waits that long.
  real::Duration return_limit = std::chrono::seconds(5);
  bool await_all = false;  ///< wait for a worker of every node, also of lost nodes
  std::string clock = {};  ///< name of the clock that times are read from (Hello::clock)
  driver::Recorder::Stopwatch stopwatch = {};  ///< measures what decisions cost
  /// Asks the program of an external policy and waits for its reply. Only a recovery does this.
  std::function<Result<std::string>(const std::string& request)> ask = {};
};

inline double seconds(real::Duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace heddle::master
