#include "report/comparison/comparison.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "report/comparison/affected.h"
#include "report/comparison/job_changes.h"
#include "report/comparison/options.h"
#include "report/comparison/words.h"
#include "report/statistics.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::rounded;
using wire::rounded_or_null;
using Completed = std::map<std::string, JobFigures>;

Json pair(double low, double high) { return Json::array({rounded(low), rounded(high)}); }

/// Returns the figures of the completed jobs of a group.
std::vector<JobFigures> figures_in(const std::set<std::string>& group, const Completed& jobs) {
  std::vector<JobFigures> figures;
  for (const auto& [name, job] : jobs)
    if (group.contains(name)) figures.push_back(job);
  return figures;
}

/// The comparable results of one repeat.
struct Repeat {
  std::map<JobGroup, std::set<std::string>> groups;
  std::vector<std::optional<Completed>> jobs;  ///< by policy: jobs that completed under all
                                               ///< policies
  Json left_out = Json::array();
};

std::vector<std::string> policies_without(const std::string& job,
                                          const std::vector<std::string>& policies,
                                          const Repeat& repeat) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < policies.size(); ++i)
    if (repeat.jobs[i] && !repeat.jobs[i]->contains(job)) names.push_back(policies[i]);
  return names;
}

/// `number` counts from 1.
Repeat repeat_of(const std::vector<std::string>& policies, const RepeatRuns& runs,
                 std::size_t number, const std::vector<NamedWorkloads>& named) {
  Repeat repeat;
  std::vector<const Json*> summaries;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const std::optional<Json>& summary = runs.summaries[i];
    if (summary) summaries.push_back(&*summary);
    const JobReferences references = runs.references.empty() ? JobReferences() : runs.references[i];
    repeat.jobs.push_back(summary ? std::optional(completed_jobs(*summary, references))
                                  : std::nullopt);
  }
  repeat.groups = job_groups(summaries, named);
  const auto all = repeat.groups.find({"all", ""});
  if (all == repeat.groups.end()) return repeat;
  std::vector<std::string> gone;
  for (const std::string& job : all->second) {
    const std::vector<std::string> without = policies_without(job, policies, repeat);
    if (without.empty()) continue;
    gone.push_back(job);
    repeat.left_out.push_back({{"repeat", number}, {"job", job}, {"policies", without}});
  }
  for (std::optional<Completed>& jobs : repeat.jobs)
    for (const std::string& job : gone)
      if (jobs) jobs->erase(job);
  return repeat;
}

std::optional<double> value_of(const ComparisonMetric& metric, const JobGroup& group,
                               const Repeat& repeat, const std::optional<Json>& summary,
                               const std::optional<Completed>& completed) {
  if (!summary) return std::nullopt;
  if (metric.of_run) return metric.of_run(*summary);
  const auto it = repeat.groups.find(group);
  if (it == repeat.groups.end()) return std::nullopt;
  const std::vector<JobFigures> jobs = figures_in(it->second, *completed);
  return jobs.empty() ? std::nullopt : metric.of_jobs(jobs);
}

Json head_of(const ComparisonMetric& metric, const JobGroup& group) {
  return {{"key", metric.key},
          {"title", metric.title},
          {"unit", metric.unit},
          {"better", better_json(metric)},
          {"headline", metric.headline && group.kind == "all"},
          {"group", {{"kind", group.kind}, {"name", group.name}}}};
}

/// Maximum error of a difference of two figures, because each figure is rounded to a millionth.
constexpr double kResolution = 2e-6;

/// Paired differences and the baseline that they are relative to.
struct Pairs {
  std::vector<double> differences, logarithms;             ///< logarithms: of the pairs without a 0
  double baseline = 0;                                     ///< mean
  double log_baseline = 0;                                 ///< mean of the logarithms
  double least = std::numeric_limits<double>::infinity();  ///< smallest of all values
};

