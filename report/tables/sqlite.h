#pragma once

#include <string>

#include "report/history.h"

namespace heddle::report {

/// Writes the tables of a run (report/tables/sqlite_schema.h) as an SQLite file, from its history
/// and the samples of its directory. Samples of containers that the journal does not know are left
/// out. The tables are built in memory, and the file is written next to its place. The complete
/// file replaces an existing one. Errors name the file; after an error nothing is left behind.
Result<void> write_sqlite(const RunHistory& history, const std::string& dir,
                          const std::string& path);

}  // namespace heddle::report
