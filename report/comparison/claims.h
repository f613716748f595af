#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison/metrics.h"
#include "report/expectation.h"
#include "wire/fields.h"

namespace heddle::report {

/// A metric of a part of the jobs, or of the run.
struct ClaimMetric {
  std::string key;  ///< of a comparison_metrics() row
  JobGroup group{"all", ""};
};

/// Something that a paper reports of an experiment, and where a comparison has the same figure.
struct Claim {
  std::string about;  ///< "small jobs' mean completion"
  ClaimMetric metric;
  std::string policy;                 ///< a variant's name
  std::string against;                ///< another's; "": the value counts, not the difference
  std::string paper;                  ///< what the paper has, as text; "" if it has nothing
  std::optional<Expectation> expect;  ///< the same, to be judged by; none: no verdict
};

/// Confidence of the intervals of claims and tables; each stands for itself.
inline constexpr double kClaimLevel = 0.95;

/// What a comparison (compare.json) has for a claim. Differences are paired by repeat: the mean of
/// the ratios' logarithms, with Student's t over the repeats. Values are means over the repeats.
struct ClaimFinding {
  ClaimMeasurement measured;
  bool relative = true;  ///< false: a difference in the metric's unit, as ratios say nothing
  std::string unit;
  std::size_t n = 0;  ///< pairs, or runs
};
/// nullopt if the comparison has no such metric, policy or run, or is null.
std::optional<ClaimFinding> find_claim(const Claim& claim, const wire::Json& comparison);
/// nullopt without expectation or finding, and where a difference has no ratio.
std::optional<ClaimVerdict> verdict_on(const Claim& claim,
                                       const std::optional<ClaimFinding>& finding);
/// "-26.1 % [-27.0 % .. -25.2 %], n = 5"; "-" for no finding.
std::string finding_text(const std::optional<ClaimFinding>& finding);

/// An experiment's comparisons in one setting.
struct SettingResults {
  std::string name, keys;      ///< "" and "" for the scenario as it is
  wire::Json simulated, real;  ///< null where there is none
};

/// An experiment and what came of it.
struct ExperimentResults {
  std::string title, command;
  std::vector<Claim> claims;
  std::vector<ClaimMetric> table;
  std::string baseline;  ///< the variant against which the table's changes are
  std::vector<SettingResults> settings;
};

/// Markdown: the command, and for each setting the claims with verdicts and the table of all
/// policies.
std::string experiment_text(const ExperimentResults& results);

/// How many claims have which verdict, by ClaimVerdict.
using VerdictCounts = std::array<int, 3>;
/// Of simulated or of real runs.
VerdictCounts count_verdicts(const ExperimentResults& results, bool real);

/// Markdown: a line for each experiment with its counts, and all together.
std::string overview_text(const std::vector<ExperimentResults>& experiments);

}  // namespace heddle::report
