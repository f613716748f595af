#pragma once

#include <string>

#include "common/result.h"

namespace heddle::report {

// What other programs read, made of a run's tables (report/tables/sqlite.h) and of nothing else.
// Files are put in their places once they are whole, also where some are already. Errors name the
// file.

/// Each table as DIR/<table>.csv, the directory being there: RFC 4180 but for its line ends, which
/// are \n; the first line names the columns; nothing between two commas is NULL, "" an empty text.
Result<void> export_csv(const std::string& sqlite, const std::string& dir);

/// Batsim's jobs.csv: a line a job that is over, nodes as resources.
Result<void> export_batsim(const std::string& sqlite, const std::string& path);

/// The Standard Workload Format 2.2: a line a job, by submission.
Result<void> export_swf(const std::string& sqlite, const std::string& path);

}  // namespace heddle::report
