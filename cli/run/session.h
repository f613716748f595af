#pragma once

#include <memory>
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

/// The processes of one run: a master and a worker per node, from start to the end of the last one.
/// Those left when a Session goes are killed and waited for.
class Session {
 public:
  /// `signals`: a signalfd whose signals mean the user wants out. All must outlive the session.
  Session(const Scenario& scenario, const host::RunDirectory& dir, SessionOptions options,
          int signals);
  ~Session();

  /// Starts the master and notes it in run.json.
  Result<void> start();
  /// Starts the workers, a few at a time, and shows progress until all processes have ended; the
  /// exit status of the run. REQUIRES: started.
  int watch();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Path of a program beside this one.
std::string beside_us(const std::string& program);

}  // namespace heddle::cli
