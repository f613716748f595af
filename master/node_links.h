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
#include "master/silence.h"
#include "net/rate_limit.h"
#include "wire/messages.h"

namespace heddle::master {

/// Implements the master's end of the protocol with the workers (wire/messages.h). Tracks which
/// worker plays which node and which workers are alive. Numbers the commands, and acknowledges the
/// numbered reports. Pure: time is passed in, and the caller sends the messages.
class NodeLinks {
 public:
  /// kReturning: the worker was alive when the previous master died, and this master has not yet
  /// heard from it.
  enum class State { kWaiting, kAlive, kReturning, kLost };

  struct Link {
    State state = State::kWaiting;
    std::string identity;  ///< name of the worker's connection (net/peer_name.h)
    std::uint64_t incarnation = 0;
    real::Time last_heard;      ///< on the clock of ran()
    real::Duration silence{0};  ///< how long each side may be silent from the last heartbeat on
    real::Time expires;         ///< the node does not expire earlier; on the clock of ran()
    std::int64_t last_report = 0;
    std::int64_t last_heartbeat = 0;  ///< sequence of the newest heartbeat
    bool returned = false;            ///< the worker survived the death of a master
    std::int64_t next_command = 1;
    std::deque<wire::Command> unacknowledged;
    /// Containers whose launch command the worker has acknowledged.
    std::set<ContainerId> launched;
    /// All containers that this incarnation was told to launch, except containers that vanished
    /// (Heard::vanished).
    std::set<ContainerId> given;
    /// Incarnations that were given up. None of them is accepted again.
    std::set<std::uint64_t> former;
    double worker_cpu_s = 0;
    double data_cpu_s = 0;             ///< part of worker_cpu_s that the data service used
    std::string data;                  ///< endpoint of the worker's data service
    std::string data_key;              ///< public key of that service, over TCP
    std::optional<ClockOffset> clock;  ///< set if the worker has another clock

    bool known() const { return state == State::kAlive || state == State::kReturning; }
  };

  /// Result of handling a message.
  struct Heard {
    std::optional<NodeId> registered;  ///< a new incarnation of its worker said hello
    std::optional<NodeId> again;       ///< its worker says hello again
    std::optional<NodeId> lost;        ///< an older incarnation of this node is gone
    std::string why_lost = "its worker left or began anew";
    std::optional<NodeId> heartbeat;
    std::vector<wire::Report> reports;   ///< new reports, in order
    std::vector<ContainerId> vanished;   ///< the worker lost them without reporting their end
    std::vector<wire::Message> replies;  ///< messages for the sender
    std::optional<NodeId> sender;        ///< node of the reports or of the answer to a probe
  };

  /// A node that is silent for the real time `timeout` is lost. On a slow machine, the time is
  /// longer (master/silence.h). `clock` is the name of the clock that `now` is read from
  /// (Hello::clock).
  NodeLinks(const Scenario& scenario, std::string run, real::Duration timeout,
            std::string clock = {});

  Heard hello(const std::string& identity, const wire::Hello& hello, real::Time now);
  Heard reports(const std::string& identity, const wire::Reports& reports, real::Time now);
  /// Handles a heartbeat. The reply to the heartbeat is not in `replies`, because reply() makes it
  /// after the engine has decided. A heartbeat that arrives twice, or after a newer heartbeat, gets
  /// no reply.
  Heard heartbeat(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now);
  /// Handles a heartbeat while the run waits for its workers to return. The worker counts as alive
  /// and gets a reply, but its reports and its list of containers are ignored.
  Heard hold(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now);
  /// Handles the answer to a probe. The caller ignores the answer if the result has no `sender`.
  Heard probed(const std::string& identity, const wire::Probed& probed, real::Time now);
  /// Handles the goodbye of a worker. The result has the worker's node as `lost`. LiveNodes ignores
  /// this loss if the run is leaving.
  Heard goodbye(const std::string& identity, const wire::Goodbye& goodbye);
  std::vector<NodeId> expired(real::Time now);
  /// Notes that this process did not run for the real time `length`, for example because it was
  /// stopped. This time does not count as silence of the workers.
  void note_stall(real::Duration length) { stalled_ += length; }
  /// Returns the largest delay of a heartbeat lately.
  real::Duration largest_delay(real::Time now) const { return delays_.largest(ran(now)); }
  /// Returns the real time for which a node can be silent before it is lost. `now`: on a machine
  /// that is as slow as it has been lately. Without `now`: on a machine without delays.
  real::Duration timeout(real::Time now) const {
    return silence_limit(timeout_, largest_delay(now));
  }
  real::Duration timeout() const { return timeout_; }
  /// Returns when to call expired() again, or nullopt if no node is alive. No node expires before
  /// that time. A node can also expire later, because each message from its worker delays the
  /// expiry.
  std::optional<real::Time> next_expiry() const {
    return look_at_ ? std::optional(*look_at_ + stalled_) : std::nullopt;
  }
  void mark_lost(NodeId node);

