#pragma once

#include "cli/batch/batch.h"

namespace heddle::cli {

/// Does what the command line wants of a batch: runs it here, writes only its plan (--plan), or
/// runs its cells on an engine (--on). Returns the exit status.
Result<int> carry_out(const BatchOptions& options);

}  // namespace heddle::cli
