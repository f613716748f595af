#pragma once

#include <string>

#include "core/scenario/reader.h"

namespace heddle {

// Commands that only look something up and print it.

/// `heddle validate SCENARIO`: reads it with the changes that options ask for, resolves it on this
/// machine and prints what it comes to.
int validate_command(const std::string& path, const Overrides& overrides);
/// `heddle policies [NAME]`; "": all.
int policies_command(const std::string& name);
/// `heddle workloads [NAME]`; "": all.
int workloads_command(const std::string& name);

}  // namespace heddle
