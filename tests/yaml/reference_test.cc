// The reference page and the schema for editors, made from the descriptions of the keys. To renew
// them, run this with HEDDLE_RENEW_DOCS=1.

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "common/file.h"
#include "core/policy/registry.h"
#include "tests/support/matchers.h"
#include "tests/support/page_rows.h"
#include "workloads/catalogue/catalogue.h"
#include "yaml/sections.h"

namespace heddle::reference_test {

/// Returns the table row of a key.
std::string row_of(const Key& key) {
  return "| `" + key.name + "` | " + key.form_name + " | " +
         (key.required ? "required" : key.default_text) + " | " + key.help + " |";
}

TEST(Reference, HasEachKeyOfEachSection) {
  std::map<std::string, const Keys*> sections;
  for (const Keys* keys : all_sections()) sections["## `" + keys->section() + "`"] = keys;
  std::istringstream page(*read_file(HEDDLE_SOURCE_DIR "/docs/reference/scenario.md"));
  std::string expected;
  const Keys* open = nullptr;  // the section whose rows come next
  for (std::string line; std::getline(page, line);) {
    if (const auto at = sections.find(line); at != sections.end()) {
      open = at->second;
      sections.erase(at);
    }
    if (line.starts_with("| `")) continue;
    expected += line + "\n";
    if (!open || !line.starts_with("|---")) continue;
    for (const Key& key : open->all()) expected += row_of(key) + "\n";
    open = nullptr;
  }
  EXPECT_THAT(sections, IsEmpty()) << "sections without a heading on the page";
  expect_page("reference/scenario.md", expected);
}

using Json = nlohmann::ordered_json;

std::string description_of(const Key& key) {
  return key.help +
         (key.required || key.default_text.empty() ? "" : "; default: " + key.default_text);
}

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
      if (option.words.empty()) return {{"type", "boolean"}};
      return {{"anyOf", {{{"type", "boolean"}}, words}}};
    case Option::Type::kWord:
      return words;
    case Option::Type::kNumbers:
      return {{"type", "array"}, {"items", number_schema(option)}};
    case Option::Type::kResource:
      return {{"type", "string"}};
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
  std::string description =
      std::string(option.help) + unit + "; default: " + std::string(option.by_default);
  for (const auto& [part, value] : other_defaults(option))
    description += "; " + part + ": " + value;
  schema["description"] = description;
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
  properties["arg"] = {{"type", "object"},
                       {"additionalProperties", {{"type", {"string", "number", "boolean"}}}},
                       {"description", "options of the program of an external policy"}};
  Json anyOf = text_schema()["anyOf"];
  anyOf.push_back(
      {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}});
  return {{"anyOf", anyOf}, {"description", description_of(*scenario_keys().find("policy"))}};
}

Json map_of(const Json& values) { return {{"type", "object"}, {"additionalProperties", values}}; }
Json one_or_list(const Json& one) {
  return {{"anyOf", {one, {{"type", "array"}, {"minItems", 1}, {"items", one}}}}};
}

/// Conditions on labels.
Json where_schema() {
  Json rules = map_of(one_or_list({{"$ref", "#/$defs/name"}}));
  Json schema = rules;
  schema["properties"]["not"] = std::move(rules);
  return schema;
}

