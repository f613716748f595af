#pragma once

#include <string>

#include "cli/batch/batch.h"
#include "cli/run/run.h"

namespace heddle::cli {

struct StatusOptions {
  std::string dir;
  bool wait = false;  ///< wait for the end as --on does
  RunOptions run;     ///< the rights of cells that are submitted again
  bool quiet = false;
  BatchPrinting printing;
};
/// `heddle status`: says how many cells are done, failed and missing, and what is in the queue.
/// Returns kExitIncomplete if a cell has no record; with `wait`, the status of heddle gather.
Result<int> status_command(const StatusOptions& options);

}  // namespace heddle::cli
