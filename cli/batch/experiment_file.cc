#include "cli/batch/experiment_file.h"

#include <algorithm>
#include <filesystem>

#include "cli/batch/batch.h"
#include "common/number.h"
#include "common/text.h"
#include "yaml/tree.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kKeys = {
    "title",    "scenario",      "real",      "repeat",   "real_repeat",   "variants",
    "over",     "real_variants", "real_once", "settings", "real_settings", "groups",
    "real_set", "baseline",      "table",     "claims",   "ablation",      "by_group"};
const std::vector<std::string> kByGroupKeys = {"metric", "variants"};
const std::vector<std::string> kAblationKeys = {"without", "with", "rival", "against"};
const std::vector<std::string> kClaimKeys = {"about", "metric", "of",    "policy",  "against",
                                             "paper", "expect", "cause", "settings"};
/// In the settings of a claim: the scenario without one.
constexpr const char* kUnchanged = "unchanged";
const std::vector<std::string> kGroupKinds = {"class", "queue", "user", "workload"};

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

/// Reads an experiment from a YAML tree and stops at the first error.
class Reader {
 public:
  explicit Reader(const std::string& filename) : filename_(filename) {}

  Result<Experiment> read(const YamlNode& root) {
    experiment_.name = fs::path(filename_).stem();
    HEDDLE_TRY(check_keys(root, kKeys));
    HEDDLE_TRY(text(root, "title", true, experiment_.title));
    HEDDLE_TRY(path(root, "scenario", true, experiment_.scenario));
    HEDDLE_TRY(path(root, "real", false, experiment_.real));
    HEDDLE_TRY(repeats(root, "repeat", experiment_.repeat));
    HEDDLE_TRY(repeats(root, "real_repeat", experiment_.real_repeat));
    HEDDLE_TRY(variants(root));
    HEDDLE_TRY(real_variants(root));
    HEDDLE_TRY(settings(root));
    HEDDLE_TRY(groups(root));
    HEDDLE_TRY(table(root));
    HEDDLE_TRY(claims(root));
    HEDDLE_TRY(ablation(root));
    HEDDLE_TRY(by_group(root));
    return experiment_;
  }

 private:
  Error wrong(const YamlNode& at, const std::string& what) const {
    return usage_error(filename_ + ":" + std::to_string(std::max(1, at.line)) + ": " + what);
  }

  Result<void> check_keys(const YamlNode& map, const std::vector<std::string>& known) const {
    if (map.kind != YamlNode::Kind::kMap)
      return wrong(map, "not a map; expected one with " + join(known));
    for (const YamlNode::Entry& entry : map.entries)
      if (std::ranges::find(known, entry.key) == known.end())
        return wrong(entry.value, with_nearest("unknown key \"" + entry.key +
                                                   "\"; expected one of " + join(known),
                                               entry.key, known));
    return {};
  }

  Result<void> word(const YamlNode& at, const std::string& what, const std::string& text,
                    const std::vector<std::string>& known) const {
    if (std::ranges::find(known, text) != known.end()) return {};
    return wrong(
        at, with_nearest("no " + what + " \"" + text + "\"; expected one of " + join(known), text,
                         known));
  }

  Result<void> text(const YamlNode& map, const char* key, bool needed, std::string& out) const {
    const YamlNode* node = map.find(key);
    if (!node && !needed) return {};
    if (!node || node->kind != YamlNode::Kind::kScalar)
      return wrong(node ? *node : map, std::string(key) + ": expected a text");
    out = node->text;
    return {};
  }

  Result<void> path(const YamlNode& map, const char* key, bool needed, std::string& out) const {
    HEDDLE_TRY(text(map, key, needed, out));
    if (!out.empty()) out = (fs::path(filename_).parent_path() / out).lexically_normal();
    return {};
  }

  Result<void> repeats(const YamlNode& map, const char* key, int& out) const {
    const YamlNode* node = map.find(key);
    if (!node) return {};
    const auto number = read_number<int>(node->text);
    if (number && *number >= 1 && *number <= kMostRepeats) {
      out = *number;
      return {};
    }
    return wrong(*node, std::string(key) + ": expected a whole number from 1 to " +
                            std::to_string(kMostRepeats));
  }

  Result<void> variants(const YamlNode& root) {
    if (const YamlNode* map = root.find("variants")) {
      if (map->kind != YamlNode::Kind::kMap)
        return wrong(*map, "variants: expected a map, NAME: policy=P; key=value; …");
      for (const YamlNode::Entry& entry : map->entries) {
        Result<Variant> variant = parse_variant(entry.key + ": " + entry.value.text);
        if (!variant) return wrong(entry.value, variant.error().text);
        experiment_.variants.push_back(*std::move(variant));
      }
    }
    std::string over;
    HEDDLE_TRY(text(root, "over", false, over));
    if (!over.empty()) {
      Result<SweptKey> key = parse_over(over);
      if (!key) return wrong(*root.find("over"), key.error().text);
      for (const std::vector<std::string>& point : points_of({*key}))
        experiment_.variants.push_back(variant_of_point({*key}, point));
    }
    if (experiment_.variants.empty())
      return wrong(root, "nothing to run; expected variants or over");
    return {};
  }

