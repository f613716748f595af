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
  std::string out;      ///< directory of the results, there already
  bool resume = false;  ///< go on with the run whose journal is there
  Durability durability = Durability::kWrite;
  std::string bind;                            ///< control endpoint, ipc:// or tcp://
  std::string progress;                        ///< progress endpoint likewise; "": none
  std::optional<net::CurveServer> curve = {};  ///< of endpoints at tcp://; those go not without
  std::vector<net::Admitted> admitted = {};    ///< who may come to these
  std::size_t nodes = 0;                       ///< of the scenario
};

/// Serves a run to its end: the sockets, the files, the clock and the signals (SIGINT, SIGTERM:
/// interrupted) around LiveRun. Errors: endpoint in use, files that can't be written (kAborted;
/// workers are told to leave all the same).
Result<RunStatus> serve(LiveRun& run, const ServerOptions& options);

}  // namespace heddle::master
