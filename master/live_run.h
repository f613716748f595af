#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "master/effects.h"
#include "master/live_commands.h"
#include "master/live_nodes.h"
#include "master/live_parts.h"
#include "master/reception.h"
#include "master/recovery.h"
#include "master/registration.h"
#include "master/run_end.h"
#include "wire/progress.h"

namespace heddle::master {

/// Drives a real run, without sockets, files and clock: messages and the passing of time go in,
/// journal lines and messages come out. The engine decides on what the workers report. A run is
/// registering until every node has a worker, then running, then leaving (the workers have been
/// told to leave), then over.
///
/// A run that is resumed first recovers from its journal: the engine repeats its decisions, and the
/// commands that follow from them get the same numbers again. Then the run is returning until the
/// workers that were alive are back. What these workers have done is acknowledged; the other
/// commands are repeated.
///
/// A message passes through Reception, the engine, Recorder and LiveCommands, in this order.
class LiveRun {
 public:
  using Options = LiveOptions;
  /// `scenario` (resolved) must outlive the run.
  LiveRun(const Scenario& scenario, Options options, real::Time now);

  /// Starts a new run: returns the first lines of the journal.
  Effects open();
  /// Returns the recovery of the run from its journal. Give it all records of the journal in order,
  /// then call resume() instead of open().
  Recovery& recovery() { return recovery_; }
  /// Starts a run that is resumed. `last_sample`: time of the last line in the samples file.
  Result<Effects> resume(std::optional<EmuTime> last_sample, real::Time now);
  Effects on_message(const std::string& identity, const wire::Message& message, real::Time now);
  /// Does what is due: arrivals, wake-ups, the loss of silent nodes, the end of waiting.
  Effects on_time(real::Time now);
  /// Returns when to call on_time() next.
  real::Time next_time() const;
  /// Ends the run early and tells the workers to leave.
  Effects stop(RunStatus status, const std::string& reason, real::Time now);

  /// Returns how the run ends: whether it is over, with what status, and why.
  const RunEnd& end() const { return end_; }
  /// Returns whether a node's worker uses that connection.
  bool knows(const std::string& identity) const { return parts_.links.knows(identity); }
  /// Returns the last line of the journal. Call it after everything else has been written.
  std::string end_line(double master_cpu_s, real::Time now);
  wire::Progress progress(real::Time now) const;

 private:
  /// Starts emulated time: every node has a worker.
  void begin(real::Time now);
  /// Continues emulated time after a resume.
  void go_on(real::Time now);
  /// Adds the scenario's events that are due, and sends the faults that are due to the workers.
  void take_due(real::Time now, std::vector<Event>& events);
  /// Makes one engine step: folds the events, records them, and sends or queues commands.
  void step(const std::vector<Event>& events, real::Time now);
  void record(const std::vector<Event>& events, const Step& step);
  /// Ends a call: the run leaves if nothing is left to do. Returns the effects for the caller to
  /// carry out.
  Effects settled(real::Time now);

  real::Time started_;
  LiveParts parts_;
  LiveCommands commands_;
  LiveNodes nodes_;
  Registration registration_;
  Reception reception_;
  Recovery recovery_;
  RunEnd end_;
};

}  // namespace heddle::master
