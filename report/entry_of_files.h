#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/directory.h"
#include "report/result_entry.h"

namespace heddle::report {

/// Returns whether a process is writing the result in a directory.
using IsLiving = std::function<bool(const Directory&)>;

/// Returns the entry of a result from its other files, without its manifest, or nullopt if the
/// directory is no result. The path and the disk space are not set. Reads the first and last part
/// of a summary, or the first line of a journal. The manifest is made from this entry, and results
/// of versions without manifests have no other.
std::optional<ResultEntry> entry_of_files(const Directory& directory, const IsLiving& lives);

/// Returns whether these files prove that Heddle wrote this result: a summary, the first line of a
/// journal, or the file of a comparison or sweep.
bool files_prove(const Directory& directory, ResultKind kind);

}  // namespace heddle::report
