#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// A key that a scenario can use. docs/reference/scenario.md and docs/scenario.schema.json list the
/// same keys. A test compares them with this table.
struct ScenarioKey {
  std::string section;  ///< the map that has it: "scenario", "emulation", …, "job", "phase"
  std::string name;
  std::string form;          ///< form of its value, such as "duration" or "map, see `node`"
  std::string default_text;  ///< "": the key is required
  std::string help;          ///< one sentence, with the range
};

/// Returns every key of every section, in the order of the documentation. The keys of policies are
/// in core/policy/registry.h.
const std::vector<ScenarioKey>& scenario_keys();

/// Returns the names of the keys of one section, in order.
std::vector<std::string> key_names(std::string_view section);

/// Returns nullptr if the section has no such key.
const ScenarioKey* find_key(std::string_view section, std::string_view name);

}  // namespace heddle
