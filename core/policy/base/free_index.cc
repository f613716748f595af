#include "core/policy/base/free_index.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

constexpr std::size_t kMostWatched = 64;

}  // namespace

FreeIndex::FreeIndex(std::size_t nodes) {
  while (leaves_ < nodes) leaves_ *= 2;
  // Places without a node have no room. Even an empty request does not fit there.
  const Resources none{Millicores(-1), EmuBytes(-1)};
  tree_.assign(2 * leaves_, Place{none, -1});
}

void FreeIndex::set(NodeId node, const Resources& free, double share) {
  if (leaf(node).most == free && leaf(node).share == share) return;
  for (auto& [size, nodes] : fitting_) nodes.put(node, size.fits_in(free));
  std::size_t place = leaves_ + node.value;
  tree_[place] = {free, share};
  for (place /= 2; place > 0; place /= 2) {
    const Place& left = tree_[2 * place];
    const Place& right = tree_[2 * place + 1];
    Place joint{max(left.most, right.most), std::max(left.share, right.share)};
    if (joint.most == tree_[place].most && joint.share == tree_[place].share) return;
    tree_[place] = joint;
  }
}

void FreeIndex::watch(const Sizes& sizes) {
  // Both are in the same order. Mostly, all sizes are watched already.
  const bool watched =
      std::includes(fitting_.begin(), fitting_.end(), sizes.begin(), sizes.end(),
                    [](const auto& a, const auto& b) { return BySize()(a.first, b.first); });
  if (watched) return;
  for (const auto& [size, count] : sizes) {
    if (fitting_.contains(size)) continue;
    if (fitting_.size() == kMostWatched) {
      for (auto old = fitting_.begin(); old != fitting_.end();)
        old = sizes.contains(old->first) ? std::next(old) : fitting_.erase(old);
      if (fitting_.size() == kMostWatched) return;
    }
    NodeSet& nodes = fitting_.emplace(size, leaves_).first->second;
    for (std::size_t i = 0; i < leaves_; ++i)
      nodes.put(NodeId{static_cast<std::int64_t>(i)}, size.fits_in(tree_[leaves_ + i].most));
  }
}

std::optional<NodeId> FreeIndex::first(const Resources& wanted, NodeId from) const {
  for (const auto& [size, nodes] : fitting_)
    if (size == wanted) return nodes.first(from);
  return first(1, 0, leaves_, from.value, wanted);
}

std::optional<NodeId> FreeIndex::first(std::size_t place, std::size_t begin, std::size_t size,
                                       std::size_t from, const Resources& wanted) const {
  if (begin + size <= from || !wanted.fits_in(tree_[place].most)) return std::nullopt;
  if (size == 1) return NodeId{static_cast<std::int64_t>(begin)};
  std::size_t half = size / 2;
  if (auto found = first(2 * place, begin, half, from, wanted)) return found;
  return first(2 * place + 1, begin + half, half, from, wanted);
}

std::optional<NodeId> FreeIndex::best(const Resources& wanted, const May& may) const {
  std::size_t found = 0;
  double share = -1;
  best(1, wanted, may, found, share);
  if (found == 0) return std::nullopt;
  return NodeId{static_cast<std::int64_t>(found - leaves_)};
}

void FreeIndex::best(std::size_t place, const Resources& wanted, const May& may, std::size_t& found,
                     double& share) const {
  const Place& here = tree_[place];
  if (here.share < share || !wanted.fits_in(here.most)) return;
  if (here.share == share && found < first_leaf(place)) return;
  if (place >= leaves_) {
    if (may && !may(NodeId{static_cast<std::int64_t>(place - leaves_)})) return;
    found = place;
    share = here.share;
    return;
  }
  // Search the half with the larger share first. On a tie, search the left half first. The other
  // half can then usually be skipped.
  bool right_first = tree_[2 * place + 1].share > tree_[2 * place].share;
  best(2 * place + (right_first ? 1 : 0), wanted, may, found, share);
  best(2 * place + (right_first ? 0 : 1), wanted, may, found, share);
}

}  // namespace heddle
