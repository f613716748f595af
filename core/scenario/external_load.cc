#include "core/scenario/external_load.h"

#include <map>
#include <utility>

namespace heddle {

std::vector<LoadChange> load_changes(const std::vector<ExternalLoadSpec>& loads) {
  std::map<std::pair<EmuTime, NodeId>, Resources> differences;
  for (const ExternalLoadSpec& load : loads) {
    for (NodeId node : load.nodes) {
      differences[{load.from, node}] += load.load;
      if (load.until) differences[{*load.until, node}] -= load.load;
    }
  }
  std::map<NodeId, Resources> now;
  std::vector<LoadChange> changes;
  for (const auto& [place, difference] : differences) {
    if (difference == Resources{}) continue;
    now[place.second] += difference;
    changes.push_back({place.first, {place.second, now[place.second]}});
  }
  return changes;
}

}  // namespace heddle
