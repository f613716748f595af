#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "common/result.h"
#include "core/engine.h"
#include "wire/fields.h"

namespace heddle::wire {

/// A step of the engine as recorded in a journal.
struct RecordedStep {
  std::int64_t number = 0;
  EmuTime now;
  /// Events of the step. In the first step of a resumed run, the events that were recorded after
  /// the line `leaving` or `end` come first.
  std::vector<Event> events;
  std::vector<Json> event_lines;  ///< the line of each event, as bare() returns it
  std::vector<Json> outcome;      ///< the lines of the outcome, as bare() returns them
};

/// Returns the record without the fields that do not affect decisions, such as "wall". Used to
/// compare and show records.
Json bare(const Json& record);
/// Returns whether the line is a part of an outcome and no action.
bool is_result(const Json& record);
/// Returns whether two records have equal fields. The order of the fields does not matter.
bool same(const Json& a, const Json& b);
/// Returns whether `journal` equals `outcome`. If `whole` is false, `journal` can also consist of
/// only the first lines of `outcome`.
bool agree(const std::vector<Json>& journal, const std::vector<Json>& outcome, bool whole);

/// Collects the records of a journal into the steps of the engine. Records are passed one by one,
/// in order.
class JournalSteps {
 public:
  /// `scenario` (resolved) must outlive the object.
  explicit JournalSteps(const Scenario& scenario) : scenario_(scenario) {}

  /// Adds a record. If the record shows that the step before it is complete, returns that step.
  /// Errors: kUsage if the journal can't be replayed because it has no heartbeats and scheduling
  /// happens on heartbeats; kAborted if the journal contradicts itself or the scenario.
  Result<std::optional<RecordedStep>> add(const Json& record);
  /// Returns the last step. Must be called after all records have been added. The end of the step's
  /// outcome can be missing.
  Result<std::optional<RecordedStep>> rest();

  /// Returns the events that the engine did not get. They come first in its next step. REQUIRES:
  /// rest() was called.
  std::vector<Event> take_unseen();

  bool begun() const { return run_seen_; }
  bool leaving() const { return leaving_; }           ///< after `leaving` or `end`, until `resumed`
  std::int64_t next_number() const { return next_; }  ///< number of the next step
  EmuTime now() const { return now_; }                ///< time of the last step

 private:
  Result<void> check_run(const Json& record);
  void begin(std::int64_t number, const Json& record);
  void take(const Json& record);
  void check_ids(const Event& event);
  /// Returns the step that is being collected, because all its records have been added.
  std::optional<RecordedStep> close();

  const Scenario& scenario_;
  std::optional<RecordedStep> step_;
  RecordedStep unseen_;  ///< events after `leaving` or `end`
  std::set<JobId> submitted_;
  bool run_seen_ = false;
  bool leaving_ = false;
  std::int64_t next_ = 0;
  EmuTime now_;
};

}  // namespace heddle::wire
