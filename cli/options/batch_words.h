#pragma once

#include "cli/batch/cell_command.h"
#include "cli/batch/compare.h"
#include "cli/batch/demo.h"
#include "cli/batch/experiment.h"
#include "cli/batch/league.h"
#include "cli/batch/status_command.h"
#include "cli/batch/sweep.h"
#include "common/command_line/command_line.h"

namespace heddle::cli {

/// The options of the commands that make many runs.
struct BatchOptionSet {
  CompareOptions compare;
  SweepOptions sweep;
  ExperimentOptions experiment;
  LeagueOptions league;
  DemoOptions demo;
  CellCommandOptions cell;
  GatherOptions gather;
  StatusOptions status;
};

/// Adds these commands. `options` must live until the command is done.
void add_batch_words(Command app, BatchOptionSet& options);

}  // namespace heddle::cli
