#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/base/policy_link.h"
#include "common/result.h"

namespace heddle::cli {

// Commands that work on the results of runs. The command `heddle why` is implemented in why.cc, and
// the other commands likewise.

/// `heddle verify DIR…`: simulates the scenario of a real run that ended normally and compares the
/// prediction with the measurement (report/agreement/agreement.h). Several runs of one scenario
/// are also compared with each other (report/agreement/run_spread.h).
Result<int> verify_command(const std::vector<std::string>& dirs, bool json,
                           const PolicyOptions& options);

struct WhyOptions {
  std::string dir;
  std::string job;  ///< name of the job, or its index in the scenario
  bool later = false;
  bool json = false;
  bool wide = false;  ///< ignore the terminal's width
};

/// `heddle why RUN_DIR JOB`: prints what the job waited for, interval by interval.
Result<int> why_command(const WhyOptions& options);

}  // namespace heddle::cli
