#include "master/reception.h"

#include <variant>

#include "common/overloads.h"

namespace heddle::master {

Reception::Received Reception::receive(const std::string& identity, const wire::Message& message,
                                       real::Time now) {
  Received received;
  const auto heard = [&](const NodeLinks::Heard& what) { take(what, identity, now, received); };
  std::visit(
      Overloads{
          [&](const wire::Hello& hello) { hear(hello, identity, now, received); },
          [&](const wire::Heartbeat& beat) { hear(beat, identity, now, received); },
          [&](const wire::Reports& reports) { heard(links_.reports(identity, reports, now)); },
          [&](const wire::Goodbye& goodbye) { heard(links_.goodbye(identity, goodbye)); },
          [&](const wire::Probed& probed) {
            const NodeLinks::Heard answer = links_.probed(identity, probed, now);
            heard(answer);
            if (answer.sender) nodes_.probed(*answer.sender, probed.reason, now, received.events);
          },
          [&](const wire::ErrorMessage& error) {
            display_.say(clock_.emulated(now), "a worker rejected a message: " + error.text);
          },
          [&](const auto&) {
            outbox_.to_peer(identity,
                            wire::ErrorMessage{
                                "unexpected kind of message: a master does not accept it", false});
          }},
      message);
  return received;
}

void Reception::hear(const wire::Hello& hello, const std::string& identity, real::Time now,
                     Received& received) {
  const NodeLinks::Heard heard = links_.hello(identity, hello, now);
  registration_.note(hello, heard, now);
  take(heard, identity, now, received);
  if (heard.registered || heard.again)
    greet(heard.registered ? *heard.registered : *heard.again, !heard.registered, now, received);
}

void Reception::hear(const wire::Heartbeat& beat, const std::string& identity, real::Time now,
                     Received& received) {
  const NodeLinks::Heard heard = links_.heartbeat(identity, beat, now);
  take(heard, identity, now, received);
  if (!heard.heartbeat) return;
  received.answer = {identity, *heard.heartbeat, beat.sequence};
  if (life_.is(Life::kRegistering)) return;
  const NodeId node = *heard.heartbeat;
  const EmuTime at = clock_.emulated(now);
  // A worker sends its first heartbeat as soon as it has registered. That of the last worker comes
  // after the run has begun, and its node would get the first container.
  if (!registration_.has_schedule_begun(node, at)) return;
  recorder_.sample(at, {node, beat.containers}, display_.used_cores(node, beat), beat.node_memory);
  received.events.push_back({at, NodeHeartbeat{node, beat.containers, beat.use, beat.estimate}});
}

void Reception::take(const NodeLinks::Heard& heard, const std::string& identity, real::Time now,
                     Received& received) {
  reports_.take(heard, now, received.events);
  if (heard.lost) {
    nodes_.lose(*heard.lost, heard.why_lost, now, received.events);
    if (!heard.registered) links_.mark_lost(*heard.lost);
  }
  for (const wire::Message& answer : heard.replies) outbox_.to_peer(identity, answer);
}

void Reception::greet(NodeId node, bool again, real::Time now, Received& received) {
  registration_.send_welcome(node);
  const std::string& identity = links_.link(node).identity;
  if (life_.is(Life::kLeaving)) {
    outbox_.to_peer(identity, wire::Shutdown{life_.reason});
  } else if (life_.is(Life::kRunning)) {
    if (again) {
      outbox_.to_peer(identity, links_.peers());
    } else {
      registration_.record_workers(now);
      nodes_.back(node, clock_.emulated(now), received.events);
      outbox_.to_all(links_.peers());
    }
    registration_.send_beat(node, now);
  }
}

void Reception::receive_returning(const std::string& identity, const wire::Message& message,
                                  real::Time now) {
  NodeLinks::Heard heard;
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    heard = links_.hello(identity, *hello, now);
    registration_.note(*hello, heard, now);
  } else if (const auto* beat = std::get_if<wire::Heartbeat>(&message)) {
    heard = links_.hold(identity, *beat, now);
    if (heard.heartbeat) outbox_.to_peer(identity, links_.reply(*heard.heartbeat, beat->sequence));
  } else if (const auto* goodbye = std::get_if<wire::Goodbye>(&message)) {
    heard = links_.goodbye(identity, *goodbye);
  }
  if (heard.lost && !heard.registered) links_.mark_lost(*heard.lost);
  for (const wire::Message& answer : heard.replies) outbox_.to_peer(identity, answer);
  for (const auto& node : {heard.registered, heard.again})
    if (node) registration_.send_welcome(*node);
}

}  // namespace heddle::master
