// The reader's keys, the reference page and the schema for editors list the same words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/file.h"
#include "core/scenario/keys.h"
#include "tests/core/page_rows.h"

namespace heddle {
namespace {

/// The table row that the page must have for a key.
std::string row_of(const ScenarioKey& key) {
  const char* state = key.state == KeyState::kNotBuilt ? " (not built yet)" : "";
  return "| `" + key.name + "` | " + key.form + " | " +
         (key.default_text.empty() ? "required" : key.default_text) + " | " + key.help + state +
         " |";
}

TEST(ScenarioKeys, ThePageHasExactlyTheseRows) {
  std::map<std::string, std::vector<std::string>> expected;
  for (const ScenarioKey& key : scenario_keys())
    expected["`" + key.section + "`"].push_back(row_of(key));
  EXPECT_EQ(rows_of_page("scenario.md"), expected);
}

TEST(ScenarioKeys, TheSchemaHasExactlyTheseKeys) {
  auto schema = nlohmann::json::parse(*read_file(HEDDLE_SOURCE_DIR "/docs/scenario.schema.json"));
  EXPECT_EQ(schema["$ref"], "#/$defs/scenario");
  std::map<std::string, std::set<std::string>> keys, needed;
  for (const ScenarioKey& key : scenario_keys()) {
    keys[key.section].insert(key.name);
    if (key.default_text.empty()) needed[key.section].insert(key.name);
  }
  for (const auto& [section, names] : keys) {
    const auto& part = schema["$defs"][section];
    std::set<std::string> there, required;
    for (const auto& item : part["properties"].items()) there.insert(item.key());
    if (part.contains("required"))
      for (const auto& name : part["required"]) required.insert(name.get<std::string>());
    EXPECT_EQ(there, names) << section;
    EXPECT_EQ(required, needed[section]) << section;
    EXPECT_EQ(part["additionalProperties"], false) << section;
  }
}

TEST(ScenarioKeys, NoneStandsTwiceInASection) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const ScenarioKey& key : scenario_keys()) {
    EXPECT_TRUE(seen.emplace(key.section, key.name).second) << key.section << "." << key.name;
    EXPECT_EQ(find_key(key.section, key.name), &key);
    EXPECT_FALSE(key.form.empty() || key.help.empty()) << key.name;
  }
  EXPECT_EQ(find_key("job", "nodes"), nullptr);
}

}  // namespace
}  // namespace heddle
