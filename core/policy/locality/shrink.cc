#include "core/policy/locality/shrink.h"

namespace heddle {

std::optional<Resources> Shrink::size(const Request&, NodeId, const Draft&) const {
  return std::nullopt;
}

}  // namespace heddle
