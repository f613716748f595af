#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/cpu_line.h"
#include "common/fd.h"
#include "common/ids.h"
#include "common/result.h"
#include "common/units.h"
#include "worker/fill_report.h"

namespace heddle::worker {

/// Fills the ballast of a node's tasks (BallastPage) in a thread of its own. The memory is charged
/// to the task's container, because the kernel charges a page to the group of the address space
/// that it belongs to, whoever touches it first (mm/memcontrol.c, get_mem_cgroup_from_mm). The CPU
/// is this thread's, so no quota of a container slows filling down, and filling takes none of the
/// task's CPU.
///
/// The thread fills the steps one after the other, in the order in which they became due. Its
/// priority is below that of the tasks (fill_nice).
class MemoryFiller {
 public:
  /// Steps from this size on count for `lags`.
  static constexpr std::int64_t kLargeStep = 1 << 20;

  static Result<std::unique_ptr<MemoryFiller>> run();
  /// REQUIRES: no process of a container that was not removed has been reaped.
  ~MemoryFiller();
  MemoryFiller(const MemoryFiller&) = delete;
  MemoryFiller& operator=(const MemoryFiller&) = delete;

  /// Returns the descriptor that each task gets as kTaskFillFd.
  int bell_fd() const { return bell_.get(); }
  /// Begins to serve a container. `process` is a child of this process that is not reaped before
  /// remove. `usage` reads the charge of its container. Steps are due from `began` at the earliest.
  void add(ContainerId container, pid_t process, BallastPage& page, Fd usage, real::Time began);
  /// Stops serving a container; waits for what is being filled. Does nothing for an unknown one.
  FillReport remove(ContainerId container);

 private:
  static constexpr std::int64_t kNever = INT64_MAX;

  struct Entry {
    pid_t process = -1;
    BallastPage* page = nullptr;
    Fd usage;
    std::int64_t began_ns = 0;
    std::int64_t lacks_since_ns = kNever;  ///< when the first step was due that is not filled yet
    bool large_step = false;               ///< what lacks is a large step, or became one
    bool failed = false;                   ///< the kernel refused; try again later
    /// Values of the page at the last look().
    std::int64_t seen_wanted = -1, seen_held = -1, seen_room = -1;
    FillReport report;

    std::int64_t charge() const;
    /// Returns the bytes that are to be filled.
    std::int64_t missing() const;
    /// Returns whether the next page to be filled is a huge one.
    bool at_huge_page() const;
    /// Returns whether there is enough to fill for the next page.
    bool lacks() const;
    /// Takes note of what lacks, and of nothing when nothing lacks.
    void look();
    /// Returns whether look() can find something else than last time. Otherwise there is no need to
    /// read the charge again.
    bool changed() const;
  };

  MemoryFiller() = default;
  void work();
  /// Returns the container whose step was due first among those that lack memory.
  std::optional<ContainerId> next();
  void fill(Entry& entry);

  Fd bell_;
  std::mutex mutex_;
  std::condition_variable idle_;  ///< the thread has let go of `current_`
  std::map<ContainerId, Entry> entries_;
  std::optional<ContainerId> current_;  ///< being filled, without the mutex
  bool ends_ = false;
  std::vector<std::byte> noise_;  ///< what memory is filled with
  std::thread thread_;
};

}  // namespace heddle::worker
