#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/directory.h"
#include "common/result.h"
#include "report/catalog.h"

namespace heddle::cli {

/// Removes Heddle's own files and directories from a result. Follows no links. If `all` is true,
/// also removes everything else. If `dry_run` is true, removes nothing. Files that prove that the
/// directory is a result are removed last, so that an interrupted removal can be repeated. Returns
/// the paths of everything that Heddle did not make and that is kept.
Result<std::vector<std::string>> empty_result(const Directory& directory, report::ResultKind kind,
                                              bool all, bool dry_run);

/// A kind of directory in a result.
enum class ResultPart { kRun, kBatch, kExperiment, kLogs, kCsv, kBatsim };
/// Returns whether a directory in `logs` is the working directory of a command's attempt, which is
/// named JOB-PHASE-TASK-ATTEMPT. Everything in it belongs to the attempt. Pure.
bool is_attempt(std::string_view name);
/// Returns whether Heddle writes a file of this name into the directory. Pure.
bool is_own_file(ResultPart part, const std::string& name);

}  // namespace heddle::cli
