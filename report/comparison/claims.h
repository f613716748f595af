#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison/metrics.h"
#include "report/expectation.h"
#include "wire/fields.h"

namespace heddle::report {

/// A metric of a group of jobs, or of the run.
struct ClaimMetric {
  std::string key;  ///< the key of a comparison_metrics() row
  JobGroup group{"all", ""};
};

/// A figure that a paper reports of an experiment, and where a comparison has the same figure.
struct Claim {
  std::string about;  ///< "small jobs' mean completion"
  ClaimMetric metric;
  std::string policy;                 ///< name of a variant
  std::string against;                ///< name of another variant; "": the claim is about the
                                      ///< value, not a difference
  std::string paper;                  ///< what the paper reports, as text; "" if it reports nothing
  std::optional<Expectation> expect;  ///< the paper's figure in a form that can be judged; none: no
                                      ///< verdict
};

/// Confidence level of the intervals of claims and tables. Each interval has this level by itself.
inline constexpr double kClaimLevel = 0.95;

/// The result that a comparison (compare.json) has for a claim. Differences are paired by repeat:
/// the mean of the ratios' logarithms, with Student's t over the repeats. Values are means over the
/// repeats.
struct ClaimFinding {
  ClaimMeasurement measured;
  bool relative = true;  ///< false: a difference in the metric's unit, because a ratio is not
                         ///< defined
  std::string unit;
  std::size_t n = 0;  ///< number of pairs, or of runs
};
/// Returns nullopt if the comparison is null or has no such metric, policy or run.
std::optional<ClaimFinding> find_claim(const Claim& claim, const wire::Json& comparison);
/// Returns nullopt if there is no expectation or no finding, or if a difference has no ratio.
std::optional<ClaimVerdict> verdict_on(const Claim& claim,
                                       const std::optional<ClaimFinding>& finding);
/// Returns "-26.1 % [-27.0 % .. -25.2 %], n = 5", or "-" if there is no finding.
std::string finding_text(const std::optional<ClaimFinding>& finding);

/// The comparisons of an experiment in one setting.
struct SettingResults {
  std::string name, keys;      ///< both "" for the unchanged scenario
  wire::Json simulated, real;  ///< null if there is none
};

/// An experiment and its results.
struct ExperimentResults {
  std::string title, command;
  std::vector<Claim> claims;
  std::vector<ClaimMetric> table;
  std::string baseline;  ///< the variant that the table's changes are relative to
  std::vector<SettingResults> settings;
};

/// Returns Markdown: the command, then for each setting the claims with verdicts and the table of
/// all policies.
std::string experiment_text(const ExperimentResults& results);

/// Number of claims for each verdict, indexed by ClaimVerdict.
using VerdictCounts = std::array<int, 3>;
/// Counts the verdicts on the simulated runs, or on the real ones.
VerdictCounts count_verdicts(const ExperimentResults& results, bool real);

/// Returns Markdown: a line with its counts for each experiment, and a line for all together.
std::string overview_text(const std::vector<ExperimentResults>& experiments);

}  // namespace heddle::report
