#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/wire/messages.h"

namespace heddle {

/// The master's end of the protocol with each worker (common/wire/messages.h): who plays which
/// node, the two numbered streams, liveness. Pure: time is passed in, nothing is sent from here.
class NodeLinks {
 public:
  enum class State { kWaiting, kAlive, kLost };

  struct Link {
    State state = State::kWaiting;
    std::string identity;  ///< routing id of the worker's socket
    std::uint64_t incarnation = 0;
    real::Time last_heard;
    std::int64_t last_report = 0;
    std::int64_t next_command = 1;
    std::deque<wire::Command> unacknowledged;
    /// Containers whose launch command the worker has acknowledged.
    std::set<ContainerId> launched;
    double worker_cpu_s = 0;
    double data_cpu_s = 0;  ///< those of them that the data service used
    std::string data;       ///< endpoint of its data service
  };

  /// What a message or the passing of time meant.
  struct Heard {
    std::optional<NodeId> registered;  ///< said a valid hello
    std::optional<NodeId> lost;        ///< an older incarnation of that node is gone
    std::optional<NodeId> heartbeat;
    std::vector<wire::Report> reports;   ///< new ones, in order
    std::vector<ContainerId> vanished;   ///< launched there, unknown there now, never reported
    std::vector<wire::Message> replies;  ///< to the sender
  };

  /// `timeout` is real: a node not heard of for so long is lost.
  NodeLinks(const Scenario& scenario, std::string run, real::Duration timeout);

  Heard hello(const std::string& identity, const wire::Hello& hello, real::Time now);
  Heard reports(const std::string& identity, const wire::Reports& reports, real::Time now);
  /// The reply is not in `replies`: reply() makes it once the engine has decided.
  Heard heartbeat(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now);
  /// Worker left by its own will; its node is lost unless it had been told to leave.
  Heard goodbye(const std::string& identity, const wire::Goodbye& goodbye);
  std::vector<NodeId> expired(real::Time now);
  /// When the next node would expire; nullopt with none alive.
  std::optional<real::Time> next_expiry() const;
  void mark_lost(NodeId node);

  /// Queues a command for the node's worker; it rides on the next reply, or now() sends it at once.
  void command(NodeId node, decltype(wire::Command::what) what);
  wire::HeartbeatReply reply(NodeId node, std::int64_t sequence) const;
  /// All unacknowledged commands of the node, for sending without waiting.
  wire::Commands commands_now(NodeId node) const;

  const Link& link(NodeId node) const { return links_[node.value]; }
  int count(State state) const;
  std::vector<std::string> waiting_nodes() const;
  /// Where the data services of the live nodes are.
  wire::Peers peers() const;
  double workers_cpu_s() const;
  double data_cpu_s() const;

 private:
  Link* find(const std::string& identity, std::uint64_t incarnation, NodeId* node);
  static Heard stranger();
  std::vector<wire::Report> fresh(Link& link, const std::vector<wire::Report>& reports);
  void acknowledge_commands(Link& link, std::int64_t last);

  const Scenario& scenario_;
  std::string run_;
  real::Duration timeout_;
  std::vector<Link> links_;
};

}  // namespace heddle
