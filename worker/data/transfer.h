#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/ids.h"
#include "common/result.h"
#include "common/units.h"
#include "worker/data/data_service.h"

namespace heddle::worker {

/// Returns a name such as "object 8000000000070000".
std::string object_name(std::uint64_t object);
/// Returns a name such as "node 3".
std::string node_name(NodeId node);

/// Tracks the progress of a fetch: which bytes were requested, which have arrived, and which have
/// passed the pacer. Also tracks which node is asked. Each chunk is checked when it arrives.
/// Therefore, if a source fails, the next source can continue at that place. Pure.
class Transfer {
 public:
  /// Makes a transfer that asks for chunks of `chunk` bytes (the last chunk can be smaller).
  /// Requests are at most `window` chunks ahead of the bytes that have passed.
  Transfer(DataFetch fetch, std::int64_t chunk, int window);

  struct Stretch {
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };
  const DataFetch& wanted() const { return fetch_; }
  /// Returns the node to ask, or nullopt if all nodes have failed.
  std::optional<NodeId> source() const;
  /// Returns the next chunk to request, or nullopt if no chunk can be requested at present.
  std::optional<Stretch> ask();
  /// Returns whether requested chunks have not arrived yet.
  bool waiting() const { return asked_ > came_; }
  bool all_came() const { return came_ == fetch_.size; }
  /// Takes a chunk that has arrived from the source. Returns an error if it is not the next chunk.
  Result<void> came(Stretch stretch);
  /// Counts a chunk that has arrived and has passed the resources of this node.
  void passed(std::int64_t size) { passed_ += size; }
  bool complete() const { return passed_ == fetch_.size; }
  /// Gives up the source. The next node becomes the source.
  void failed(const std::string& reason);
  /// Returns "object ... cannot be read: node 1: ...; node 2: ...".
  std::string error() const;

 private:
  std::int64_t chunk_at(std::int64_t done) const;
  DataFetch fetch_;
  std::int64_t chunk_;
  std::int64_t ahead_;
  std::int64_t asked_ = 0, came_ = 0, passed_ = 0;  ///< bytes after fetch_.offset
  std::size_t source_ = 0;
  std::string reasons_;
};

/// Decides whether a peer that has not yet answered our requests is still alive. Pure.
class Silence {
 public:
  Silence(real::Duration limit, real::Time now) : limit_(limit), heard_(now) {}

  enum class Verdict { kNone, kPing, kGiveUp };
  void heard(real::Time now);
  /// Returns kPing once if the peer has been silent for a third of the limit. Returns kGiveUp if it
  /// has been silent for the whole limit.
  Verdict check(real::Time now);
  /// Handles the answer to a ping. `owes` is the number of answers that the peer still has to send.
  /// Returns false if the peer has forgotten our requests.
  bool pong(std::int64_t owes, real::Time now);

 private:
  real::Duration limit_;
  real::Time heard_;
  bool pinged_ = false;
};

}  // namespace heddle::worker
