#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heddle {

/// The chosen parts and options of a policy. Names are checked against core/policy/registry.h;
/// values are in their written form ("true", "0.125").
struct PolicySpec {
  std::string preset = "fifo";
  std::vector<std::pair<std::string, std::string>> options;  ///< by name, ascending
  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
};

}  // namespace heddle
