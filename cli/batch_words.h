#pragma once

#include <functional>

#include "cli/compare.h"
#include "cli/experiment.h"
#include "cli/league.h"
#include "cli/sweep.h"

namespace CLI {
class App;
}

namespace heddle {

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

}  // namespace heddle