  Result<void> real_variants(const YamlNode& root) {
    if (!root.find("real_variants")) experiment_.real_variants = experiment_.variants;
    HEDDLE_TRY(add_real(root, "real_variants", std::nullopt));
    return add_real(root, "real_once", 1);
  }

  Result<void> add_real(const YamlNode& root, const std::string& key, std::optional<int> repeat) {
    const YamlNode* list = root.find(key);
    if (!list) return {};
    if (list->items.empty()) return wrong(*list, key + ": expected a list of variants' names");
    for (const YamlNode& item : list->items) {
      HEDDLE_TRY(word(item, "variant", item.text, names_of(experiment_.variants)));
      std::vector<Variant>& real = experiment_.real_variants;
      auto found = std::ranges::find(real, item.text, &Variant::name);
      if (found == real.end())
        found =
            real.insert(found, *std::ranges::find(experiment_.variants, item.text, &Variant::name));
      found->repeat = repeat;
    }
    return {};
  }

  /// Reads "key=value; key=value".
  Result<void> assignments(const YamlNode& at, const std::string& key,
                           std::vector<std::string>& out) const {
    Result<Variant> setting = parse_variant("set: " + at.text);
    if (!setting) return wrong(at, setting.error().text);
    if (setting->set.empty() || setting->policy)
      return wrong(at, key + ": expected key=value; …, no policy");
    out = setting->set;
    return {};
  }

  Result<void> settings(const YamlNode& root) {
    experiment_.settings = {{"", {}, true}};
    if (const YamlNode* map = root.find("settings"))
      for (const YamlNode::Entry& entry : map->entries) {
        ExperimentSetting setting{entry.key, {}, false};
        HEDDLE_TRY(assignments(entry.value, "settings." + entry.key, setting.set));
        experiment_.settings.push_back(std::move(setting));
      }
    if (const YamlNode* set = root.find("real_set"))
      HEDDLE_TRY(assignments(*set, "real_set", experiment_.real_set));
    const YamlNode* real = root.find("real_settings");
    if (!real) return {};
    std::vector<std::string> names = names_of(experiment_.settings);
    names.erase(names.begin());
    for (const YamlNode& item : real->items) {
      HEDDLE_TRY(word(item, "setting", item.text, names));
      for (ExperimentSetting& setting : experiment_.settings)
        setting.real |= setting.name == item.text;
    }
    return {};
  }

  Result<void> groups(const YamlNode& root) {
    const YamlNode* map = root.find("groups");
    if (!map) return {};
    for (const YamlNode::Entry& entry : map->entries) {
      report::NamedWorkloads group{entry.key, {}};
      for (const YamlNode& item : entry.value.items) group.workloads.push_back(item.text);
      if (group.workloads.empty())
        return wrong(entry.value, "groups." + entry.key + ": expected a list of workloads");
      experiment_.groups.push_back(std::move(group));
    }
    return {};
  }

  Result<void> claims(const YamlNode& root) {
    const YamlNode* list = root.find("claims");
    if (!list || list->kind != YamlNode::Kind::kList)
      return wrong(list ? *list : root, "claims: expected a list");
    for (const YamlNode& item : list->items) HEDDLE_TRY(claim(item));
    return {};
  }

  /// Reads a metric. `of` is "" or a group such as "class small".
  Result<void> metric(const YamlNode& at, const std::string& key, const std::string& of,
                      report::ClaimMetric& out) const {
    std::vector<std::string> metrics;
    for (const report::ComparisonMetric& metric : report::comparison_metrics())
      metrics.push_back(metric.key);
    HEDDLE_TRY(word(at, "metric", key, metrics));
    out.key = key;
    if (of.empty()) return {};
    const std::size_t blank = std::min(of.find(' '), of.size());
    out.group = {of.substr(0, blank), of.substr(std::min(blank + 1, of.size()))};
    return word(at, "part of the jobs", out.group.kind, kGroupKinds);
  }

