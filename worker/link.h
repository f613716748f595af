#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/units.h"
#include "wire/messages.h"

namespace heddle::worker {

/// A worker gives up if it gets no Welcome for this time after its start or after the loss of its
/// master.
inline constexpr real::Duration kJoinPatience = std::chrono::seconds(30);
/// A refused worker asks again for this time. Perhaps an earlier worker of the node has just died,
/// and the master still counts it as alive.
inline constexpr real::Duration kRefusedPatience = std::chrono::seconds(5);
/// Time until the next Hello: kHelloPeriod if the socket accepted the last Hello, kHelloRetry if it
/// did not.
inline constexpr real::Duration kHelloPeriod = std::chrono::seconds(1);
inline constexpr real::Duration kHelloRetry = std::chrono::milliseconds(20);
/// How long the report of a start may wait for other reports, so that they leave in one message.
inline constexpr real::Duration kGatherStarts = std::chrono::milliseconds(1);
inline constexpr real::Duration kShortestHeartbeat = std::chrono::milliseconds(10);

/// Returns the real time between two heartbeats of a worker.
real::Duration heartbeat_period(const wire::Welcome& welcome);
/// Returns the real time after which a silent master counts as lost: max(node_timeout x time_scale,
/// 2 s). Replies to heartbeats can set a longer time (HeartbeatReply::silence). The worker measures
/// this time from the sending of the last heartbeat that the master has answered. The master gives
/// up the worker after the same time, measured from the arrival of the last heartbeat, so never
/// earlier than the worker. Therefore a task has ended here before the master starts it on another
/// worker.
real::Duration silence_limit(const wire::Welcome& welcome);

// Requests of the link to the agent (LinkEvent).

/// Make the node. Heartbeats begin.
struct Joined {
  wire::Welcome welcome;
};
/// Carry out the command. Each command comes once, in order.
struct Do {
  wire::Command command;
};
/// Note the endpoints of the nodes' data services and their public keys, by node.
struct Peers {
  std::vector<std::string> data, keys;
};
/// Kill all tasks and give up the node, and then call cleared(). Reports that are made in between
/// are dropped.
struct Clear {
  std::string why;
};
/// Send the message to the master.
struct Answer {
  wire::Message message;
};
/// Kill all tasks, send Goodbye and exit with 0, because the run is over.
struct Leave {
  std::string why;
};
/// Kill all tasks and exit with 4, because there is no master.
struct GiveUp {
  std::string why;
};
/// Log the text.
struct Note {
  std::string text;
};
/// Find out whether a task could be started, and answer with Probed.
struct TryStart {};
using LinkEvent = std::variant<Joined, Do, Peers, Clear, Answer, Leave, GiveUp, Note, TryStart>;

/// The worker's side of the protocol (wire/messages.h) as a state machine. Decides when to send
/// which message, and tracks which commands are new and which reports are not acknowledged yet.
/// Uses no socket and no clock.
///
///   joining --Welcome--> joined --silence or Rejoin--> clearing --cleared()--> joining …
///
/// If the master is killed and restarted within the silence limit, the worker keeps its state. The
/// new master sends an Introduce, the worker answers with a Hello, and the commands and reports
/// continue with their numbers.
class Link {
 public:
  struct Identity {
    std::string run;
    std::string node;
    std::int64_t pid = 0;
    std::string data = {};      ///< endpoint of the data service
    std::string data_key = {};  ///< public key of that service, over TCP
    std::string clock = {};     ///< name of the clock (Hello::clock)
    std::optional<wire::HostFacts> host = {};
    real::Duration join_patience = kJoinPatience;
    /// Messages to the master pass through no network. If one was delivered, a silent master is
    /// alive and will read it, so it only has not run since.
    bool same_machine = false;
  };

  Link(Identity identity, std::uint64_t incarnation, real::Time now);

  std::vector<LinkEvent> on_message(const wire::Message& message, real::Time now);
  /// Returns Clear if the silence limit has passed. Returns GiveUp if the wait for a Welcome has
  /// ended.
  std::vector<LinkEvent> tick(real::Time now);
  /// Returns when tick(), hello_due() or heartbeat_due() next has something to do.
  real::Time next_due() const;

  bool hello_due(real::Time now) const;
  wire::Hello hello(real::Time now) const;
  /// Notes whether the socket accepted the Hello. If it did not, the next Hello is due soon.
  void hello_sent(bool sent, real::Time now);

  bool heartbeat_due(real::Time now) const;
  /// Makes a heartbeat with its sequence number, the acknowledgement of commands and the first
  /// reports that are not acknowledged yet. The caller fills in the other fields.
  wire::Heartbeat heartbeat(real::Time now);
  /// Notes that the heartbeat that was made at `at` was delivered to the master's socket.
  void heartbeat_delivered(real::Time at);
  /// Notes that a fault has stopped this process until `now`. The time until then does not count as
  /// a delay of heartbeats.
  void unfrozen(real::Time now) { late_from_ = now; }

  /// Numbers a report and keeps it until it is acknowledged. Drops the report if the worker is not
  /// joined.
  void report(wire::Report report);
  /// Returns when the reports that were never sent have to leave if others may follow soon: a short
  /// time (kGatherStarts) after the first one if all are starts, else at once, which is the epoch.
  /// Returns real::Time::max() if there are no such reports.
  real::Time reports_due() const;
  /// Returns the reports that were never sent, so that the caller sends them at once. The result
  /// can be empty.
  wire::Reports take_fresh();

  /// Makes the link wait for a lost master at least until `until`.
  void look_for_master(real::Time until) { look_until_ = until; }

  /// Begins a new incarnation. REQUIRES: all tasks of the former incarnation have ended.
  void cleared(std::uint64_t incarnation, real::Time now);

  bool joined() const { return state_ == State::kJoined; }
  /// Return the run and the node, or "" if they are not known yet.
  const std::string& run() const { return identity_.run; }
  const std::string& node() const { return identity_.node; }
  std::uint64_t incarnation() const { return incarnation_; }

 private:
  enum class State { kJoining, kJoined, kClearing };

  void welcome(const wire::Welcome& message, real::Time now, std::vector<LinkEvent>& events);
  void refused(const std::string& why, real::Time now, std::vector<LinkEvent>& events);
  void take_time(std::int64_t master_ns, real::Time now);
  void acknowledge(const wire::HeartbeatReply& reply);
  void accept(std::uint64_t incarnation, const std::vector<wire::Command>& commands,
              std::vector<LinkEvent>& events);
  void clear(const std::string& why, std::vector<LinkEvent>& events);

  Identity identity_;
  std::uint64_t incarnation_;
  State state_ = State::kJoining;
  /// When the last heartbeat was sent that was answered, or delivered on the same machine. At
  /// first, when we joined.
  real::Time heard_;
  real::Time give_up_;   ///< deadline while not joined
  std::string refused_;  ///< reason of the master's last refusal
  std::optional<wire::ClockEcho> echo_;
  real::Time look_until_;
  real::Time hello_;      ///< when the next Hello is due
  real::Time heartbeat_;  ///< when the next heartbeat is due
  real::Time late_from_;  ///< delays count from this time on
  real::Duration period_{0};
  real::Duration silence_{0};
  std::int64_t sequence_ = 0;
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;  ///< highest number assigned
  std::int64_t last_sent_ = 0;    ///< highest report number sent
  std::vector<wire::Report> unacknowledged_;
  std::map<std::int64_t, real::Time> beats_;  ///< when each unanswered heartbeat was sent
};

}  // namespace heddle::worker
