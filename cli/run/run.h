#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/base/policy_link.h"
#include "wire/fields.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {

struct RunOptions {
  std::string scenario;
  Overrides overrides;
  std::vector<std::string> with;  ///< --with (cli/base/with_option.h); `overrides` has them, too
  std::string out;                ///< "": default_out
  std::string journal = "full";   ///< "full", "decisions"; for a simulation also "none"
  /// With "write", the journal survives the death of every process. With "fsync", it also survives
  /// a power failure.
  std::string durability = "write";
  std::optional<std::string> cgroup;
  bool allow_commands = false;  ///< run programs that the scenario names
  std::optional<std::string> task_user;
  bool allow_root_commands = false;
  bool allow_exec = false;  ///< see PolicyOptions
  std::optional<std::vector<std::string>> policy_arguments = {};
  /// Run these programs even if this machine cannot run them in namespaces.
  bool allow_unisolated_commands = false;
  bool resume = false;       ///< resume the run whose results are in `out`
  bool dry_run = false;      ///< print the forecast instead of running
  bool no_forecast = false;  ///< make no forecast of the run
  std::string price;         ///< --price (report/price.h); "": no costs
  bool json = false;
  bool quiet = false;
  /// When to make the files that can be made again: "now", "later"; "": later for large
  /// simulations.
  std::string derived;
  bool open = false;  ///< open the report page in a browser
  std::string bind;   ///< tcp://…: workers on other hosts connect here; "": this command
                      ///< starts the workers
  std::string keys;   ///< key directory for `bind`; "": the default one
  std::optional<int> patience;  ///< seconds to wait for the next worker
  /// The original command line. Heddle executes it again if it needs a scope of systemd.
  std::vector<std::string> command_line;

  PolicyOptions policy() const {
    return {scenario,  overrides.policy.has_value(), allow_exec, policy_arguments,
            task_user, allow_root_commands};
  }
};

/// Writes and prints the results of a run that ended with `status`, even if the run did not reach
/// its end. Returns the exit status. If the run ended normally but there is no summary or this
/// function fails, the exit status is that of the failure.
int write_results(const RunOptions& options, const Scenario& scenario, const std::string& out,
                  int status, Result<wire::Json> summary);

/// `heddle resume DIR`, where DIR is the scenario of `options`: resumes the run whose results are
/// in DIR, in the same directory. Returns the exit status.
Result<int> resume_command(const RunOptions& options);

/// `heddle run`: checks the scenario, finds a place for control groups, starts master and workers,
/// shows progress, writes and prints results, and cleans up. With `dry_run`, only prints what a
/// simulation says about the run. Returns the exit status.
Result<int> run_command(const RunOptions& options);

/// `heddle simulate`: runs the scenario in virtual time. Writes the same files and returns the same
/// exit statuses as a real run. No process is started, and the scenario does not have to fit this
/// machine.
Result<int> simulate_command(const RunOptions& options);

}  // namespace heddle::cli
