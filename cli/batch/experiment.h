#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"
#include "cli/batch/plan/plan_set.h"

namespace heddle::cli {

struct ExperimentOptions {
  std::vector<std::string> files;
  std::string out = "results/experiments";
  std::optional<int> repeat;  ///< number of runs; nullopt: the number in each file
  bool real = false;          ///< also make the real runs of the files
  bool dry_run = false;       ///< only print how many real runs are left and how long they take
  Keep keep = Keep::kDefault;
  std::string price;         ///< as in BatchPlan
  std::size_t jobs = 0;      ///< as in BatchOptions
  int rerun_affected = 0;    ///< as in BatchOptions
  std::string plan_dir, on;  ///< as in BatchOptions
  RunOptions run;            ///< options of each run; its `scenario` and `out` are ignored
};

/// `heddle experiment`: makes the comparison of each file in each setting, simulated and, if `real`
/// is set, also real. The results go to OUT/<name>/{simulated,real}[-<setting>]. Prints the claims
/// with their verdicts and writes them to OUT/<name>/claims.md. OUT/claims.md has all claims and
/// how many of them hold. Runs that OUT already contains are not repeated. Returns the exit status.
Result<int> experiment_command(const ExperimentOptions& options);

/// Prints the claims of planned experiments with their verdicts, from the comparisons in `dir`.
/// Writes them as experiment_command() does.
Result<void> write_claims(const std::string& dir, const ExperimentPlan& plan);

}  // namespace heddle::cli
