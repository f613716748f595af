#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/display/screen.h"
#include "cli/run/forecast.h"
#include "common/result.h"
#include "core/scenario/scenario.h"
#include "host/run_directory.h"

namespace heddle::cli {

struct SessionOptions {
  std::string out;      ///< directory with scenario.yaml and logs/
  std::string cgroup;   ///< Home::address
  std::string journal;  ///< journal option of heddle-master
  Screen::Kind screen = Screen::Kind::kLines;
  std::string title;
  std::vector<std::string> master_options;  ///< more options of the master
  std::vector<std::string> worker_options;  ///< more options of each worker
  bool resume = false;    ///< the journal exists, and workers are started again or connect again
  std::string bind = {};  ///< address for workers started elsewhere; "": this command starts the
                          ///< workers
  Foresight* foresight = nullptr;  ///< the forecast of the run, if there is one
  /// Returns the CPU seconds that the run's containers have used. Null: not known.
  std::function<std::optional<double>()> containers_cpu_s = {};
};

/// Runs the processes of one run, a master and a worker per node. Starts the master and records it
/// in run.json, then starts the workers, a few at a time. Shows progress until all processes have
/// ended. After an error, kills the remaining processes and waits for their ends. `signals`: a
/// signalfd for the signals by which the user ends the run. Returns the exit status of the run, or
/// an error if the master cannot be started.
Result<int> run_session(const Scenario& scenario, const host::RunDirectory& dir,
                        const SessionOptions& options, int signals);

}  // namespace heddle::cli
