#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/home.h"
#include "host/run_directory.h"
#include "wire/messages.h"
#include "worker/data/scratch_dir.h"

namespace heddle::worker {

// What a worker does for itself that nobody started for a run: what `heddle run` does for those
// that it starts.

/// A worker's own place on its host: a directory as runs have one, so that `heddle clean` and the
/// next worker find what is left should this one be killed, and a home for control groups.
class OwnPlace {
 public:
  /// Removes what dead runs left here, and says so in the log. `cgroup`: as find_home takes it.
  static Result<OwnPlace> make(const std::optional<std::string>& cgroup);
  OwnPlace(OwnPlace&&) = default;
  ~OwnPlace();

  cgroup::Driver& driver() { return *home_.driver; }
  /// Notes which node's groups will be below the home, and makes its scratch directory, in `below`
  /// or, if that is empty, in the place itself.
  Result<std::string> settle(const std::string& run, const std::string& node,
                             const std::string& below);

 private:
  OwnPlace(host::RunDirectory dir, cgroup::Home home);

  std::unique_ptr<host::RunDirectory> dir_;
  cgroup::Home home_;
  std::optional<ScratchDir> scratch_;
};

/// What this process may use here. `name`: the host's, "": its own. Error (kUsage): that is no
/// name.
Result<wire::HostFacts> host_facts(const std::string& name);

/// Executes this command in a scope that systemd delegates to us, where that is what it takes to
/// have control groups.
Result<void> enter_scope(const std::vector<std::string>& command);

/// Starts this command `count` times, with `--cgroup` and without `--count`, and waits until all
/// have ended; signals to end are passed on. One home serves them all: where a host gives its
/// processes one control group, the second to look for a home would find the first in it. Returns
/// the worst exit status.
Result<int> start_workers(const std::vector<std::string>& command, int count,
                          const std::optional<std::string>& cgroup);

}  // namespace heddle::worker
