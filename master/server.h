#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "master/live_run.h"
#include "master/run_files.h"
#include "net/key_text.h"

namespace heddle::master {

struct ServerOptions {
  std::string out;      ///< directory for results, which must exist
  bool resume = false;  ///< resume the run whose journal is in `out`
  Durability durability = Durability::kWrite;
  std::string bind;                            ///< control endpoint, ipc:// or tcp://
  std::string progress;                        ///< progress endpoint, likewise; "": none
  std::optional<net::CurveServer> curve = {};  ///< keys for tcp:// endpoints, which need them
  std::vector<net::Admitted> admitted = {};    ///< peers admitted at tcp:// endpoints
  std::size_t nodes = 0;                       ///< number of nodes in the scenario
};

/// Serves a run to its end: connects LiveRun with sockets, files, clock and signals. SIGINT and
/// SIGTERM interrupt the run. Errors: an endpoint is in use; a file can't be written (kAborted; the
/// workers are still told to leave).
Result<RunStatus> serve(LiveRun& run, const ServerOptions& options);

}  // namespace heddle::master
