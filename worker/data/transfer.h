#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/ids.h"
#include "common/result.h"
#include "common/units.h"
#include "worker/data/data_service.h"

namespace heddle::worker {

/// "object 8000000000070000"
std::string object_name(std::uint64_t object);
/// "node 3"
std::string node_name(NodeId node);

/// How a fetch stands: what was asked for, what has come, what has passed, and who is asked. Each
/// chunk is checked when it comes, so the next source goes on where the last one failed. Pure.
class Transfer {
 public:
  /// Asks for chunks of `chunk` bytes (the last may be smaller), `window` at most ahead of what has
  /// passed.
  Transfer(DataFetch fetch, std::int64_t chunk, int window);

  struct Stretch {
    std::int64_t offset = 0;
    std::int64_t size = 0;
  };
  const DataFetch& wanted() const { return fetch_; }
  /// Who is to be asked; nothing: all have failed.
  std::optional<NodeId> source() const;
  /// The next chunk to be asked for now, if any.
  std::optional<Stretch> ask();
  /// True while chunks are on their way from the source.
  bool waiting() const { return asked_ > came_; }
  bool all_came() const { return came_ == fetch_.size; }
  /// A chunk came from the source. An error if it is not the next one.
  Result<void> came(Stretch stretch);
  /// A chunk that came has passed the resources here.
  void passed(std::int64_t size) { passed_ += size; }
  bool complete() const { return passed_ == fetch_.size; }
  /// The source is of no use any more.
  void failed(const std::string& reason);
  /// "object … cannot be read: node 1: …; node 2: …"
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

/// Whether one who owes us something is still there. Pure.
class Silence {
 public:
  Silence(real::Duration limit, real::Time now) : limit_(limit), heard_(now) {}

  enum class Verdict { kNone, kPing, kGiveUp };
  void heard(real::Time now);
  /// kPing once after a third of the limit, kGiveUp after all of it.
  Verdict check(real::Time now);
  /// An answer to the ping: so much is yet to come. False: it has forgotten what it owes us.
  bool pong(std::int64_t owes, real::Time now);

 private:
  real::Duration limit_;
  real::Time heard_;
  bool pinged_ = false;
};

}  // namespace heddle::worker
