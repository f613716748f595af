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

/// Writes the text of journal.jsonl (wire/record.h says what is in it) for real and
/// simulated runs. Pure but for the number of the step; each text is whole lines.
class JournalLines {
 public:
  enum class Mode { kReal, kSimulated };

  /// What only a real run knows; a simulated run's journal has none of it.
  struct RealTimes {
    double wall_s = 0;  ///< CLOCK_REALTIME
    /// Of the containers that started in the step: real milliseconds from decision to exec.
    std::map<ContainerId, double> launch_ms = {};
    /// Of those that were suspended in the step: real milliseconds from decision to all threads
    /// stopped.
    std::map<ContainerId, double> stop_ms = {};
    /// Of the nodes that registered in the step: their workers' incarnations.
    std::map<NodeId, std::uint64_t> incarnations = {};
    /// Of those of the step's events, by their place, that a worker reported: who, and the report's
    /// number.
    std::map<std::size_t, std::pair<NodeId, std::int64_t>> reports = {};
  };
  using Times = std::optional<RealTimes>;

  /// `heartbeats` false: a journal of decisions, without them; it can't be replayed where
  /// scheduling happens on heartbeats.
  JournalLines(Mode mode, bool heartbeats) : mode_(mode), heartbeats_(heartbeats) {}

  /// The first line. `run` is the run's id; a simulated run's must depend on nothing but the
  /// scenario.
  std::string run(const Scenario& scenario, const std::string& run, const Times& times = {}) const;

  /// One engine step: its events and what came out. Heartbeats are written only where something
  /// was decided or is remembered; a step that leaves no line takes no number.
  /// What it gives holds until the next call.
  std::string_view step(EmuTime now, std::span<const Event> events, const Step& step,
                        const Times& times = {});

  /// A moment of the scenario's faults, about to be brought about.
  std::string fault(const Scenario& scenario, const FaultMoment& moment,
                    const Times& times = {}) const;

  /// Who plays the nodes, in a run over several hosts: `nodes` as record.h describes them.
  std::string workers(EmuTime now, Json nodes, const Times& times) const;

  /// A heartbeat from which nothing came, without a step.
  void pass_heartbeat() { ++silent_heartbeats_; }

  /// Nothing is decided from here on: the engine sees no event that comes after.
  std::string leaving(EmuTime now, std::string_view status, const std::string& reason,
                      const Times& times = {}) const;

  /// A former life wrote all steps before this one, but for these last lines of the last one.
  std::string go_on(std::int64_t next, std::vector<Json> missing, const Times& times = {});
  /// The run goes on after so many seconds, real, in which there was no master.
  std::string resumed(EmuTime now, double downtime_s, const Times& times = {}) const;

  /// The last line. `overhead` is the object that record.h describes, null in a simulated run.
  std::string end(EmuTime now, std::string_view status, const std::string& reason, Json overhead,
                  const Times& times = {}) const;

 private:
  Mode mode_;
  bool heartbeats_;
  JsonText text_;
  std::int64_t steps_ = 0;
  std::int64_t silent_heartbeats_ = 0;  ///< counted, not written
};

/// What came out of a step at `now`, as the journal has it (but for "step" and "wall"), in order:
/// actions, the engine's refusals, the policy's state, jobs that finished.
std::vector<Json> outcome_lines(const Step& step, EmuTime now);

/// A line of samples.jsonl: a heartbeat, and what its node used: cores on average since its sample
/// before, memory now.
std::string sample_line(EmuTime now, const NodeHeartbeat& heartbeat, double cpu_cores,
                        EmuBytes memory);

/// A policy's parts and options with defaults filled in; `policy` of the run line and the summary.
Json policy_json(const PolicySpec& policy);

}  // namespace heddle::wire
