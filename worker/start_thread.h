#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "net/mailbox.h"
#include "worker/launcher.h"

namespace heddle::worker {

/// Result of a start: what Launcher::launch returned, and when.
struct Started {
  Result<Child> child;
  real::Time at;
};

/// Starts processes in a separate thread, one after the other. A new process joins its group before
/// exec, and the thread that starts the process waits until exec has succeeded. If the node has
/// used up its quota, this wait takes tens to hundreds of milliseconds. The worker must handle
/// stops, ends and heartbeats in that time.
class StartThread {
 public:
  /// Starts the thread. The launcher must outlive the thread, which must outlive all that it
  /// starts: see Launcher.
  static Result<std::unique_ptr<StartThread>> run(const Launcher& launcher);
  /// Waits for the starts that have begun.
  ~StartThread();
  StartThread(const StartThread&) = delete;
  StartThread& operator=(const StartThread&) = delete;

  /// Begins a start, after those that have begun before. The descriptors that the plan names by
  /// number must stay open until the start is over.
  void begin(LaunchPlan plan) { put(std::move(plan)); }
  /// Returns a descriptor that is readable while take has something.
  int fd() const { return over_.fd(); }
  /// Returns the starts that are over, in the order in which they were begun. Does not wait.
  std::vector<Started> take() { return over_.take(); }
  /// Waits for the next start to be over. REQUIRES: one has begun and was not taken.
  std::vector<Started> await();

 private:
  StartThread() = default;
  void put(std::optional<LaunchPlan> plan);
  std::optional<LaunchPlan> next();
  void work(const Launcher& launcher);

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::optional<LaunchPlan>> plans_;  ///< nullopt ends the thread
  net::Mailbox<Started> over_;
  std::thread thread_;
};

}  // namespace heddle::worker
