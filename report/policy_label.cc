#include "report/policy_label.h"

#include "core/policy/registry.h"
#include "wire/journal_lines.h"

namespace heddle::report {

using wire::Json;

std::string policy_label(const Json& policy) {
  if (!policy.is_object()) return "";
  const std::string preset = policy_name(policy);
  if (policy.contains("external")) return preset;
  const Result<PolicySpec> plain = parse_policy(preset);
  if (!plain) return preset;
  const Json defaults = wire::policy_json(*plain);
  std::string label = preset;
  for (const auto& [key, value] : policy.items()) {
    if (!value.is_string()) continue;
    // Only some orders of jobs have the option.
    const Option* option = defaults.contains(key) ? nullptr : find_option(key);
    const Json usual = option ? Json(option->by_default) : defaults.value(key, Json());
    if (!usual.is_null() && usual != value) label += "+" + key + "=" + value.get<std::string>();
  }
  return label;
}

std::string policy_name(const Json& policy) {
  if (!policy.is_object()) return "";
  if (const auto external = policy.find("external"); external != policy.end())
    if (const auto label = external->find("label"); label != external->end() && label->is_string())
      return label->get<std::string>();
  const auto preset = policy.find("preset");
  return preset != policy.end() && preset->is_string() ? preset->get<std::string>() : "";
}

}  // namespace heddle::report
