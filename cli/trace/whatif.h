#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/trace/import_files.h"
#include "common/result.h"
#include "report/comparison/format.h"

namespace heddle::cli {

/// Perturbed simulations of each variant. If a difference is only chance, all 16 of them have the
/// same sign in 1 of 32768 cases.
inline constexpr int kDefaultPerturbations = 16, kLeastPerturbations = 8, kMostPerturbations = 1000;

struct WhatifOptions {
  ImportWords log;  ///< the files of the log, and how they are imported
  /// Policies, of which the nearest to the log is taken. `conf` stands for that of slurm.conf. "":
  /// it, or easy without it.
  std::string rules;
  std::string policies;               ///< as for heddle compare
  std::vector<std::string> variants;  ///< as for heddle compare
  std::vector<std::string> over;      ///< as for heddle sweep
  std::vector<std::string> set;       ///< changes to the imported scenario, for all simulations
  std::optional<int> repeat;          ///< simulations of each variant; see BatchOptions
  /// Simulations of each variant with perturbed times, whose means count; 0: none.
  int perturb = kDefaultPerturbations;
  std::string out;    ///< directory of results; "": results/<log>-whatif-<time>
  std::string price;  ///< "": no costs
  report::BatchFormatFlags format;
  bool wide = false, open = false, quiet = false;
};

/// `heddle whatif`: imports a cluster's log, simulates it with the rules that fit it best, and says
/// how far the simulated waits are from those of the log. Then simulates the variants and says who
/// wins and who loses. Writes the results of a comparison, whatif.json and log.csv. Returns the
/// exit status.
Result<int> whatif_command(const WhatifOptions& options);

}  // namespace heddle::cli