Pairs pairs_of(const Values& values, const Values& baseline) {
  Pairs pairs;
  for (std::size_t i = 0; i < values.size() && i < baseline.size(); ++i) {
    if (!values[i] || !baseline[i]) continue;
    pairs.differences.push_back(*values[i] - *baseline[i]);
    pairs.baseline += *baseline[i];
    pairs.least = std::min({pairs.least, *values[i], *baseline[i]});
    if (*values[i] <= 0 || *baseline[i] <= 0) continue;
    pairs.logarithms.push_back(*values[i] == *baseline[i] ? 0.0
                                                          : std::log(*values[i] / *baseline[i]));
    pairs.log_baseline += std::log(*baseline[i]);
  }
  if (!pairs.differences.empty()) pairs.baseline /= static_cast<double>(pairs.differences.size());
  if (!pairs.logarithms.empty()) pairs.log_baseline /= static_cast<double>(pairs.logarithms.size());
  return pairs;
}

/// Returns whether the values differ by more than rounding explains.
bool vary(const std::vector<double>& values, double resolution) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low > resolution;
}

/// Returns the part of an interval between `low` and `high`, the bounds of the possible values. The
/// true value is within these bounds, so the part contains the true value as often as the whole
/// interval does.
Interval possible(const Interval& interval, double low, double high) {
  return {std::max(interval.low, low), std::min(interval.high, high)};
}

/// Returns the interval, or null if it reaches too far to be useful or to be drawn in a chart.
Json relative_pair(const Interval& interval) {
  return interval.high <= kMostRelative ? pair(interval.low, interval.high) : Json();
}

const char* verdict_of(const Interval& interval) {
  if (interval.contains(0)) return "no difference";
  return interval.high < 0 ? "less" : "more";
}

/// Returns whether the metric is a time that decisions took on this machine.
bool of_machine(const ComparisonMetric& metric) {
  return metric.unit == "us" || metric.unit == "ms";
}

/// Makes a difference exact that needs no test. `against`: as paired_difference() returns it.
void make_exact(Json& against) {
  const Json& difference = against.at("difference");
  if (difference.is_null() || !against.at("interval").is_null()) return;
  const auto by = difference.get<double>();
  against["verdict"] = std::abs(by) <= kResolution ? "equal" : by < 0 ? "less" : "more";
  against["exact"] = true;
}

/// Returns whether a policy has values, but only of affected runs.
bool all_affected(const Values& values, const Affected& affected) {
  return !known(values).empty() && known(without_affected(values, affected)).empty();
}

Json metric_json(const ComparisonMetric& metric, const JobGroup& group,
                 const std::vector<std::string>& policies, const std::vector<Values>& values,
                 const std::vector<Affected>& affected, const std::vector<bool>& exact,
                 double level) {
  Json spreads = Json::array(), against = Json::array();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    spreads.push_back({{"name", policies[i]}});
    spreads.back().update(spread_json(values[i], affected[i]));
    if (i == 0) continue;
    against.push_back({{"policy", policies[i]}, {"baseline", policies[0]}});
    against.back().update(metric_difference(metric, without_affected(values[i], affected[i]),
                                            without_affected(values[0], affected[0]), level,
                                            exact[0] && exact[i]));
    if (all_affected(values[i], affected[i]) || all_affected(values[0], affected[0]))
      against.back()["verdict"] = "affected";
  }
  Json json = head_of(metric, group);
  json["policies"] = std::move(spreads);
  json["against"] = std::move(against);
  return json;
}

bool all_unknown(const std::vector<Values>& values) {
  return std::ranges::all_of(values, [](const Values& some) { return known(some).empty(); });
}

}  // namespace

std::vector<double> known(const Values& values) {
  std::vector<double> numbers;
  for (const auto& value : values)
    if (value) numbers.push_back(*value);
  return numbers;
}

double level_of_pairs(std::size_t pairs) {
  const std::size_t headlines =
      std::ranges::count_if(comparison_metrics(), &ComparisonMetric::headline);
  return 1 - kFamilyError / static_cast<double>(headlines * std::max<std::size_t>(pairs, 1));
}

double comparison_level(std::size_t policies) {
  return level_of_pairs(std::max<std::size_t>(policies, 1) - 1);
}

