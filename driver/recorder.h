#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine.h"
#include "driver/sample_filter.h"
#include "wire/journal_lines.h"

namespace heddle::driver {

/// Receives what a run records, as values. An observer gets the same facts as a reader of the
/// journal, without the work of making and parsing text.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called for each step that is recorded.
  virtual void on_step(EmuTime now, std::span<const Event> events, const Step& step) = 0;
  /// Called for each other line of the journal, such as the last one. The first one comes without
  /// its jobs and nodes.
  virtual void on_line(std::string_view line) = 0;
  /// Returns whether on_line() does something. If not, lines that no journal gets are not made.
  virtual bool takes_lines() const { return true; }
};

/// Calls the engine, measures the time of each decision, and writes the journal and the samples of
/// a run. Pure except for the stopwatch that is passed in.
class Recorder {
 public:
  /// A function that receives whole lines, in order.
  using Sink = std::function<void(std::string_view)>;
  /// A function that returns the real time since a fixed point.
  using Stopwatch = std::function<real::Duration()>;
  struct Options {
    wire::JournalLines::Mode mode;
    bool heartbeats = true;    ///< write heartbeats to the journal
    Stopwatch stopwatch = {};  ///< without it, decisions are counted but not measured
    Observer* observer = nullptr;
    const wire::CountedTasks* counted = nullptr;  ///< as in wire::JournalLines
  };
  /// `scenario` and the observer must outlive the recorder. Without a sink, its lines are not made.
  Recorder(const Scenario& scenario, Options options, Sink journal, Sink samples);

  /// Sets the CLOCK_REALTIME of the following lines, in seconds. REQUIRES: a real run.
  void set_wall(double seconds) { times_->wall_s = seconds; }
  /// Returns the data of a real run that is written with the next step. step() clears the data.
  wire::JournalLines::RealTimes& next_step() { return *times_; }

  /// Lets the engine make a step. The caller must record the step with step().
  Step decide(Engine& engine, EmuTime now, std::span<const Event> events);
  /// Returns whether a heartbeat of the node needs no step (Engine::passes). If so, counts the
  /// heartbeat.
  bool pass(Engine& engine, EmuTime now, NodeId node);
  /// Counts heartbeats that need no step and are not simulated.
  void pass_unseen(std::int64_t heartbeats) {
    decisions_ += heartbeats;
    lines_.pass_heartbeats(heartbeats);
  }

  // The next functions write lines of the journal and of the samples (see wire::JournalLines).
  void open(const std::string& run);
  void step(EmuTime now, std::span<const Event> events, const Step& step);
  void fault(const FaultMoment& moment) { line(lines_.fault(scenario_, moment, times_)); }
  void workers(EmuTime now, wire::Json nodes) {
    line(lines_.workers(now, std::move(nodes), times_));
  }
  void leaving(EmuTime now, std::string_view status, const std::string& reason) {
    line(lines_.leaving(now, status, reason, times_));
  }
  void continue_journal(std::int64_t next, std::vector<wire::Json> missing) {
    line(lines_.continue_journal(next, std::move(missing), times_));
  }
  void resumed(EmuTime now, double downtime_s) { line(lines_.resumed(now, downtime_s, times_)); }
  void end(EmuTime now, std::string_view status, const std::string& reason, wire::Json overhead);
  /// Takes in what a worker measured. Writes it if no line can be left out (SampleFilter).
  void sample(EmuTime now, const NodeHeartbeat& heartbeat, double cores, EmuBytes memory);

  std::int64_t decisions() const { return decisions_; }
  /// Returns the real time of each decision, in microseconds. Returns an empty list without a
  /// stopwatch.
  const std::vector<double>& decision_us() const { return decision_us_; }

 private:
  real::Duration read() const { return stopwatch_ ? stopwatch_() : real::Duration(0); }
  void note_decision(real::Duration began);
  void end_samples(std::span<const Event> events);
  void put_sample(const std::string& lines);
  void line(std::string_view line);

  const Scenario& scenario_;
  Stopwatch stopwatch_;
  Observer* observer_;
  Sink journal_, samples_;
  wire::JournalLines lines_;
  SampleFilter kept_;
  wire::JournalLines::Times times_;  ///< set for a real run only
  std::int64_t decisions_ = 0;
  std::vector<double> decision_us_;
};

}  // namespace heddle::driver
