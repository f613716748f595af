#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "net/rate_limit.h"
#include "worker/data/announced.h"
#include "worker/data/fetching.h"
#include "worker/data/peer_bounds.h"

namespace heddle::worker {

/// Serves what other nodes ask of this one: chunks of its objects, and copies of theirs. Remembers
/// no transfers, only what has been asked for and not sent yet.
///
/// Each peer has bounds on what is held for it. A peer that asks for more is refused, and messages
/// of a peer beyond kMostMessages a second are ignored. Copies are made only as the master has
/// announced them.
class Serving {
 public:
  /// Limit of chunks that were asked for and are not sent yet; for one peer a quarter of it.
  static constexpr std::size_t kMostOwed = 1 << 16;
  /// Limits of copies that were asked for and not announced yet, in all and for one peer.
  static constexpr std::size_t kMostUnannounced = 1 << 10;
  static constexpr std::size_t kMostUnannouncedEach = 1 << 6;
  /// Limit of copies that are made at once: each keeps a file open.
  static constexpr std::size_t kMostOpen = 128;
  static constexpr std::size_t kMostAnnounced = 1 << 16;
  /// Limit of a peer's messages in a second. A node with a fast network asks for some thousand
  /// chunks.
  static constexpr double kMostMessages = 20'000;

  Serving(DataNode* node, Fetching* fetching) : node_(*node), fetching_(*fetching) {}

  void asked(const Links::Received& received, real::Time now);
  void expect(const DataExpect& copy);
  /// Returns false if the chunk does not belong to this node.
  bool passed(const Pacer::Passed& chunk, real::Time now);
  /// Begins copies, and sends what askers could not take before.
  void work(real::Time now);
  /// Refuses the copies that were not announced in time.
  void check(real::Time now);
  /// Returns whether work() has to be called again soon even if nothing happens.
  bool full() const { return !unsent_.empty(); }
  /// Returns whether check() will have something to do.
  bool waiting() const { return !unannounced_.empty(); }

 private:
  struct Asked {
    std::string asker;
    std::string peer;  ///< whose bounds apply: the node's if the key names it, else the asker's
    DataMessage chunk;
  };
  struct Copy {
    std::string asker;
    std::string peer;
    DataMessage wanted;
    real::Time until;  ///< deadline for its announcement
  };
  /// A chunk that has passed the pacer, or a message without a chunk.
  struct Unsent {
    std::optional<Asked> asked;
    Span span;
    zmq::message_t message;  ///< empty until the chunk is read
  };

  void chunk(Asked asked, real::Time now);
  void copy(Copy copy, const std::optional<NodeId>& node, real::Time now);
  void make_copy(const Copy& copy, real::Time now);
  void copy_ended(const Copy& copy, const std::string& error, real::Time now);
  void refuse(const Copy& copy, const std::string& why, real::Time now);
  void send(const std::string& asker, Unsent one, real::Time now);
  void send(const std::string& asker, zmq::message_t message, real::Time now);
  Links::Sent try_to_send(const std::string& asker, Unsent& one, real::Time now);
  void forget(const Unsent& one);
  void owe(const Flow& flow) { ++owed_[flow]; }
  void paid(const Flow& flow);

  DataNode& node_;
  Fetching& fetching_;
  net::RateLimit rates_{kMostMessages, 2 * kMostMessages};
  PeerBounds chunks_held_{kMostOwed / 4, kMostOwed};
  std::map<std::uint64_t, Asked> chunks_;  ///< in the pacer, by the pacer's names
  Announced announced_{kMostAnnounced};
  PeerBounds unannounced_held_{kMostUnannouncedEach, kMostUnannounced};
  std::deque<Copy> unannounced_;       ///< ordered by `until`
  std::deque<Copy> to_make_;           ///< announced, and not begun yet
  std::size_t open_ = 0;               ///< copies under way
  std::map<Flow, std::int64_t> owed_;  ///< chunks and copies that were asked for and are not sent
  std::map<std::string, std::deque<Unsent>> unsent_;  ///< by asker
};

}  // namespace heddle::worker
