#include "cli/batch/plan/batch_plan.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/results/variant_directory.h"
#include "common/directory.h"
#include "common/file.h"
#include "common/result_files.h"
#include "common/text.h"
#include "core/policy/own_options.h"
#include "core/policy/registry.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin));
}

/// Splits at `separator` outside brackets and quotes, and trims the parts.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  bool escaped = false;
  for (char c : text) {
    if (std::exchange(escaped, c == '\\' && !escaped && quote == 0)) {
      parts.back() += c;
      continue;
    }
    if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '[' || c == '{' || c == '(')
      ++depth;
    else if (c == ']' || c == '}' || c == ')')
      --depth;
    if (c == separator && depth <= 0 && quote == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

Result<void> check_policy_text(const std::string& text) {
  Result<PolicySpec> policy = parse_policy(text);
  if (!policy) return std::move(policy).error();
  return check_policy(*policy);
}

/// Returns the policy's name in tables. A policy that is no program, or a program without a name,
/// has the name that was typed. REQUIRES: the text is a policy.
std::string label_of(const std::string& text) {
  const PolicySpec policy = parse_policy(text).value();
  const bool named = policy.external && program_name(*policy.external) != "external";
  return named ? policy_label(policy) : text;
}

/// Returns whether a run writes a file of this name. Includes temporary files that replace other
/// files.
bool is_of_a_run(const std::string& name) {
  static const std::set<std::string> names = {kScenarioFile,   kJournalFile,  kSamplesFile,
                                              kSummaryFile,    kManifestFile, "logs",
                                              kPolicyDirectory};
  return names.contains(name) || is_temporary_of(name, kScenarioFile) ||
         is_temporary_of(name, kSummaryFile) || is_temporary_of(name, kManifestFile);
}

Result<void> check_unfinished(const std::string& dir) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error))
    if (!is_of_a_run(entry.path().filename()))
      return usage_error(entry.path().string() +
                         ": not a file of an unfinished run; expected a directory that can be "
                         "removed, or another --out");
  if (error) return system_error("read " + dir, error.value());
  return {};
}

bool has_ended(const std::string& summary) {
  const nlohmann::json json = nlohmann::json::parse(summary, nullptr, false);
  if (!json.is_object() || !json.contains("status")) return false;
  return json["status"] == "done" || json["status"] == "failed";
}

/// Puts a policy in the place of the word before the first '+', if the word stands for one.
std::string without_names(const std::string& policy, const NamedPolicies& named) {
  const std::size_t end = std::min(policy.find('+'), policy.size());
  const auto found = named.find(std::string_view(policy).substr(0, end));
  return found == named.end() ? policy : found->second + policy.substr(end);
}

}  // namespace

Result<std::vector<Variant>> variants_of_policies(std::string_view list,
                                                  const NamedPolicies& named) {
  std::vector<Variant> variants;
  for (const std::string& policy : split(list, ',')) {
    if (policy.empty())
      return usage_error("--policies " + std::string(list) +
                         ": an entry is empty; expected policies separated by commas");
    const std::string text = without_names(policy, named);
    if (text != policy) {
      if (Result<void> good = check_policy_text(text); !good)
        return std::move(good).error().in("--policies");
      variants.push_back({policy, text, {}});
      continue;
    }
    if (Result<void> good = check_policy_text(policy); !good)
      return std::move(good).error().in("--policies");
    const bool is_oracle =
        value(parse_policy(policy).value(), kPolicySees) == PolicySees::kDurations;
    variants.push_back({label_of(policy) + (is_oracle ? " (oracle)" : ""), policy, {}});
  }
  // Two programs of the same name have their paths.
  const std::vector<Variant> short_names = variants;
  for (Variant& variant : variants)
    if (std::ranges::count(short_names, variant.name, &Variant::name) > 1)
      variant.name = *variant.policy;
  return variants;
}

