#pragma once

#include <string>

namespace heddle::cli {

struct WhyOptions {
  std::string dir;
  std::string job;  ///< its name, or its index in the scenario
  bool later = false;
  bool json = false;
};

/// `heddle why RUN_DIR JOB`: what the job waited for, interval by interval.
int why_command(const WhyOptions& options);

}  // namespace heddle::cli
