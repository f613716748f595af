#pragma once

#include <string_view>

namespace heddle {

/// How a run ended, real or simulated; also the exit status that says so (common/exit_status.h).
/// kUnable: aborted before any task had started, as no machine could start one.
enum class RunStatus { kDone = 0, kFailed = 1, kUnable = 3, kAborted = 4, kInterrupted = 130 };

/// As journal and summary have it.
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
