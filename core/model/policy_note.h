#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle {

/// Something of a policy's own state that has changed, for people and plots: a line of the journal,
/// compared by a replay like an action.
struct PolicyNote {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<double>>;
  std::string about;  ///< whose and what: "dress.ratio"
  std::vector<std::pair<std::string, Value>> values;
};

}  // namespace heddle