/// The values of each form. `$` stands for the name of a section.
const std::map<std::string, Json>& forms() {
  const auto ref = [](const char* name) { return Json{{"$ref", std::string("#/$defs/") + name}}; };
  const Json text = {{"type", "string"}};
  const Json names = {{"type", "array"}, {"items", ref("name")}};
  static const std::map<std::string, Json> all = {
      {"1", {{"const", 1}}},
      {"a policy, or a map of its parts and options", text},  // replaced below
      {"duration", ref("duration")},
      {"duration or distribution", ref("drawn_duration")},
      {"bytes", ref("bytes")},
      {"bytes or distribution", ref("drawn_bytes")},
      {"bytes or distribution, or list of [progress, bytes]", ref("memory")},
      {"list of [at, cores, memory]", ref("usage")},
      {"cores", ref("cores")},
      {"fraction", ref("fraction")},
      {"fraction or auto", ref("fraction_or_auto")},
      {"bytes per second", ref("byte_rate")},
      {"bits per second", ref("bit_rate")},
      {"name", ref("name")},
      {"whole number", {{"type", "integer"}}},
      {"amount", {{"type", "number"}, {"minimum", 0}, {"maximum", 1000000}}},
      {"whole number or parent", ref("shares")},
      {"map of users and their shares", map_of(ref("shares"))},
      {"map of names", map_of(ref("resource"))},
      {"map of words", map_of(ref("name"))},
      {"map of labels and their words", ref("where")},
      {"true or false", {{"type", "boolean"}}},
      {"path", text},
      {"text", text},
      {"ipc:// or tcp:// endpoint", text},
      {"file, or the text of such a file", text},
      {"list of texts", {{"type", "array"}, {"items", text}}},
      {"list of names", names},
      {"list of phases", names},
      {"list of nodes", names},
      {"list of jobs, or of maps, see condition",
       {{"type", "array"}, {"items", {{"anyOf", {ref("name"), ref("condition")}}}}}},
      {"name, list of names, or map, see rack",
       {{"anyOf",
         {ref("name"),
          {{"type", "array"}, {"minItems", 1}, {"items", ref("name")}},
          ref("rack")}}}},
      {"duration, or map, see submit", {{"anyOf", {ref("duration"), ref("submit")}}}},
      {"duration or bytes, as the key requires", {{"anyOf", {ref("duration"), ref("bytes")}}}},
      {"map, see resources, or none", {{"anyOf", {{{"const", "none"}}, ref("resources")}}}},
      {"list, see job, or map, see jobs_table",
       {{"anyOf",
         {{{"type", "array"}, {"minItems", 1}, {"items", ref("job")}}, ref("jobs_table")}}}},
      {"as-made, exact-fit, scaled(x) or resources",
       {{"anyOf",
         {{{"type", "string"}, {"pattern", "^(as-made|exact-fit|scaled\\(.+\\))$"}},
          ref("resources")}}}}};
  return all;
}

Json schema_of(const Key& key) {
  constexpr std::string_view kMap = "map, see ", kList = "list, see ";
  Json schema;
  if (const auto form = forms().find(key.form_name); form != forms().end())
    schema = form->second;
  else if (key.form_name.starts_with(kMap))
    schema = {{"$ref", "#/$defs/" + key.form_name.substr(kMap.size())}};
  else if (key.form_name.starts_with(kList))
    schema = {{"type", "array"},
              {"items", {{"$ref", "#/$defs/" + key.form_name.substr(kList.size())}}}};
  else if (key.form && !key.form->words().empty())
    schema = {{"enum", key.form->words()}};
  else
    ADD_FAILURE() << "no schema for the form " << key.form_name;
  if (key.form)
    if (const auto limits = key.form->whole_limits()) {
      schema["minimum"] = limits->least;
      schema["maximum"] = limits->most;
    }
  schema["description"] = description_of(key);
  return schema;
}

Json schema_of(const Keys& keys) {
  Json properties = Json::object(), required = Json::array();
  for (const Key& key : keys.all()) {
    properties[key.name] = schema_of(key);
    if (key.required) required.push_back(key.name);
  }
  Json schema = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  // Resources that the cluster counts.
  if (keys.has_counts()) schema["additionalProperties"] = forms().at("amount");
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

TEST(Schema, HasEachKeyPolicyAndWorkload) {
  Json schema = Json::parse(*read_file(HEDDLE_SOURCE_DIR "/docs/scenario.schema.json"));
  Json& sections = schema["$defs"];
  for (const Keys* keys : all_sections()) sections[keys->section()] = schema_of(*keys);
  sections["where"] = where_schema();
  sections["scenario"]["properties"]["policy"] = policy_schema(sections);
  sections["job"]["properties"]["workload"] = {
      {"enum", names_of(workloads::workloads())},
      {"description", description_of(*written_job_keys().find("workload"))}};
  expect_page("scenario.schema.json", schema.dump(1) + "\n");
}

TEST(Keys, NoneStandsTwiceInASection) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Keys* keys : all_sections())
    for (const Key& key : keys->all()) {
      EXPECT_TRUE(seen.emplace(keys->section(), key.name).second)
          << keys->section() << "." << key.name;
      EXPECT_FALSE(key.form_name.empty()) << key.name;
    }
}

}  // namespace heddle::reference_test
