#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "master/live_commands.h"
#include "master/live_nodes.h"
#include "master/live_parts.h"
#include "master/registration.h"
#include "wire/journal_steps.h"

namespace heddle::master {

/// Recovers a run from the journal of its life so far: the engine decides what it decided, and the
/// commands that came of it get their numbers again. Afterwards the run waits for the workers that
/// were there.
class Recovery {
 public:
  Recovery(LiveParts& parts, LiveNodes& nodes, LiveCommands& commands, Registration& registration);

  /// Takes the next record of the journal of the run's life so far. Errors: a run that has ended
  /// (kUsage), a journal that can't be replayed or in which the engine decides otherwise.
  Result<void> take(const wire::Json& record);
  /// Returns whether any record was taken.
  bool begun() const { return past_ && past_->steps.begun(); }
  /// Returns how the run came to its end in the records so far: done or failed. Nothing: there is
  /// something to resume.
  std::optional<RunStatus> ended_as() const;
  /// Ends the recovery: there are no more records. The run is returning then, or still registering.
  /// Errors: as take().
  Result<void> end(std::optional<EmuTime> last_sample, real::Time now);

  /// Returns when the run waits no longer for workers to return. REQUIRES: returning.
  real::Time limit() const { return limit_; }
  /// Returns whether all workers are back that are waited for, or will not be. REQUIRES: returning.
  bool all_back(real::Time now) const;
  /// Emulated time goes on. Returns what the engine is to see: nodes that were lost meanwhile, and
  /// those that came anew.
  std::vector<Event> go_on(real::Time now);

 private:
  /// The life before this one, as far as it is known.
  struct Past {
    explicit Past(const Scenario& scenario) : steps(scenario) {}
    wire::JournalSteps steps;
    std::vector<wire::Json> missing;  ///< of the outcome of the last step
    EmuTime last;                     ///< latest time in it
    double wall_s = 0;                ///< of its last line, CLOCK_REALTIME
    std::string status;               ///< that it ended with
  };
  Result<void> take(const wire::RecordedStep& step, bool whole);
  void take(const Event& event, const wire::Json& line);
  void take_report(const Event& event, const wire::Fields& fields, const wire::Json& mark);
  void take_fault();
  Result<void> take_rest();
  double downtime_s(real::Time now) const;

  LiveParts& parts_;
  Engine& engine_;
  NodeLinks& links_;
  LiveNodes& nodes_;
  LiveCommands& commands_;
  Registration& registration_;
  std::unique_ptr<Past> past_;  ///< until the run goes on
  real::Time limit_;
};

}  // namespace heddle::master
