#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What the project makes of a key by now.
enum class KeyState {
  kBuilt,
  kNotBuilt,  ///< would change results if it were ignored: an error
};

/// A word that a scenario may use. docs/scenario.md and docs/scenario.schema.json list the same
/// keys; a test compares.
struct ScenarioKey {
  std::string section;  ///< which map it stands in: "scenario", "emulation", …, "job", "phase"
  std::string name;
  std::string form;          ///< what its value looks like: "duration", "bytes", "map, see `node`"
  std::string default_text;  ///< "" : must be given
  KeyState state = KeyState::kBuilt;
  std::string help;  ///< one sentence, with the range
};

/// Every key of every section, in the order of the docs. (A policy's keys are those of
/// core/policy/registry.h.)
const std::vector<ScenarioKey>& scenario_keys();

/// The keys of one section, in order.
std::vector<std::string> key_names(std::string_view section);

/// Null if the section has no such key.
const ScenarioKey* find_key(std::string_view section, std::string_view name);

}  // namespace heddle
