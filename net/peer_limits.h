#pragma once

#include <cstddef>
#include <string>

#include "common/units.h"
#include "net/rate_limit.h"

namespace heddle::net {

/// Limits how many messages and bytes per second the master takes from each of its peers. A worker
/// that plays a node has a share of its own. All other peers with one key share what their hellos
/// need, because a peer can open any number of connections. Pure.
class PeerLimits {
 public:
  explicit PeerLimits(std::size_t nodes);

  /// Returns whether to take a message of this size. `plays`: its sender plays a node.
  bool take(const std::string& peer, bool plays, std::size_t bytes, real::Time now);

 private:
  RateLimit messages_, bytes_;          ///< of workers that play a node
  RateLimit new_messages_, new_bytes_;  ///< of others, by key
};

}  // namespace heddle::net
