#pragma once

#include <string>
#include <string_view>

#include "common/result.h"

namespace heddle::cli {

struct DemoOptions {
  bool simulate = false;  ///< simulate even if this machine can run the demo for real
  bool no_open = false;   ///< do not open the page in a browser
  bool quiet = false;
  std::string out;  ///< "": results/demo-<time>
};

/// Returns the text of scenarios/lessons/drf-example.yaml, which is part of the program.
std::string_view demo_scenario();

/// `heddle demo`: compares fifo, fair and drf on the scenario of the first lesson, says what to
/// look at and opens the page. Simulates if this machine cannot run the scenario for real. Returns
/// the exit status of the comparison.
Result<int> demo_command(const DemoOptions& options);

}  // namespace heddle::cli
