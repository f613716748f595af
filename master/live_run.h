#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "core/engine.h"
#include "driver/calendar.h"
#include "driver/recorder.h"
#include "driver/stuck_watch.h"
#include "external/make_policy.h"
#include "master/container_times.h"
#include "master/effects.h"
#include "master/live_clock.h"
#include "master/live_commands.h"
#include "master/live_nodes.h"
#include "master/live_options.h"
#include "master/live_reports.h"
#include "master/node_links.h"
#include "master/outbox.h"
#include "master/policy_exchange.h"
#include "master/reception.h"
#include "master/recovery.h"
#include "master/registration.h"
#include "master/run_display.h"
#include "master/run_end.h"
#include "master/run_life.h"
#include "master/worker_return.h"
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
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  /// Starts a new run. Returns the first lines of the journal.
  Effects open();
  /// Returns the recovery of the run from its journal. Give it all records of the journal in order,
  /// then call resume() instead of open().
  Recovery& recovery() { return recovery_; }
  /// Resumes a run after its recovery. `last_sample` is the time of the last line in the samples
  /// file.
  Result<Effects> resume(std::optional<EmuTime> last_sample, real::Time now);
  Effects on_message(const std::string& identity, const wire::Message& message, real::Time now);
  /// Notes that the caller did not run for the real time `length`, although it wanted to. Call this
  /// before the call that handles what has happened since.
  void note_stall(real::Duration length);
  /// Handles everything whose time has come: arrivals, wake-ups, the loss of silent nodes and the
  /// end of waits.
  Effects on_time(real::Time now);
  /// Takes in the reply of an external policy to the request in Effects::ask. A reply that can't be
  /// read ends the run.
  Effects on_reply(const std::string& reply, real::Time now);
  /// Ends the run because the program of its external policy does not reply any more.
  Effects stop_policy(const std::string& why, real::Time now) {
    return stop(RunStatus::kAborted, exchange_.silence(why), now);
  }
  /// Returns the last messages to the program of an external policy.
  std::vector<std::string> farewell(real::Time now);
  /// Returns when to call on_time() next.
  real::Time next_time() const;
  /// Notes that all workers have ended and none will be started. All nodes are lost at once, so
  /// that the run ends and can be resumed.
  Effects expect_no_worker(real::Time now);
  /// Ends the run early and tells the workers to leave.
  Effects stop(RunStatus status, const std::string& reason, real::Time now);

  /// Returns the end of the run, which says whether the run is over, its status and the reason.
  const RunEnd& end() const { return end_; }
  /// Returns whether a node's worker uses that connection.
  bool knows(const std::string& identity) const { return links_.knows(identity); }
  /// Returns the last line of the journal. Call it after everything else has been written.
  std::string end_line(double master_cpu_s, real::Time now);
  wire::Progress progress(real::Time now) const;

 private:
  /// Starts emulated time. Called when every node has a worker.
  void begin(real::Time now);
  /// Continues emulated time after a resume.
  void resume_time(real::Time now);
  /// Adds the scenario's events whose time has come. Sends the workers the faults whose time has
  /// come.
  void take_due(real::Time now, std::vector<Event>& events);
  /// Sends the workers the faults whose time has come. For the fault that kills the master, sets
  /// Effects::kill_master.
  void bring_about_faults(real::Time now);
  /// Makes one step of the engine with the events, records the step, and sends or queues the
  /// commands that follow from it. `offers`: see LiveCommands::queue().
  void step(const std::vector<Event>& events, real::Time now, const std::set<NodeId>& offers = {});
  void record(const std::vector<Event>& events, const Step& step);
  /// Ends the run if no task can report anything and heartbeats lead to nothing.
  void end_if_stuck(const std::vector<Event>& events, const Step& step, real::Time now);
  /// Makes the step of an external policy's reply.
  void take_reply(const PolicyExchange::Request& request, const std::string& recorded,
                  real::Time now);
  /// Adds the request that an external policy has made to the effects. Ends the run if the policy
  /// can't go on.
  void ask_policy(real::Time now);
  /// Ends a call. If nothing is left to do, starts to leave. Returns the effects, which the caller
  /// carries out.
  Effects settled(real::Time now);
  /// Returns CLOCK_REALTIME at `at`, in seconds.
  double wall_s(real::Time at) const {
    return seconds(at.time_since_epoch()) + options_.realtime_offset_s;
  }
  /// Returns the real time without a master. REQUIRES: the run was recovered.
  double downtime_s(real::Time now) const;

  const Scenario& scenario_;
  const LiveOptions options_;
  real::Time started_;
  RunLife life_;
  Effects effects_;              ///< effects of the call that is being handled
  external::MadePolicy policy_;  ///< the engine has the policy itself
  Engine engine_;
  driver::Calendar calendar_;
  driver::StuckWatch watch_;
  driver::Recorder recorder_;  ///< writes to the effects
  LiveClock clock_;
  NodeLinks links_;
  Outbox outbox_;
  ContainerTimes times_;
  RunDisplay display_;
  PolicyExchange exchange_;
  LiveCommands commands_;
  LiveNodes nodes_;
  Registration registration_;
  LiveReports reports_;
  Reception reception_;
  Recovery recovery_;
  WorkerReturn return_;
  RunEnd end_;
};

}  // namespace heddle::master
