#pragma once

#include <optional>
#include <string>

#include "core/model/resources.h"
#include "net/poller.h"
#include "worker/enforcer.h"
#include "worker/launcher.h"

namespace heddle::worker {

/// Plays external load with a real program that burns CPU and holds memory. The program is outside
/// of every container, in a group of its own inside the node's group. It gets a share of the node's
/// CPU like a container of its cores, and the OOM killer never picks it. Its id is like a
/// container's, from a range that no container has. It is in no heartbeat's list and no report.
///
/// When the load changes, the program is killed and, once it is gone, replaced. If it held its
/// memory beside its successor's, tasks would be killed.
class OutsideProgram {
 public:
  struct Parts {
    const Launcher& launcher;
    net::Poller& poller;
    Enforcer& enforcer;
    std::string program;  ///< heddle-task
  };
  /// CPU time of all its programs so far, and memory that is charged to the present one.
  struct Use {
    real::Duration cpu{0};
    real::Bytes memory;
  };

  /// The parts must outlive the object.
  explicit OutsideProgram(Parts parts);
  ~OutsideProgram();
  OutsideProgram(const OutsideProgram&) = delete;
  OutsideProgram& operator=(const OutsideProgram&) = delete;

  /// Sets the load from now on. If its program can't be started, logs that and tries again at the
  /// next change only.
  void set(const Resources& load, real::Time now);
  /// Ends the load for good; it is gone once running() is false.
  void end();

  /// Returns whether some program could not be protected from the OOM killer. Then containers have
  /// to be ranked before it.
  bool unprotected() const { return unprotected_; }
  bool running() const { return child_.has_value(); }
  /// Returns whether the poller tag is its process's.
  bool is_its(std::uint64_t tag) const {
    return child_ && tag == static_cast<std::uint64_t>(id_.value);
  }
  /// Handles that its process may have ended. REQUIRES: running.
  void on_exit(real::Time now);
  Use use();

 private:
  void start(real::Time now);
  Result<void> launch(real::Time now);
  void protect();
  void kill();
  void give_back(real::Time now);

  Parts parts_;
  ContainerId id_;
  Resources wanted_;
  bool ended_ = false;     ///< for good
  bool replaced_ = false;  ///< the program was killed for what is wanted at present
  bool unprotected_ = false;
  std::optional<Child> child_;
  real::Duration past_cpu_{0};  ///< of programs that are gone
};

}  // namespace heddle::worker
