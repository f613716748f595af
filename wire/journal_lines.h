#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine.h"
#include "core/scenario/faults.h"
#include "wire/counted_tasks.h"
#include "wire/record.h"

namespace heddle::wire {

/// Makes the text of journal.jsonl for real and simulated runs. wire/record.h describes the lines.
/// Each returned text consists of whole lines. Pure except that the object counts steps and skipped
/// heartbeats.
class JournalLines {
 public:
  enum class Mode { kReal, kSimulated };

  /// Data that only the journal of a real run has.
  struct RealTimes {
    double wall_s = 0;  ///< CLOCK_REALTIME
    /// For each container that started in the step: real milliseconds from the decision to exec.
    std::map<ContainerId, double> launch_ms = {};
    /// For each container that was suspended in the step: real milliseconds from the decision until
    /// all its threads were stopped.
    std::map<ContainerId, double> stop_ms = {};
    /// For each node that registered in the step: its worker's incarnation.
    std::map<NodeId, std::uint64_t> incarnations = {};
    /// For each event of the step that a worker reported: the worker's node and the number of the
    /// report. The key is the position of the event in the step.
    std::map<std::size_t, std::pair<NodeId, std::int64_t>> reports = {};
  };
  using Times = std::optional<RealTimes>;

  /// If `heartbeats` is false, the journal has no heartbeats. Such a journal can't be replayed if
  /// scheduling happens on heartbeats.
  /// `counted`: set if one container stands for all tasks of a job. Its lines then have the number
  /// of the first of its single containers, and how many they are; see wire/record.h.
  JournalLines(Mode mode, bool heartbeats, const CountedTasks* counted = nullptr)
      : mode_(mode), heartbeats_(heartbeats), counted_(counted) {}

  /// Returns the first line. `run` is the id of the run. For a simulated run, the id must depend
  /// only on the scenario. `lists`: with the jobs and nodes, as the journal has it.
  std::string run(const Scenario& scenario, const std::string& run, bool lists = true,
                  const Times& times = {}) const;

  /// Returns the lines of one engine step: its events and its outcome. Heartbeats are written only
  /// if the step decided something or the journal must have its events. A step without lines does
  /// not get a number. The result is valid until the next call.
  std::string_view step(EmuTime now, std::span<const Event> events, const Step& step,
                        const Times& times = {});

  /// Returns the line for a fault of the scenario that takes effect next.
  std::string fault(const Scenario& scenario, const FaultMoment& moment,
                    const Times& times = {}) const;

  /// Returns the line about the workers of a run on several hosts. record.h describes `nodes`.
  std::string workers(EmuTime now, Json nodes, const Times& times) const;

  /// Counts heartbeats that were handled without a step.
  void pass_heartbeats(std::int64_t count) { silent_heartbeats_ += count; }

  /// Returns the line `leaving`. After it, nothing is decided, and the engine does not get the
  /// events that follow.
  std::string leaving(EmuTime now, std::string_view status, const std::string& reason,
                      const Times& times = {}) const;

  /// Continues the journal of a resumed run at step `next`. `missing` has the last lines of the
  /// previous step, if they were not written. Returns these lines as text.
  std::string continue_journal(std::int64_t next, std::vector<Json> missing,
                               const Times& times = {});
  /// Returns the line `resumed`, for a run that had no master for `downtime_s` real seconds.
  std::string resumed(EmuTime now, double downtime_s, const Times& times = {}) const;

  /// Returns the last line. record.h describes the object `overhead`. In a simulated run, it is
  /// null.
  std::string end(EmuTime now, std::string_view status, const std::string& reason, Json overhead,
                  const Times& times = {}) const;

 private:
  Mode mode_;
  bool heartbeats_;
  const CountedTasks* counted_;
  JsonText text_;
  std::int64_t steps_ = 0;
  std::int64_t silent_heartbeats_ = 0;  ///< heartbeats that were counted but not written
};

/// Returns the outcome of a step at `now` as journal lines without "step" and "wall". The order is:
/// released resources, actions, the engine's refusals, the policy's state, finished jobs.
std::vector<Json> outcome_lines(const Step& step, EmuTime now);

/// Returns a line of samples.jsonl. The line has a heartbeat, the mean cores that the node used
/// since the previous sample, and the node's current memory.
std::string sample_line(EmuTime now, const NodeHeartbeat& heartbeat, double cpu_cores,
                        EmuBytes memory);

/// Returns the parts and options of a policy, including the defaults. The run line and the summary
/// have this object as `policy`.
Json policy_json(const PolicySpec& policy);
/// Gives the policy of a result the parts and options that its run line has recorded. They differ
/// if an earlier version with other defaults has written the result. Recorded values that are not
/// known any more are ignored. `recorded`: an object as from policy_json().
void take_recorded(PolicySpec& policy, const Json& recorded);

}  // namespace heddle::wire
