#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"

namespace heddle::cli {

struct ExperimentOptions {
  std::vector<std::string> files;
  std::string out = "results/experiments";
  std::optional<int> repeat;  ///< nullopt: as the files say
  bool real = false;          ///< also make the real runs of the files
  bool dry_run = false;       ///< only print how many real runs are left and how long they take
  RunOptions run;             ///< options of each run; its scenario and out are ignored
};

/// `heddle experiment`: makes each file's comparison in each setting, simulated and, if asked for,
/// real, in OUT/<name>/{simulated,real}[-<setting>]. Prints the claims with their verdicts and
/// writes them to OUT/<name>/claims.md. OUT/claims.md has all claims and how many hold. Runs that
/// are in OUT already are not repeated. Returns the exit status.
Result<int> experiment_command(const ExperimentOptions& options);

}  // namespace heddle::cli
