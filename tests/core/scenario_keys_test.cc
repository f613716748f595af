// The reader's keys, the reference page and the schema for editors list the same keys.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/file.h"
#include "core/policy/registry.h"
#include "core/scenario/yaml/keys.h"
#include "tests/core/page_rows.h"
#include "workloads/catalogue/catalogue.h"

namespace heddle::scenario_keys_test {

/// Returns the table row that the page must have for a key.
std::string row_of(const ScenarioKey& key) {
  return "| `" + key.name + "` | " + key.form + " | " +
         (key.default_text.empty() ? "required" : key.default_text) + " | " + key.help + " |";
}

TEST(ScenarioKeys, ThePageHasExactlyTheseRows) {
  std::map<std::string, std::vector<std::string>> expected;
  for (const ScenarioKey& key : scenario_keys())
    expected["`" + key.section + "`"].push_back(row_of(key));
  EXPECT_EQ(rows_of_page("reference/scenario.md"), expected);
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

using Json = nlohmann::ordered_json;

template <class Rows>
Json names_of(const Rows& rows) {
  Json names = Json::array();
  for (const auto& row : rows)
    if constexpr (std::is_pointer_v<std::decay_t<decltype(row)>>)
      names.push_back(row->name);
    else
      names.push_back(row.name);
  return names;
}

/// Returns a number in its shortest form.
Json number_of(double number) {
  if (number == std::floor(number)) return static_cast<std::int64_t>(number);
  return number;
}

Json number_schema(const Option& option) {
  return {{"type", option.whole ? "integer" : "number"},
          {"minimum", number_of(option.least)},
          {"maximum", number_of(option.most)}};
}

Json values_schema(const Option& option) {
  const Json words = {{"enum", std::vector<std::string>(option.words.begin(), option.words.end())}};
  switch (option.type) {
    case Option::Type::kFlag:
      return {{"type", "boolean"}};
    case Option::Type::kWord:
      return words;
    case Option::Type::kNumbers:
      return {{"type", "array"}, {"items", number_schema(option)}};
    case Option::Type::kNumber:
      break;
  }
  if (option.words.empty()) return number_schema(option);
  return {{"anyOf", {number_schema(option), words}}};
}

/// Returns the schema of an option, which may also be written as the section of its name.
/// `sections` is the schema's.
Json option_schema(const Option& option, const Json& sections) {
  const std::string name(option.name);
  Json schema = values_schema(option);
  if (sections.contains(name))
    schema = {{"anyOf", {std::move(schema), {{"$ref", "#/$defs/" + name}}}}};
  const std::string unit = option.unit.empty() ? "" : ", in " + std::string(option.unit);
  schema["description"] =
      std::string(option.help) + unit + "; default: " + std::string(option.by_default);
  return schema;
}

/// Returns the schema of policies as text. Any combination of parts and options is a policy, such
/// as "fifo+reserve=false". A policy with ":" is a program, such as "exec:./mine.py".
Json text_schema() {
  return {{"anyOf",
           {{{"enum", names_of(policy_presets())}},
            {{"type", "string"}, {"pattern", "[+=:]|^external$"}}}}};
}

Json policy_schema(const Json& sections) {
  Json properties = {{"preset", text_schema()}};
  for (const PartKind& kind : part_kinds())
    properties[std::string(kind.name)] = {{"enum", names_of(kind.choices)}};
  for (const Option* option : policy_options())
    properties[std::string(option->name)] = option_schema(*option, sections);
  properties["external"] = {{"$ref", "#/$defs/external"}};
  Json anyOf = text_schema()["anyOf"];
  anyOf.push_back(
      {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}});
  return {{"anyOf", anyOf},
          {"description", find_key("scenario", "policy")->help + "; default: fifo"}};
}

TEST(ScenarioSchema, ListsPoliciesOptionsAndWorkloads) {
  Json schema = Json::parse(*read_file(HEDDLE_SOURCE_DIR "/docs/scenario.schema.json"));
  Json& sections = schema["$defs"];
  sections["scenario"]["properties"]["policy"] = policy_schema(sections);
  sections["job"]["properties"]["workload"] = {{"enum", names_of(workloads::workloads())},
                                               {"description", find_key("job", "workload")->help}};
  expect_page("scenario.schema.json", schema.dump(1) + "\n");
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

}  // namespace heddle::scenario_keys_test
