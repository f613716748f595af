#pragma once

#include <string>
#include <vector>

#include "cli/display/screen.h"
#include "common/result.h"
#include "core/scenario/scenario.h"
#include "host/run_directory.h"

namespace heddle::cli {

struct SessionOptions {
  std::string out;      ///< directory with scenario.yaml and logs/
  std::string cgroup;   ///< Home::address
  std::string journal;  ///< of heddle-master
  Screen::Kind screen = Screen::Kind::kLines;
  std::string title;
  std::vector<std::string> master_options;  ///< what more the master is told
  std::vector<std::string> worker_options;  ///< what more each worker is told
  bool resume = false;    ///< the journal is there: all workers are new, or return
  std::string bind = {};  ///< where the master waits for workers started elsewhere; "": for ours
};

/// Runs the processes of one run, a master and a worker per node: starts the master and notes it in
/// run.json, then the workers, a few at a time, and shows progress until all have ended. Those left
/// on an error are killed and waited for. `signals`: a signalfd whose signals mean the user wants
/// out. The exit status of the run; an error if the master can't be started.
Result<int> run_session(const Scenario& scenario, const host::RunDirectory& dir,
                        const SessionOptions& options, int signals);

/// Path of a program beside this one.
std::string beside_us(const std::string& program);

}  // namespace heddle::cli
