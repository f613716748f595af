#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/driver.h"
#include "common/fd.h"
#include "core/scenario/scenario.h"
#include "external/description.h"
#include "external/link/link.h"
#include "external/link/program.h"
#include "host/run_directory.h"

namespace heddle::cli {

/// The options of the command line about the programs of external policies.
struct PolicyOptions {
  std::string scenario;     ///< for messages
  bool named = false;       ///< --policy names the program
  bool allow_exec = false;  ///< --allow-exec: start the program that the scenario names
  std::optional<std::vector<std::string>> arguments = {};  ///< --policy-arg
  std::optional<std::string> task_user = {};
  bool allow_root_commands = false;
};

/// Completes the external policy of a resolved scenario: adds the arguments that the command line
/// gives, makes the program's path absolute, and sets its hash. Warns if the hash has changed. Does
/// nothing if Heddle decides. Errors: the program can't be read; kUsage: a scenario names it, and
/// the command line does not allow to start it.
Result<void> settle_policy(const PolicyOptions& options, Scenario& scenario);

/// Returns what the program of an external policy says about itself. Starts the program for that if
/// Heddle starts it. REQUIRES: settle_policy() was called. Error (kUsage): the policy is of another
/// kind, or its protocol has no descriptions.
Result<external::Description> describe_policy(const PolicyOptions& options,
                                              const Scenario& scenario);
/// Checks the options of the policy's program, such as arg.ageing, before a run begins. Does
/// nothing if there are none. Errors as for describe_policy() and check_own_options().
Result<void> check_own_options(const PolicyOptions& options, const Scenario& scenario);

/// The run to which the program of an external policy belongs.
struct PolicyRun {
  const host::RunDirectory* dir = nullptr;  ///< nullptr: the program gets a directory of its own
  cgroup::Driver* driver = nullptr;         ///< nullptr: the program is in no control group
};

/// Returns the control group of the program in the group of its run. No node has this name.
std::string policy_group(const std::string& run);

/// The program of an external policy, and the connection to it.
class PolicyLink {
 public:
  /// Starts the program if the scenario names one. Records it first, so that `heddle clean` finds
  /// what is left of it if this process is killed. Checks the options of the program. REQUIRES:
  /// settle_policy() was called, the scenario has an external policy, and the run is recorded if it
  /// has control groups.
  static Result<std::unique_ptr<PolicyLink>> start(const PolicyOptions& options,
                                                   const Scenario& scenario,
                                                   const PolicyRun& run = {});
  ~PolicyLink();

  const std::string& endpoint() const { return endpoint_; }
  /// Returns the process id of the program; nullopt if Heddle did not start it.
  std::optional<pid_t> pid() const;
  /// Passes a request to the program and returns its reply. Errors (kAborted): there is no reply in
  /// time, the program has ended, or the user has interrupted the run.
  Result<std::string> ask(const std::string& request);
  /// Makes ask() end with an error, from now on, when `parent`, which started this process, has
  /// ended.
  void end_with(pid_t parent) { parent_ = parent; }
  /// Asks the program for its description.
  Result<external::Description> describe();
  /// Tells the program that the run is over, and gives it a short time to reply.
  void farewell(const std::string& text);
  /// Returns how the program ended, with its last words. Returns nullopt if it has not ended by
  /// itself.
  std::optional<Error> ended();
  /// Ends the program. Writes what decided to the results `out` (cli/base/policy_files.h), and the
  /// program's output to logs/policy.log there if it has written any. Writes nothing if `out` is
  /// "". Returns the CPU time that it used; nullopt if Heddle did not start it.
  std::optional<double> end(const std::string& out);

 private:
  PolicyLink() = default;
  Result<void> start_program(const ExternalSpec& spec, const std::optional<host::TaskUser>& user,
                             const PolicyRun& run);
  /// Kills what the program leaves in its control group, and forgets its records. The run removes
  /// the group with its other groups.
  void leave();

  std::optional<host::RunDirectory> own_dir_;  ///< removed when the program has ended
  cgroup::Driver* driver_ = nullptr;
  std::string group_;
  std::vector<Fd> held_;  ///< the locks on the group
  std::optional<external::Program> program_;
  PolicySpec policy_;
  std::optional<uid_t> reader_;  ///< user of the program, if that is another user
  std::string endpoint_;
  std::unique_ptr<external::Link> link_;
  std::chrono::nanoseconds limit_{};
  std::optional<pid_t> parent_;  ///< of end_with()
};

}  // namespace heddle::cli
