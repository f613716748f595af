#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"
#include "report/catalog.h"

namespace heddle::cli {

/// Locks the runs and comparisons in a comparison, sweep or experiment. Error (kUsage): a process
/// is writing one of them.
Result<std::vector<Fd>> lock_parts(const Directory& directory, report::ResultKind kind);

/// Removes Heddle's own files and directories from a result. Follows no links, and keeps what is
/// mounted in the result. If `all` is true, also removes everything else. If `dry_run` is true,
/// removes nothing. Files that prove that a directory is a result are removed last, and only if
/// nothing else is left in the directory. Therefore, an interrupted or incomplete removal can be
/// repeated. Returns a message for each file and directory that is kept for another reason.
Result<std::vector<std::string>> empty_result(const Directory& directory, report::ResultKind kind,
                                              bool all, bool dry_run);

/// A kind of directory in a result.
enum class ResultPart {
  kRun,
  kBatch,
  kExperiment,
  kLogs,
  kCsv,
  kBatsim,
  kPolicy,
  kCells,
  kScratch
};
/// Returns whether a directory in `logs` is the working directory of a command's attempt, which is
/// named JOB-PHASE-TASK-ATTEMPT. Everything in it belongs to the attempt. `phases` has JOB-PHASE of
/// each phase that runs commands. Pure.
bool is_attempt(std::string_view name, const std::set<std::string, std::less<>>& phases);
/// Returns whether Heddle writes a file of this name into the directory. Pure.
bool is_own_file(ResultPart part, const std::string& name);

}  // namespace heddle::cli
