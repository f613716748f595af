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

/// Contains the logic of a real run, without sockets, files and clock. Its inputs are messages and
/// the current time. Its outputs are journal lines and messages. The engine makes its decisions
/// from the workers' reports. A run is registering until every node has a worker. It is then
/// running. It is leaving after the workers have been told to leave, and finally over.
///
/// A resumed run first recovers from its journal: the engine repeats its decisions, and the
/// commands that follow from the decisions get the same numbers as before. The run is then
/// returning until the workers that were alive are back. The workers say which commands they have
/// carried out, and the run sends the other commands again.
///
/// A message passes through Reception, the engine, Recorder and LiveCommands, in this order.
class LiveRun {
 public:
  using Options = LiveOptions;
  /// `scenario` must be resolved and must outlive the run.
  LiveRun(const Scenario& scenario, Options options, real::Time now);

  /// Starts a new run. Returns the first lines of the journal.
  Effects open();
  /// Returns the recovery of the run from its journal. Give it all records of the journal in order,
  /// then call resume() instead of open().
  Recovery& recovery() { return recovery_; }
  /// Resumes a run after its recovery. `last_sample` is the time of the last line in the samples
  /// file.
  Result<Effects> resume(std::optional<EmuTime> last_sample, real::Time now);
  Effects on_message(const std::string& identity, const wire::Message& message, real::Time now);
  /// Handles everything whose time has come: arrivals, wake-ups, the loss of silent nodes and the
  /// end of waits.
  Effects on_time(real::Time now);
  /// Takes in the reply of an external policy to the request in Effects::ask. A reply that can't be
  /// read ends the run.
  Effects on_reply(const std::string& reply, real::Time now);
  /// Ends the run because the program of its external policy does not reply any more.
  Effects stop_policy(const std::string& why, real::Time now) {
    const std::string request = parts_.asked ? parts_.asked->name() + ": " : "";
    return stop(RunStatus::kAborted, parts_.about_policy(request + why), now);
  }
  /// Returns the last messages to the program of an external policy.
  std::vector<std::string> farewell(real::Time now);
  /// Returns when to call on_time() next.
  real::Time next_time() const;
  /// Ends the run early and tells the workers to leave.
  Effects stop(RunStatus status, const std::string& reason, real::Time now);

  /// Returns the end of the run, which says whether the run is over, its status and the reason.
  const RunEnd& end() const { return end_; }
  /// Returns whether a node's worker uses that connection.
  bool knows(const std::string& identity) const { return parts_.links.knows(identity); }
  /// Returns the last line of the journal. Call it after everything else has been written.
  std::string end_line(double master_cpu_s, real::Time now);
  wire::Progress progress(real::Time now) const;

 private:
  /// Starts emulated time. Called when every node has a worker.
  void begin(real::Time now);
  /// Continues emulated time after a resume.
  void go_on(real::Time now);
  /// Adds the scenario's events whose time has come. Sends the workers the faults whose time has
  /// come.
  void take_due(real::Time now, std::vector<Event>& events);
  /// Makes one step of the engine with the events, records the step, and sends or queues the
  /// commands that follow from it.
  void step(const std::vector<Event>& events, real::Time now);
  void record(const std::vector<Event>& events, const Step& step);
  /// Makes the step of an external policy's reply.
  void take_reply(const external::ExternalPolicy::Request& request, const std::string& recorded,
                  real::Time now);
  /// Adds the request that an external policy has made to the effects. Ends the run if the policy
  /// can't go on.
  void ask_policy(real::Time now);
  /// Ends a call. If nothing is left to do, starts to leave. Returns the effects, which the caller
  /// carries out.
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
