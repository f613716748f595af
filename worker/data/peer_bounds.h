#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace heddle::worker {

/// Counts what is held for each peer, so that neither one of them nor all together hold more than a
/// bound. Pure.
class PeerBounds {
 public:
  /// `each`: most for one peer; `all`: most together.
  PeerBounds(std::size_t each, std::size_t all) : each_(each), all_(all) {}

  /// Counts one more for the peer; false, and counts nothing, if that is too many.
  bool add(const std::string& peer);
  /// REQUIRES: one was added for the peer.
  void remove(const std::string& peer);
  std::size_t held() const { return held_; }

 private:
  std::size_t each_, all_, held_ = 0;
  std::map<std::string, std::size_t> by_peer_;
};

}  // namespace heddle::worker
