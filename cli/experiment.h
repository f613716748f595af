#pragma once

#include <string>
#include <vector>

#include "cli/batch.h"

namespace heddle {

struct ExperimentOptions {
  std::vector<std::string> files;
  std::string out = "results/experiments";
  std::optional<int> repeat;  ///< else as the files say
  bool real = false;          ///< also for real, where there is something to be
  RunOptions run;             ///< of each run; its scenario and out are not looked at
};

/// `heddle experiment`: for each file its comparison, simulated and, if asked, for real, in
/// OUT/<name>/{simulated,real}, and a table of what the paper says beside what came of it, on
/// standard output and in OUT/<name>/claims.md. What was done before is taken from there. The exit
/// status.
int experiment_command(const ExperimentOptions& options);

}  // namespace heddle
