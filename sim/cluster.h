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

/// Holds a cluster in virtual time: the nodes with their workers, the data that moves between them,
/// and the messages on their way between workers and master. The workers' side (sim/worker_side.h)
/// and the master's side (sim/master_side.h) operate on it. Pure.
struct SimulatedCluster {
  /// A message to a node: an action for its worker, or a change of the node itself.
  using Command = std::variant<Launch, Kill, Suspend, Resume, InputsReady, Fetch, RunPart, Finish,
                               ExternalLoad, FaultMoment, NodeConditions>;
  struct Delivery {
    EmuTime at;
    NodeId node;
    Command command;
    int life = 0;  ///< of the worker that it is for
  };
  struct Report {
    EmuTime at;
    NodeId node;
    std::optional<Event> event;  ///< nullopt: the worker says hello
    int process = 0, life = 0;   ///< of the worker that sends it
  };
  struct Heartbeat {
    EmuTime at;
    NodeId node;
    int life = 0;
    std::int64_t number = 0;  ///< within that life
    EmuTime made;
    std::optional<WorkerModel::Beat> beat;  ///< nullopt: the worker still has it
  };
  struct Node {
    explicit Node(WorkerModel model) : worker(std::move(model)) {}
    WorkerModel worker;
    std::vector<Command> waiting;  ///< for the reply to its next heartbeat
    NodeLink link;
    std::vector<Delivery> undelivered;  ///< arrived while the node was frozen or cut off
    std::vector<Event> untold;          ///< could not be sent while it was frozen or cut off
  };

  /// `scenario` (emulation resolved) must outlive it.
  explicit SimulatedCluster(const Scenario& scenario);

  Node& node(NodeId id) { return nodes[static_cast<std::size_t>(id.value)]; }
  NodeLink& link(NodeId id) { return node(id).link; }

  /// Sends an event of the node to the master, or keeps it until it can be sent.
  void tell(NodeId id, Event event);
  void tell_untold(NodeId id);
  /// Sends a heartbeat. Heartbeats that arrive at the same time keep the order of these calls.
  void send(Heartbeat sent);
  /// Sends the commands that wait for the node's worker.
  void flush(NodeId id);
  /// Updates when the link of a node needs attention, if a fault has affected the node.
  void touch(NodeId id);
  bool any_settling() const;

  const Scenario& scenario;
  const EmuTime message_delay;
  const NodeLink::Limits limits;
  EmuTime now;
  DataModel data;
  std::vector<Node> nodes;
  Agenda due;                     ///< when something happens on a node
  Agenda worker_due, master_due;  ///< when something happens on its link
  // Messages on their way, each kind in the order of time.
  std::deque<Delivery> deliveries;
  std::deque<Report> reports;
  std::deque<Heartbeat> heartbeats;
};

/// Returns a real duration in emulated time; 0 in an ideal simulation.
EmuTime simulated_delay(const Scenario& scenario, real::Duration real);

}  // namespace heddle::sim
