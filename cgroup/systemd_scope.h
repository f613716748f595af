#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cgroup/detect.h"

namespace heddle::cgroup {

/// What systemd_scope_command (home.h) decides by.
struct ScopeFacts {
  Version version = Version::kV2;
  bool done = false;      ///< we were re-executed already
  bool own_fits = false;  ///< our own group is writable and ours alone
  bool root = false;
  bool systemd = false;       ///< it runs as the system's manager, and systemd-run is there
  bool user_manager = false;  ///< the caller has a manager of its own (a session)
};

/// Of this process, whose groups are given.
ScopeFacts scope_facts(const Layout& own);

std::optional<std::vector<std::string>> scope_command(const ScopeFacts& facts,
                                                      const std::vector<std::string>& argv);

}  // namespace heddle::cgroup
