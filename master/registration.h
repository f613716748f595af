#pragma once

#include <set>
#include <string>

#include "driver/recorder.h"
#include "master/live_clock.h"
#include "master/live_options.h"
#include "master/node_links.h"
#include "master/outbox.h"
#include "master/run_display.h"

namespace heddle::master {

/// Registers workers. Sends each worker the facts that it needs, and notes which workers were
/// refused and which are missing.
class Registration {
 public:
  /// The wait for workers begins at `now`. All other arguments must outlive the object.
  Registration(const Scenario& scenario, const LiveOptions& options, const LiveClock& clock,
               const NodeLinks& links, Outbox& outbox, driver::Recorder& recorder,
               RunDisplay& display, real::Time now)
      : scenario_(scenario),
        options_(options),
        clock_(clock),
        links_(links),
        outbox_(outbox),
        recorder_(recorder),
        display_(display),
        last_came_(now) {}

  /// Notes the result of a hello: the worker is registered, or it was refused for some reason.
  void note(const wire::Hello& hello, const NodeLinks::Heard& heard, real::Time now);
  /// Returns when the wait for workers ends.
  real::Time limit() const;
  /// Returns a text with the nodes for which no worker has registered, and with the last refusal.
  std::string missing() const;

  void send_welcome(NodeId node);
  /// Tells the node's worker when to send its next heartbeat.
  void send_beat(NodeId node, real::Time now);
  /// Does the same for the workers of all live nodes.
  void send_beats(real::Time now);
  /// Returns whether the schedule of the node's heartbeats has begun at `at`. The master spreads
  /// the first heartbeats of its nodes over a period.
  bool has_schedule_begun(NodeId node, EmuTime at) const {
    return at >= scenario_.cluster.beat_offset(node);
  }
  /// Records in the journal which nodes are played by workers on other hosts, and the clock offsets
  /// of these workers. Does nothing if there are no such workers.
  void record_workers(real::Time now);

 private:
  const Scenario& scenario_;
  const LiveOptions& options_;
  const LiveClock& clock_;
  const NodeLinks& links_;
  Outbox& outbox_;
  driver::Recorder& recorder_;
  RunDisplay& display_;
  std::set<NodeId> came_;  ///< nodes whose workers have registered
  real::Time last_came_;   ///< when the latest worker registered, or when the wait began
  std::string refused_;    ///< the last refused worker, and why
};

}  // namespace heddle::master
