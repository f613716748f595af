#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/ids.h"
#include "master/clock_offset.h"
#include "master/host_assignment.h"
#include "net/rate_limit.h"
#include "wire/messages.h"

namespace heddle::master {

/// Implements the master's end of the protocol with the workers (wire/messages.h): who plays which
/// node, the two numbered streams, liveness. Pure: time is passed in, and the caller sends the
/// messages.
class NodeLinks {
 public:
  /// kReturning: the worker was alive when the previous master died and has not been heard from
  /// since.
  enum class State { kWaiting, kAlive, kReturning, kLost };

  struct Link {
    State state = State::kWaiting;
    std::string identity;  ///< name of the worker's connection (net/peer_name.h)
    std::uint64_t incarnation = 0;
    real::Time last_heard;
    std::int64_t last_report = 0;
    std::int64_t last_beat = 0;  ///< sequence of the newest heartbeat
    bool returned = false;       ///< the worker survived the death of a master
    std::int64_t next_command = 1;
    std::deque<wire::Command> unacknowledged;
    /// Containers whose launch command the worker has acknowledged.
    std::set<ContainerId> launched;
    /// All containers that this incarnation was told to launch, except those that vanished.
    std::set<ContainerId> given;
    /// Incarnations that were given up; none of them may come back.
    std::set<std::uint64_t> former;
    double worker_cpu_s = 0;
    double data_cpu_s = 0;             ///< the data service's part of worker_cpu_s
    std::string data;                  ///< endpoint of its data service
    std::string data_key;              ///< its public key, over TCP
    std::optional<ClockOffset> clock;  ///< set if the worker's clock is not the master's

    bool known() const { return state == State::kAlive || state == State::kReturning; }
  };

  /// Result of handling a message.
  struct Heard {
    std::optional<NodeId> registered;  ///< its worker said a valid hello, as a new incarnation
    std::optional<NodeId> again;       ///< its worker is back, or has lost the answer to its hello
    std::optional<NodeId> lost;        ///< an older incarnation of this node is gone
    std::string why_lost = "its worker left or restarted";
    std::optional<NodeId> heartbeat;
    std::vector<wire::Report> reports;   ///< new ones, in order
    std::vector<ContainerId> vanished;   ///< launched, unknown to the worker, end never reported
    std::vector<wire::Message> replies;  ///< to the sender
    std::optional<NodeId> sender;        ///< of the reports, or of the answer to a probe
  };

  /// `timeout`: a node that is silent for this real time is lost. `clock`: names the clock that
  /// `now` is read from, as Hello::clock.
  NodeLinks(const Scenario& scenario, std::string run, real::Duration timeout,
            std::string clock = {});

  Heard hello(const std::string& identity, const wire::Hello& hello, real::Time now);
  Heard reports(const std::string& identity, const wire::Reports& reports, real::Time now);
  /// Handles a heartbeat. The reply is not in `replies`: reply() makes it once the engine has
  /// decided. A heartbeat that came twice or was overtaken has no reply.
  Heard heartbeat(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now);
  /// Handles a heartbeat while the run stands still: the worker counts as heard and has a reply,
  /// but its reports and its list of containers are ignored.
  Heard hold(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now);
  /// Handles the answer to a probe. If `sender` is set, the caller looks at the answer.
  Heard probed(const std::string& identity, const wire::Probed& probed, real::Time now);
  /// Handles the goodbye of a worker. Its node is lost unless the worker had been told to leave.
  Heard goodbye(const std::string& identity, const wire::Goodbye& goodbye);
  std::vector<NodeId> expired(real::Time now);
  /// Returns when to call expired() again, no later than the next node expires; nullopt if none is
  /// alive. A message only delays a node's expiry, and expired() takes that into account.
  std::optional<real::Time> next_expiry() const { return look_at_; }
  void mark_lost(NodeId node);

  // Recovery from the journal of the previous master. Calls follow the order of the journal;
  // commands are queued in between, as they were then.
  void recover_registration(NodeId node, std::uint64_t incarnation);
  /// Recovers a report about the container, which had `ended` with it.
  void recover_report(NodeId node, std::int64_t number, ContainerId container, bool ended);
  /// Ends the recovery: starts to wait for the workers that were alive.
  void await_return(real::Time now);

  /// Queues a command for the node's worker. The next reply carries it, or commands_now() sends it
  /// at once.
  void command(NodeId node, decltype(wire::Command::what) what);
  wire::HeartbeatReply reply(NodeId node, std::int64_t sequence) const;
  /// Returns all unacknowledged commands of the node, to be sent without waiting.
  wire::Commands commands_now(NodeId node) const;

  const Link& link(NodeId node) const { return links_[node.value]; }
  /// Returns whether a node's worker uses that connection.
  bool knows(const std::string& identity) const { return by_identity_.contains(identity); }
  /// Returns the nodes in that state, ascending.
  std::vector<NodeId> nodes(State state) const;
  std::ptrdiff_t count(State state) const {
    return std::ranges::count(links_, state, &Link::state);
  }
  /// Returns the addresses of the live nodes' data services and, if any of them has a key, their
  /// keys.
  wire::Peers peers() const;
  /// Returns the sum of a CPU time over all nodes' workers.
  double sum(double Link::*cpu_s) const;
  /// Returns the host of the node's worker, as it calls itself; "" if it is the master's host or
  /// there was no worker.
  std::string host(NodeId node) const { return hosts_.host(node); }
  /// Returns how far the clock of the node's worker is ahead of the master's; nullopt if not yet
  /// known.
  std::optional<ClockEstimate> clock_offset(NodeId node, real::Time now) const;

 private:
  /// Returns the node for a worker that says hello. Errors, for the worker: why there is none.
  Result<NodeId> node_for(const wire::Hello& hello, real::Time now) const;
  /// Returns why a hello is refused for good; "" if it is not.
  std::string objection_to(const wire::Hello& hello) const;
  /// Returns why the worker at that connection can't have the node at present; "" if it can.
  std::string objection(NodeId node, const std::string& identity, const wire::Hello& hello,
                        bool again, real::Time now);
  void know_host(NodeId node, const wire::Hello& hello);
  NodeId node_of(const Link& link) const { return NodeId{&link - links_.data()}; }
  Link* find(const std::string& identity, std::uint64_t incarnation);
  void set_identity(NodeId node, const std::string& identity);
  /// Notes what a heartbeat says about its worker itself. Returns nullptr if the rest is to be
  /// ignored.
  Link* hear(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now,
             Heard& heard);
  /// Returns the answer to a sender that find() does not know.
  Heard stranger(const std::string& identity, std::uint64_t incarnation);
  /// Returns the node whose worker has that incarnation and has reconnected, with the same key if
  /// the key is known; nullptr if there is none.
  Link* reconnected(const std::string& identity, std::uint64_t incarnation);
  /// Resets the link for a new incarnation of the node's worker.
  static void renew(Link& link, std::uint64_t incarnation);
  std::vector<wire::Report> fresh(Link& link, const std::vector<wire::Report>& reports);
  void acknowledge_commands(Link& link, std::int64_t last);

  const Scenario& scenario_;
  std::string run_;
  real::Duration timeout_;
  std::string clock_;
  HostAssignment hosts_;
  std::vector<Link> links_;
  std::unordered_map<std::string, NodeId> by_identity_;
  net::RateLimit hellos_;              ///< by node
  net::RateLimit beats_;               ///< by node
  std::optional<real::Time> look_at_;  ///< no node expires earlier
};

}  // namespace heddle::master
