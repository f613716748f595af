#pragma once

#include <optional>
#include <string>
#include <vector>

#include "master/live_nodes.h"
#include "master/live_parts.h"
#include "master/live_reports.h"
#include "master/registration.h"

namespace heddle::master {

/// Receives the messages of workers and passes each message to the links (NodeLinks). Answers
/// messages that need no decision, and turns all others into events for the engine.
class Reception {
 public:
  Reception(LiveParts& parts, LiveNodes& nodes, Registration& registration);

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
  void reply(const std::string& identity, wire::Message message) {
    parts_.effects.send.emplace_back(identity, std::move(message));
  }

  LiveParts& parts_;
  NodeLinks& links_;
  LiveNodes& nodes_;
  Registration& registration_;
  LiveReports reports_;
};

}  // namespace heddle::master
