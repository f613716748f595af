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
#include "wire/record.h"

namespace heddle::wire {

/// Writes the text of journal.jsonl (contents: wire/record.h) for real and simulated runs. Pure
/// except for the number of the step. Each text consists of whole lines.
class JournalLines {
 public:
  enum class Mode { kReal, kSimulated };

  /// Data that only a real run has; the journal of a simulated run has none of it.
  struct RealTimes {
    double wall_s = 0;  ///< CLOCK_REALTIME
    /// By container started in the step: real milliseconds from decision to exec.
    std::map<ContainerId, double> launch_ms = {};
    /// By container suspended in the step: real milliseconds from decision until all threads were
    /// stopped.
    std::map<ContainerId, double> stop_ms = {};
    /// By node registered in the step: its worker's incarnation.
    std::map<NodeId, std::uint64_t> incarnations = {};
    /// By position in the step's events, for events that a worker reported: the worker's node and
    /// the number of the report.
    std::map<std::size_t, std::pair<NodeId, std::int64_t>> reports = {};
  };
  using Times = std::optional<RealTimes>;

  /// If `heartbeats` is false, the journal holds decisions without heartbeats. Such a journal can't
  /// be replayed if scheduling happens on heartbeats.
  JournalLines(Mode mode, bool heartbeats) : mode_(mode), heartbeats_(heartbeats) {}

  /// Returns the first line. `run` is the run's id; for a simulated run it must depend on the
  /// scenario only.
  std::string run(const Scenario& scenario, const std::string& run, const Times& times = {}) const;

  /// Returns the lines of one engine step: its events and its outcome. Heartbeats are written only
  /// if something was decided or is remembered. A step without lines takes no number. The result is
  /// valid until the next call.
  std::string_view step(EmuTime now, std::span<const Event> events, const Step& step,
                        const Times& times = {});

  /// Returns the line for a moment of the scenario's faults that is about to take effect.
  std::string fault(const Scenario& scenario, const FaultMoment& moment,
                    const Times& times = {}) const;

  /// Returns the line about the workers of the nodes, in a run over several hosts; `nodes` as
  /// described in record.h.
  std::string workers(EmuTime now, Json nodes, const Times& times) const;

  /// Counts a heartbeat that had no outcome and made no step.
  void pass_heartbeat() { ++silent_heartbeats_; }

  /// Returns the line after which nothing is decided: the engine does not see later events.
  std::string leaving(EmuTime now, std::string_view status, const std::string& reason,
                      const Times& times = {}) const;

  /// Continues the journal of a resumed run at step `next`. Returns the lines in `missing`, the
  /// last ones of the previous step, which were not written.
  std::string go_on(std::int64_t next, std::vector<Json> missing, const Times& times = {});
  /// Returns the line for the resumption after `downtime_s` real seconds without a master.
  std::string resumed(EmuTime now, double downtime_s, const Times& times = {}) const;

  /// Returns the last line. `overhead` is the object described in record.h, null in a simulated
  /// run.
  std::string end(EmuTime now, std::string_view status, const std::string& reason, Json overhead,
                  const Times& times = {}) const;

 private:
  Mode mode_;
  bool heartbeats_;
  JsonText text_;
  std::int64_t steps_ = 0;
  std::int64_t silent_heartbeats_ = 0;  ///< heartbeats that were counted but not written
};

/// Returns the outcome of a step at `now` in the form of journal lines (without "step" and "wall"),
/// in order: actions, the engine's refusals, the policy's state, finished jobs.
std::vector<Json> outcome_lines(const Step& step, EmuTime now);

/// Returns a line of samples.jsonl: a heartbeat and its node's use (mean cores since the previous
/// sample, current memory).
std::string sample_line(EmuTime now, const NodeHeartbeat& heartbeat, double cpu_cores,
                        EmuBytes memory);

/// Returns a policy's parts and options with defaults filled in: `policy` of the run line and the
/// summary.
Json policy_json(const PolicySpec& policy);

}  // namespace heddle::wire
