#pragma once

#include <memory>
#include <optional>

#include "core/policy/draft.h"

namespace heddle {

/// iKayak's locality coordination (`locality: shrink`; policies.md, section 5, Algorithm 3): maps
/// whose data is on a node get less than they ask for there rather than run elsewhere.
class Shrink {
 public:
  /// What the next map of the request, its data being on the node, is to get there now: all it asks
  /// for, or less; nullopt: it can't have enough, or the rule is not for it (no map, no data
  /// there).
  std::optional<Resources> size(const Request& request, NodeId node, const Draft& draft) const;
};

/// nullptr: containers are as large as was asked for.
std::unique_ptr<Shrink> make_shrink(const Scenario& scenario);

}  // namespace heddle
