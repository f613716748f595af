#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/run_status.h"
#include "common/wire/journal_lines.h"
#include "common/wire/journal_steps.h"
#include "common/wire/progress.h"
#include "core/engine.h"
#include "core/scenario/external_load.h"
#include "core/scenario/fault_watch.h"
#include "master/drain_watch.h"
#include "master/node_links.h"
#include "master/run_display.h"

namespace heddle {

/// A message and who gets it, by routing id.
struct Sending {
  Sending(std::string one, wire::Message what) : to{std::move(one)}, message(std::move(what)) {}
  Sending(std::vector<std::string> all, wire::Message what)
      : to(std::move(all)), message(std::move(what)) {}
  std::vector<std::string> to;
  wire::Message message;
};

/// What the caller has to do, in this order: append to the journal and samples files, then send.
struct Effects {
  std::string journal;  ///< whole lines
  std::string samples;  ///< whole lines
  std::vector<Sending> send;
  bool kill_master = false;  ///< a fault: then nothing more, but SIGKILL to this process
};

/// A real run without its sockets, files and clock: messages and the passing of time in, journal
/// lines and messages out. Owns the engine and turns worker-clock reports into emulated-time
/// events. Life: registering (until every node has a worker) -> running -> leaving (workers told to
/// go) -> over.
///
/// One that takes a run up again lives through its journal first: the engine decides what it
/// decided, the commands that came of it get their numbers again. Then it is returning, until the
/// workers that were there are back: what they have done is acknowledged, the rest is repeated.
class LiveRun {
 public:
  struct Options {
    std::string run;
    bool journal_heartbeats = true;  ///< --journal full
    double realtime_offset_s = 0;    ///< CLOCK_REALTIME minus CLOCK_MONOTONIC, seconds
    /// How long workers may be missing at the start while no further one comes.
    real::Duration registration_limit = std::chrono::seconds(60);
    /// After a resume, how long workers may take to be back; at least as long as a node may be
    /// silent.
    real::Duration return_limit = std::chrono::seconds(5);
    bool await_all = false;  ///< those too whose nodes had been lost
    std::string clock = {};  ///< whose the times are that are passed in, as Hello::clock
  };
  /// `scenario` (resolved) must outlive the run.
  LiveRun(const Scenario& scenario, Options options, real::Time now);

  /// First lines of the journal.
  Effects open();
  /// A record of the journal of the run's life so far, all of them in order; resume() is then there
  /// in place of open(). `last_sample`: the time of the last line of its samples. Errors: a run
  /// that has ended (kUsage), a journal that can't be replayed or in which the engine decides
  /// otherwise.
  Result<void> relive(const wire::Json& record);
  /// How the run came to its end in the records so far: done or failed. Nothing: there is something
  /// to resume.
  std::optional<RunStatus> ended_as() const;
  Result<Effects> resume(std::optional<EmuTime> last_sample, real::Time now);
  Effects on_message(const std::string& identity, const wire::Message& message, real::Time now);
  /// Does what has become due (arrivals, wake-ups, lost nodes, giving up).
  Effects on_time(real::Time now);
  /// When on_time wants to be called next.
  real::Time next_time() const;
  /// Ends the run early, workers being told to leave.
  Effects stop(RunStatus status, const std::string& reason, real::Time now);

  bool over() const { return life_ == Life::kOver; }
  /// Whether a node's worker speaks by that connection.
  bool knows(const std::string& identity) const { return links_.knows(identity); }
  std::size_t node_count() const { return scenario_.cluster.nodes.size(); }
  /// REQUIRES: over or leaving.
  RunStatus status() const { return *status_; }
  const std::string& reason() const { return reason_; }
  /// Why the run did not end well, for whoever started it; "" if it did.
  std::string trouble() const;
  /// Last line of the journal, once everything has been written.
  std::string end_line(double master_cpu_s, real::Time now) const;
  wire::Progress progress(real::Time now) const;

 private:
  enum class Life { kRegistering, kReturning, kRunning, kLeaving, kOver };
  /// The life before this one, as far as it is known.
  struct Past {
    explicit Past(const Scenario& scenario) : steps(scenario) {}
    wire::JournalSteps steps;
    std::vector<wire::Json> missing;  ///< of the outcome of the last step
    EmuTime last;                     ///< latest time in it
    double wall_s = 0;                ///< of its last line, CLOCK_REALTIME
    std::string status;               ///< that it ended with
  };

