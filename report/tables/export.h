#pragma once

#include <string>

#include "common/result.h"

namespace heddle::report {

// Exports for other programs, made only from a run's tables (report/tables/sqlite.h). Complete
// files are moved to their places and replace existing files. Errors name the file.

/// Writes each table as DIR/<table>.csv; DIR must exist. The format is RFC 4180, but lines end with
/// \n. The first line names the columns. An empty field is NULL, and "" is an empty text.
Result<void> export_csv(const std::string& sqlite, const std::string& dir);

/// Writes Batsim's jobs.csv: a line for each job that is over, with nodes as resources.
Result<void> export_batsim(const std::string& sqlite, const std::string& path);

/// Writes the Standard Workload Format 2.2: a line for each job, by submission.
Result<void> export_swf(const std::string& sqlite, const std::string& path);

}  // namespace heddle::report
