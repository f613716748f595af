#include "cli/batch/plan/plan_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "cli/results/variant_directory.h"
#include "common/crc32c.h"
#include "common/file.h"
#include "common/text.h"
#include "core/policy/registry.h"
#include "report/price.h"
#include "wire/fields.h"
#include "yaml/tree.h"

namespace heddle::cli {
namespace {

using wire::Fields;
using wire::Json;

constexpr int kPlanSchema = 1;
constexpr std::size_t kMostVariants = 10000, kMostTexts = 10000;
constexpr std::size_t kLongestText = 1 << 16, kMostPlanBytes = 64 << 20;
constexpr std::array<std::string_view, 2> kKinds = {"compare", "sweep"};
constexpr std::array<std::string_view, 4> kKeeps = {"default", "first", "all", "record"};
constexpr std::array<std::string_view, 2> kModes = {"real", "simulated"};
constexpr std::array<std::string_view, 2> kJournals = {"full", "decisions"};
constexpr std::array<std::string_view, 2> kDurabilities = {"write", "fsync"};
constexpr std::pair<const char*, std::optional<double> EmulationSpec::*> kPlanFactors[] = {
    {"time_scale", &EmulationSpec::time_scale},
    {"core_fraction", &EmulationSpec::core_fraction},
    {"memory_scale", &EmulationSpec::memory_scale},
    {"data_scale", &EmulationSpec::data_scale}};

Json optional_json(const auto& value) { return value ? Json(*value) : Json(); }

bool is_given(const Json& json, const char* key) {
  return json.contains(key) && !json.at(key).is_null();
}

std::vector<std::string> texts_of(const Fields& fields, const char* key) {
  std::vector<std::string> texts;
  for (const Json& one : fields.array(key, kMostTexts)) {
    if (!one.is_string() || one.get_ref<const std::string&>().size() > kLongestText)
      fields.bad(key, "a list of texts");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

Json variant_json(const Variant& variant) {
  Json json = {{"name", variant.name},
               {"policy", optional_json(variant.policy)},
               {"set", variant.set},
               {"repeat", optional_json(variant.repeat)},
               {"exact", variant.exact}};
  if (!variant.defaults.empty()) json["defaults"] = variant.defaults;
  return json;
}

std::map<std::string, std::string> defaults_of(const Json& json, const Fields& fields) {
  std::map<std::string, std::string> defaults;
  if (!is_given(json, "defaults")) return defaults;
  const Json& given = json.at("defaults");
  if (!given.is_object() || given.size() > kMostTexts) fields.bad("defaults", "texts by name");
  for (const auto& [name, value] : given.items()) {
    if (!value.is_string()) fields.bad("defaults", "texts by name");
    defaults.emplace(name, value.get<std::string>());
  }
  return defaults;
}

Variant variant_of(const Json& json) {
  const Fields fields(json, "variants");
  Variant variant;
  variant.name = fields.text("name", kLongestText);
  if (variant.name.empty()) fields.bad("name", "a name");
  if (is_given(json, "policy")) {
    variant.policy = fields.text("policy", kLongestText);
    if (const Result<PolicySpec> policy = parse_policy(*variant.policy); !policy)
      fields.bad("policy", "a policy (" + policy.error().text + ")");
  }
  variant.set = texts_of(fields, "set");
  if (is_given(json, "repeat"))
    variant.repeat = static_cast<int>(fields.integer("repeat", 1, kMostRepeats));
  if (is_given(json, "exact")) variant.exact = fields.flag("exact");
  variant.defaults = defaults_of(json, fields);
  return variant;
}

std::vector<report::NamedWorkloads> groups_of(const Fields& fields) {
  std::vector<report::NamedWorkloads> groups;
  for (const Json& one : fields.array("groups", kMostTexts)) {
    const Fields group(one, "groups");
    groups.push_back({group.name("name"), texts_of(group, "workloads")});
  }
  return groups;
}

std::vector<SweptKey> over_of(const Fields& fields) {
  std::vector<SweptKey> keys;
  for (const Json& one : fields.array("over", 2)) {
    const Fields key(one, "over");
    keys.push_back({key.text("key", kLongestText), texts_of(key, "values")});
    if (keys.back().values.empty()) key.bad("values", "at least one value");
  }
  return keys;
}

/// Checks what several fields together must fulfil.
void check_whole(const BatchPlan& plan, const Fields& fields) {
  if (plan.variants.empty()) fields.bad("variants", "at least one variant");
  std::set<std::string> names;
  for (const Variant& variant : plan.variants)
    if (!names.insert(directory_of(variant.name)).second)
      fields.bad("variants", "names whose directories differ");
  if (plan.kind == "sweep" && points_of(plan.over).size() != plan.variants.size())
    fields.bad("over", "as many combinations of values as there are variants");
  if (plan.without_faults && plan.variants.size() % 2 != 0)
    fields.bad("without_faults", "false, because the number of variants is odd");
}

BatchPlan plan_of(const Json& json, std::string text) {
  const Fields fields(json, kPlanFile);
  BatchPlan plan;
  (void)fields.integer("schema", kPlanSchema, kPlanSchema);
  plan.kind = kKinds[fields.word("kind", kKinds)];
  plan.scenario = fields.name("scenario");
  plan.simulate = fields.word("mode", kModes) == 1;
  plan.repeat = static_cast<int>(fields.integer("repeat", 1, kMostRepeats));
  plan.seed = static_cast<std::uint64_t>(
      fields.integer("seed", 0, std::numeric_limits<std::int64_t>::max()));
  plan.vary_seed = fields.flag("vary_seed");
  plan.predict = fields.flag("predict");
  plan.from_file = fields.flag("experiment");
  plan.keep = static_cast<Keep>(fields.word("keep", kKeeps));
  plan.journal = kJournals[fields.word("journal", kJournals)];
  plan.durability = kDurabilities[fields.word("durability", kDurabilities)];
  if (is_given(json, "price")) plan.price = fields.text("price", kLongestText);
  if (const auto price = report::parse_price(plan.price); !plan.price.empty() && !price)
    fields.bad("price", "a price, such as 0.05/core-hour");
  for (const auto& [name, factor] : kPlanFactors) {
    plan.factors.*factor = std::nullopt;
    const Fields factors = fields.object("factors");
    if (is_given(json.at("factors"), name)) plan.factors.*factor = factors.number(name, 0, 1e12);
  }
  if (is_given(json, "policy")) plan.overrides.policy = fields.text("policy", kLongestText);
  plan.overrides.set = texts_of(fields, "set");
  plan.with = texts_of(fields, "with");
  if (is_given(json, "policy_arguments"))
    plan.policy_arguments = texts_of(fields, "policy_arguments");
  plan.groups = groups_of(fields);
  plan.without_faults = fields.flag("without_faults");
  plan.over = over_of(fields);
  for (const Json& one : fields.array("variants", kMostVariants))
    plan.variants.push_back(variant_of(one));
  plan.file = fields.text("file", kLongestText);
  plan.directory = path_from(fields.text("directory", kLongestText));
  plan.text = std::move(text);
  if (fields.text("text") != mark_of(plan.text))
    fields.bad("text", std::string("the mark of ") + kPlanScenario + ", which has changed");
  check_whole(plan, fields);
  return plan;
}

}  // namespace

std::string mark_of(std::string_view scenario) {
  Crc32c crc;
  crc.add(scenario);
  constexpr int kDigits = 8;
  return hexadecimal(crc.value(), kDigits) + "-" + std::to_string(scenario.size());
}

std::vector<int> repeats_of(const BatchPlan& plan) {
  std::vector<int> repeats;
  for (const Variant& variant : plan.variants) repeats.push_back(repeats_of(variant, plan.repeat));
  return repeats;
}

std::size_t cell_count(const BatchPlan& plan) {
  const std::vector<int> repeats = repeats_of(plan);
  return std::accumulate(repeats.begin(), repeats.end(), std::size_t{0});
}

std::uint64_t seed_of(const BatchPlan& plan, int repeat) {
  const bool varies = plan.simulate || plan.vary_seed;
  return plan.seed + (varies ? static_cast<std::uint64_t>(repeat) : 0);
}

std::string cell_name(const BatchPlan& plan, const BatchPlace& place) {
  return directory_of(plan.variants[place.variant].name) + "-" + std::to_string(place.repeat + 1);
}

bool keeps_directory(const BatchPlan& plan) {
  if (!plan.simulate) return true;
  return plan.keep != Keep::kRecord &&
         (plan.keep != Keep::kDefault || cell_count(plan) <= kMostDirectories);
}

bool keeps_journal(const BatchPlan& plan, const BatchPlace& place) {
  return keeps_directory(plan) && (!plan.simulate || plan.keep == Keep::kAll || place.repeat == 0);
}

std::string write_plan(const BatchPlan& plan) {
  Json factors = Json::object(), variants = Json::array(), groups = Json::array(),
       over = Json::array();
  for (const auto& [name, factor] : kPlanFactors)
    factors[name] = optional_json(plan.factors.*factor);
  for (const Variant& variant : plan.variants) variants.push_back(variant_json(variant));
  for (const report::NamedWorkloads& group : plan.groups)
    groups.push_back({{"name", group.name}, {"workloads", group.workloads}});
  for (const SweptKey& key : plan.over) over.push_back({{"key", key.key}, {"values", key.values}});
  const Json json = {{"schema", kPlanSchema},
                     {"kind", plan.kind},
                     {"scenario", plan.scenario},
                     {"mode", kModes[plan.simulate ? 1 : 0]},
                     {"cells", cell_count(plan)},
                     {"repeat", plan.repeat},
                     {"seed", plan.seed},
                     {"vary_seed", plan.vary_seed},
                     {"predict", plan.predict},
                     {"experiment", plan.from_file},
                     {"keep", kKeeps[static_cast<std::size_t>(plan.keep)]},
                     {"journal", plan.journal},
                     {"durability", plan.durability},
                     {"price", plan.price.empty() ? Json() : Json(plan.price)},
                     {"factors", std::move(factors)},
                     {"policy", optional_json(plan.overrides.policy)},
                     {"set", plan.overrides.set},
                     {"with", plan.with},
                     {"policy_arguments", optional_json(plan.policy_arguments)},
                     {"groups", std::move(groups)},
                     {"without_faults", plan.without_faults},
                     {"over", std::move(over)},
                     {"variants", std::move(variants)},
                     {"file", plan.file},
                     {"directory", path_text(plan.directory)},
                     {"text", mark_of(plan.text)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<BatchPlan> read_plan(std::string_view json, std::string text, const std::string& where) {
  const Json plan = wire::parse_json(json);
  if (!plan.is_object())
    return usage_error(where + ": not a plan; expected a file that --plan wrote");
  try {
    return plan_of(plan, std::move(text));
  } catch (const wire::BadField& bad) {
    return usage_error(where + ": " + bad.text);
  } catch (const Json::exception& wrong) {
    return usage_error(where + ": " + wrong.what());
  }
}

Result<BatchPlan> read_plan_in(const std::string& dir) {
  const std::string path = dir + "/" + kPlanFile;
  Result<std::string> json = read_found_file(path, kMostPlanBytes);
  if (!json)
    return usage_error(json.error().text + "; expected a directory that --plan or --on wrote");
  Result<std::string> text = read_found_file(dir + "/" + kPlanScenario, kMaxScenarioBytes);
  if (!text) return std::move(text).error();
  return read_plan(*json, *std::move(text), path);
}

}  // namespace heddle::cli
