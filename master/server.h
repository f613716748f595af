#pragma once

#include <string>

#include "common/result.h"
#include "master/live_run.h"

namespace heddle {

struct ServerOptions {
  std::string out;       ///< directory of the results, there already
  std::string bind;      ///< control endpoint, ipc://…
  std::string progress;  ///< progress endpoint, ipc://…; "": none
};

/// Serves a run to its end: the sockets, the files, the clock and the signals (SIGINT, SIGTERM:
/// interrupted) around LiveRun. Errors: endpoint in use, files that can't be written (kAborted;
/// workers are told to leave all the same).
Result<RunStatus> serve(LiveRun& run, const ServerOptions& options);

}  // namespace heddle
