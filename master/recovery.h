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

/// Recovers a run from its journal. The engine repeats its decisions, and the commands that follow
/// from the decisions get the same numbers as before. Afterwards the run waits for the workers that
/// were alive when the previous master died.
class Recovery {
 public:
  Recovery(LiveParts& parts, LiveNodes& nodes, LiveCommands& commands, Registration& registration);

  /// Takes the next record of the journal. Errors: the journal can't be replayed, or the engine's
  /// decisions differ from the journal.
  Result<void> take(const wire::Json& record);
  /// Returns whether any record was taken.
  bool begun() const { return past_ && past_->steps.begun(); }
  /// Returns done or failed if the run has ended so, according to the records that were taken.
  /// Returns nullopt if the run can be resumed.
  std::optional<RunStatus> ended_as() const;
  /// Ends the recovery after the last record. Afterwards the run is returning. If emulated time had
  /// not started, the run is registering. Errors: the errors of take(), and kUsage if the run has
  /// ended.
  Result<void> end(std::optional<EmuTime> last_sample, real::Time now);

  /// Returns the time until which the run waits for workers to return. REQUIRES: the run is
  /// returning.
  real::Time limit() const { return limit_; }
  /// Returns whether all awaited workers are back or the wait is over. REQUIRES: the run is
  /// returning.
  bool all_back(real::Time now) const;
  /// Continues emulated time. Returns the events for the engine: nodes that were lost since the
  /// previous master died, and nodes that have a new worker.
  std::vector<Event> go_on(real::Time now);
  /// Returns the reply of an external policy to the last request, if the journal has none. The
  /// program is asked again during the recovery, so that it gets to know the run.
  std::optional<std::string> take_last_reply() {
    std::optional<external::Reply> reply = std::exchange(reply_, std::nullopt);
    return reply ? std::optional(std::move(reply->recorded)) : std::nullopt;
  }

 private:
  /// Facts in the journal about the run until the previous master died.
  struct Past {
    explicit Past(const Scenario& scenario) : steps(scenario) {}
    wire::JournalSteps steps;
    std::vector<wire::Json> missing;  ///< lines of the last step that the journal lacks
    EmuTime last;                     ///< latest time in the journal
    double wall_s = 0;                ///< CLOCK_REALTIME of the last line
    std::string status;               ///< status with which the run ended
  };
  Result<void> take(const wire::RecordedStep& step, bool whole);
  void take(const Event& event, const wire::Json& line);
  void take_report(const Event& event, const wire::Fields& fields, const wire::Json& mark);
  /// Compares the reply that the journal has with the one that the program gave now. The journal
  /// counts.
  void compare_reply(const PolicyReplied& recorded);
  /// Asks the program of an external policy, if the last step has made a request.
  Result<void> ask_policy();
  void take_fault();
  Result<void> take_rest();
  double downtime_s(real::Time now) const;

  LiveParts& parts_;
  Engine& engine_;
  NodeLinks& links_;
  LiveNodes& nodes_;
  LiveCommands& commands_;
  Registration& registration_;
  std::unique_ptr<Past> past_;            ///< null after the run continues
  std::optional<external::Reply> reply_;  ///< to the last request of an external policy
  std::string difference_;                ///< the first reply that differs from the journal
  real::Time limit_;
};

}  // namespace heddle::master
