#pragma once

#include <string>
#include <vector>

#include "cli/batch/batch.h"

namespace heddle::cli {

struct SweepOptions {
  BatchOptions batch;
  std::vector<std::string> over;    ///< each "key.path=a,b,c"; one key, or two keys for a grid
  std::vector<std::string> groups;  ///< as in CompareOptions
};

/// `heddle sweep`: runs the scenario once for each value of a key, or for each combination of the
/// values of two keys. Writes sweep.json and sweep.html, and prints a table. If the argument is the
/// directory of a sweep, only prints it again. Returns the exit status.
Result<int> sweep_command(const SweepOptions& options);

}  // namespace heddle::cli
