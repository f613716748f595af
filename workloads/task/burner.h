#pragma once

#include <cstdint>

#include "common/cpu_line.h"
#include "workloads/task/ballast.h"
#include "workloads/task/pace.h"

namespace heddle::task {

/// The first thread's further duty: memory and report.
class Keeper {
 public:
  Keeper(TaskPage& page, Ballast& ballast) : page_(page), ballast_(ballast) {}

  /// Returns when the task is fed, memory as at its beginning; at once if it is none that waits.
  void wait();
  /// Carries out the order's sleep, memory following it.
  void sleep();
  /// One step of memory work on the way; false if none is due. Memory is given back before the
  /// work is over, as part of it: at the end it would lengthen the task by unpaced work.
  bool adjust_memory(const Pace& pace);
  /// Progress and CPU so far.
  void report(const Pace& pace);
  /// All is done.
  void finish();

 private:
  TaskPage& page_;
  Ballast& ballast_;
  bool leaving_ = false;  ///< memory is on its way out, for good
};

/// Burns the CPU work of one thread, on the line if the order says so, and returns when the line
/// has reached it. `keeper`: of the first thread, nullptr for others.
void burn_thread(TaskPage& page, Keeper* keeper);

}  // namespace heddle::task
