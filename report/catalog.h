#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/directory.h"
#include "wire/fields.h"

namespace heddle::report {

enum class ResultKind { kRun, kCompare, kSweep, kExperiment };
/// kRunning: a process is writing the result. kInterrupted: the run or batch was ended early, but
/// what it had done is there. kAborted: the run failed or was killed. kDamaged: a file of the
/// result cannot be read.
enum class ResultState { kRunning, kDone, kFailed, kAborted, kInterrupted, kDamaged };

/// Return the words "run", "compare", … and "running", "done", ….
std::string_view name_of(ResultKind kind);
std::string_view name_of(ResultState state);
/// Returns all words for states.
std::vector<std::string> result_states();

/// A directory with the result of one command. A result that is a part of another result, such as a
/// run of a comparison, has no entry of its own.
struct ResultEntry {
  std::string path;  ///< begins with the directory in which it was found
  ResultKind kind = ResultKind::kRun;
  ResultState state = ResultState::kDamaged;
  std::string scenario;               ///< name; "": unknown
  std::vector<std::string> policies;  ///< policy of a run, variants of a comparison, points of a
                                      ///< sweep; empty: unknown
  std::string mode;                   ///< "real", "simulated", "both" (an experiment); "": unknown
  std::int64_t written_s = 0;    ///< when the result was last written, in seconds since 1970 (UTC)
  std::optional<double> real_s;  ///< real seconds that the run took, or a batch's runs together
  std::optional<double> makespan_s;  ///< emulated seconds, of a run that has ended
  std::int64_t bytes = 0;            ///< disk space of all files

  friend bool operator==(const ResultEntry&, const ResultEntry&) = default;
};
wire::Json to_json(const ResultEntry& entry);

/// Results, the newest first, and those of the same second by path. `problems` has a sentence for
/// each directory that cannot be listed.
struct ResultList {
  std::vector<ResultEntry> entries;
  std::vector<std::string> problems;
};

/// Finds all results in `dirs` and below. Follows links only on the way to the directories
/// themselves, as Directory::open does. Reads the first and last part of a summary, or the first
/// line of a journal. A directory of `dirs` that does not exist is a problem. Looks at most 5
/// directories deep. If two directories contain the same result, the result has one entry.
ResultList list_results(const std::vector<std::string>& dirs);

/// Returns the entry of the result in this directory, or nullopt if the directory is no result.
std::optional<ResultEntry> result_in(const Directory& directory);

/// Returns whether files in the directory prove that Heddle wrote this result: a summary, the first
/// line of a journal, or the file of a comparison or sweep.
bool is_proven(const Directory& directory, ResultKind kind);

/// Returns the policy of a summary or a journal (the object `policy`) as `--policy` takes it. Pure.
std::string policy_label(const wire::Json& policy);

}  // namespace heddle::report
