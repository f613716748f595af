#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/run_status.h"
#include "core/engine.h"
#include "run/calendar.h"
#include "run/recorder.h"
#include "sim/cluster.h"
#include "sim/master_side.h"
#include "sim/sampler.h"
#include "sim/stuck_watch.h"
#include "sim/worker_side.h"

namespace heddle::sim {

/// A run in virtual time: the second driver of the engine, beside master/live_run and the workers
/// with which it talks. This class is the master and the clock; sim/worker_side.h has the nodes.
/// Pure; the same scenario gives the same lines to the byte.
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
  using Sink = run::Recorder::Sink;
  struct Options {
    bool journal_heartbeats = true;
    run::Recorder::Stopwatch stopwatch = {};
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

  EmuTime now() const { return cluster_.now; }
  const ClusterState& state() const { return engine_.state(); }
  /// REQUIRES: over.
  RunStatus status() const { return *status_; }
  const std::string& reason() const { return reason_; }
  std::int64_t decisions() const { return recorder_.decisions(); }
  /// What each took, real microseconds; empty without a stopwatch.
  const std::vector<double>& decision_us() const { return recorder_.decision_us(); }

 private:
  void begin();
  void turn();
  void hear_reports();
  /// Adds what of the scenario is due, and tells the nodes.
  void take_due(std::vector<Event>& events);
  void hear_heartbeat();
  void step(const std::vector<Event>& events);
  void carry_out(Action& action);
  void end_if_over();

  const Scenario& scenario_;
  bool shortcuts_;
  Engine engine_;
  run::Recorder recorder_;
  run::Calendar calendar_;
  SimulatedCluster cluster_;
  WorkerSide workers_;
  MasterSide master_;
  Sampler sampler_;
  StuckWatch watch_;
  std::optional<RunStatus> status_;
  std::string reason_;
  bool begun_ = false;
  std::vector<Event> heard_;  ///< the heartbeat of a step
};

}  // namespace heddle::sim
