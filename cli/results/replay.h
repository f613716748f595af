#pragma once

#include <string>

namespace heddle::cli {

/// `heddle replay DIR`: feeds the journal of a result directory through a fresh engine; says that
/// the same came out, or shows the first step where something else did (status kExitJobFailed).
int replay_command(const std::string& dir);

}  // namespace heddle::cli
