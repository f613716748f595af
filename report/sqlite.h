#pragma once

#include <string>

#include "report/history.h"

namespace heddle {

/// Writes the tables of a run (report/sqlite_schema.h) as an SQLite file, from its history and the
/// samples of its directory, of which those of containers that the journal doesn't know are left
/// out. The file is written as PATH.new beside its place and put there once it is whole; in its
/// place a file may be there. Errors name the file; nothing is left behind then.
Result<void> write_sqlite(const RunHistory& history, const std::string& dir,
                          const std::string& path);

}  // namespace heddle
