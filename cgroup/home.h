#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cgroup/driver.h"

namespace heddle::cgroup {

/// A place below which our groups may live, and what was done to have it.
struct Home {
  Version version = Version::kV2;
  /// What workers of the same run are given as --cgroup: below each hierarchy's mount point on v1
  /// the path of `group`'s memory hierarchy is not cpu's, so this is an opaque text that open_home reads.
  std::string address;
  std::string how;   ///< a sentence for doctor and logs: "own group, ourselves moved to a leaf"
  std::unique_ptr<Driver> driver;
};

/// Finds a home, in this order: `wanted` (--cgroup PATH) if given; v1: below the caller's own group
/// of each hierarchy; v2: the own group if writable and ours alone (we move into a leaf of it, undone by leave_home);
/// the nearest ancestor that is writable, holds no process and has (or may enable) the controllers;
/// with systemd, nothing (the caller re-executes itself through systemd_scope_command first); root: a group below
/// the mount point. Error (kMachine): what was tried, why each failed, how to get one.
Result<Home> find_home(const std::optional<std::string>& wanted);

/// Opens a home that find_home of another process of this run found (Home::address).
Result<Home> open_home(const std::string& address);

/// Undoes what find_home did to the hierarchy (moves us back, disables controllers, removes the leaf). Best effort.
void leave_home(Home& home);

/// Command line to re-execute in a delegated scope of systemd (`systemd-run --scope …` before `argv`), or
/// nothing where that isn't needed (own group is fine, v1), was done already or there is no systemd running.
std::optional<std::vector<std::string>> systemd_scope_command(const std::vector<std::string>& argv);

}  // namespace heddle::cgroup
