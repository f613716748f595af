#pragma once

#include <optional>
#include <span>
#include <string>

#include "wire/fields.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {

struct RunOptions {
  std::string scenario;
  Overrides overrides;
  std::string out;  ///< "": default_out
  std::string journal = "full";
  std::string durability = "write";  ///< "write" or "fsync": what the journal survives
  std::optional<std::string> cgroup;
  bool allow_commands = false;  ///< run programs that the scenario names
  std::optional<std::string> task_user;
  bool allow_root_commands = false;
  bool allow_unisolated_commands = false;  ///< if this machine cannot give them namespaces
  bool resume = false;                     ///< resume the run whose results are in `out`
  bool json = false;
  bool quiet = false;
  bool no_derived = false;  ///< do not make files that can be made again
  std::string bind;         ///< tcp://…: workers on other hosts connect here; "": this command
                            ///< starts the workers
  std::string keys;         ///< key directory for `bind`; "": the default one
  std::optional<int> patience;  ///< seconds to wait for the next worker
  /// The original command line, in case it has to be executed again in a scope of systemd.
  std::vector<std::string> command_line;
};

/// Checks that a resolved scenario can be run for real with these options. Error: kUsage.
Result<void> check_runnable(const RunOptions& options, const Scenario& scenario);

/// Writes and prints the results of a run that ended with `status`, as far as it got. `more` are
/// records that its journal does not have. Returns the exit status: that of a failure
/// here replaces that of a normal end.
int write_results(const RunOptions& options, const Scenario& scenario, const std::string& out,
                  int status, std::span<const wire::Json> more = {});

/// `heddle resume DIR`, where DIR is the scenario of `options`: resumes the run whose results are
/// in DIR, in the same directory. Returns the exit status.
Result<int> resume_command(const RunOptions& options);

/// `heddle run`: checks the scenario, finds a place for control groups, starts master and workers,
/// shows progress, writes and prints results, and cleans up. Returns the exit status.
Result<int> run_command(const RunOptions& options);

/// `heddle simulate`: runs the scenario in virtual time and writes the same files as a real run.
/// Returns the same exit statuses. No process is started, and nothing has to fit this machine.
Result<int> simulate_command(const RunOptions& options);

}  // namespace heddle::cli
