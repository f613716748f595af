#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/ids.h"

namespace heddle {

/// Stores a set of nodes as a bitmap with several levels. Level 0 has one bit for each node. In
/// each higher level, a bit says whether a word of the level below has any bit set. Adding a node,
/// removing a node and finding the next node look at one word per level. Ten thousand nodes need
/// three levels.
class NodeSet {
 public:
  /// Makes an empty set for ids below `nodes`.
  explicit NodeSet(std::size_t nodes) {
    do {
      nodes = nodes / kBits + 1;
      levels_.emplace_back(nodes, 0);
    } while (nodes > 1);
  }

  void put(NodeId node, bool in) {
    auto place = static_cast<std::size_t>(node.value);
    for (std::vector<Word>& level : levels_) {
      Word& word = level[place / kBits];
      const Word before = word, bit = Word{1} << (place % kBits);
      word = in ? word | bit : word & ~bit;
      if ((before == 0) == (word == 0)) return;
      place /= kBits;
    }
  }

  bool empty() const { return levels_.back().front() == 0; }

  /// Returns the first node of the set that is not before `from`. Returns nullopt if there is none.
  std::optional<NodeId> first(NodeId from = NodeId{0}) const {
    // Go up until a word has a bit at the place or after it. Then go down to the first node below
    // that bit.
    auto place = static_cast<std::size_t>(from.value);
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::size_t word = place / kBits;
      if (word >= levels_[level].size()) return std::nullopt;
      const Word left = levels_[level][word] & (~Word{0} << (place % kBits));
      if (left == 0) {
        place = word + 1;
        continue;
      }
      place = word * kBits + static_cast<std::size_t>(std::countr_zero(left));
      while (level-- > 0)
        place = place * kBits + static_cast<std::size_t>(std::countr_zero(levels_[level][place]));
      return NodeId{static_cast<std::int64_t>(place)};
    }
    return std::nullopt;
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kBits = 64;
  /// Bits of each level. levels_[0] has one bit per node. Each further level has one bit per word
  /// of the level before. The last level is one word.
  std::vector<std::vector<Word>> levels_;
};

}  // namespace heddle
