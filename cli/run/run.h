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
  std::string durability = "write";  ///< or "fsync": what the journal survives
  std::optional<std::string> cgroup;
  bool allow_commands = false;  ///< run programs that the scenario names
  std::optional<std::string> task_user;
  bool allow_root_commands = false;
  bool allow_unisolated_commands = false;  ///< without namespaces, where there are none to be had
  bool resume = false;                     ///< the run whose results are in `out`
  bool json = false;
  bool quiet = false;
  bool no_derived = false;  ///< make no files that can be made again
  std::string bind;         ///< tcp://…: workers are started elsewhere and come here; "": ours
  std::string keys;         ///< key directory for that; "": the default one
  std::optional<int> patience;  ///< seconds to wait for the next of them
  /// The command line as it was given, should it have to be executed again in a scope of systemd.
  std::vector<std::string> command_line;
};

/// What of a resolved scenario can't be run for real, or not without being allowed. Error: kUsage.
Result<void> check_runnable(const RunOptions& options, const Scenario& scenario);

/// Writes and prints the results of a run that ended with `status`, as far as it came, and of
/// `more` records that its journal does not have. The exit status: a failure here makes a good end
/// an aborted one.
int write_results(const RunOptions& options, const Scenario& scenario, const std::string& out,
                  int status, std::span<const wire::Json> more = {});

/// `heddle resume DIR`, DIR being the scenario of `options`: goes on with the run whose results are
/// there, in the same directory. The exit status.
Result<int> resume_command(const RunOptions& options);

/// `heddle run`: checks the scenario, finds a place for control groups, starts master and workers,
/// shows progress, writes and prints results, and cleans up. The exit status.
Result<int> run_command(const RunOptions& options);

/// `heddle simulate`: the scenario in virtual time, into the same files as a run writes and with
/// the same exit status. Nothing is started, and nothing need fit this machine.
Result<int> simulate_command(const RunOptions& options);

}  // namespace heddle::cli
