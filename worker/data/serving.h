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

/// Serves the requests of other nodes. Sends them chunks of this node's objects, and makes copies
/// of their objects. Remembers only requests that are not answered yet, not whole transfers.
///
/// The number of waiting requests is limited for each peer, and further requests are refused. If a
/// peer sends more than kMostMessages per second, its further messages are ignored. Makes only
/// copies that the master has announced.
class Serving {
 public:
  /// Limit of chunks that were requested and are not sent yet. For one peer, the limit is a quarter
  /// of this.
  static constexpr std::size_t kMostOwed = 1 << 16;
  /// Limits of copies that were requested and are not announced yet: for all peers together, and
  /// for one peer.
  static constexpr std::size_t kMostUnannounced = 1 << 10;
  static constexpr std::size_t kMostUnannouncedEach = 1 << 6;
  /// Limit of copies that are made at once. Each of them keeps a file open.
  static constexpr std::size_t kMostOpen = 128;
  static constexpr std::size_t kMostAnnounced = 1 << 16;
  /// Limit of a peer's messages per second. A node with a fast network requests some thousand
  /// chunks per second.
  static constexpr double kMostMessages = 20'000;

  Serving(DataNode* node, Fetching* fetching) : node_(*node), fetching_(*fetching) {}

  void asked(const Links::Received& received, real::Time now);
  void expect(const DataExpect& copy);
  /// Handles a chunk that has passed the pacer. Returns false if the chunk does not belong to a
  /// request of another node.
  bool passed(const Pacer::Passed& chunk, real::Time now);
  /// Begins copies, and tries again to send messages to askers whose queues were full.
  void work(real::Time now);
  /// Refuses the copies that were not announced in time.
  void check(real::Time now);
  /// Returns whether work() must be called again soon, even without a new event.
  bool full() const { return !unsent_.empty(); }
  /// Returns whether check() will have something to do.
  bool waiting() const { return !unannounced_.empty(); }

 private:
  struct Asked {
    std::string asker;
    std::string peer;  ///< name for limits: the node if the key names it, else the asker
    DataMessage chunk;
  };
  struct Copy {
    std::string asker;
    std::string peer;
    DataMessage wanted;
    real::Time until;  ///< deadline for the announcement of the copy
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
  std::map<std::uint64_t, Asked> chunks_;  ///< chunks in the pacer, by the pacer's names
  Announced announced_{kMostAnnounced};
  PeerBounds unannounced_held_{kMostUnannouncedEach, kMostUnannounced};
  std::deque<Copy> unannounced_;       ///< ordered by `until`
  std::deque<Copy> to_make_;           ///< announced copies that have not begun yet
  std::size_t open_ = 0;               ///< copies that are being made
  std::map<Flow, std::int64_t> owed_;  ///< requests that are not answered yet
  std::map<std::string, std::deque<Unsent>>
      unsent_;  ///< messages that could not be sent yet, by asker
};

}  // namespace heddle::worker