Result<Variant> parse_variant(std::string_view text, const NamedPolicies& named) {
  const std::string where = "--variant " + std::string(text) + ": ";
  const std::string expected = "; expected \"NAME: policy=P; key.path=value; …\"";
  const std::size_t colon = text.find(':');
  Variant variant;
  variant.name = trimmed(text.substr(0, colon));
  if (colon == std::string_view::npos || !valid_name(variant.name))
    return usage_error(where +
                       "it does not begin with a name (letters, digits, '.', '_', '-') and a "
                       "colon" +
                       expected);
  for (const std::string& part : split(text.substr(colon + 1), ';')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      return usage_error(where + "\"" + part + "\" is not key=value" + expected);
    if (trimmed(part.substr(0, equals)) != "policy") {
      variant.set.push_back(part);
      continue;
    }
    if (variant.policy) return usage_error(where + "policy occurs twice");
    variant.policy = without_names(trimmed(part.substr(equals + 1)), named);
    if (Result<void> good = check_policy_text(*variant.policy); !good)
      return std::move(good).error().in("--variant " + variant.name);
  }
  return variant;
}

Result<SweptKey> parse_over(std::string_view text) {
  const std::string expected = "; expected key.path=value,value,…";
  const std::size_t equals = text.find('=');
  SweptKey key;
  key.key = trimmed(text.substr(0, equals));
  if (equals == std::string_view::npos || key.key.empty())
    return usage_error("--over " + std::string(text) + ": no key and values" + expected);
  key.values = split(text.substr(equals + 1), ',');
  for (const std::string& value : key.values)
    if (value.empty())
      return usage_error("--over " + std::string(text) + ": a value is empty" + expected);
  return key;
}

std::vector<std::vector<std::string>> points_of(const std::vector<SweptKey>& keys) {
  std::vector<std::vector<std::string>> points = {{}};
  for (const SweptKey& key : keys) {
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& point : points)
      for (const std::string& value : key.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

Variant variant_of_point(const std::vector<SweptKey>& keys, const std::vector<std::string>& point) {
  Variant variant;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i].key;
    const std::string last = key.substr(key.rfind('.') + 1);
    const bool is_policy = key == "policy" && check_policy_text(point[i]);
    variant.name += (i == 0 ? "" : ",") + last + "=" + (is_policy ? label_of(point[i]) : point[i]);
    if (key == "policy")
      variant.policy = point[i];
    else
      variant.set.push_back(key + "=" + point[i]);
  }
  return variant;
}

void make_unique(std::vector<Variant>& variants) {
  std::set<std::string> taken;
  for (Variant& variant : variants) {
    const std::string name = variant.name;
    for (int number = 2; !taken.insert(directory_of(variant.name)).second; ++number)
      variant.name = name.substr(0, kLongestDirectory / 2) + "#" + std::to_string(number);
  }
}

std::vector<BatchPlace> batch_order(const std::vector<int>& repeats) {
  std::vector<BatchPlace> order;
  const int most = repeats.empty() ? 0 : *std::max_element(repeats.begin(), repeats.end());
  for (int repeat = 0; repeat < most; ++repeat)
    for (std::size_t i = 0; i < repeats.size(); ++i) {
      const std::size_t variant = (static_cast<std::size_t>(repeat) + i) % repeats.size();
      if (repeat < repeats[variant]) order.push_back({variant, repeat});
    }
  return order;
}

int repeats_of(const Variant& variant, int batch) {
  return std::min(variant.repeat.value_or(batch), batch);
}

Result<RunState> run_state(const std::string& dir, const std::string& scenario) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(dir, error))) return RunState::kAbsent;
  if (!fs::is_directory(dir, error)) return usage_error(dir + ": not a directory");
  Result<std::string> had = read_file(scenario_path(dir));
  if (had && *had != scenario)
    return usage_error(dir +
                       ": contains a run of another scenario or policy; expected the command that "
                       "made it, or another --out");
  Result<std::string> summary = read_file(summary_path(dir));
  if (had && summary && has_ended(*summary)) return RunState::kDone;
  HEDDLE_TRY(check_unfinished(dir));
  return RunState::kUnfinished;
}

}  // namespace heddle::cli
