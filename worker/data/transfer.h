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

/// Tracks a fetch: what was asked for, what has come, what has passed, and which node is asked.
/// Each chunk is checked when it comes, so the next source continues where the last one failed.
/// Pure.
class Transfer {
 public:
  /// Asks for chunks of `chunk` bytes (the last may be smaller), at most `window` chunks ahead of
  /// what has passed.
  Transfer(DataFetch fetch, std::int64_t chunk, int window);

  struct Stretch {
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };
  const DataFetch& wanted() const { return fetch_; }
  /// Returns the node to ask; nothing if all have failed.
  std::optional<NodeId> source() const;
  /// Returns the next chunk to ask for now, if any.
  std::optional<Stretch> ask();
  /// Returns whether chunks are on their way from the source.
  bool waiting() const { return asked_ > came_; }
  bool all_came() const { return came_ == fetch_.size; }
  /// Takes a chunk that came from the source. Returns an error if it is not the next one.
  Result<void> came(Stretch stretch);
  /// Counts a chunk that came and has passed the resources here.
  void passed(std::int64_t size) { passed_ += size; }
  bool complete() const { return passed_ == fetch_.size; }
  /// Gives the source up.
  void failed(const std::string& reason);
  /// Returns "object ... cannot be read: node 1: ...; node 2: ...".
  std::string error() const;

 private:
  std::int64_t chunk_at(std::int64_t done) const;
  DataFetch fetch_;
  std::int64_t chunk_;
  std::int64_t ahead_;
  std::int64_t asked_ = 0, came_ = 0, passed_ = 0;  ///< bytes from the offset on
  std::size_t source_ = 0;
  std::string reasons_;
};

/// Decides whether a peer that owes us something is still there. Pure.
class Silence {
 public:
  Silence(real::Duration limit, real::Time now) : limit_(limit), heard_(now) {}

  enum class Verdict { kNone, kPing, kGiveUp };
  void heard(real::Time now);
  /// Returns kPing once after a third of the limit, kGiveUp after all of it.
  Verdict check(real::Time now);
  /// Handles the answer to a ping: so much is still to come. Returns false if the peer has
  /// forgotten what it owes us.
  bool pong(std::int64_t owes, real::Time now);

 private:
  real::Duration limit_;
  real::Time heard_;
  bool pinged_ = false;
};

}  // namespace heddle::worker
