#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/units.h"

namespace heddle::worker {

/// Identifies a transfer. Transfers are the units among which a resource is shared fairly.
struct Flow {
  std::string peer;  ///< peer that wants the data; empty: this node
  std::uint64_t transfer = 0;
  friend auto operator<=>(const Flow&, const Flow&) = default;
};

/// Times at which the first and the last byte of a chunk pass.
struct Span {
  real::Time begin, end;
  friend bool operator==(const Span&, const Span&) = default;
};

/// Longest delay that the schedule catches up on. A longer delay means that the whole process was
/// stopped.
inline constexpr real::Duration kCatchUp = std::chrono::milliseconds(100);

/// A disk or one direction of a network card. It passes one chunk after the other, at its rate. All
/// times are times of a schedule. They do not depend on when serve() is called: while chunks wait,
/// each chunk begins to pass when the previous chunk has passed. A chunk can begin to leave while
/// it still arrives, but its last byte never leaves before it has arrived. Flows that have waiting
/// chunks get equal numbers of bytes (start-time fair queueing, Goyal 1996). Ties are broken by the
/// order of arrival. Pure.
class Resource {
 public:
  explicit Resource(double bytes_per_s) : ns_per_byte_(1e9 / bytes_per_s) {}

  void add(const Flow& flow, std::uint64_t chunk, std::int64_t bytes, Span arrival);
  /// Returns when to call serve() next, or nullopt if no chunk waits.
  std::optional<real::Time> due() const;
  /// Removes the chunk that passes next from the queue. Returns the chunk and when its first and
  /// last byte pass. REQUIRES: a chunk waits, and `now` is not before due().
  std::pair<std::uint64_t, Span> serve(real::Time now);

 private:
  struct Waiting {
    std::uint64_t chunk = 0;
    std::int64_t bytes = 0;
    Span arrival;
  };
  double ns_per_byte_;
  real::Time free_at_{};
  /// Waiting chunks, by start tag (in bytes) and number of arrival.
  std::map<std::pair<std::int64_t, std::uint64_t>, Waiting> queue_;
  std::map<Flow, std::int64_t> finish_tags_;
  std::int64_t tag_ = 0;  ///< start tag of the chunk that passes
  std::uint64_t arrivals_ = 0;
};

/// Resources that a chunk passes on a node. The names give their order.
enum class Route {
  kDisk,            ///< read or written on this node for its own task
  kDiskNetworkOut,  ///< read on this node for another node
  kNetworkIn,       ///< fetched from another node
  kNetworkInDisk,   ///< fetched from another node and written
};

/// The three resources of a node: its disk, and its network card in both directions. Pure.
class Pacer {
 public:
  Pacer(double disk_bytes_per_s, double network_bytes_per_s);

  struct Passed {
    std::uint64_t chunk = 0;
    Span span;  ///< when the chunk passed the last resource
  };
  /// Starts a chunk on its route and returns a name for it. `arrival` is when the chunk arrived
  /// here or when it was requested.
  std::uint64_t pass(const Flow& flow, std::int64_t bytes, Route route, Span arrival);
  /// Returns the next chunk that has passed its whole route at `now`. Chunks are ordered by time,
  /// and then by name. Call take() until it returns nullopt.
  std::optional<Passed> take(real::Time now);
  /// Returns when to call take() again, or nullopt if no chunk is on its route.
  std::optional<real::Time> next() const;

 private:
  struct OnItsWay {
    Flow flow;
    std::int64_t bytes = 0;
    Resource* then = nullptr;
  };
  Resource* earliest();
  Resource disk_, out_, in_;
  std::uint64_t named_ = 0;
  std::map<std::uint64_t, OnItsWay> chunks_;
  std::map<std::pair<real::Time, std::uint64_t>, Span> leaving_;
};

}  // namespace heddle::worker
