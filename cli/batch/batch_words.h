#pragma once

#include <functional>

#include "cli/batch/cell_command.h"
#include "cli/batch/compare.h"
#include "cli/batch/demo.h"
#include "cli/batch/experiment.h"
#include "cli/batch/league.h"
#include "cli/batch/status_command.h"
#include "cli/batch/sweep.h"

namespace CLI {
class App;
}

namespace heddle::cli {

/// The options of the commands that make many runs.
class BatchWords {
 public:
  /// Adds the commands to `app` (see add_word). `action` and this object must live until the
  /// command is done.
  void add(CLI::App& app, std::function<int()>& action);

 private:
  CompareOptions compare_;
  SweepOptions sweep_;
  ExperimentOptions experiment_;
  LeagueOptions league_;
  DemoOptions demo_;
  CellCommandOptions cell_;
  GatherOptions gather_;
  StatusOptions status_;
};

}  // namespace heddle::cli
