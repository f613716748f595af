#pragma once

#include <optional>
#include <string>

#include "core/model/resources.h"
#include "net/poller.h"
#include "worker/enforcer.h"
#include "worker/launcher.h"

namespace heddle::worker {

/// External load for real: a program outside of every container but inside the node's group, in a
/// group of its own, that burns CPU and holds memory. It takes its share of the node's CPU as a
/// container of its cores, and is never what the kernel kills for lack of memory. It has an id like
/// a container's from a range that no container has, and is in no heartbeat's list and no report.
///
/// When the load changes it is killed and, once it is gone, replaced: one that holds its memory
/// beside its successor's would cost tasks their lives.
class OutsideProgram {
 public:
  struct Parts {
    const Launcher& launcher;
    net::Poller& poller;
    Enforcer& enforcer;
    std::string program;  ///< heddle-task
  };
  /// What all its programs have used, and what is charged to it now.
  struct Use {
    real::Duration cpu{0};
    real::Bytes memory;
  };

  /// Parts must outlive it.
  OutsideProgram(Parts parts, const wire::Welcome& welcome);
  ~OutsideProgram();
  OutsideProgram(const OutsideProgram&) = delete;
  OutsideProgram& operator=(const OutsideProgram&) = delete;

  /// The load is this much from now on. One that can't be started is logged and left until the next
  /// change.
  void set(const Resources& load, real::Time now);
  /// No more of it, for good; it is gone once running() is false.
  void end();

  /// One that was started could not be taken out of the kernel's choice: others have to be put
  /// before it.
  bool unprotected() const { return unprotected_; }
  bool running() const { return child_.has_value(); }
  /// Poller tag of its process.
  bool is_its(std::uint64_t tag) const {
    return child_ && tag == static_cast<std::uint64_t>(id_.value);
  }
  /// Its process may have ended. REQUIRES: running.
  void on_exit(real::Time now);
  Use use();

 private:
  void start(real::Time now);
  Result<void> launch(real::Time now);
  void protect();
  void kill();
  void give_back(real::Time now);

  Parts parts_;
  Scale scale_;
  ContainerId id_;
  Resources wanted_;
  bool ended_ = false;     ///< for good
  bool replaced_ = false;  ///< it has been killed for what is wanted now
  bool unprotected_ = false;
  std::optional<Child> child_;
  real::Duration past_cpu_{0};  ///< of programs that are gone
};

}  // namespace heddle::worker
