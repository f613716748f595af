#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "master/live_run.h"
#include "master/policy_client.h"
#include "master/run_files.h"
#include "net/key_text.h"

namespace heddle::master {

struct ServerOptions {
  std::string out;      ///< directory for results, which must exist
  bool resume = false;  ///< resume the run whose journal is in `out`
  Durability durability = Durability::kWrite;
  std::string bind;                            ///< control endpoint, ipc:// or tcp://
  std::string progress;                        ///< progress endpoint, ipc:// or tcp://; "": none
  std::optional<net::CurveServer> curve = {};  ///< keys; required for tcp:// endpoints
  std::vector<net::Admitted> admitted = {};    ///< peers admitted at tcp:// endpoints
  std::size_t nodes = 0;                       ///< number of nodes in the scenario
};

/// Serves a run to its end. `policy` is the connection to the program of an external policy, or
/// nullptr. Connects LiveRun with the sockets, files, clock and signals. SIGINT and
/// SIGTERM interrupt the run. SIGUSR1 says that no worker can come back. Errors: an endpoint is in
/// use, or a file can't be written (kAborted). If a file can't be written, the workers are still
/// told to leave.
Result<RunStatus> serve(LiveRun& run, const ServerOptions& options, PolicyClient* policy);

}  // namespace heddle::master
