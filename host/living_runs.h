#pragma once

#include <string>
#include <vector>

namespace heddle::host {

/// A real run of this user that is going on.
struct LivingRun {
  std::string run;   ///< id
  std::string path;  ///< path of its run directory
  std::string out;   ///< absolute path of its directory of results
};

/// Returns the runs with a live master in all `bases` (base_directories), sorted by id. Ignores
/// bases that other users own or can enter.
std::vector<LivingRun> living_runs(const std::vector<std::string>& bases);

}  // namespace heddle::host
