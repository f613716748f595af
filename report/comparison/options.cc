#include "report/comparison/options.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/policy/registry.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Returns the policy of these parts, with the defaults of all options.
PolicySpec parts_of(const Json& policy) {
  PolicySpec spec;
  spec.preset = policy.value("preset", spec.preset);
  for (const PartKind& kind : part_kinds())
    if (const auto part = policy.find(std::string(kind.name)); part != policy.end())
      spec.options.emplace_back(kind.name, part->get<std::string>());
  return spec;
}

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

}  // namespace

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
  return rows;
}

}  // namespace heddle::report
