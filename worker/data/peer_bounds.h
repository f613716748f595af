#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace heddle::worker {

/// Counts how many items are held for each peer, for example requests that wait. Limits the number
/// of items for each peer and for all peers together. Pure.
class PeerBounds {
 public:
  /// `each` is the limit for one peer, and `all` is the limit for all peers together.
  PeerBounds(std::size_t each, std::size_t all) : each_(each), all_(all) {}

  /// Counts one more item for the peer. Returns false and counts nothing if a limit would be
  /// exceeded.
  bool add(const std::string& peer);
  /// Counts one item less for the peer. REQUIRES: add() has counted an item for the peer.
  void remove(const std::string& peer);
  std::size_t held() const { return held_; }

 private:
  std::size_t each_, all_, held_ = 0;
  std::map<std::string, std::size_t> by_peer_;
};

}  // namespace heddle::worker
