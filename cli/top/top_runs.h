#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// A run whose progress can be watched.
struct RunToWatch {
  std::string run;       ///< "" where only an address is known
  std::string out;       ///< directory of its results, a plain path; "" likewise
  std::string endpoint;  ///< of its master's progress
};

/// An absolute path as it would be written shortest, however it was given.
std::string plain_path(const std::string& path);

/// Runs of this user whose master lives, of all `bases` (base_directories), by id.
std::vector<RunToWatch> living_runs(const std::vector<std::string>& bases);

/// Which one is meant: `address` is a run's id, its results' directory (`path`: the same, absolute
/// and plain), an endpoint (ipc://…, tcp://…), or "": the only one there is. Errors (kUsage) list
/// the runs.
Result<RunToWatch> choose_run(const std::vector<RunToWatch>& runs, const std::string& address,
                              const std::string& path);

}  // namespace heddle::cli
