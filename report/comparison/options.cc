#include "report/comparison/options.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "common/text.h"
#include "core/policy/own_options.h"
#include "core/policy/registry.h"

namespace heddle::report {
namespace {

using wire::Json;

struct OptionValue {
  Json text;              ///< null: the policy does not read the option
  bool is_given = false;  ///< the value is given and is not the default
};

OptionValue value_in(const Json& policy, const Option& option) {
  const PolicySpec parts = parts_of(policy);
  const auto given = policy.find(std::string(option.name));
  if (given == policy.end() || !reads(parts, option)) return {};
  const auto text = given->get<std::string>();
  return {text, text != option_text(parts, option)};
}

/// Returns whether there is more than one value, without counting nulls.
bool differ(std::vector<Json> values) {
  std::erase(values, nullptr);
  return std::ranges::adjacent_find(values, std::not_equal_to()) != values.end();
}

bool is_external(const Json& policy) { return policy.value("preset", "") == "external"; }

/// Returns the options of the policies' own programs, such as arg.ageing, by name.
std::set<std::string> own_keys(const std::vector<std::optional<Json>>& policies) {
  std::set<std::string> keys;
  for (const auto& policy : policies)
    if (policy)
      for (const auto& [key, value] : policy->items())
        if (is_own_option(key)) keys.insert(key);
  return keys;
}

/// Returns the options whose rules the policy did not follow.
std::vector<std::string> own_rules(const Json& policy) {
  return policy.value("own_rules", std::vector<std::string>());
}

}  // namespace

PolicySpec parts_of(const Json& policy) {
  PolicySpec spec;
  spec.preset = policy.value("preset", spec.preset);
  for (const PartKind& kind : part_kinds())
    if (const auto part = policy.find(std::string(kind.name));
        part != policy.end() && part->is_string())
      spec.options.emplace_back(kind.name, part->get<std::string>());
  return spec;
}

Json differing_options(const std::vector<std::optional<Json>>& policies) {
  Json rows = Json::array();
  for (const PartKind& kind : part_kinds()) {
    const std::string part(kind.name);
    std::vector<Json> values;
    for (const auto& policy : policies)
      values.push_back(policy && policy->contains(part) ? policy->at(part) : Json());
    if (differ(values)) rows.push_back({{"key", part}, {"values", values}});
  }
  for (const Option* option : policy_options()) {
    std::vector<Json> values;
    bool given = false;
    for (const auto& policy : policies) {
      const OptionValue value = policy ? value_in(*policy, *option) : OptionValue();
      values.push_back(value.text);
      given |= value.is_given;
    }
    const bool all_read = std::ranges::none_of(values, &Json::is_null);
    if (differ(values) || (given && !all_read))
      rows.push_back({{"key", option->name}, {"values", values}});
  }
  for (const std::string& key : own_keys(policies)) {
    std::vector<Json> values;
    std::set<Json> known;
    for (const auto& policy : policies) {
      values.push_back(policy ? policy->value(key, Json()) : Json());
      if (policy) known.insert(values.back());
    }
    if (known.size() > 1) rows.push_back({{"key", key}, {"values", values}});
  }
  std::vector<Json> own;
  for (const auto& policy : policies) {
    const auto rules = policy ? own_rules(*policy) : std::vector<std::string>();
    own.push_back(rules.empty() ? Json() : Json(join(rules)));
  }
  if (std::ranges::any_of(own, &Json::is_string))
    rows.push_back({{"key", "own rules"}, {"values", own}});
  return rows;
}

std::vector<std::string> unequal_terms(const std::vector<std::string>& names,
                                       const std::vector<std::optional<Json>>& policies,
                                       const Json& options) {
  std::vector<std::string> sentences, differ_in, with;
  bool schedulers = false;
  for (const auto& policy : policies) schedulers |= policy && is_external(*policy);
  for (const Json& row : options) {
    const auto key = row.at("key").get<std::string>();
    schedulers |= key == "scheduler";
    const std::vector<Json> values = row.at("values");
    if (key == "scheduler" || key == "own rules" || is_own_option(key) || !differ(values)) continue;
    differ_in.push_back(key);
    const auto known = std::ranges::find_if(values, &Json::is_string);
    with.push_back("--with " + key + "=" + known->get<std::string>());
  }
  if (schedulers && !differ_in.empty())
    sentences.push_back("The policies differ in more than their scheduler: " + join(differ_in) +
                        ". To make them equal in that, leave these options out of their names "
                        "and add " +
                        join(with, " ") + ".");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!policies[i]) continue;
    if (const auto rules = own_rules(*policies[i]); !rules.empty())
      sentences.push_back(names[i] + " has own rules: it launched containers against " +
                          join(rules, " and ") + ".");
    if (policies[i]->value("policy_sees", "") == "durations")
      sentences.push_back(names[i] + " is an oracle: it sees how long tasks take.");
  }
  return sentences;
}

}  // namespace heddle::report
