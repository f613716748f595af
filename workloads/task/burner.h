#pragma once

#include <cstdint>

#include "common/cpu_line.h"
#include "workloads/task/ballast.h"
#include "workloads/task/order.h"
#include "workloads/task/pace.h"

namespace heddle::task {

/// The first thread's further duty: memory and report.
class Keeper {
 public:
  Keeper(TaskPage& page, Ballast& ballast) : page_(page), ballast_(ballast) {}

  /// Returns when there is another part to do than that of this number, memory staying as it is.
  void wait(std::int32_t done);
  /// What progress means from now on, until the next call.
  void begin(const Step& step) { step_ = step; }
  /// Rests until `length_ns` after `start_ns`, memory following. Returns when that was.
  std::int64_t rest(std::int64_t& start_ns, std::int64_t length_ns);
  /// One step of memory work on the way; false if none is due. Memory is given back before the
  /// work is over, as part of it: at the end it would lengthen the task by unpaced work.
  bool adjust_memory(const Pace& pace);
  /// Progress and CPU so far.
  void report(const Pace& pace) { report(step_.at(pace.progress())); }
  /// The part is done.
  void finish(const PartOrder& part);

 private:
  void report(double progress);

  TaskPage& page_;
  Ballast& ballast_;
  Step step_;
  bool leaving_ = false;  ///< memory is on its way out, for good
};

/// Does the part that is in the page.
void do_part(TaskPage& page, Keeper& keeper);

}  // namespace heddle::task
