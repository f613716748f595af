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

// Functions of a stand-alone worker, which nobody started for a run. `heddle run` does the same for
// the workers that it starts.

/// A worker's own place on its host: a directory like a run's, and a home for control groups. The
/// directory lets `heddle clean` and the next worker find what is left if this one is killed.
class OwnPlace {
 public:
  /// Makes the place. First removes what dead runs left here, and logs that. `cgroup`: as for
  /// find_home.
  static Result<OwnPlace> make(const std::optional<std::string>& cgroup);
  OwnPlace(OwnPlace&&) = default;
  ~OwnPlace();

  cgroup::Driver& driver() { return *home_.driver; }
  /// Records which node's groups will be below the home. Makes the node's scratch directory in
  /// `below`, or in the place itself if `below` is empty, and returns its path.
  Result<std::string> settle(const std::string& run, const std::string& node,
                             const std::string& below);

 private:
  OwnPlace(host::RunDirectory dir, cgroup::Home home);

  std::unique_ptr<host::RunDirectory> dir_;
  cgroup::Home home_;
  std::optional<ScratchDir> scratch_;
};

/// Returns the host's name and what this process may use of it. `name`: the name to use; "": the
/// host's own. Error (kUsage): the name is not valid.
Result<wire::HostFacts> host_facts(const std::string& name);

/// Executes this command in a scope that systemd delegates to us, if that is necessary to have
/// control groups.
Result<void> enter_scope(const std::vector<std::string>& command);

/// Starts this command `count` times, with `--cgroup` and without `--count`, and waits until all
/// have ended. Passes on signals that end the command. All workers share one home: if a host gives
/// its processes one control group, the second worker to look for a home would find the first in
/// it. Returns the worst exit status.
Result<int> start_workers(const std::vector<std::string>& command, int count,
                          const std::optional<std::string>& cgroup);

}  // namespace heddle::worker
