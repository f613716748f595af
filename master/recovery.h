#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/result.h"
#include "common/run_status.h"
#include "core/engine.h"
#include "driver/calendar.h"
#include "master/container_times.h"
#include "master/live_clock.h"
#include "master/live_commands.h"
#include "master/live_nodes.h"
#include "master/node_links.h"
#include "master/policy_exchange.h"
#include "master/run_display.h"
#include "wire/journal_steps.h"

namespace heddle::master {

/// Recovers a run from its journal. The engine repeats its decisions, and the commands that follow
/// from the decisions get the same numbers as before.
class Recovery {
 public:
  /// All arguments must outlive the object.
  Recovery(const Scenario& scenario, Engine& engine, driver::Calendar& calendar, LiveClock& clock,
           NodeLinks& links, ContainerTimes& times, RunDisplay& display, PolicyExchange& exchange,
           LiveNodes& nodes, LiveCommands& commands)
      : scenario_(scenario),
        engine_(engine),
        calendar_(calendar),
        clock_(clock),
        links_(links),
        times_(times),
        display_(display),
        exchange_(exchange),
        nodes_(nodes),
        commands_(commands) {}

  /// Takes the next record of the journal. Errors: the journal can't be replayed, or the engine's
  /// decisions differ from the journal.
  Result<void> take(const wire::Json& record);
  /// Returns whether any record was taken. REQUIRES: end() was not called.
  bool begun() const { return past_ && past_->steps.begun(); }
  /// Returns done or failed if the run has ended so, according to the records that were taken.
  /// Returns nullopt if the run can be resumed. REQUIRES: end() was not called.
  std::optional<RunStatus> ended_as() const;
  /// Ends the recovery after the last record. `last_sample`: the time of the last line in the
  /// samples file. Errors: the errors of take(), and kUsage if the run has ended.
  Result<void> end(std::optional<EmuTime> last_sample);

  // REQUIRES for the next functions: end() was called.
  /// Returns whether emulated time had started, so that there was a step.
  bool started() const { return started_; }
  /// Returns the CLOCK_REALTIME until which the previous master lived, in seconds.
  double wall_s() const { return wall_s_; }
  std::int64_t next_step() const { return next_step_; }  ///< number of the engine's next step
  /// Returns the lines of the last step that the journal lacks.
  std::vector<wire::Json> take_missing() { return std::move(missing_); }
  /// Returns the events that the previous master recorded while it left. They are new to the engine
  /// and come first in its next step. Afterwards, returns none.
  std::vector<Event> take_unseen() { return std::exchange(unseen_, {}); }

 private:
  /// Facts in the journal about the run until the previous master died.
  struct Past {
    explicit Past(const Scenario& scenario) : steps(scenario) {}
    wire::JournalSteps steps;
    EmuTime last;        ///< latest time in the journal
    std::string status;  ///< status with which the run ended
  };
  Result<void> take(const wire::RecordedStep& step, bool whole);
  void take(const Event& event, const wire::Json& line);
  void take_report(const Event& event, const wire::Fields& fields, const wire::Json& mark);
  void take_fault();
  Result<void> take_rest();

  const Scenario& scenario_;
  Engine& engine_;
  driver::Calendar& calendar_;
  LiveClock& clock_;
  NodeLinks& links_;
  ContainerTimes& times_;
  RunDisplay& display_;
  PolicyExchange& exchange_;
  LiveNodes& nodes_;
  LiveCommands& commands_;
  std::unique_ptr<Past> past_;  ///< null after the recovery
  bool started_ = false;
  double wall_s_ = 0;
  std::int64_t next_step_ = 0;
  std::vector<wire::Json> missing_;
  std::vector<Event> unseen_;
};

}  // namespace heddle::master
