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

/// Recovers a run from its journal: the engine repeats its decisions, and the commands that follow
/// from them get the same numbers again. Afterwards the run waits for the workers that were alive.
class Recovery {
 public:
  Recovery(LiveParts& parts, LiveNodes& nodes, LiveCommands& commands, Registration& registration);

  /// Takes the next record of the journal. Errors: the journal can't be replayed, or the engine
  /// decides differently.
  Result<void> take(const wire::Json& record);
  /// Returns whether any record was taken.
  bool begun() const { return past_ && past_->steps.begun(); }
  /// Returns how the run ended according to the records so far: done or failed; nullopt if there is
  /// something to resume.
  std::optional<RunStatus> ended_as() const;
  /// Ends the recovery after the last record. Then the run is returning, or still registering.
  /// Errors: those of take(); a run that has ended (kUsage).
  Result<void> end(std::optional<EmuTime> last_sample, real::Time now);

  /// Returns until when the run waits for workers to return. REQUIRES: returning.
  real::Time limit() const { return limit_; }
  /// Returns whether all awaited workers are back, or the wait is over. REQUIRES: returning.
  bool all_back(real::Time now) const;
  /// Continues emulated time. Returns the events for the engine: nodes that were lost meanwhile,
  /// and nodes that have a new worker.
  std::vector<Event> go_on(real::Time now);

 private:
  /// The run until the previous master died, as far as its journal tells.
  struct Past {
    explicit Past(const Scenario& scenario) : steps(scenario) {}
    wire::JournalSteps steps;
    std::vector<wire::Json> missing;  ///< lines of the last step's outcome that the journal lacks
    EmuTime last;                     ///< latest time in the journal
    double wall_s = 0;                ///< of the last line, CLOCK_REALTIME
    std::string status;               ///< with which the run ended
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
  std::unique_ptr<Past> past_;  ///< null once the run continues
  real::Time limit_;
};

}  // namespace heddle::master