  static double seconds(real::Duration d) { return std::chrono::duration<double>(d).count(); }
  /// Real time that a node may be silent: max(node_timeout x time_scale, 2 s).
  static real::Duration liveness(const Scenario& scenario);
  EmuTime emulated(real::Time at) const;
  /// When a report's event was: by the worker's clock, corrected to ours, but never after the
  /// report came nor before what had brought it about.
  EmuTime event_time(NodeId node, const wire::Report& report, real::Time now);
  void take(const NodeLinks::Heard& heard, const std::string& identity, real::Time now,
            std::vector<Event>& events, Effects& effects);
  void take(NodeId node, const wire::Report& report, real::Time now, std::vector<Event>& events);
  /// It was launched there, for all we know.
  bool was_given(NodeId node, ContainerId container) const;
  void lose(NodeId node, const std::string& reason, real::Time now, std::vector<Event>& events);
  /// Takes note that the node's machine could not start a task; drains the node if it must be.
  void note_failed_start(NodeId node, const std::string& reason, real::Time now,
                         std::vector<Event>& events);
  void take_probe(NodeId node, const std::string& reason, real::Time now,
                  std::vector<Event>& events);
  void send_probes(real::Time now, Effects& effects);
  /// Returns whether no node takes tasks, none is expected to, and no task runs any more.
  bool nothing_left() const;
  /// Ends a run that has nothing left.
  void leave_empty(real::Time now, Effects& effects);
  /// Its end is recorded; the engine is about to see it.
  bool ended_unseen(ContainerId id) const;
  void begin(real::Time now, Effects& effects);
  /// One engine step: folds, records, queues commands, notes what the display shows.
  void step(std::vector<Event> events, real::Time now, Effects& effects);
  void record(const std::vector<Event>& events, const Step& step, real::Time now, Effects& effects);
  using Decided = std::map<ContainerId, real::Time>;
  /// How long it took from the decision, if that is known, to what has happened now.
  void take_time(ContainerId container, EmuTime at, Decided& decided,
                 std::map<ContainerId, double>& ms) const;
  /// Queues the commands that come of a step, as a function of what the journal has of it and of
  /// the steps before: so a life to come numbers them likewise. Those of `urgent` don't wait.
  void queue(const std::vector<Event>& events, const Step& step, real::Time now,
             std::set<NodeId>& urgent);
  void carry_out(const Action& action, real::Time now, std::set<NodeId>& urgent);
  /// Queues a command for the node, if it has a worker.
  void tell(NodeId node, decltype(wire::Command::what) what, std::set<NodeId>& urgent);
  void tell(const FaultMoment& moment, std::set<NodeId>& urgent);
  /// Tells the nodes that are to have copies of what a task will write there: they take no others.
  void announce(const std::vector<DataWrite>& writes, NodeId from, std::set<NodeId>& urgent);
  void send(const std::set<NodeId>& urgent, Effects& effects) const;

  Result<void> relive(const wire::RecordedStep& step, bool whole);
  void relive(const Event& event, const wire::Json& line);
  void relive_fault();
  Effects on_return(const std::string& identity, const wire::Message& message, real::Time now);
  /// Emulated time goes on.
  void go_on(real::Time now, Effects& effects);
  double downtime_s(real::Time now) const;
  /// Who was to come back is back, or will not be.
  bool all_back(real::Time now) const;
  /// Adds what becomes of external load up to `at`.
  void change_loads(EmuTime at, std::vector<Event>& events);
  /// The scenario's faults up to `at`: noted in the journal, and the workers told at once.
  void bring_about_faults(EmuTime at, real::Time now, Effects& effects);
  /// Has the workers remove what the tasks of a job that is over have handed over.
  void forget(const JobSpec& job);
  void sample(NodeId node, const wire::Heartbeat& heartbeat, real::Time now, Effects& effects);
  void settle(real::Time now, Effects& effects);
  void leave(RunStatus status, const std::string& reason, real::Time now, Effects& effects);
  wire::Beat next_beat(NodeId node, real::Time now) const;
  wire::Welcome welcome(NodeId node) const;
  /// Notes who plays the nodes and how their clocks differ, in runs over several hosts.
  void note_workers(real::Time now, Effects& effects) const;
  void note_refusal(const wire::Hello& hello, const NodeLinks::Heard& heard, real::Time now);
  /// The nodes that nobody came for, and what was said to who tried.
  std::string missing_workers() const;
  /// Tells every worker where the data services are.
  void tell_peers(Effects& effects) const;
  wire::JournalLines::RealTimes times(real::Time now) const;

  const Scenario& scenario_;
  Options options_;
  Scale scale_;
  Engine engine_;
  wire::JournalLines lines_;
  NodeLinks links_;
  Life life_ = Life::kRegistering;
  std::optional<RunStatus> status_;
  std::string reason_;
  std::unique_ptr<Past> past_;  ///< until the run goes on
  std::vector<Event> unseen_;   ///< recorded while the run was leaving; the engine is to see them
  real::Time return_by_;        ///< returning: when those that are missing are lost
  real::Time started_;
  real::Time epoch_;                                 ///< emulated 0; REQUIRES: running or later
  EmuTime now_;                                      ///< of the last step; never goes back
  EmuTime resumed_at_;                               ///< nothing new lies before
  std::vector<std::pair<EmuTime, JobId>> arrivals_;  ///< ascending
  std::size_t next_arrival_ = 0;
  std::vector<LoadChange> loads_;
  std::size_t next_load_ = 0;
  std::vector<std::optional<Resources>> load_;  ///< by node, the last one
  std::set<NodeId> known_;                      ///< nodes that ever registered
  /// Of the events that are being gathered, by their place: the worker's report behind it.
  std::map<std::size_t, std::pair<NodeId, std::int64_t>> reported_;
  FaultWatch faults_;
  DrainWatch drains_;
  bool started_any_ = false;  ///< a task, ever
  std::set<NodeId> came_;     ///< nodes whose workers have come
  real::Time last_came_;      ///< when the last of these did, or the wait for workers began
  std::set<EmuTime> wakes_;
  std::optional<real::Time> give_up_;  ///< leaving: when to stop waiting for goodbyes
  std::map<ContainerId, EmuTime>
      newest_;         ///< of each container alive, the last event, or its launch
  Decided decided_;    ///< launches not started yet
  Decided suspended_;  ///< suspensions not confirmed yet
  std::vector<double> decision_us_;
  std::string refused_;  ///< the last worker that said hello in vain, and why
  RunDisplay display_;
};

}  // namespace heddle
