#pragma once

#include <string_view>

namespace heddle {

/// The result of a real or simulated run. Its value is also the exit status (common/exit_status.h).
/// kUnable: the run was aborted before any task had started, because no machine could start a task.
enum class RunStatus { kDone = 0, kFailed = 1, kUnable = 3, kAborted = 4, kInterrupted = 130 };

/// Returns the word for the status in the journal and the summary.
constexpr std::string_view name_of(RunStatus status) {
  switch (status) {
    case RunStatus::kDone:
      return "done";
    case RunStatus::kFailed:
      return "failed";
    case RunStatus::kUnable:
    case RunStatus::kAborted:
      return "aborted";
    case RunStatus::kInterrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace heddle
