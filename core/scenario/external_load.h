#pragma once

#include <vector>

#include "core/model/event.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// A change of a node's external load. From `at` on, the sum of all loads on the node is `what`.
struct LoadChange {
  EmuTime at;
  ExternalLoad what;
};

/// Returns every change of a node's external load, by time and then by node. If starts and ends at
/// the same time cancel out, there is no change. Before its first change, a node has no external
/// load.
std::vector<LoadChange> load_changes(const std::vector<ExternalLoadSpec>& loads);

}  // namespace heddle
