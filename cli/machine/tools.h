#pragma once

#include <string>
#include <vector>

#include "cli/machine/distribution.h"
#include "cli/machine/doctor.h"

namespace heddle::cli {

/// A program of another project that Heddle, or work on Heddle, uses.
struct Tool {
  std::string program;
  Commands remedy;   ///< what installs it
  std::string cost;  ///< effect if it is missing
};

/// Returns the programs that only developers of Heddle use.
const std::vector<Tool>& developer_tools();

/// Looks for the program in PATH and in directories for system programs.
Check check_tool(const Tool& tool, Distribution distribution);

}  // namespace heddle::cli
