#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

enum class ResultKind { kRun, kCompare, kSweep, kExperiment };
/// kRunning: a process is writing the result. kInterrupted: the run or batch was ended early, but
/// what it had done is there. kAborted: the run failed or was killed. kDamaged: a file of the
/// result cannot be read.
enum class ResultState { kRunning, kDone, kFailed, kAborted, kInterrupted, kDamaged };

inline constexpr std::string_view kResultKinds[] = {"run", "compare", "sweep", "experiment"};
inline constexpr std::string_view kResultStates[] = {"running", "done",        "failed",
                                                     "aborted", "interrupted", "damaged"};
inline std::string_view name_of(ResultKind kind) {
  return kResultKinds[static_cast<std::size_t>(kind)];
}
inline std::string_view name_of(ResultState state) {
  return kResultStates[static_cast<std::size_t>(state)];
}

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
  /// The word of a run's disturbance; that of its most disturbed run for a comparison; "": unknown.
  std::string disturbance;
  std::int64_t bytes = 0;  ///< disk space of all files
  /// The files are there and as long as the result's manifest says, and small files have its
  /// contents (report/manifest.h). False for results of versions without manifests, and of commands
  /// that were killed.
  bool verified = false;

  friend bool operator==(const ResultEntry&, const ResultEntry&) = default;
};
wire::Json to_json(const ResultEntry& entry);

/// Reads what to_json() has written, without path, disk space and `verified`. Throws
/// wire::BadField.
ResultEntry entry_from(const wire::Json& json);

}  // namespace heddle::report
