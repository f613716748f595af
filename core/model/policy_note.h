#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle {

/// A change in a policy's own state, for people and plots. A note is a line of the journal, and a
/// replay compares it like an action.
struct PolicyNote {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<double>>;
  std::string about;  ///< the policy and the value: "dress.ratio"
  std::vector<std::pair<std::string, Value>> values;
};

}  // namespace heddle
