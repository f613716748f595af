#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "cli/run/run.h"

namespace heddle::cli {

struct CellCommandOptions {
  std::string dir;
  std::vector<std::string> cells;  ///< numbers and ranges
  RunOptions run;                  ///< the rights of cells, `cgroup` and `quiet`
  std::size_t jobs = 1;
};
/// `heddle cell`: makes cells of a plan. A cell that is done is not made again. After a failed
/// cell, makes the others. Returns the exit status: that of the first failed cell, else
/// kExitDone.
Result<int> cell_command(const CellCommandOptions& options);

struct GatherOptions {
  std::string dir;
  BatchPrinting printing;
};
/// `heddle gather`: writes and prints what the planned command would, from the cells that are done.
/// Says which cells are missing or failed. Returns the exit status (status_of).
Result<int> gather_command(const GatherOptions& options);

/// Gathers the cells that an engine has made. If `left` is an exit status, the engine has not made
/// them, and the function returns it.
Result<int> gather_if_made(const Result<std::optional<int>>& left, const GatherOptions& options);

}  // namespace heddle::cli
