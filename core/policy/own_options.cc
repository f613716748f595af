#include "core/policy/own_options.h"

#include <algorithm>

#include "common/text.h"
#include "core/policy/registry.h"

namespace heddle {
namespace {

constexpr std::size_t kLongestValue = 1000;

/// Returns the arguments that can tell two calls of a program apart: those that are neither the
/// name of an option nor the endpoint.
std::vector<std::string> telling_arguments(const ExternalSpec& external) {
  std::vector<std::string> telling;
  for (const std::string& argument : external.arguments)
    if (!argument.empty() && !argument.starts_with('-') &&
        argument.find("{endpoint}") == std::string::npos)
      telling.push_back(argument);
  return telling;
}

bool is_batsim(const ExternalSpec& external) {
  return external.protocol == ExternalSpec::Protocol::kBatsim;
}

/// Returns the name of a file without its directory, and without its ending unless that would be
/// the name of a preset.
std::string short_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const std::string_view stem = dot == 0 ? name : name.substr(0, dot);
  return std::string(find_preset(stem) ? name : stem);
}

}  // namespace

Result<void> check_own_option(std::string_view key, std::string_view value) {
  const std::string_view name = key.substr(kOwnOption.size());
  if (!valid_name(name) || name.find('.') != std::string_view::npos)
    return usage_error("option " + std::string(key) +
                       ": expected arg.NAME, where NAME has only letters, digits, _ and -, such as "
                       "arg.ageing");
  if (value.size() > kLongestValue)
    return usage_error("option " + std::string(key) + ": expected at most " +
                       std::to_string(kLongestValue) + " characters, got " +
                       std::to_string(value.size()));
  if (std::ranges::any_of(value, [](char c) { return static_cast<unsigned char>(c) < ' '; }))
    return usage_error("option " + std::string(key) + ": expected a value on one line");
  return {};
}

std::vector<std::pair<std::string, std::string>> own_options(const PolicySpec& policy) {
  std::vector<std::pair<std::string, std::string>> own;
  for (const auto& [key, value] : policy.options)
    if (is_own_option(key)) own.emplace_back(key.substr(kOwnOption.size()), value);
  return own;
}

std::string program_name(const ExternalSpec& external) {
  if (external.program.empty())
    return external.endpoint.starts_with("ipc://") ? short_name(external.endpoint) : "external";
  const std::string arguments = join(telling_arguments(external), " ");
  if (is_batsim(external) && !arguments.empty()) return arguments;
  return short_name(external.program);
}

std::string policy_label(const PolicySpec& policy) {
  if (!policy.external) return policy_text(policy);
  std::string label = program_name(*policy.external);
  if (!is_batsim(*policy.external) && !policy.external->arguments.empty())
    label += "+" + join(policy.external->arguments, " ");
  for (const auto& [key, value] : policy.options)
    label += "+" + (is_own_option(key) ? key.substr(kOwnOption.size()) : key) + "=" + value;
  return label;
}

}  // namespace heddle
