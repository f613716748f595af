#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "cgroup/tree.h"

namespace heddle::worker {

/// Drops the page cache that containers have left, in a thread of its own. The kernel waits until
/// the pages of written files are on the disk, which can take seconds. If some cache remains, the
/// thread tries again for about a minute.
class CacheDropper {
 public:
  /// Lets the destructor interrupt the thread in the kernel, by a signal that this process handles
  /// from now on. REQUIRES: there is no Launcher yet.
  static void allow_interruption();

  CacheDropper();
  /// Does not wait for work that is not done. Removing a group would otherwise wait for the write
  /// to the group's file, with a lock that all of the machine's groups share (kernel/cgroup).
  ~CacheDropper();
  CacheDropper(const CacheDropper&) = delete;
  CacheDropper& operator=(const CacheDropper&) = delete;

  void begin(cgroup::CacheDrop drop);
  /// Returns the slots that were finished or given up since the last call.
  std::vector<int> take_over();

 private:
  struct Work {
    cgroup::CacheDrop drop;
    std::chrono::steady_clock::time_point due;
    int tries = 0;
  };
  void run();
  void try_next(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Work> waiting_;
  std::vector<int> over_;
  bool stop_ = false, stopped_ = false;
  std::thread thread_;
};

}  // namespace heddle::worker
