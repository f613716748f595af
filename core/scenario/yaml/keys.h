#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Implementation state of a key.
enum class KeyState {
  kBuilt,
  kNotBuilt,  ///< an error, because ignoring the key would change results
};

/// A key that a scenario may use. docs/reference/scenario.md and docs/scenario.schema.json list the
/// same keys; a test compares them.
struct ScenarioKey {
  std::string section;  ///< the map that holds it: "scenario", "emulation", …, "job", "phase"
  std::string name;
  std::string form;          ///< form of its value: "duration", "bytes", "map, see `node`"
  std::string default_text;  ///< "": the key is required
  KeyState state = KeyState::kBuilt;
  std::string help;  ///< one sentence, with the range
};

/// Returns every key of every section, in the order of the docs. The keys of policies are in
/// core/policy/registry.h.
const std::vector<ScenarioKey>& scenario_keys();

/// Returns the keys of one section, in order.
std::vector<std::string> key_names(std::string_view section);

/// Returns nullptr if the section has no such key.
const ScenarioKey* find_key(std::string_view section, std::string_view name);

}  // namespace heddle
