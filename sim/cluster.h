#pragma once

#include <boost/container/deque.hpp>
#include <cstdint>
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

/// Holds the state of a cluster in virtual time: the nodes with their workers, the data that moves
/// between nodes, and the messages that are sent and have not arrived. WorkerSide
/// (sim/worker_side.h) and MasterSide (sim/master_side.h) work with this state. Pure.
struct SimulatedCluster {
  /// A message to a node. The message is an action for the node's worker or a change of the node
  /// itself.
  using Command = std::variant<Launch, Kill, Suspend, Resume, InputsReady, Fetch, RunPart, Finish,
                               ExternalLoad, FaultMoment, NodeConditions>;
  struct Delivery {
    EmuTime at;
    NodeId node;
    Command command;
    int life = 0;  ///< life of the worker that must get it
  };
  struct Report {
    EmuTime at;
    NodeId node;
    std::optional<Event> event;  ///< nullopt: the worker says hello
    int process = 0, life = 0;   ///< process and life of the worker that sends it
  };
  struct Heartbeat {
    EmuTime at;
    NodeId node;
    int life = 0;
    std::int64_t number = 0;  ///< counted within that life
    EmuTime made;
    std::optional<WorkerModel::Beat> beat;  ///< nullopt: not taken from the worker yet
  };
  struct Node {
    explicit Node(WorkerModel model) : worker(std::move(model)) {}
    WorkerModel worker;
    std::vector<Command> waiting;  ///< sent with the reply to the next heartbeat
    NodeLink link;
    std::vector<Delivery> undelivered;  ///< arrived while the node was frozen or cut off
    std::vector<Event> unsent;          ///< not sent, because the node was frozen or cut off
  };

  /// A queue that allocates memory for 32 messages at a time. std::deque would allocate it for each
  /// of these large messages.
  template <class Message>
  using Queue =
      boost::container::deque<Message, void,
                              boost::container::deque_options_t<boost::container::block_size<32U>>>;

  /// `scenario` (emulation resolved) must outlive the object.
  explicit SimulatedCluster(const Scenario& scenario,
                            const std::optional<Variation>& variation = {});

  Node& node(NodeId id) { return nodes[static_cast<std::size_t>(id.value)]; }
  NodeLink& link(NodeId id) { return node(id).link; }

  /// Sends an event of the node to the master, or keeps it until it can be sent.
  void tell(NodeId id, Event event);
  void send_unsent(NodeId id);
  /// Sends a heartbeat. If several heartbeats arrive at the same time, they arrive in the order of
  /// these calls.
  void send(Heartbeat sent);
  /// Sends the commands that wait for the node's worker.
  void flush(NodeId id);
  /// If a fault has affected the node, updates the time at which its link needs attention.
  void touch(NodeId id);
  bool any_settling() const;

  const Scenario& scenario;
  const std::optional<Variation> variation;
  const EmuTime message_delay;
  const NodeLink::Limits limits;
  EmuTime now;
  DataModel data;
  std::vector<Node> nodes;
  Agenda due;                     ///< when something happens on a node
  Agenda worker_due, master_due;  ///< when something happens on its link
  // Messages that have not arrived, each kind in the order of arrival.
  Queue<Delivery> deliveries;
  Queue<Report> reports;
  Queue<Heartbeat> heartbeats;
};

/// Converts a real duration to emulated time. Returns 0 in an ideal simulation.
EmuTime simulated_delay(const Scenario& scenario, real::Duration real);

}  // namespace heddle::sim