Json paired_difference(const Values& values, const Values& baseline, double level, double most) {
  Json json = {{"difference", nullptr},
               {"relative", nullptr},
               {"interval", nullptr},
               {"relative_interval", nullptr},
               {"verdict", "too few"}};
  const Pairs pairs = pairs_of(values, baseline);
  if (pairs.differences.empty()) return json;
  const bool ratios = pairs.logarithms.size() == pairs.differences.size();
  const double difference = mean_of(pairs.differences);
  json["difference"] = rounded(difference);
  if (ratios)
    json["relative"] = rounded(std::expm1(mean_of(pairs.logarithms)));
  else if (pairs.baseline > 0)
    json["relative"] = rounded(difference / pairs.baseline);
  if (pairs.differences.size() < 2) return json;
  if (!vary(pairs.differences, kResolution) ||
      (ratios && !vary(pairs.logarithms, kResolution / pairs.least))) {
    json["verdict"] = std::abs(difference) <= kResolution ? "equal" : "no variance";
    return json;
  }
  const Interval plain = estimate_mean(pairs.differences, level).interval;
  const Interval differences = possible(plain, -pairs.baseline, most - pairs.baseline);
  json["interval"] = pair(differences.low, differences.high);
  if (ratios) {
    const Interval logarithms = estimate_mean(pairs.logarithms, level).interval;
    json["relative_interval"] =
        relative_pair(possible({std::expm1(logarithms.low), std::expm1(logarithms.high)}, -1,
                               most / std::exp(pairs.log_baseline) - 1));
    json["verdict"] = verdict_of(logarithms);
  } else {
    if (pairs.baseline > 0)
      json["relative_interval"] =
          relative_pair({differences.low / pairs.baseline, differences.high / pairs.baseline});
    json["verdict"] = verdict_of(plain);
  }
  return json;
}

Json metric_difference(const ComparisonMetric& metric, const Values& values, const Values& baseline,
                       double level, bool exact) {
  Json difference = paired_difference(values, baseline, level, metric.most);
  if (exact && !of_machine(metric)) make_exact(difference);
  return difference;
}

Json spread_json(const Values& values, const std::vector<bool>& affected) {
  Json list = Json::array();
  for (const auto& value : without_affected(values, affected))
    list.push_back(rounded_or_null(value));
  const std::optional<Spread> spread = spread_of(known(shown_values(values, affected)));
  auto part = [&](double Spread::*member) {
    return spread ? rounded_or_null((*spread).*member) : Json();
  };
  return {{"values", std::move(list)},
          {"median", part(&Spread::median)},
          {"low", part(&Spread::low)},
          {"high", part(&Spread::high)}};
}

Values values_of(const Json& spread) {
  Values values;
  for (const Json& value : spread.at("values"))
    values.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
  return values;
}

Comparison::Comparison(std::vector<std::string> policies, std::vector<NamedWorkloads> groups,
                       std::vector<bool> exact)
    : policies_(std::move(policies)),
      named_(std::move(groups)),
      exact_(std::move(exact)),
      runs_(policies_.size()),
      affected_(policies_.size()),
      parts_(policies_.size()) {
  assert(!policies_.empty());
  exact_.resize(policies_.size());
}

void Comparison::add(const RepeatRuns& runs) {
  const Repeat repeat = repeat_of(policies_, runs, repeats_ + 1, named_);
  for (const Json& job : repeat.left_out) left_out_.push_back(job);
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    const std::optional<Json>& summary = runs.summaries[i];
    runs_[i] += summary ? 1 : 0;
    affected_[i].push_back(is_affected(runs.affected, i));
    if (i > 0 && repeats_ == 0 && exact(i) && repeat.jobs[0] && repeat.jobs[i]) {
      job_changes_.push_back({{"policy", policies_[i]}, {"baseline", policies_[0]}});
      job_changes_.back().update(job_changes(*repeat.jobs[i], *repeat.jobs[0]));
    }
    if (!parts_[i] && summary && summary->contains("policy")) parts_[i] = summary->at("policy");
  }
  groups_[{"all", ""}].several = true;
  for (const auto& [group, jobs] : repeat.groups) groups_[group].several |= jobs.size() > 1;
  const std::vector<ComparisonMetric>& metrics = comparison_metrics();
  for (auto& [group, values] : groups_) {
    values.of_metrics.resize(metrics.size(), std::vector<Values>(policies_.size()));
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      if (metrics[m].of_run && group.kind != "all") continue;
      for (std::size_t i = 0; i < policies_.size(); ++i) {
        Values& of_policy = values.of_metrics[m][i];
        of_policy.resize(repeats_);  // a group can be new
        of_policy.push_back(value_of(metrics[m], group, repeat, runs.summaries[i], repeat.jobs[i]));
      }
    }
  }
  ++repeats_;
}

