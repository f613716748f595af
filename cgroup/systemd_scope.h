#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/detect.h"

namespace heddle::cgroup {

/// Facts by which systemd_scope_command (home.h) decides.
struct ScopeFacts {
  Version version = Version::kV2;
  bool done = false;      ///< we were re-executed already
  bool own_fits = false;  ///< our own group is writable and ours alone
  bool root = false;
  bool systemd = false;       ///< systemd is the system's manager, and systemd-run exists
  bool user_manager = false;  ///< the caller's user has their own manager (a session)
};

/// Returns the facts for this process, whose own groups are `own`.
ScopeFacts scope_facts(const Layout& own);

std::optional<std::vector<std::string>> scope_command(const ScopeFacts& facts,
                                                      const std::vector<std::string>& argv);

}  // namespace heddle::cgroup
