#pragma once

#include <functional>
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
#include "external/round_trips.h"
#include "sim/cluster.h"
#include "sim/counted_form.h"
#include "sim/master_side.h"
#include "sim/sampler.h"
#include "sim/worker_side.h"
#include "wire/counted_tasks.h"

namespace heddle::sim {

/// Runs a scenario in virtual time with the engine that real runs use. A simulation replaces
/// master/live_run and the workers of a real run. This class is the master and the clock.
/// WorkerSide (sim/worker_side.h) simulates the nodes. Pure: the same scenario gives exactly the
/// same lines.
///
/// Events at the same time are handled in the following order. After each item, the simulation
/// starts again at item 1:
/// 1. The nodes: workers continue after faults, containers change, transfers end and commands
///    arrive. Then these nodes and the data model settle.
/// 2. The master receives the nodes' reports in the order in which they were sent. Reports that
///    were sent at the same time are ordered by node id. Then follow submissions by job id, changes
///    of external load by node id, wakes, and the reply of an external policy. All these events are
///    one engine step.
/// 3. An external policy gets a request, if one is due. Its reply is handled in item 2.
/// 4. The master receives one heartbeat. The heartbeat is a separate engine step, because only its
///    node can get work in the step. If the step would do nothing, it is left out.
/// 5. One node sends its heartbeat. The node with the lowest id is first.
///
/// A message between master and nodes takes `message_delay`. The start of a container takes
/// `launch_delay` (sim/worker_model.h). With `ideal: true`, messages and starts take no time, and
/// all nodes send heartbeats at 0 and at all multiples of the heartbeat period. Without it,
/// ClusterSpec::beat_offset gives the times of heartbeats.
class Simulation {
 public:
  using Sink = driver::Recorder::Sink;
  using Ask = std::function<Result<std::string>(const std::string& request)>;
  struct Options {
    bool journal_heartbeats = true;
    driver::Recorder::Stopwatch stopwatch = {};
    driver::Observer* observer = nullptr;
    bool thin_samples = false;  ///< write only as many samples as charts show (sim/sampler.h)
    /// The scenario's counted form: simulates it instead. The journal then has one line for all
    /// containers of a job, no sample is made, and the observer gets steps of the counted form.
    std::optional<CountedForm> counted = {};
    /// Whether to skip computations for heartbeats without effect. The lines of the journal and the
    /// samples are the same with and without this option.
    bool shortcuts = true;
    /// Varies delays as those of real runs vary; nullopt: they are those of the scenario.
    std::optional<Variation> variation = {};
    /// Passes a request to the program of an external policy, and returns its reply. Required if
    /// the scenario has such a policy.
    Ask ask = {};
    /// Tells this program that the run is over.
    std::function<void(const std::string& message)> farewell = {};
  };

  /// `scenario` (emulation resolved) and the observer must outlive the object. Without a sink, its
  /// lines are not made.
  Simulation(const Scenario& scenario, Options options, Sink journal, Sink samples);

  /// Handles at most `turns` of the items above. Returns false once the run is over.
  bool advance(std::int64_t turns);
  /// Ends the run early.
  void stop(RunStatus status, const std::string& reason);

  EmuTime now() const { return cluster_.now; }
  const ClusterState& state() const { return engine_.state(); }
  /// REQUIRES: over.
  RunStatus status() const { return *status_; }
  const std::string& reason() const { return reason_; }
  /// Returns the times of the decisions of an external policy; nullptr if Heddle decides.
  const external::RoundTrips* round_trips() const {
    return policy_.external ? &round_trips_ : nullptr;
  }
  std::int64_t decisions() const { return recorder_.decisions(); }
  /// Returns the real time that each decision took, in microseconds. Returns an empty list without
  /// a stopwatch.
  const std::vector<double>& decision_us() const { return recorder_.decision_us(); }

 private:
  void begin();
  void turn();
  void hear_reports();
  void hear_reply();
  /// Adds the scenario's events that are due to `events`, and sends them to the nodes.
  void take_due(std::vector<Event>& events);
  void hear_heartbeat();
  std::int64_t quiet_enough() const;
  /// Returns whether no heartbeat has an effect before the next step.
  bool quiet() const { return quiet_beats_ >= quiet_enough_; }
  /// Counts heartbeats that change and decide nothing, and does not simulate them. `nodes` and
  /// `words`: when something else happens on nodes and at the master. REQUIRES: quiet().
  void skip_heartbeats(EmuTime nodes, EmuTime words);
  void step(const std::vector<Event>& events);
  /// Passes the request of an external policy to its program. The reply is an event of the next
  /// step, or of a later one.
  void converse();
  void fail_policy(const std::string& why);
  void carry_out(Action& action);
  /// Returns whether a launch on the node does not wait for the node's next heartbeat.
  bool sends_now(NodeId node) const;
  void end_if_over();
  bool is_stuck() const;
  /// Returns whether the container can report something without a further action.
  bool can_report(const Container& container) const;

  std::optional<CountedForm> form_;
  const Scenario& scenario_;  ///< the counted form, if there is one
  std::optional<wire::CountedTasks> counted_;
  bool shortcuts_;
  bool sampled_;  ///< whether samples are written
  Ask ask_;
  std::function<void(const std::string&)> farewell_;
  driver::Recorder::Stopwatch stopwatch_;
  external::MadePolicy policy_;  ///< the engine has the policy itself
  Engine engine_;
  driver::Recorder recorder_;
  driver::Calendar calendar_;
  SimulatedCluster cluster_;
  WorkerSide workers_;
  MasterSide master_;
  Sampler sampler_;
  driver::StuckWatch watch_;
  std::int64_t quiet_beats_ = 0;  ///< heartbeats without effect since the last step
  std::int64_t quiet_enough_;     ///< how many of them show that no other has an effect
  std::optional<RunStatus> status_;
  std::string reason_;
  bool begun_ = false;
  external::RoundTrips round_trips_;
  /// Nodes that were offered in the request whose reply is not handled yet.
  std::set<NodeId> offers_;
  std::optional<Event> reply_;  ///< of an external policy, not handled yet
  std::vector<Event> heard_;    ///< what is handled at present
};

}  // namespace heddle::sim
