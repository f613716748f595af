#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/policy_spec.h"

namespace heddle::cli {

// The directory `policy` of a run's results: what decided, so that a run can be made again. It has
// the program of an external policy, the modules beside it that the program imported, and
// program.json.

/// Files of a program by their paths below its directory, with their SHA-256 in hex.
using PolicyFiles = std::map<std::string, std::string>;

/// Writes the directory into the results `out`. `record`: the file that the program has written
/// about itself (HEDDLE_POLICY_RECORD), or "" if it has written none. `reader`: the user of the
/// program if that is another user than this process's; no file is copied that this user can't
/// read. Returns warnings about files that are not copied, or that have changed since they were
/// imported.
std::vector<std::string> write_policy_files(const std::string& out, const PolicySpec& policy,
                                            const std::string& record, std::optional<uid_t> reader);

/// Returns the files of a run's policy as program.json lists them. Returns none if the results have
/// no such file.
PolicyFiles policy_files(const std::string& run);

/// Returns the first file of the program that now has another text, or is gone. Returns nullopt if
/// all are the same.
std::optional<std::string> changed_file(const ExternalSpec& external, const PolicyFiles& files);

}  // namespace heddle::cli
