#include "worker/data/peer_bounds.h"

#include <cassert>

namespace heddle::worker {

bool PeerBounds::add(const std::string& peer) {
  if (held_ >= all_) return false;
  std::size_t& held = by_peer_[peer];
  if (held >= each_) return false;
  ++held;
  ++held_;
  return true;
}

void PeerBounds::remove(const std::string& peer) {
  const auto found = by_peer_.find(peer);
  assert(found != by_peer_.end());
  --held_;
  if (--found->second == 0) by_peer_.erase(found);
}

}  // namespace heddle::worker
