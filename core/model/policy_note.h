#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace heddle {

/// A change in a policy's internal state, for readers of the journal and for plots. Each note is a
/// line of the journal. A replay compares notes as it compares actions.
struct PolicyNote {
  using Value = std::variant<std::int64_t, double, std::string, std::vector<double>>;
  std::string about;  ///< the policy and the value: "dress.ratio"
  std::vector<std::pair<std::string, Value>> values;
};

}  // namespace heddle
