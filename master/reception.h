#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/recorder.h"
#include "master/live_clock.h"
#include "master/live_nodes.h"
#include "master/live_reports.h"
#include "master/node_links.h"
#include "master/outbox.h"
#include "master/registration.h"
#include "master/run_display.h"
#include "master/run_life.h"

namespace heddle::master {

/// Receives the messages of workers and passes each message to the links (NodeLinks). Answers
/// messages that need no decision, and turns all others into events for the engine.
class Reception {
 public:
  /// All arguments must outlive the object.
  Reception(const RunLife& life, const LiveClock& clock, NodeLinks& links, Outbox& outbox,
            driver::Recorder& recorder, RunDisplay& display, LiveNodes& nodes,
            Registration& registration, LiveReports& reports)
      : life_(life),
        clock_(clock),
        links_(links),
        outbox_(outbox),
        recorder_(recorder),
        display_(display),
        nodes_(nodes),
        registration_(registration),
        reports_(reports) {}

  /// A heartbeat that the run answers after the engine has decided.
  struct Answer {
    std::string identity;
    NodeId node;
    std::int64_t sequence = 0;
  };
  struct Received {
    std::vector<Event> events;
    std::optional<Answer> answer;
  };
  Received receive(const std::string& identity, const wire::Message& message, real::Time now);
  /// Receives a message while the run waits for its workers to return. Makes no events.
  void receive_returning(const std::string& identity, const wire::Message& message, real::Time now);

 private:
  /// Turns what the links have found in a message into events and replies.
  void take(const NodeLinks::Heard& heard, const std::string& identity, real::Time now,
            Received& received);
  /// Answers a worker that has said hello. `again`: the worker was registered already and has only
  /// repeated its hello.
  void greet(NodeId node, bool again, real::Time now, Received& received);
  void hear(const wire::Hello& hello, const std::string& identity, real::Time now,
            Received& received);
  void hear(const wire::Heartbeat& beat, const std::string& identity, real::Time now,
            Received& received);

  const RunLife& life_;
  const LiveClock& clock_;
  NodeLinks& links_;
  Outbox& outbox_;
  driver::Recorder& recorder_;
  RunDisplay& display_;
  LiveNodes& nodes_;
  Registration& registration_;
  LiveReports& reports_;
};

}  // namespace heddle::master
