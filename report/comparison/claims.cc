#include "report/comparison/claims.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "report/comparison/affected.h"
#include "report/comparison/comparison.h"
#include "report/comparison/missing.h"
#include "report/comparison/text.h"
#include "report/table.h"

namespace heddle::report {
namespace {

using wire::Json;
using Rows = std::vector<std::vector<std::string>>;

/// Returns the entry of a comparison's metric, or null if there is none.
const Json* metric_in(const Json& comparison, const ClaimMetric& wanted) {
  if (!comparison.is_object()) return nullptr;
  for (const Json& metric : comparison.at("metrics"))
    if (metric.at("key") == wanted.key && metric.at("group").at("kind") == wanted.group.kind &&
        metric.at("group").at("name") == wanted.group.name)
      return &metric;
  return nullptr;
}

const Json* policy_in(const Json& metric, const std::string& name) {
  for (const Json& policy : metric.at("policies"))
    if (policy.at("name") == name) return &policy;
  return nullptr;
}

/// Returns the largest value that a metric can have.
double most_of(const std::string& key) {
  for (const ComparisonMetric& metric : comparison_metrics())
    if (metric.key == key) return metric.most;
  return std::numeric_limits<double>::infinity();
}

/// Returns the mean of a metric's values. The interval is limited to 0..`most`, like the values.
std::optional<ClaimFinding> value_finding(const Json& policy, const std::string& unit,
                                          double most) {
  const std::vector<double> values = known(values_of(policy));
  if (values.empty()) return std::nullopt;
  ClaimFinding finding{
      {values[0], std::nullopt, false, unit == "share"}, false, unit, values.size()};
  if (values.size() == 1) return finding;
  const Estimate estimate = estimate_mean(values, kClaimLevel);
  finding.measured.value = estimate.mean;
  finding.measured.interval =
      Interval{std::max(0.0, estimate.interval.low), std::min(most, estimate.interval.high)};
  return finding;
}

std::optional<ClaimFinding> difference_finding(const Values& values, const Values& baseline,
                                               const std::string& unit, double most) {
  const Json difference = paired_difference(values, baseline, kClaimLevel, most);
  if (difference.at("difference").is_null()) return std::nullopt;
  const bool relative = difference.at("relative").is_number();
  ClaimFinding finding{{0, std::nullopt, true}, relative, unit, 0};
  finding.measured.value = difference.at(relative ? "relative" : "difference").get<double>();
  const Json& interval = difference.at(relative ? "relative_interval" : "interval");
  if (interval.is_array())
    finding.measured.interval =
        Interval{interval.at(0).get<double>(), interval.at(1).get<double>()};
  for (std::size_t i = 0; i < std::min(values.size(), baseline.size()); ++i)
    finding.n += values[i] && baseline[i] ? 1 : 0;
  // The interval is null if it is too wide to report. Such an interval excludes no value.
  const Json& verdict = difference.at("verdict");
  if (!interval.is_array() && finding.n > 1 && verdict != "equal" && verdict != "no variance")
    finding.measured.interval = Interval{-1, std::numeric_limits<double>::infinity()};
  return finding;
}

std::string number_text(const ClaimFinding& finding, double number) {
  if (finding.measured.difference && finding.relative) return change_text(number);
  const std::string sign = finding.measured.difference && number > 0 ? "+" : "";
  return sign + metric_text(number, finding.unit);
}

/// Returns "-26.1 % [-27.0 % .. -25.2 %]". If the interval contains only the value, leaves out the
/// interval.
std::string numbers_text(const ClaimFinding& finding) {
  const std::string value = number_text(finding, finding.measured.value);
  const std::optional<Interval>& interval = finding.measured.interval;
  if (!interval) return value;
  if (std::isinf(interval->high)) return value + " [too wide to tell]";
  const std::string low = number_text(finding, interval->low);
  const std::string high = number_text(finding, interval->high);
  return low == value && high == value ? value : fmt::format("{} [{} .. {}]", value, low, high);
}

/// Returns the claims that are made in a setting.
std::vector<Claim> claims_in(const std::vector<Claim>& claims, const std::string& setting) {
  std::vector<Claim> made;
  for (const Claim& claim : claims)
    if (std::ranges::find(claim.settings, setting) != claim.settings.end()) made.push_back(claim);
  return made;
}

/// Returns " against fifo", or "".
std::string against_text(const Claim& claim) {
  return claim.against.empty() ? "" : " against " + claim.against;
}

/// Returns "makespan (haste against fifo)".
std::string name_of(const Claim& claim) {
  return claim.about + " (" + claim.policy + against_text(claim) + ")";
}

/// Returns a list of the claims that have a cause and that runs do not reproduce.
std::string causes_text(const std::vector<Claim>& claims, const SettingResults& results) {
  std::string text;
  for (const Claim& claim : claims)
    for (const Json* comparison : {&results.simulated, &results.real}) {
      const auto verdict = verdict_on(claim, find_claim(claim, *comparison));
      if (claim.cause.empty() || !verdict || *verdict == ClaimVerdict::kReproduced) continue;
      text += fmt::format("- {}: {}\n", name_of(claim), claim.cause);
      break;
    }
  return text.empty() ? "" : "\nNot reproduced, or only in direction:\n\n" + text;
}

std::string claims_table(const std::vector<Claim>& claims, const SettingResults& results) {
  const bool real = results.real.is_object();
  std::vector<Column> columns = {{"claim"}, {"paper"}, {"simulated"}, {"verdict"}};
  if (real) columns.insert(columns.end(), {{"real"}, {"verdict"}});
  Rows rows;
  for (const Claim& claim : claims) {
    rows.push_back({name_of(claim), claim.paper.empty() ? "-" : claim.paper});
    for (const Json* comparison : {&results.simulated, &results.real}) {
      if (comparison == &results.real && !real) continue;
      const std::optional<ClaimFinding> finding = find_claim(claim, *comparison);
      rows.back().push_back(finding_text(finding));
      const std::optional<ClaimVerdict> verdict = verdict_on(claim, finding);
      rows.back().push_back(verdict ? report::name_of(*verdict) : "-");
    }
  }
  return markdown_table(columns, rows);
}

/// Returns the mean and the change in parentheses. The baseline has no change. There are no
/// intervals, because they would make the table too wide.
std::string table_cell(const std::string& baseline, const ClaimMetric& metric,
                       const std::string& policy, const Json& comparison) {
  const auto value = find_claim({"", metric, policy, "", "", {}}, comparison);
  if (!value) return "-";
  const std::string mean = metric_text(value->measured.value, value->unit);
  if (policy == baseline) return mean;
  const auto change = find_claim({"", metric, policy, baseline, "", {}}, comparison);
  return change ? mean + " (" + number_text(*change, change->measured.value) + ")" : mean;
}

std::string policies_table(const ExperimentResults& results, const Json& comparison) {
  std::vector<Column> columns = {{"policy"}, {"n", true}};
  for (const ClaimMetric& wanted : results.table) {
    const Json* metric = metric_in(comparison, wanted);
    columns.push_back({metric ? metric_title(*metric) : wanted.key, true});
  }
  Rows rows;
  for (const Json& policy : comparison.at("policies")) {
    const std::string name = policy.at("name").get<std::string>();
    rows.push_back({name, std::to_string(done_among(policy.at("runs")))});
    for (const ClaimMetric& metric : results.table)
      rows.back().push_back(table_cell(results.baseline, metric, name, comparison));
  }
  return markdown_table(columns, rows);
}

/// Returns "12 fall, by 18.5 % on average; 8 rise, by 8.2 % on average".
std::string falls_and_rises(const std::vector<double>& changes) {
  double sums[2] = {0, 0};
  int counts[2] = {0, 0};
  for (double change : changes) {
    if (change == 0) continue;
    sums[change > 0] += std::abs(change);
    ++counts[change > 0];
  }
  std::string text;
  for (int rise : {0, 1}) {
    text += fmt::format("{}{} {}", rise ? "; " : "", counts[rise], rise ? "rise" : "fall");
    if (counts[rise] > 0)
      text += fmt::format(", by {:.1f} % on average", 100 * sums[rise] / counts[rise]);
  }
  return text;
}

/// Returns the table by group, and how many groups fall and rise under each variant.
std::string group_table(const GroupTable& table, const Json& comparison) {
  std::vector<Column> columns = {{"jobs"}};
  for (const std::string& variant : table.variants) columns.push_back({variant, true});
  Rows rows;
  std::vector<std::vector<double>> changes(table.variants.size());
  for (const std::string& group : table.groups) {
    rows.push_back({group});
    const ClaimMetric metric{table.metric, {"workload", group}};
    for (std::size_t i = 0; i < table.variants.size(); ++i) {
      const std::string &variant = table.variants[i], &baseline = table.variants[0];
      rows.back().push_back(table_cell(baseline, metric, variant, comparison));
      if (const auto change = find_claim({"", metric, variant, baseline, "", {}}, comparison))
        changes[i].push_back(change->measured.value);
    }
  }
  std::string text = markdown_table(columns, rows) + "\n";
  for (std::size_t i = 1; i < table.variants.size(); ++i)
    text += fmt::format("- {}: {}\n", table.variants[i], falls_and_rises(changes[i]));
  return text;
}

/// Adds a row for each claim of a setting that the ablation shows.
void add_ablation_rows(const ExperimentResults& results, const SettingResults& setting, bool real,
                       Rows& rows) {
  const auto& [without, with, rival, against] = *results.ablation;
  const std::string title =
      results.title + (setting.name.empty() ? "" : ", " + setting.name) + ": ";
  for (Claim claim : claims_in(results.claims, setting.name)) {
    if (claim.policy != with || claim.paper.empty() || claim.against == rival) continue;
    if (!against.empty() && claim.against != against) continue;
    rows.push_back({title + claim.about + against_text(claim), claim.paper});
    for (const Json* comparison : {&setting.simulated, &setting.real}) {
      if (comparison == &setting.real && !real) continue;
      for (const std::string& variant : {without, with, rival}) {
        claim.policy = variant;
        const std::optional<ClaimFinding> finding = find_claim(claim, *comparison);
        rows.back().push_back((variant == rival && finding ? rival + ": " : "") +
                              finding_text(finding));
      }
    }
  }
}

/// REQUIRES: there is an ablation.
std::string ablation_table(const ExperimentResults& results) {
  const bool real = std::ranges::any_of(
      results.settings, [](const SettingResults& setting) { return setting.real.is_object(); });
  std::vector<Column> columns = {{"figure"}, {"paper"}, {"without"}, {"with"}, {"rival"}};
  if (real) columns.insert(columns.end(), {{"real: without"}, {"real: with"}, {"real: rival"}});
  Rows rows;
  for (const SettingResults& setting : results.settings)
    add_ablation_rows(results, setting, real, rows);
  return markdown_table(columns, rows);
}

/// Returns "Real, change against fifo", or "Real" if the baseline was not run.
std::string table_title(const std::string& baseline, const Json& comparison, bool real) {
  const Json& policies = comparison.at("policies");
  const bool known = std::any_of(policies.begin(), policies.end(),
                                 [&](const Json& policy) { return policy.at("name") == baseline; });
  return std::string(real ? "Real" : "Simulated") + (known ? ", change against " + baseline : "");
}

std::string setting_text(const ExperimentResults& results, const SettingResults& setting) {
  std::string text;
  if (!setting.name.empty())
    text += "\n### " + results.title + ": " + setting.name + "\n\n`" + setting.keys + "`\n";
  for (const Json* comparison : {&setting.simulated, &setting.real}) {
    if (!comparison->is_object()) continue;
    for (const std::string& trouble : {missing_text(*comparison), affected_heading(*comparison)})
      if (!trouble.empty())
        text +=
            fmt::format("\n{}: {}\n", comparison == &setting.real ? "Real" : "Simulated", trouble);
  }
  const std::vector<Claim> claims = claims_in(results.claims, setting.name);
  if (!claims.empty()) text += "\n" + claims_table(claims, setting) + causes_text(claims, setting);
  for (const Json* comparison : {&setting.simulated, &setting.real})
    if (comparison->is_object() && !results.table.empty())
      text += fmt::format("\n{}:\n\n{}",
                          table_title(results.baseline, *comparison, comparison == &setting.real),
                          policies_table(results, *comparison));
  if (results.by_group && setting.name.empty() && setting.simulated.is_object())
    text += fmt::format("\nSimulated, {} by job:\n\n{}", results.by_group->metric,
                        group_table(*results.by_group, setting.simulated));
  return text;
}

std::vector<std::string> counts_row(const std::string& name, const VerdictCounts& simulated,
                                    const VerdictCounts& real) {
  std::vector<std::string> cells = {name};
  for (const VerdictCounts& counts : {simulated, real})
    for (int count : counts) cells.push_back(std::to_string(count));
  return cells;
}

}  // namespace

std::optional<ClaimFinding> find_claim(const Claim& claim, const Json& comparison) {
  const Json* metric = metric_in(comparison, claim.metric);
  const Json* policy = metric ? policy_in(*metric, claim.policy) : nullptr;
  if (!policy) return std::nullopt;
  const std::string unit = metric->at("unit").get<std::string>();
  const double most = most_of(claim.metric.key);
  if (claim.against.empty()) return value_finding(*policy, unit, most);
  const Json* against = policy_in(*metric, claim.against);
  if (!against) return std::nullopt;
  std::optional<ClaimFinding> finding =
      difference_finding(values_of(*policy), values_of(*against), unit, most);
  const Json& better = metric->at("better");
  if (finding && better.is_string()) finding->measured.less_is_better = better == "less";
  return finding;
}

std::optional<ClaimVerdict> verdict_on(const Claim& claim,
                                       const std::optional<ClaimFinding>& finding) {
  if (!claim.expect || !finding) return std::nullopt;
  if (finding->measured.difference && !finding->relative) return std::nullopt;
  return judge(*claim.expect, finding->measured);
}

std::string finding_text(const std::optional<ClaimFinding>& finding) {
  if (!finding) return "-";
  return fmt::format("{}, n = {}", numbers_text(*finding), finding->n);
}

std::string experiment_text(const ExperimentResults& results) {
  std::string text = "## " + results.title + "\n\n`" + results.command + "`\n";
  if (results.ablation)
    text += "\n### Without the mechanism and with it\n\n" + ablation_table(results);
  for (const SettingResults& setting : results.settings) text += setting_text(results, setting);
  return text;
}

VerdictCounts count_verdicts(const ExperimentResults& results, bool real) {
  VerdictCounts counts{};
  for (const SettingResults& setting : results.settings)
    for (const Claim& claim : claims_in(results.claims, setting.name)) {
      const auto verdict =
          verdict_on(claim, find_claim(claim, real ? setting.real : setting.simulated));
      if (verdict) ++counts[static_cast<std::size_t>(*verdict)];
    }
  return counts;
}

std::string overview_text(const std::vector<ExperimentResults>& experiments) {
  Rows rows;
  VerdictCounts simulated{}, real{};
  for (const ExperimentResults& results : experiments) {
    const VerdictCounts one = count_verdicts(results, false), other = count_verdicts(results, true);
    std::ranges::transform(simulated, one, simulated.begin(), std::plus());
    std::ranges::transform(real, other, real.begin(), std::plus());
    rows.push_back(counts_row(results.title, one, other));
  }
  rows.push_back(counts_row("all", simulated, real));
  return markdown_table({{"experiment"},
                         {"simulated: reproduced", true},
                         {"direction only", true},
                         {"not reproduced", true},
                         {"real: reproduced", true},
                         {"direction only", true},
                         {"not reproduced", true}},
                        rows);
}

}  // namespace heddle::report
