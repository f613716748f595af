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

/// A worker gives up after this long without a Welcome, be it since its start or since it lost its
/// master.
inline constexpr real::Duration kJoinPatience = std::chrono::seconds(30);
/// A refused worker asks again for this long: the node may still be held by a worker that just
/// died.
inline constexpr real::Duration kRefusedPatience = std::chrono::seconds(5);
/// Time until the next Hello if the socket took the last one, and if it did not.
inline constexpr real::Duration kHelloPeriod = std::chrono::seconds(1);
inline constexpr real::Duration kHelloRetry = std::chrono::milliseconds(20);
inline constexpr real::Duration kShortestHeartbeat = std::chrono::milliseconds(10);

/// Returns the real time between two heartbeats of a cluster's worker.
real::Duration heartbeat_period(const wire::Welcome& welcome);
/// Returns the silence, in real time, after which the master is lost: max(node_timeout x
/// time_scale, 2 s) since the last heartbeat that it has answered was sent. The master gives a
/// worker up when the same time has passed since the last heartbeat arrived, which is never sooner.
/// So whatever the master then gives to other workers has ended here.
real::Duration silence_limit(const wire::Welcome& welcome);

/// Requests of the link to the agent.
struct Joined {
  wire::Welcome welcome;
};  ///< make the node; heartbeats begin
struct Do {
  wire::Command command;
};  ///< carry this out; each command comes once, in order
struct Peers {
  std::vector<std::string> data, keys;
};  ///< endpoints of the nodes' data services and their public keys, by node
/// Kill all tasks and give the node up; call cleared() when nothing is left. Reports made meanwhile
/// are dropped.
struct Clear {
  std::string why;
};
struct Answer {
  wire::Message message;
};  ///< send this message
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

/// The worker's side of the protocol (wire/messages.h) as a state machine: which messages to send
/// when, which commands are new, which reports are not acknowledged yet. Knows no socket or clock.
///
///   joining --Welcome--> joined --silence or Rejoin--> clearing --cleared()--> joining …
///
/// A master that is killed and restarted within the silence limit finds everything unchanged: it
/// asks for an introduction, and the streams continue where they were.
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
  /// Returns Clear or GiveUp if the passing of time requires it.
  std::vector<LinkEvent> tick(real::Time now);
  /// Returns when tick, hello_due or heartbeat_due has something new to do.
  real::Time next_due() const;

  bool hello_due(real::Time now) const;
  wire::Hello hello(real::Time now) const;
  /// `sent`: the socket took the Hello; otherwise it is due again soon.
  void hello_sent(bool sent, real::Time now);

  bool heartbeat_due(real::Time now) const;
  /// Makes a heartbeat with sequence, acknowledgement and the first unacknowledged reports. The
  /// caller fills in the rest.
  wire::Heartbeat heartbeat(real::Time now);

  /// Numbers a report and keeps it until it is acknowledged. Drops it unless joined.
  void report(wire::Report report);
  /// Returns reports that were never sent, to send them at once; empty if there are none.
  wire::Reports take_fresh();

  /// Makes the link look for a lost master until then at least.
  void look_for_master(real::Time until) { look_until_ = until; }

  /// Begins a new incarnation. REQUIRES: all tasks of the former one are gone.
  void cleared(std::uint64_t incarnation, real::Time now);

  bool joined() const { return state_ == State::kJoined; }
  /// Return run and node, as far as they are known.
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
  real::Time heard_;     ///< when the newest answered heartbeat was sent, or when we joined
  real::Time give_up_;   ///< deadline while not joined
  std::string refused_;  ///< why the master refused us the last time
  std::optional<wire::ClockEcho> echo_;
  real::Time look_until_;
  real::Time hello_;      ///< when the next Hello is due
  real::Time heartbeat_;  ///< when the next heartbeat is due
  real::Duration period_{0};
  real::Duration silence_{0};
  std::int64_t sequence_ = 0;
  std::int64_t last_command_ = 0;
  std::int64_t last_report_ = 0;  ///< highest number assigned
  std::int64_t last_sent_ = 0;    ///< highest report number sent
  std::vector<wire::Report> unacknowledged_;
  std::map<std::int64_t, real::Time> beats_;  ///< unanswered heartbeats by sequence: when sent
};

}  // namespace heddle::worker
