#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// A run whose progress can be watched.
struct RunToWatch {
  std::string run;       ///< "" if only an address is known
  std::string out;       ///< plain path of the result directory; "" if only an address is known
  std::string endpoint;  ///< endpoint of the master's progress
};

/// Returns the shortest absolute form of a path.
std::string plain_path(const std::string& path);

/// Returns this user's runs with a live master in all `bases` (base_directories), sorted by id.
std::vector<RunToWatch> living_runs(const std::vector<std::string>& bases);

/// Returns the run that `address` identifies. The address is the id of a run, the directory of its
/// results, an endpoint (ipc://…, tcp://…), or "" if there is only one run. `path` is the address
/// as an absolute plain path. Errors (kUsage) list the runs.
Result<RunToWatch> choose_run(const std::vector<RunToWatch>& runs, const std::string& address,
                              const std::string& path);

}  // namespace heddle::cli
