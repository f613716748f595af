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

/// The engine's second driver: runs a scenario in virtual time, where a real run has
/// master/live_run and workers. This class is the master and the clock; sim/worker_side.h has the
/// nodes. Pure: the same scenario gives the same lines, byte for byte.
///
/// What happens at one instant is handled in this order, starting from the top again after each
/// item:
/// 1. nodes: workers that continue after faults, changes of containers, transfers that end, and
///    commands that arrive; then all these nodes settle, and the data that moves on from there;
/// 2. the master hears the nodes' reports in the order in which they were sent (by node id if sent
///    at the same time), submissions by job id, changes of external load by node id, and wakes: all
///    of the instant in one engine step;
/// 3. the master hears a heartbeat, in a step of its own, because each is its node's own
///    opportunity to get work; the step is left out if nothing would follow from it;
/// 4. a node sends its heartbeat, the lowest id first.
///
/// A message between master and nodes takes `message_delay`, and starting a container takes
/// `launch_delay` (sim/worker_model.h). With `ideal: true` both take no time, and all nodes send
/// heartbeats at whole multiples of the heartbeat period, from 0 on; otherwise
/// ClusterSpec::beat_offset says when.
class Simulation {
 public:
  using Sink = run::Recorder::Sink;
  struct Options {
    bool journal_heartbeats = true;
    run::Recorder::Stopwatch stopwatch = {};
    /// Whether to compute as little as possible for heartbeats from which nothing follows. The
    /// lines are the same either way.
    bool shortcuts = true;
  };

  /// `scenario` (emulation resolved) must outlive it.
  Simulation(const Scenario& scenario, Options options, Sink journal, Sink samples);

  /// Advances by at most `turns` of the items above. Returns false once the run is over.
  bool go_on(std::int64_t turns);
  /// Ends the run early.
  void stop(RunStatus status, const std::string& reason);

  EmuTime now() const { return cluster_.now; }
  const ClusterState& state() const { return engine_.state(); }
  /// REQUIRES: over.
  RunStatus status() const { return *status_; }
  const std::string& reason() const { return reason_; }
  std::int64_t decisions() const { return recorder_.decisions(); }
  /// Returns what each decision took, in real microseconds; empty without a stopwatch.
  const std::vector<double>& decision_us() const { return recorder_.decision_us(); }

 private:
  void begin();
  void turn();
  void hear_reports();
  /// Adds the scenario's events that are due, and notifies the nodes.
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
  std::vector<Event> heard_;  ///< the heartbeat of the present step
};

}  // namespace heddle::sim
