#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "net/mailbox.h"
#include "worker/launcher.h"

namespace heddle::worker {

/// A start that is over: what Launcher::launch returned, and when.
struct Started {
  Result<Child> child;
  real::Time at;
};

/// Starts processes one after the other in a thread of its own. Until exec a new process runs in
/// its group, and whoever starts it waits for it: where the node has used up its quota that takes
/// tens to hundreds of milliseconds, in which the worker has stops, ends and heartbeats to see to.
class StartThread {
 public:
  /// The launcher must outlive it, and it all that is started: see Launcher.
  static Result<std::unique_ptr<StartThread>> run(const Launcher& launcher);
  /// Waits for the starts that have begun.
  ~StartThread();
  StartThread(const StartThread&) = delete;
  StartThread& operator=(const StartThread&) = delete;

  /// What the plan's numbers of descriptors stand for stays open until it is over.
  void begin(LaunchPlan plan) { plans_.put(std::move(plan)); }
  /// Readable while take has something.
  int fd() const { return over_.fd(); }
  /// Starts that are over, in the order in which they were begun. Does not wait.
  std::vector<Started> take() { return over_.take(); }
  /// Waits for the one that is over next. REQUIRES: one has begun and was not taken.
  std::vector<Started> await();

 private:
  StartThread() = default;
  void work(const Launcher& launcher);

  net::Mailbox<std::optional<LaunchPlan>> plans_;  ///< nullopt: the end
  net::Mailbox<Started> over_;
  std::thread thread_;
};

}  // namespace heddle::worker
