#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace heddle::worker {

/// Counts what is held for each peer, and keeps it within a bound for each and one for all
/// together. Pure.
class PeerBounds {
 public:
  /// `each`: limit for one peer; `all`: limit for all together.
  PeerBounds(std::size_t each, std::size_t all) : each_(each), all_(all) {}

  /// Counts one more for the peer. Returns false, and counts nothing, if that is too many.
  bool add(const std::string& peer);
  /// REQUIRES: add() has counted one for the peer.
  void remove(const std::string& peer);
  std::size_t held() const { return held_; }

 private:
  std::size_t each_, all_, held_ = 0;
  std::map<std::string, std::size_t> by_peer_;
};

}  // namespace heddle::worker
