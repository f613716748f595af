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

// Functions of a stand-alone worker, which a user starts without `heddle run`. For the workers that
// it starts, `heddle run` itself does these things.

/// A stand-alone worker's place on its host: a directory like a run's directory, and a home for
/// control groups. If the worker is killed, `heddle clean` or the next worker finds in the
/// directory what to remove.
class OwnPlace {
 public:
  /// Makes the directory and the home. First removes what dead runs left on this host, and logs
  /// what it has removed. `cgroup` is as `wanted` for find_home.
  static Result<OwnPlace> make(const std::optional<std::string>& cgroup);
  OwnPlace(OwnPlace&&) = default;
  ~OwnPlace();

  cgroup::Driver& driver() { return *home_.driver; }
  /// Records the run and the node whose groups will be below the home. Makes the node's scratch
  /// directory in `below`, and returns its path. If `below` is empty, makes the scratch directory
  /// in the worker's directory.
  Result<std::string> settle(const std::string& run, const std::string& node,
                             const std::string& below);

 private:
  OwnPlace(host::RunDirectory dir, cgroup::Home home);

  std::unique_ptr<host::RunDirectory> dir_;
  cgroup::Home home_;
  std::optional<ScratchDir> scratch_;
};

/// Returns the name of this host and the resources that this process can use. If `name` is "", uses
/// the host's own name, otherwise `name`. Error (kUsage): the name is not valid.
Result<wire::HostFacts> host_facts(const std::string& name);

/// Executes the command in a scope of systemd (systemd_scope_command) and does not return. Does
/// nothing if no scope is needed or possible.
Result<void> enter_scope(const std::vector<std::string>& command);

/// Starts `command` `count` times, with `--cgroup` and without `--count`, and waits until all these
/// workers have ended. If this process gets a signal that ends it, passes the signal on to the
/// workers. All workers share one home. If each worker looked for a home, the second worker could
/// find the first worker in the control group that both are in. Returns the worst exit status.
Result<int> start_workers(const std::vector<std::string>& command, int count,
                          const std::optional<std::string>& cgroup);

}  // namespace heddle::worker
