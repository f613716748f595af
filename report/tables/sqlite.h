#pragma once

#include <string>

#include "report/history.h"

namespace heddle::report {

/// Writes the tables of a run (report/tables/sqlite_schema.h) as an SQLite file, from its history
/// and the samples of its directory. If the journal does not know a container, the container's
/// samples are left out. The tables are built in memory. The file is written next to its place, and
/// the complete file replaces an existing one. Errors name the file. After an error, no temporary
/// file is left.
Result<void> write_sqlite(const RunHistory& history, const std::string& dir,
                          const std::string& path);

}  // namespace heddle::report
