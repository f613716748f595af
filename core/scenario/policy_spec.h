#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The parts and options that are chosen for a policy. Names are checked against
/// core/policy/registry.h. Values are text, as the user writes them ("true", "0.125").
struct PolicySpec {
  std::string preset = "fifo";
  std::vector<std::pair<std::string, std::string>> options;  ///< by name, ascending
  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};

}  // namespace heddle
