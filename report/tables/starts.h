#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::report {

/// Writes starts.csv, straight from the journal of the scenario's run: for each job its submission,
/// the start of its first task and its end in emulated seconds, and the most cores that its tasks
/// held at once. A job that has not started or ended has an empty field. Replaces an existing file,
/// as report/whole_file.h says. Errors name the file, and the line of the journal.
Result<void> write_starts(const Scenario& scenario, const std::string& journal,
                          const std::string& path);

}  // namespace heddle::report
