#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/scenario/policy_spec.h"
#include "host/child.h"
#include "host/run_directory.h"
#include "host/scratch_directory.h"

namespace heddle::external {

/// Records by which a program is found after this process was killed.
struct ProgramPlace {
  const host::RunDirectory* record = nullptr;  ///< records the program's directory
  std::vector<int> groups = {};                ///< as ChildOptions::groups
};

/// The program of an external policy, started by Heddle. It gets the endpoint at which it has to
/// listen in the variable HEDDLE_POLICY_ENDPOINT, and in place of {endpoint} in its arguments. The
/// endpoint is an ipc:// socket in a directory of its own. The program inherits no descriptor, and
/// ends with this object at the latest, together with its process group.
class Program {
 public:
  /// Starts the program. `user`: as which it runs; nullopt: as the user of this process.
  /// `modules`: a directory in which Python looks for modules, or "". Errors (kMachine) say why the
  /// program can't be started. REQUIRES: spec.program is not empty.
  static Result<Program> start(const ExternalSpec& spec, const std::optional<host::TaskUser>& user,
                               const std::string& modules, const ProgramPlace& place = {});
  Program(Program&&) = default;
  Program& operator=(Program&&) = delete;
  ~Program() { end(); }

  const std::string& endpoint() const { return endpoint_; }
  /// Returns a descriptor that is readable after the program has ended.
  int pidfd() const { return child_->pidfd(); }
  pid_t pid() const { return child_->pid(); }
  /// Returns how the program ended, with its last words. Returns nullopt while it runs.
  std::optional<Error> ended();
  /// Ends the program and its process group. It has a short time to end by itself.
  void end();
  /// Returns what the program wrote to standard output and error. Of long output, only the
  /// beginning and the end (host/output_pipe.h). REQUIRES: end() was called.
  const std::string& output() const { return output_; }
  /// Returns what the program has written to the file that HEDDLE_POLICY_RECORD names, or "". At
  /// most 1 MiB.
  std::string record() const;
  /// Returns the CPU time of the program. REQUIRES: end() was called.
  double cpu_s() const { return cpu_s_; }

 private:
  Program(host::ScratchDirectory directory, std::string endpoint)
      : directory_(std::move(directory)), endpoint_(std::move(endpoint)) {}

  host::ScratchDirectory directory_;
  std::string endpoint_, output_;
  std::unique_ptr<host::Child> child_;  ///< nullptr: was ended or moved away
  double cpu_s_ = 0;
};

}  // namespace heddle::external
