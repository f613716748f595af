#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/scenario/faults.h"
#include "sim/agenda.h"
#include "sim/data_model.h"
#include "sim/node_link.h"
#include "sim/worker_model.h"

namespace heddle::sim {

/// The nodes of a run in virtual time with their workers, the data that moves between them, and the
/// messages that are on their way between workers and master. The workers' side (sim/worker_side.h)
/// and the master's (sim/master_side.h) each do their part on it. Pure.
struct SimulatedCluster {
  /// What goes to a node: actions for its worker, and what strikes the node itself.
  using Command = std::variant<Launch, Kill, Suspend, Resume, InputsReady, Fetch, RunPart, Finish,
                               ExternalLoad, FaultMoment, NodeConditions>;
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
  };

  /// `scenario` (emulation resolved) must outlive it.
  explicit SimulatedCluster(const Scenario& scenario);

  Node& node(NodeId id) { return nodes[static_cast<std::size_t>(id.value)]; }
  NodeLink& link(NodeId id) { return node(id).link; }

  /// Sends what has happened on the node to the master, or keeps it until it can be sent.
  void tell(NodeId id, Event event);
  void tell_untold(NodeId id);
  /// Sends the heartbeat; those that arrive at the same time arrive in the order of this call.
  void send(Heartbeat sent);
  /// Sends the commands that wait for the node's worker.
  void flush(NodeId id);
  /// Updates when the link of a node that a fault has come near is to be looked after.
  void touch(NodeId id);
  bool any_settling() const;

  const Scenario& scenario;
  const EmuTime message_delay;
  const NodeLink::Limits limits;
  EmuTime now;
  DataModel data;
  std::vector<Node> nodes;
  Agenda due;                     ///< when something happens on a node
  Agenda worker_due, master_due;  ///< of links, likewise
  // On their way, each in the order of time.
  std::deque<Delivery> deliveries;
  std::deque<Report> reports;
  std::deque<Heartbeat> heartbeats;
};

/// What takes that long for real, in emulated time; nothing in an ideal simulation.
EmuTime simulated_delay(const Scenario& scenario, real::Duration real);

}  // namespace heddle::sim
