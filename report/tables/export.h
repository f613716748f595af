#pragma once

#include <string>

#include "common/result.h"

namespace heddle::report {

// Exports for other programs. They are made only from the tables of a run (report/tables/sqlite.h).
// A file is first written completely next to its place and then moved there. It replaces an
// existing file. Errors name the file.

/// Writes each table as DIR/<table>.csv. DIR must exist. The format is RFC 4180, but lines end with
/// \n. The first line names the columns. An empty field stands for NULL, and "" for an empty text.
Result<void> export_csv(const std::string& sqlite, const std::string& dir);

/// Writes Batsim's jobs.csv. The file has a line for each job that is over. The resources in the
/// file are the nodes.
Result<void> export_batsim(const std::string& sqlite, const std::string& path);

/// Writes the Standard Workload Format 2.2: a line for each job, sorted by submission.
Result<void> export_swf(const std::string& sqlite, const std::string& path);

}  // namespace heddle::report