  // Recovery from the journal of the previous master. The caller calls these functions in the order
  // of the journal. Between the calls, it queues the same commands as the previous master.
  void recover_registration(NodeId node, std::uint64_t incarnation);
  /// Recovers a report about the container. `ended` says whether the report was about the
  /// container's end.
  void recover_report(NodeId node, std::int64_t number, ContainerId container, bool ended);
  /// Ends the recovery: starts to wait for the workers that were alive.
  void await_return(real::Time now);

  /// Queues a command for the node's worker. The next reply to a heartbeat contains the command. To
  /// send it at once, the caller sends the result of commands_now().
  void command(NodeId node, decltype(wire::Command::what) what);
  wire::HeartbeatReply reply(NodeId node, std::int64_t sequence) const;
  /// Returns a message with all unacknowledged commands of the node. The caller sends the message
  /// without waiting for the next heartbeat.
  wire::Commands commands_now(NodeId node) const;

  const Link& link(NodeId node) const { return links_[node.value]; }
  /// Returns whether a node's worker uses that connection.
  bool knows(const std::string& identity) const { return by_identity_.contains(identity); }
  /// Returns the nodes whose links have that state, in ascending order.
  std::vector<NodeId> nodes(State state) const;
  std::ptrdiff_t count(State state) const {
    return std::ranges::count(links_, state, &Link::state);
  }
  /// Returns the endpoints of the live nodes' data services. If any of these services has a key,
  /// also returns their keys.
  wire::Peers peers() const;
  /// Returns the sum of one of the CPU times, for the workers of all nodes.
  double sum(double Link::*cpu_s) const;
  /// Returns the name that the host of the node's worker has given itself. Returns "" if the host
  /// is the master's host or if there was no worker.
  std::string host(NodeId node) const { return hosts_.host(node); }
  /// Returns whether the node's worker reads the same clock as the master.
  bool shares_clock(NodeId node) const { return !links_[node.value].clock; }
  /// Returns how far the clock of the node's worker is ahead of the master's clock, or nullopt if
  /// that is not yet known.
  std::optional<ClockEstimate> clock_offset(NodeId node, real::Time now) const;

 private:
  /// Returns the node for a worker that says hello. The error tells the worker why there is no node
  /// for it.
  Result<NodeId> node_for(const wire::Hello& hello, real::Time now) const;
  /// Returns why the worker's hello can never be accepted, or "" if it can.
  std::string objection_to(const wire::Hello& hello) const;
  /// Returns why the worker at that connection can't have the node at present, or "" if it can.
  std::string objection(NodeId node, const std::string& identity, const wire::Hello& hello,
                        bool again, real::Time now);
  void know_host(NodeId node, const wire::Hello& hello);
  NodeId node_of(const Link& link) const { return NodeId{&link - links_.data()}; }
  Link* find(const std::string& identity, std::uint64_t incarnation);
  void set_identity(NodeId node, const std::string& identity);
  /// Notes what a heartbeat says about the worker itself. Returns nullptr if the caller must ignore
  /// the rest of the heartbeat.
  Link* hear(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now,
             Heard& heard);
  /// Returns the answer to a worker that find() does not know.
  Heard unknown_sender(const std::string& identity, std::uint64_t incarnation);
  /// Returns the link whose worker has that incarnation, so that the sender can be this worker
  /// after it has reconnected. A live worker must also have the same key as before. Returns nullptr
  /// if there is no such link.
  Link* reconnected(const std::string& identity, std::uint64_t incarnation);
  /// Resets the link for a new incarnation of the node's worker.
  static void renew(Link& link, std::uint64_t incarnation);
  /// Returns the time of a clock that stands still while this process does not run.
  real::Time ran(real::Time now) const { return now - stalled_; }
  /// Notes that the node's worker is alive.
  void keep_alive(Link& link, real::Time now);
  std::vector<wire::Report> fresh(Link& link, const std::vector<wire::Report>& reports);
  void acknowledge_commands(Link& link, std::int64_t last);

  const Scenario& scenario_;
  std::string run_;
  real::Duration timeout_;
  std::string clock_;
  HostAssignment hosts_;
  std::vector<Link> links_;
  std::unordered_map<std::string, NodeId> by_identity_;
  net::RateLimit hellos_;              ///< limits, by node
  net::RateLimit heartbeat_limit_;     ///< limits, by node
  real::Duration stalled_{0};          ///< how long this process did not run, in total
  LateHeartbeats delays_;              ///< on the clock of ran()
  std::optional<real::Time> look_at_;  ///< no node expires before this time of ran()
};

}  // namespace heddle::master
