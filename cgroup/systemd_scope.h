#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/detect.h"

namespace heddle::cgroup {

/// Facts from which systemd_scope_command (home.h) decides.
struct ScopeFacts {
  Version version = Version::kV2;
  bool done = false;      ///< this process already runs in such a scope
  bool own_fits = false;  ///< our own group is writable and has no other process
  bool root = false;
  bool systemd = false;       ///< systemd is the system's manager, and systemd-run exists
  bool user_manager = false;  ///< the caller's user has their own manager (a session)
};

/// Returns the facts for this process, whose own groups are `own`.
ScopeFacts scope_facts(const Layout& own);

std::optional<std::vector<std::string>> scope_command(const ScopeFacts& facts,
                                                      const std::vector<std::string>& argv);
/// `group`: our own group.
std::optional<std::vector<std::string>> weight_command(const ScopeFacts& facts,
                                                       const std::string& group, CpuWeight weight);

}  // namespace heddle::cgroup