/// Returns the policies for which all repeats have the same values. This happens if a scenario has
/// no random draws. The times that decisions took on this machine do not count.
Json Comparison::identical_repeats() const {
  const std::vector<ComparisonMetric>& metrics = comparison_metrics();
  Json names = Json::array();
  for (std::size_t i = 0; i < policies_.size(); ++i) {
    bool same = runs_[i] >= 2;
    for (const auto& [group, values] : groups_)
      for (std::size_t m = 0; m < metrics.size() && same; ++m) {
        if (of_machine(metrics[m])) continue;
        if (metrics[m].of_many && !values.several) continue;
        const std::vector<double> numbers = known(values.of_metrics[m][i]);
        same = numbers.empty() || (numbers.size() == runs_[i] && !vary(numbers, 0));
      }
    if (same) names.push_back(policies_[i]);
  }
  return names;
}

Json Comparison::json() const {
  const double level = comparison_level(policies_.size());
  const std::vector<ComparisonMetric>& all = comparison_metrics();
  Json metrics = Json::array();
  for (const auto& [group, values] : groups_)
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (all[m].of_many && !values.several) continue;
      if (all_unknown(values.of_metrics[m])) continue;
      metrics.push_back(
          metric_json(all[m], group, policies_, values.of_metrics[m], affected_, exact_, level));
    }
  const Json options = differing_options(parts_);
  std::vector<std::string> words = conclusions(metrics, policies_);
  for (const Json& changes : job_changes_)
    words.push_back(job_changes_text(changes.at("policy"), changes.at("baseline"), changes));
  std::erase(words, "");
  std::ranges::move(unequal_terms(policies_, parts_, options), std::back_inserter(words));
  return {{"level", level},
          {"left_out", left_out_},
          {"identical_repeats", identical_repeats()},
          {"job_changes", job_changes_},
          {"options", options},
          {"in_words", words},
          {"metrics", metrics}};
}

Json compare(const std::vector<ComparedPolicy>& policies,
             const std::vector<NamedWorkloads>& groups) {
  std::vector<std::string> names;
  std::vector<bool> exact;
  for (const ComparedPolicy& policy : policies) {
    names.push_back(policy.name);
    exact.push_back(policy.exact);
  }
  Comparison comparison(names, groups, exact);
  for (std::size_t i = 0; i < policies[0].summaries.size(); ++i) {
    RepeatRuns runs;
    for (const ComparedPolicy& policy : policies) {
      runs.summaries.push_back(policy.summaries[i]);
      runs.references.push_back(policy.references.empty() ? JobReferences() : policy.references[i]);
      runs.affected.push_back(is_affected(policy.affected, i));
    }
    comparison.add(runs);
  }
  return comparison.json();
}

std::vector<RunFigure> figures_of(const Json& summary, const std::vector<NamedWorkloads>& groups,
                                  const JobReferences& references) {
  std::vector<RunFigure> figures;
  const Completed completed = completed_jobs(summary, references);
  for (const auto& [group, names] : job_groups({&summary}, groups)) {
    const std::vector<JobFigures> jobs = figures_in(names, completed);
    for (const ComparisonMetric& metric : comparison_metrics()) {
      std::optional<double> value;
      if (metric.of_run && group.kind == "all") value = metric.of_run(summary);
      if (metric.of_many && group.kind != "all" && names.size() <= 1) continue;
      if (metric.of_jobs && !jobs.empty()) value = metric.of_jobs(jobs);
      if (value) figures.push_back({group, &metric, *value});
    }
  }
  return figures;
}

}  // namespace heddle::report
