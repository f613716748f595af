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

/// A real run without its sockets, files and clock: messages and the passing of time in, journal
/// lines and messages out. Has the engine decide on what workers report. Life: registering (until
/// every node has a worker) -> running -> leaving (workers told to go) -> over.
///
/// One that takes a run up again lives through its journal first: the engine decides what it
/// decided, the commands that came of it get their numbers again. Then it is returning, until the
/// workers that were there are back: what they have done is acknowledged, the rest is repeated.
///
/// A message passes through Reception, the engine, Recorder and LiveCommands, in this order.
class LiveRun {
 public:
  using Options = LiveOptions;
  /// `scenario` (resolved) must outlive the run.
  LiveRun(const Scenario& scenario, Options options, real::Time now);

  /// First lines of the journal.
  Effects open();
  /// The recovery of a run from its journal: takes all records of it, in order; resume() is then
  /// there in place of open().
  Recovery& recovery() { return recovery_; }
  /// `last_sample`: the time of the last line of its samples.
  Result<Effects> resume(std::optional<EmuTime> last_sample, real::Time now);
  Effects on_message(const std::string& identity, const wire::Message& message, real::Time now);
  /// Does what has become due (arrivals, wake-ups, lost nodes, giving up).
  Effects on_time(real::Time now);
  /// When on_time wants to be called next.
  real::Time next_time() const;
  /// Ends the run early, workers being told to leave.
  Effects stop(RunStatus status, const std::string& reason, real::Time now);

  /// How the run ends: whether it is over, with what status, and why.
  const RunEnd& end() const { return end_; }
  /// Whether a node's worker speaks by that connection.
  bool knows(const std::string& identity) const { return parts_.links.knows(identity); }
  /// Last line of the journal, once everything has been written.
  std::string end_line(double master_cpu_s, real::Time now);
  wire::Progress progress(real::Time now) const;

 private:
  /// Emulated time begins: every node has a worker.
  void begin(real::Time now);
  /// Emulated time goes on after a resume.
  void go_on(real::Time now);
  /// Adds what of the scenario is due, and has workers told of its faults.
  void take_due(real::Time now, std::vector<Event>& events);
  /// One engine step: folds, records, sends or queues commands.
  void step(const std::vector<Event>& events, real::Time now);
  void record(const std::vector<Event>& events, const Step& step);
  /// Ends the call: the run leaves if nothing is left to do. Returns what the caller has to do.
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
