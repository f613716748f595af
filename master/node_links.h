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

/// The master's end of the protocol with each worker (wire/messages.h): who plays which
/// node, the two numbered streams, liveness. Pure: time is passed in, nothing is sent from here.
class NodeLinks {
 public:
  /// kReturning: alive when the master before this one died, and not heard of since.
  enum class State { kWaiting, kAlive, kReturning, kLost };

  struct Link {
    State state = State::kWaiting;
    std::string identity;  ///< of the worker's connection: net/peer_name.h
    std::uint64_t incarnation = 0;
    real::Time last_heard;
    std::int64_t last_report = 0;
    std::int64_t last_beat = 0;  ///< sequence of the newest heartbeat
    bool returned = false;       ///< it came through the death of a master
    std::int64_t next_command = 1;
    std::deque<wire::Command> unacknowledged;
    /// Containers whose launch command the worker has acknowledged.
    std::set<ContainerId> launched;
    /// All that this incarnation was told to launch, but for those that vanished.
    std::set<ContainerId> given;
    /// Incarnations that were given up; none of them comes back.
    std::set<std::uint64_t> former;
    double worker_cpu_s = 0;
    double data_cpu_s = 0;             ///< those of them that the data service used
    std::string data;                  ///< endpoint of its data service
    std::string data_key;              ///< and its public key, over TCP
    std::optional<ClockOffset> clock;  ///< of a worker that does not read the master's clock

    bool known() const { return state == State::kAlive || state == State::kReturning; }
  };

  /// What a message or the passing of time meant.
  struct Heard {
    std::optional<NodeId> registered;  ///< said a valid hello, as a new incarnation
    std::optional<NodeId> again;       ///< said hello once more: it came back, or lost the answer
    std::optional<NodeId> lost;        ///< an older incarnation of that node is gone
    std::string why_lost = "its worker left or began anew";
    std::optional<NodeId> heartbeat;
    std::vector<wire::Report> reports;   ///< new ones, in order
    std::vector<ContainerId> vanished;   ///< launched there, unknown there now, never reported
    std::vector<wire::Message> replies;  ///< to the sender
    std::optional<NodeId> sender;        ///< of the reports, or of the answer to a probe
  };

  /// `timeout` is real: a node not heard of for so long is lost. `clock`: as Hello::clock, of the
  /// one that `now` is read from.
  NodeLinks(const Scenario& scenario, std::string run, real::Duration timeout,
            std::string clock = {});

  Heard hello(const std::string& identity, const wire::Hello& hello, real::Time now);
  Heard reports(const std::string& identity, const wire::Reports& reports, real::Time now);
  /// The reply is not in `replies`: reply() makes it once the engine has decided. One that came
  /// twice or was overtaken has none.
  Heard heartbeat(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now);
  /// The same while the run stands still: the worker is heard of and has a reply, of what it tells
  /// no notice is taken.
  Heard hold(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now);
  /// The answer to a probe is the caller's to look at, if there is a sender.
  Heard probed(const std::string& identity, const wire::Probed& probed, real::Time now);
  /// Worker left by its own will; its node is lost unless it had been told to leave.
  Heard goodbye(const std::string& identity, const wire::Goodbye& goodbye);
  std::vector<NodeId> expired(real::Time now);
  /// When to look for such, no later than the next one expires; nullopt with none alive. What is
  /// heard meanwhile only puts it off: expired() finds out.
  std::optional<real::Time> next_expiry() const { return look_at_; }
  void mark_lost(NodeId node);

  // What the journal of a master before this one tells, in its order; commands are queued between,
  // just as they were then.
  void recover_registration(NodeId node, std::uint64_t incarnation);
  /// A report of the container, which had `ended` with it.
  void recover_report(NodeId node, std::int64_t number, ContainerId container, bool ended);
  /// All was told: who was alive is waited for.
  void await_return(real::Time now);

  /// Queues a command for the node's worker; it rides on the next reply, or now() sends it at once.
  void command(NodeId node, decltype(wire::Command::what) what);
  wire::HeartbeatReply reply(NodeId node, std::int64_t sequence) const;
  /// All unacknowledged commands of the node, for sending without waiting.
  wire::Commands commands_now(NodeId node) const;

  const Link& link(NodeId node) const { return links_[node.value]; }
  /// Whether a node's worker speaks by that connection.
  bool knows(const std::string& identity) const { return by_identity_.contains(identity); }
  /// Ascending.
  std::vector<NodeId> nodes(State state) const;
  std::ptrdiff_t count(State state) const {
    return std::ranges::count(links_, state, &Link::state);
  }
  /// Where the data services of the live nodes are, and, if any has one, their keys.
  wire::Peers peers() const;
  /// Of all nodes' workers.
  double sum(double Link::*cpu_s) const;
  /// The host of the node's worker, as it calls itself; "": the master's, or there was none.
  std::string host(NodeId node) const { return hosts_.host(node); }
  /// How far the clock of the node's worker is ahead of ours: nothing as long as it is not known.
  std::optional<ClockEstimate> clock_offset(NodeId node, real::Time now) const;

 private:
  /// Which node a worker plays that says hello. Errors, for the worker: why none.
  Result<NodeId> node_for(const wire::Hello& hello, real::Time now) const;
  /// What is to be refused for good; "" if nothing.
  std::string objection_to(const wire::Hello& hello) const;
  /// What speaks against taking a worker, by that connection, for the node now; "" if nothing.
  std::string objection(NodeId node, const std::string& identity, const wire::Hello& hello,
                        bool again, real::Time now);
  void know_host(NodeId node, const wire::Hello& hello);
  NodeId node_of(const Link& link) const { return NodeId{&link - links_.data()}; }
  Link* find(const std::string& identity, std::uint64_t incarnation);
  void set_identity(NodeId node, const std::string& identity);
  /// What a heartbeat tells of its worker itself; nullptr if it is not to be looked at further.
  Link* hear(const std::string& identity, const wire::Heartbeat& heartbeat, real::Time now,
             Heard& heard);
  /// The answer to one that find() does not know.
  Heard stranger(const std::string& identity, std::uint64_t incarnation);
  /// The node of that incarnation whose worker has connected anew, with the same key as before as
  /// far as that is known.
  Link* reconnected(const std::string& identity, std::uint64_t incarnation);
  /// A worker begins a new life there.
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
  std::optional<real::Time> look_at_;  ///< nobody expires before
};

}  // namespace heddle::master
