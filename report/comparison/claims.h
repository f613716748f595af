#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison/expectation.h"
#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::report {

/// A metric of a group of jobs or of the whole run.
struct ClaimMetric {
  std::string key;  ///< the key of a comparison_metrics() row
  JobGroup group{"all", ""};
};

/// A figure that a paper reports about an experiment. Also says where a comparison has the same
/// figure.
struct Claim {
  std::string about;  ///< "small jobs' mean completion"
  ClaimMetric metric;
  std::string policy;  ///< name of a variant
  /// Name of the variant to compare with; "": the claim is about a value, not about a difference.
  std::string against;
  std::string paper;  ///< what the paper reports, as text; "" if it reports nothing
  /// The paper's figure in a form that can be judged; nullopt: there is no verdict.
  std::optional<Expectation> expect;
  std::string cause = {};  ///< why the figure is not reproduced; "": not stated
  /// Names of the settings in which the claim is made. "" is the unchanged scenario.
  std::vector<std::string> settings = {""};
};

/// Confidence level of the intervals of claims and tables. The level applies to each single
/// interval, not to all intervals together.
inline constexpr double kClaimLevel = 0.95;

/// The result that a comparison (compare.json) has for a claim. For a difference, each repeat has a
/// pair of runs and a ratio. The difference is the mean of the logarithms of these ratios, and its
/// interval is Student's t over the repeats. A value is the mean over the repeats.
struct ClaimFinding {
  ClaimMeasurement measured;
  /// False: the difference is in the metric's unit, because a ratio is not defined.
  bool relative = true;
  std::string unit;
  std::size_t n = 0;  ///< number of pairs, or of runs
};
/// Returns what the comparison has for the claim. Returns nullopt if the comparison is null or has
/// no such metric, policy or run.
std::optional<ClaimFinding> find_claim(const Claim& claim, const wire::Json& comparison);
/// Returns the verdict on the claim. Returns nullopt if there is no expectation or no finding, or
/// if the claim is about a difference for which a ratio is not defined.
std::optional<ClaimVerdict> verdict_on(const Claim& claim,
                                       const std::optional<ClaimFinding>& finding);
/// Returns "-26.1 % [-27.0 % .. -25.2 %], n = 5", or "-" if there is no finding.
std::string finding_text(const std::optional<ClaimFinding>& finding);

/// The comparisons of an experiment in one setting.
struct SettingResults {
  std::string name, keys;      ///< both are "" for the unchanged scenario
  wire::Json simulated, real;  ///< null if there is none
};

/// The variants that show what a paper's mechanism does: the same scheduler without and with it,
/// and the cheapest rival that does without it.
struct Ablation {
  std::string without, with, rival;
  std::string against = {};  ///< show only claims against this variant; "": against any
};

/// A table with a row for each group of jobs, of a metric under some variants.
struct GroupTable {
  std::string metric;                         ///< key of a metric of jobs
  std::vector<std::string> groups, variants;  ///< the first variant is the baseline
};

/// An experiment and its results.
struct ExperimentResults {
  std::string title, command;
  std::vector<Claim> claims;
  std::optional<Ablation> ablation;
  std::vector<ClaimMetric> table;
  std::string baseline;  ///< the variant that the table's changes are relative to
  std::vector<SettingResults> settings;
  std::optional<GroupTable> by_group = {};
};

/// Returns Markdown: the command, the table of the ablation if there is one, then for each setting
/// the claims that are made in it, with verdicts and causes, and the table of all policies. For the
/// unchanged scenario, the table by group follows, with the number of groups whose value falls and
/// rises and the mean changes of these. The
/// ablation has each claim about its variant `with`, except against the rival, for which the paper
/// reports something, in each setting in which it is made. Ablation::against can limit these
/// claims.
std::string experiment_text(const ExperimentResults& results);

/// Number of claims for each verdict, indexed by ClaimVerdict.
using VerdictCounts = std::array<int, 3>;
/// Counts the verdicts on the simulated runs, each in the settings in which its claim is made. If
/// `real` is true, counts those on the real runs.
VerdictCounts count_verdicts(const ExperimentResults& results, bool real);

/// Returns Markdown: a line with the counts of each experiment, and a line with the counts of all
/// experiments.
std::string overview_text(const std::vector<ExperimentResults>& experiments);

}  // namespace heddle::report
