#include "report/comparison_claims.h"

#include <fmt/core.h>

#include "report/comparison.h"
#include "report/comparison_text.h"

namespace heddle {
namespace {

using wire::Json;

/// The entry of a comparison's metric; null if there is none.
const Json* metric_in(const Json& comparison, const Claim& claim) {
  for (const Json& metric : comparison.at("metrics"))
    if (metric.at("key") == claim.metric && metric.at("group").at("kind") == claim.group.kind &&
        metric.at("group").at("name") == claim.group.name)
      return &metric;
  return nullptr;
}

const Json* policy_in(const Json& metric, const std::string& name) {
  for (const Json& policy : metric.at("policies"))
    if (policy.at("name") == name) return &policy;
  return nullptr;
}

Values values_of(const Json& policy) {
  Values values;
  for (const Json& value : policy.at("values"))
    values.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
  return values;
}

/// Where ratios say nothing, as with zeros, differences.
std::string difference_text(const Json& difference, const std::string& unit) {
  const bool ratio = !difference.at("relative").is_null();
  auto one = [&](const Json& value) {
    return ratio ? change_text(value) : metric_text(value, unit);
  };
  std::string text = one(difference.at(ratio ? "relative" : "difference"));
  const Json& interval = difference.at(ratio ? "relative_interval" : "interval");
  if (interval.is_array())
    text += fmt::format(" [{} .. {}]", one(interval.at(0)), one(interval.at(1)));
  if (difference.at("verdict") == "no difference") text += ", no difference";
  return text;
}

std::string spread_text(const Json& policy, const std::string& unit) {
  const std::string median = metric_text(policy.at("median"), unit);
  if (policy.at("low") == policy.at("high")) return median;
  return fmt::format("{} [{} .. {}]", median, metric_text(policy.at("low"), unit),
                     metric_text(policy.at("high"), unit));
}

/// What would end a cell of the table.
std::string cell(const std::string& text) {
  std::string safe;
  for (char c : text) safe += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
  return safe;
}

}  // namespace

std::string claim_text(const Claim& claim, const Json& comparison) {
  const Json* metric = comparison.is_object() ? metric_in(comparison, claim) : nullptr;
  const Json* policy = metric ? policy_in(*metric, claim.policy) : nullptr;
  if (!policy || policy->at("median").is_null()) return "-";
  const std::string unit = metric->at("unit").get<std::string>();
  if (claim.against.empty())
    return spread_text(*policy, unit) + (unit.empty() || unit == "share" ? "" : " " + unit);
  const Json* against = policy_in(*metric, claim.against);
  if (!against || against->at("median").is_null()) return "-";
  return difference_text(paired_difference(values_of(*policy), values_of(*against),
                                           comparison.at("level").get<double>()),
                         unit);
}

std::string claims_table(const std::string& title, const std::vector<Claim>& claims,
                         const Json& simulated, const Json& real) {
  std::string text = "## " + title +
                     "\n\n| | paper | Heddle, simulated | Heddle, real |\n"
                     "|---|---|---|---|\n";
  for (const Claim& claim : claims) {
    const std::string against = claim.against.empty() ? "" : " against " + claim.against;
    text += fmt::format("| {} ({}{}) | {} | {} | {} |\n", cell(claim.about), cell(claim.policy),
                        cell(against), claim.paper.empty() ? "-" : cell(claim.paper),
                        claim_text(claim, simulated), claim_text(claim, real));
  }
  return text;
}

}  // namespace heddle
