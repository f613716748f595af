#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"

namespace heddle::cli {

struct ExperimentOptions {
  std::vector<std::string> files;
  std::string out = "results/experiments";
  std::optional<int> repeat;  ///< else as the files say
  bool real = false;          ///< also for real, where there is something to be
  bool dry_run = false;       ///< only print how many real runs are left and how long they take
  RunOptions run;             ///< of each run; its scenario and out are not looked at
};

/// `heddle experiment`: for each file its comparison in each setting, simulated and, if asked, for
/// real, in OUT/<name>/{simulated,real}[-<setting>], and the claims with their verdicts, on
/// standard output and in OUT/<name>/claims.md; OUT/claims.md has all of them and how many hold.
/// Runs that are in OUT already are not made again. The exit status.
Result<int> experiment_command(const ExperimentOptions& options);

}  // namespace heddle::cli
