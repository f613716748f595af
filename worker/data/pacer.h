#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "common/units.h"

namespace heddle::worker {

/// A transfer, as a unit of fair sharing.
struct Flow {
  std::string peer;  ///< the peer that wants it; empty: this node itself
  std::uint64_t transfer = 0;
  friend auto operator<=>(const Flow&, const Flow&) = default;
};

/// Times at which the first and the last byte of a chunk pass.
struct Span {
  real::Time begin, end;
  friend bool operator==(const Span&, const Span&) = default;
};

/// Longest delay that is caught up. A longer one means that the whole process was stopped.
inline constexpr real::Duration kCatchUp = std::chrono::milliseconds(100);

/// A disk or one direction of a network card, which passes one chunk after the other at its rate.
/// Times are those of a schedule, not of the timers that carry it out: while chunks wait, each
/// begins when the one before has left, however late serve() is called. Bytes flow through: a chunk
/// may leave while it still arrives, but its end never leaves before it has arrived. Flows get
/// equal numbers of bytes as long as they have chunks waiting (start-time fair queueing, Goyal
/// 1996); ties are broken by order of arrival. Pure.
class Resource {
 public:
  explicit Resource(double bytes_per_s) : ns_per_byte_(1e9 / bytes_per_s) {}

  void add(const Flow& flow, std::uint64_t chunk, std::int64_t bytes, Span arrival);
  /// Returns when to call serve() next, unless nothing waits.
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
  /// Waiting chunks by start tag, in bytes, and arrival.
  std::map<std::pair<std::int64_t, std::uint64_t>, Waiting> queue_;
  std::map<Flow, std::int64_t> finish_tags_;
  std::int64_t tag_ = 0;  ///< start tag of the chunk that passes
  std::uint64_t arrivals_ = 0;
};

/// Resources that chunks pass on a node, in this order.
enum class Route {
  kDisk,            ///< read or written here for a task here
  kDiskNetworkOut,  ///< read here for another node
  kNetworkIn,       ///< brought here
  kNetworkInDisk,   ///< brought here and written
};

/// The three resources of a node. Pure.
class Pacer {
 public:
  Pacer(double disk_bytes_per_s, double network_bytes_per_s);

  struct Passed {
    std::uint64_t chunk = 0;
    Span span;  ///< at the last resource
  };
  /// Sends a chunk on its way and names it. `arrival`: when the chunk came here, or was asked for.
  std::uint64_t pass(const Flow& flow, std::int64_t bytes, Route route, Span arrival);
  /// Returns the next chunk that has passed its whole route by now, in order of time, ties in order
  /// of names. Call until there is none.
  std::optional<Passed> take(real::Time now);
  /// Returns when to call take() again, unless nothing is on its way.
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