  /// Reads the table's columns, each "METRIC" or "METRIC of KIND NAME".
  Result<void> table(const YamlNode& root) {
    const std::vector<std::string> names = names_of(experiment_.variants);
    HEDDLE_TRY(text(root, "baseline", false, experiment_.baseline));
    if (experiment_.baseline.empty()) experiment_.baseline = names.front();
    HEDDLE_TRY(word(root, "variant", experiment_.baseline, names));
    const YamlNode* list = root.find("table");
    if (!list) return {};
    constexpr std::string_view kOf = " of ";
    for (const YamlNode& item : list->items) {
      const std::size_t of = item.text.find(kOf);
      report::ClaimMetric column;
      HEDDLE_TRY(metric(item, item.text.substr(0, of),
                        of == std::string::npos ? "" : item.text.substr(of + kOf.size()), column));
      experiment_.table.push_back(column);
    }
    return {};
  }

  Result<void> ablation(const YamlNode& root) {
    const YamlNode* map = root.find("ablation");
    if (!map) return {};
    HEDDLE_TRY(check_keys(*map, kAblationKeys));
    report::Ablation& ablation = experiment_.ablation.emplace();
    for (const auto& [key, to] :
         {std::pair("without", &ablation.without), std::pair("with", &ablation.with),
          std::pair("rival", &ablation.rival)}) {
      HEDDLE_TRY(text(*map, key, true, *to));
      HEDDLE_TRY(word(*map, "variant", *to, names_of(experiment_.variants)));
    }
    HEDDLE_TRY(text(*map, "against", false, ablation.against));
    if (ablation.against.empty()) return {};
    return word(*map, "variant", ablation.against, names_of(experiment_.variants));
  }

  Result<void> by_group(const YamlNode& root) {
    const YamlNode* map = root.find("by_group");
    if (!map) return {};
    HEDDLE_TRY(check_keys(*map, kByGroupKeys));
    report::GroupTable& table = experiment_.by_group.emplace();
    for (const report::NamedWorkloads& group : experiment_.groups)
      table.groups.push_back(group.name);
    if (table.groups.empty()) return wrong(*map, "by_group: expected groups in this file");
    report::ClaimMetric known;
    HEDDLE_TRY(text(*map, "metric", true, table.metric));
    HEDDLE_TRY(metric(*map, table.metric, "", known));
    const YamlNode* variants = map->find("variants");
    if (!variants || variants->items.size() < 2)
      return wrong(*map, "by_group: expected variants: [BASELINE, …], at least two");
    for (const YamlNode& item : variants->items) {
      HEDDLE_TRY(word(item, "variant", item.text, names_of(experiment_.variants)));
      table.variants.push_back(item.text);
    }
    return {};
  }

  Result<void> claim_settings(const YamlNode& item, std::vector<std::string>& out) const {
    const YamlNode* list = item.find("settings");
    if (!list) return {};
    std::vector<std::string> names = names_of(experiment_.settings);
    names.front() = kUnchanged;
    if (list->items.empty()) return wrong(*list, "settings: expected a list of " + join(names));
    out.clear();
    for (const YamlNode& name : list->items) {
      HEDDLE_TRY(word(name, "setting", name.text, names));
      out.push_back(name.text == kUnchanged ? "" : name.text);
    }
    return {};
  }

  Result<void> claim(const YamlNode& item) {
    HEDDLE_TRY(check_keys(item, kClaimKeys));
    report::Claim claim;
    std::string key, of, expect;
    HEDDLE_TRY(text(item, "about", true, claim.about));
    HEDDLE_TRY(text(item, "metric", true, key));
    HEDDLE_TRY(text(item, "of", false, of));
    HEDDLE_TRY(metric(item, key, of, claim.metric));
    HEDDLE_TRY(text(item, "policy", true, claim.policy));
    HEDDLE_TRY(text(item, "against", false, claim.against));
    HEDDLE_TRY(text(item, "paper", false, claim.paper));
    const std::vector<std::string> names = names_of(experiment_.variants);
    HEDDLE_TRY(word(item, "variant", claim.policy, names));
    if (!claim.against.empty()) HEDDLE_TRY(word(item, "variant", claim.against, names));
    HEDDLE_TRY(text(item, "expect", false, expect));
    if (!expect.empty()) {
      Result<report::Expectation> expectation = report::parse_expectation(expect);
      if (!expectation) return wrong(item, "expect: " + expectation.error().text);
      claim.expect = *expectation;
    }
    HEDDLE_TRY(text(item, "cause", false, claim.cause));
    HEDDLE_TRY(claim_settings(item, claim.settings));
    experiment_.claims.push_back(std::move(claim));
    return {};
  }

  const std::string& filename_;
  Experiment experiment_;
};

}  // namespace

Result<Experiment> read_experiment(std::string_view text, const std::string& filename) {
  Result<YamlNode> root = parse_yaml(text, filename);
  if (!root) return std::move(root).error();
  return Reader(filename).read(*root);
}

}  // namespace heddle::cli
