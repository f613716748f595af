#pragma once

#include <cstdint>

#include "common/cpu_line.h"
#include "workloads/task/ballast.h"
#include "workloads/task/order.h"
#include "workloads/task/pace.h"

namespace heddle::task {

/// Keeps the memory at the profile and reports to the worker; done by the first thread.
class Keeper {
 public:
  Keeper(TaskPage& page, Ballast& ballast) : page_(page), ballast_(ballast) {}

  /// Waits until there is a part other than number `done`, while memory stays as it is.
  void wait(std::int32_t done);
  /// Sets what progress means from now on, until the next call. Lets memory follow at once.
  void begin(const Step& step);
  /// Rests until `length_ns` after `start_ns`, while memory follows the profile. Returns the end of
  /// the rest.
  std::int64_t rest(std::int64_t& start_ns, std::int64_t length_ns);
  /// Makes one step of memory work; returns false if none is due.
  bool adjust_memory(const Pace& pace);
  /// Called before a burst. If the task ends with it, begins to give the memory back, and returns
  /// by how much earlier the burst has to begin for that, in nanoseconds of wall time. Otherwise
  /// returns 0. At the end, giving memory back would lengthen the task.
  std::int64_t leave_ns(const Pace& pace);
  /// Returns the CPU time of this thread that was used for memory, which is not the task's.
  std::int64_t memory_cpu_ns() const { return ballast_.cpu_ns(); }
  /// Reports progress and CPU so far.
  void report(const Pace& pace) { report(step_.at(pace.progress())); }
  /// Reports that the part is done.
  void finish(const PartOrder& part);

 private:
  void report(double progress);

  TaskPage& page_;
  Ballast& ballast_;
  Step step_;
  bool leaving_ = false;  ///< memory is being given back for good
};

/// Carries out the part that is in the page.
void do_part(TaskPage& page, Keeper& keeper);

}  // namespace heddle::task
