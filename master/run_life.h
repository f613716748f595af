#pragma once

#include <optional>
#include <string>

#include "common/run_status.h"

namespace heddle::master {

/// States of a real run (master/live_run.h).
enum class Life { kRegistering, kReturning, kRunning, kLeaving, kOver };

/// The state of a real run, and how the run ends.
struct RunLife {
  Life state = Life::kRegistering;
  std::optional<RunStatus> status;  ///< how the run ends; set when the run starts to leave
  std::string reason;               ///< why the run ends; set together with `status`

  bool is(Life other) const { return state == other; }
};

}  // namespace heddle::master
