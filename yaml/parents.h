#pragma once

#include <string>
#include <vector>

#include "yaml/keys.h"

namespace heddle {

/// A member of a tree that a list of maps defines.
struct TreeRow {
  std::string name;
  std::string parent;  ///< "": the member is directly below the root
  Section section;     ///< the map
};

/// Reports missing parents, and the first member that is its own ancestor. `what`: the kind of the
/// members, such as "queue".
void check_tree(const std::vector<TreeRow>& rows, const std::string& what);

}  // namespace heddle
