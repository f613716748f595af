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

/// A worker that has never had a Welcome gives up after this long, as does one that lost its master
/// and cleared up.
inline constexpr real::Duration kJoinPatience = std::chrono::seconds(30);
/// One that is refused asks again for so long: the node it wants may be that of one just dead.
inline constexpr real::Duration kRefusedPatience = std::chrono::seconds(5);
/// Between two Hellos that were handed to the socket, and after one that could not be.
inline constexpr real::Duration kHelloPeriod = std::chrono::seconds(1);
inline constexpr real::Duration kHelloRetry = std::chrono::milliseconds(20);
inline constexpr real::Duration kShortestHeartbeat = std::chrono::milliseconds(10);

/// Real time between two heartbeats of a cluster.
real::Duration heartbeat_period(const wire::Welcome& welcome);
/// The master is lost when the last heartbeat that it has answered was sent so long ago, real time:
/// max(node_timeout x time_scale, 2 s). It gives a worker up when the last one that it has heard
/// came so long ago, which is never sooner: what it gives to others has ended here by then.
real::Duration silence_limit(const wire::Welcome& welcome);

/// What the link asks of the agent.
struct Joined {
  wire::Welcome welcome;
};  ///< make the node; heartbeats begin
struct Do {
  wire::Command command;
};  ///< each command once, in order
struct Peers {
  std::vector<std::string> data, keys;
};  ///< where the nodes' data services are, by node, and their public keys
/// Kill all tasks and give the node up; call cleared() when nothing is left. Reports made meanwhile
/// are dropped.
struct Clear {
  std::string why;
};
struct Answer {
  wire::Message message;
};  ///< send this
struct Leave {
  std::string why;
};  ///< the run is over: kill all, Goodbye, exit 0
struct GiveUp {
  std::string why;
};  ///< no master: kill all, exit 4
struct Note {
  std::string text;
};                   ///< for the log
struct TryStart {};  ///< find out whether a task could be started, and answer with Probed
using LinkEvent = std::variant<Joined, Do, Peers, Clear, Answer, Leave, GiveUp, Note, TryStart>;

/// The worker's side of the protocol (wire/messages.h) as a state: what to say when, which
/// commands are new, which reports are still to be acknowledged. Knows no socket or clock.
///
///   joining --Welcome--> joined --silence or Rejoin--> clearing --cleared()--> joining …
///
/// A master that is killed and started anew in less than the silence limit finds all as it was: it
/// asks for an introduction, the streams go on where they were.
class Link {
 public:
  struct Identity {
    std::string run;
    std::string node;
    std::int64_t pid = 0;
    std::string data;           ///< endpoint of the data service
    std::string data_key = {};  ///< its public key, over TCP
    std::string clock = {};     ///< as Hello::clock
    std::optional<wire::HostFacts> host = {};
    real::Duration join_patience = kJoinPatience;
  };

  Link(Identity identity, std::uint64_t incarnation, real::Time now);

  std::vector<LinkEvent> on_message(const wire::Message& message, real::Time now);
  /// What time alone brings about: Clear or GiveUp.
  std::vector<LinkEvent> tick(real::Time now);
  /// When tick, hello_due or heartbeat_due has something new; never in the past of what they did.
  real::Time next_due() const;

  bool hello_due(real::Time now) const;
  wire::Hello hello(real::Time now) const;
  /// `sent`: the socket took it; otherwise it is due again soon.
  void hello_sent(bool sent, real::Time now);

  bool heartbeat_due(real::Time now) const;
  /// Fills sequence, acknowledgement and the first unacknowledged reports; the rest is the
  /// caller's.
  wire::Heartbeat heartbeat(real::Time now);

  /// Numbers a report and keeps it until acknowledged. Dropped unless joined.
  void report(wire::Report report);
  /// Reports that were never sent, for sending at once; empty if there are none.
  wire::Reports take_fresh();

  /// A master that is lost is looked for until then at least.
  void look_for_master(real::Time until) { look_until_ = until; }

  /// All tasks of this incarnation are gone: a new one begins.
  void cleared(std::uint64_t incarnation, real::Time now);

  bool joined() const { return state_ == State::kJoined; }
  /// Of the run, as far as we were told.
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
  real::Time heard_;     ///< when the newest heartbeat that was answered had been sent, or joined
  real::Time give_up_;   ///< while not joined
  std::string refused_;  ///< why the master did not take us the last time
  std::optional<wire::ClockEcho> echo_;
  real::Time look_until_;
  real::Time hello_;      ///< next one due
  real::Time heartbeat_;  ///< next one due
  real::Duration period_{0};
  real::Duration silence_{0};
  std::int64_t sequence_ = 0;
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;  ///< highest number given
  std::int64_t last_sent_ = 0;    ///< highest report number sent
  std::vector<wire::Report> unacknowledged_;
  std::map<std::int64_t, real::Time> beats_;  ///< unanswered ones, by sequence: when sent
};

}  // namespace heddle::worker
