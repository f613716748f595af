#pragma once

#include <cstddef>
#include <string>

#include "common/units.h"
#include "net/rate_limit.h"

namespace heddle::net {

/// Limits how many messages and bytes per second the master accepts from each of its peers. Each
/// worker that plays a node has its own limits. All other peers that use the same key share one
/// pair of limits, because a peer can open any number of connections. These limits suffice for
/// hellos. Pure.
class PeerLimits {
 public:
  explicit PeerLimits(std::size_t nodes);

  /// Returns whether to accept a message of this size. `plays` says whether its sender plays a
  /// node.
  bool take(const std::string& peer, bool plays, std::size_t bytes, real::Time now);

 private:
  RateLimit messages_, bytes_;          ///< limits of workers that play a node
  RateLimit new_messages_, new_bytes_;  ///< limits of other peers, by key
};

}  // namespace heddle::net
