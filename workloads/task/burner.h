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
  /// Sets what progress means from now on, until the next call.
  void begin(const Step& step) { step_ = step; }
  /// Rests until `length_ns` after `start_ns`, while memory follows the profile. Returns the end of
  /// the rest.
  std::int64_t rest(std::int64_t& start_ns, std::int64_t length_ns);
  /// Makes one step of memory work; returns false if none is due. Memory is given back before the
  /// work is over, as part of it: at the end it would lengthen the task by unpaced work.
  bool adjust_memory(const Pace& pace);
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
