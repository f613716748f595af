#pragma once

#include <string>

#include "report/history.h"

namespace heddle::report {

/// Writes the tables of a run (report/tables/sqlite_schema.h) as an SQLite file, from its history
/// and the samples of its directory, of which those of containers that the journal doesn't know are
/// left out. The tables are made in memory; the file is written beside its place and put there once
/// it is whole, where a file may be already. Errors name the file; nothing is left behind then.
Result<void> write_sqlite(const RunHistory& history, const std::string& dir,
                          const std::string& path);

}  // namespace heddle::report
