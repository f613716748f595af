#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/driver.h"

namespace heddle {

/// What sweeping up after dead runs did; sentences.
struct Swept {
  std::vector<std::string> removed;
  std::vector<std::string> failed;
  int live = 0;  ///< runs that are alive and were left alone
};

/// Removes what dead runs left: of each run directory in `bases` (base_directories) whose lock is
/// free, its processes if any is left, its groups, and the directory. Runs whose lock is held are
/// not touched.
Swept sweep_dead_runs(const std::vector<std::string>& bases);

/// Removes groups heddle-* of the driver's home that no run directory in `bases` and no living
/// process of Heddle's knows.
void sweep_stray_groups(cgroup::Driver& driver, const std::vector<std::string>& bases,
                        Swept& swept);

/// The run that a control process with this command line (arguments ended by NUL each) belongs to.
std::optional<std::string> run_in_command_line(std::string_view command_line);

}  // namespace heddle
