#pragma once

#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::cli {

/// Something that Heddle requires or can use, and whether the machine has it.
struct Check {
  std::string name;
  bool required = false;
  bool ok = false;
  std::string found;   ///< what the machine has, or why it is missing
  std::string cost;    ///< effect if it is missing
  std::string remedy;  ///< how to get it
};

/// Examines this machine. Makes control groups for the examination and removes them again.
std::vector<Check> examine();
/// Also looks for the tools of developers of Heddle.
std::vector<Check> examine_for_developers();

/// Returns a table of all checks, then the cost and the remedy for each thing that is missing.
std::string format_checks(const std::vector<Check>& checks);
wire::Json checks_json(const std::vector<Check>& checks);

/// `heddle doctor`: returns 0, or 3 if something required is missing.
int doctor_command(bool json, bool developer);

}  // namespace heddle::cli
