#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "external/link/link.h"
#include "external/link/program.h"

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

/// The program of an external policy, and the connection to it.
class PolicyLink {
 public:
  /// Starts the program if the scenario names one. REQUIRES: settle_policy() was called, and the
  /// scenario has an external policy.
  static Result<std::unique_ptr<PolicyLink>> start(const PolicyOptions& options,
                                                   const Scenario& scenario);

  const std::string& endpoint() const { return endpoint_; }
  /// Returns the process id of the program; nullopt if Heddle did not start it.
  std::optional<pid_t> pid() const;
  /// Passes a request to the program and returns its reply. Errors (kAborted): there is no reply in
  /// time, the program has ended, or the user has interrupted the run.
  Result<std::string> ask(const std::string& request);
  /// Tells the program that the run is over, and gives it a short time to reply.
  void farewell(const std::string& text);
  /// Returns how the program ended, with its last words. Returns nullopt if it has not ended by
  /// itself.
  std::optional<Error> ended() { return program_ ? program_->ended() : std::nullopt; }
  /// Ends the program. Writes its output to `logs`/policy.log, if it has written any. Returns the
  /// CPU time that it used; nullopt if Heddle did not start it.
  std::optional<double> end(const std::string& logs);

 private:
  PolicyLink() = default;
  std::optional<external::Program> program_;
  std::string endpoint_;
  std::unique_ptr<external::Link> link_;
  std::chrono::nanoseconds limit_{};
};

}  // namespace heddle::cli
