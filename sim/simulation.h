#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/run_status.h"
#include "common/wire/journal_lines.h"
#include "core/engine.h"
#include "core/scenario/external_load.h"
#include "core/scenario/fault_watch.h"
#include "sim/agenda.h"
#include "sim/beats.h"
#include "sim/node_link.h"
#include "sim/worker_model.h"

namespace heddle {

/// A run in virtual time: the second driver of the engine, beside master/live_run and the workers
/// with which it talks. Pure; the same scenario gives the same lines to the byte.
///
/// What happens at one instant is taken in this order, and from the top again after each:
/// 1. nodes: workers that go on after faults, what containers have come to, transfers that end, and
///    commands that arrive, then all of them settle, and what data moves on from there;
/// 2. the master hears what they tell, in the order in which it was told (by node id where that is
///    the same), submissions by job id, changes of external load by node id, and wakes: all of the
///    instant in one engine step;
/// 3. the master hears a heartbeat: a step of its own, as each is a node's own opportunity, unless
///    nothing would come of it;
/// 4. a node sends its heartbeat, the lowest id first.
///
/// Between master and nodes everything takes `message_delay`, and starting a container
/// `launch_delay` (sim/worker_model.h). With `ideal: true` both take no time and all nodes beat at
/// whole multiples of the heartbeat, from 0 on; else as ClusterSpec::beat_offset has it.
class Simulation {
 public:
  /// Takes whole lines, in order.
  using Sink = std::function<void(std::string_view)>;
  struct Options {
    bool journal_heartbeats = true;
    /// Real time since some moment, to measure what decisions cost; where there is none they are
    /// not measured.
    std::function<real::Duration()> stopwatch;
    /// Of heartbeats from which nothing comes as little is worked out as can be; without, all of
    /// it, to the same lines.
    bool shortcuts = true;
  };

  /// `scenario` (emulation resolved) must outlive it.
  Simulation(const Scenario& scenario, Options options, Sink journal, Sink samples);

  /// Goes on by at most `turns` of the above. False once the run is over.
  bool go_on(std::int64_t turns);
  /// Ends the run early.
  void stop(RunStatus status, const std::string& reason);

  EmuTime now() const { return now_; }
  const ClusterState& state() const { return engine_.state(); }
  /// REQUIRES: over.
  RunStatus status() const { return *status_; }
  const std::string& reason() const { return reason_; }
  std::int64_t decisions() const { return decisions_; }
  /// What each took, real microseconds; empty without a stopwatch.
  const std::vector<double>& decision_us() const { return decision_us_; }

 private:
  using Order = decltype(Action::what);
  using Command = std::variant<Order, ExternalLoad, FaultMoment, NodeConditions>;
  struct Delivery {
    EmuTime at;
    NodeId node;
    Command command;
    int life = 0;  ///< of the worker for whom it is
  };
  struct Report {
    EmuTime at;
    NodeId node;
    std::optional<Event> event;  ///< nullopt: it says hello
    int process = 0, life = 0;   ///< of the worker that tells it
  };
  struct Heartbeat {
    EmuTime at;
    NodeId node;
    int life = 0;
    std::int64_t number = 0;  ///< of that life's
    EmuTime made;
    std::optional<WorkerModel::Beat> beat;  ///< nullopt: its worker still has it
  };
  struct Node {
    explicit Node(WorkerModel model) : worker(std::move(model)) {}
    WorkerModel worker;
    std::vector<Command> waiting;  ///< for the reply to its next heartbeat
    NodeLink link;
    std::vector<Delivery> undelivered;  ///< while it was frozen or cut off
    std::vector<Event> untold;          ///< likewise
    std::int64_t beats = 0;             ///< heard
    CoreTime sampled_cpu;               ///< as of the last sample, at …
    EmuTime sampled_at;
  };

  void begin();
  void turn();
  EmuTime next_node_time() const;
  EmuTime next_word_time() const;
  void run_nodes();
  void settle_node(NodeId id);
  void hear_words();
  /// Adds what becomes of external load now, and tells the nodes.
  void change_loads(std::vector<Event>& events);
  void hear_heartbeat();
  void send_heartbeat();

  /// A heartbeat from which nothing would come is no step; false: it has to be one.
  bool pass(NodeId id);
  void step(const std::vector<Event>& events);
  /// That the engine was asked. `before`: the stopwatch then.
  void note_decision(real::Duration before);
  void carry_out(Action& action);
  void flush(NodeId node);
  /// Of this heartbeat of the node a sample is written. Once a heartbeat.
  bool sampled(NodeId node);
  void sample(const WorkerModel::Beat& beat);

  // Faults: sim/simulation_faults.cc.
  /// Takes what is due into the journal, and to the workers.
  void bring_about_faults();
  void strike(NodeId id, const FaultMoment& moment);
  void set_conditions(NodeId id, const NodeConditions& conditions);
  void touch(NodeId id);
  /// What the worker does by itself: begins anew, goes on, gives the master up.
  void go_on_with_worker(NodeId id);
  void go_on_with_workers(std::vector<NodeId>& active);
  void clear(NodeId id);
  void say_hello(NodeId id);
  /// A command has come; false if the worker can't take it now, or ever.
  bool takes(const Delivery& delivery);
  void tell(NodeId id, Event event);
  void tell_untold(NodeId id);
  void hear_hello(const Report& hello, std::vector<Event>& events);
  /// True if what came is from the worker that the master knows; another one is told to rejoin.
  bool knows(NodeId id, int life);
  void lose(NodeId id, const std::string& reason, std::vector<Event>& events);
  void lose_silent(std::vector<Event>& events);
  bool any_settling() const;

  void note_progress(const std::vector<Event>& events, const Step& step);
  void end_if_over();
  bool anything_goes_on() const;
  std::string stuck_reason() const;

  const Scenario& scenario_;
  Options options_;
  Sink journal_, samples_;
  EmuTime message_delay_;
  Engine engine_;
  wire::JournalLines lines_;
  DataModel data_;
  FaultWatch faults_;
  NodeLink::Limits limits_;
  std::vector<Node> nodes_;
  Beats beats_;
  std::int64_t sample_every_;  ///< heartbeats of a node
  bool lazy_beats_;            ///< each is heard before its node sends the next

  EmuTime now_;
  std::optional<RunStatus> status_;
  std::string reason_;
  bool begun_ = false;
  // What is to come, each in the order of time.
  Agenda due_;                      ///< when something happens on a node
  Agenda worker_due_, master_due_;  ///< of links, likewise
  std::deque<Delivery> deliveries_;
  std::deque<Report> reports_;
  std::deque<Heartbeat> heartbeats_;
  std::vector<Event> heard_;  ///< the heartbeat of a step
  std::vector<std::pair<EmuTime, JobId>> arrivals_;
  std::size_t next_arrival_ = 0;
  std::vector<LoadChange> loads_;
  std::size_t next_load_ = 0;
  std::set<EmuTime> wakes_;
  // Since anything but heartbeats, wakes and reservations happened:
  std::int64_t quiet_heartbeats_ = 0;
  std::int64_t quiet_wakes_ = 0;

  std::int64_t decisions_ = 0;
  std::vector<double> decision_us_;
};

}  // namespace heddle
