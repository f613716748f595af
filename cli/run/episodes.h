#pragma once

#include "cli/run/run.h"

namespace heddle::cli {

/// `heddle simulate --episodes`: simulates the scenario again and again with the same program as
/// external policy, for programs that learn. Each line of standard input starts an episode. It is a
/// JSON object with `seed` and `scenario`, a file, which both can be missing. After each episode,
/// prints its summary in one line. Writes no files. Ends at the end of the input, and with the
/// process that started it, which may no longer reply.
Result<int> episodes_command(const RunOptions& options);

}  // namespace heddle::cli
