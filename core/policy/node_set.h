#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/ids.h"

namespace heddle {

/// A set of nodes as bits, with bits over them that say where there are any: adding, removing and
/// finding the next one look at a word a level, of which ten thousand nodes have three.
class NodeSet {
 public:
  /// Empty; for ids below `nodes`.
  explicit NodeSet(std::size_t nodes);

  void put(NodeId node, bool in);
  /// The first one, from `from` on.
  std::optional<NodeId> first(NodeId from = NodeId{0}) const;

 private:
  using Word = std::uint64_t;
  /// levels_[0] has a bit a node, each further one a bit a word of the one before; the last is one
  /// word.
  std::vector<std::vector<Word>> levels_;
};

}  // namespace heddle
