#pragma once

#include <functional>

#include "cli/batch/compare.h"
#include "cli/batch/experiment.h"
#include "cli/batch/league.h"
#include "cli/batch/sweep.h"

namespace CLI {
class App;
}

namespace heddle::cli {

/// The words and options of commands that make many runs.
class BatchWords {
 public:
  /// As add_word; `action` and this must live until the command is done.
  void add(CLI::App& app, std::function<int()>& action);

 private:
  CompareOptions compare_;
  SweepOptions sweep_;
  ExperimentOptions experiment_;
  LeagueOptions league_;
};

}  // namespace heddle::cli
