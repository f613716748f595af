#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Tracks the conditions of jobs on other jobs (JobSpec::after), and finds the jobs that can be
/// scheduled and those that never can. Jobs without conditions are not tracked. The lists are in
/// the order in which their jobs were found.
class Dependencies {
 public:
  /// All conditions of the job hold from `at` on. `at` is not before the job's submit time, and can
  /// be in the future.
  struct Eligible {
    JobId job;
    EmuTime at;
  };
  /// A condition of the job can never hold.
  struct Hopeless {
    JobId job;
    std::string reason;
  };

  /// `scenario` must outlive this. REQUIRES: the conditions have no cycle.
  explicit Dependencies(const Scenario& scenario);

  /// Records that a job has started. Later calls for the same job change nothing.
  void started(JobId job, EmuTime at) { came_to(job, Point::kStart, at); }
  /// Records the end of a job. A hopeless job ends too, in the same call.
  void ended(JobId job, bool completed, EmuTime at);

  std::vector<Eligible> take_eligible() { return std::exchange(eligible_, {}); }
  std::vector<Hopeless> take_hopeless() { return std::exchange(hopeless_, {}); }
  /// Returns true if both lists have been taken.
  bool settled() const { return eligible_.empty() && hopeless_.empty(); }
  /// Returns the conditions of the job that do not hold yet.
  std::vector<JobCondition> open(JobId job) const;

 private:
  enum class Point { kStart, kOk, kNotOk };
  enum class Verdict { kOpen, kHolds, kHopeless };
  struct Dependent {
    JobId job;
    std::size_t condition;  ///< index in its JobSpec::after
  };
  struct Waiting {
    EmuTime from;             ///< of the conditions that hold, the latest
    std::vector<bool> holds;  ///< by condition
    std::size_t open = 0;
    bool hopeless = false;
  };
  static Verdict verdict(AfterWhen when, Point point);
  void came_to(JobId job, Point point, EmuTime at);
  void satisfy(const Dependent& dependent, EmuTime at);
  void give_up(const Dependent& dependent, JobId cause);

  const Scenario* scenario_;
  // Both are empty if no job has conditions, else by job.
  std::vector<std::vector<Dependent>> dependents_;
  std::vector<Waiting> waiting_;
  std::vector<Eligible> eligible_;
  std::vector<Hopeless> hopeless_;
};

}  // namespace heddle
