#pragma once

#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::cli {

/// One thing that Heddle needs or can use, and what was found of it.
struct Check {
  std::string name;
  bool required = false;
  bool ok = false;
  std::string found;   ///< what is there, or why it isn't
  std::string cost;    ///< what goes without it
  std::string remedy;  ///< how to get it
};

/// Looks at this machine. Control groups made for it are removed again.
std::vector<Check> examine();

/// A table of all, then cost and remedy of what is missing.
std::string format_checks(const std::vector<Check>& checks);
wire::Json checks_json(const std::vector<Check>& checks);

/// `heddle doctor`: 0, or 3 if something required is missing.
int doctor_command(bool json);

}  // namespace heddle::cli
