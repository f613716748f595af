#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::report {

/// Policies compared by runs of the same jobs, repeat by repeat.
///
/// **What is compared.** Within a repeat the policies' runs have the same seed, and on a real
/// machine were made right after each other, so they are pairs. A figure of jobs (waiting,
/// completion, slowdown, fairness) is over those that completed under all policies of that repeat;
/// the others are named in `left_out`: a policy must not look better for losing its longest job.
/// Figures of runs (makespan, utilisation …) are the summary's own, null where it has null.
///
/// **Differences** from the first policy, the baseline, are paired. Where all values are above 0
/// their logarithms are compared: noise of times is in proportion to them, a ratio's is then
/// symmetric, and exchanging the two policies changes nothing but the sign. Where a value is 0 the
/// plain differences are compared. The interval is Student's t over the repeats, cut off at what is
/// possible: no value is below 0, and no share of a whole above 1. As the true value is within
/// these bounds, cutting does not change how often the interval holds it.
///
/// **The verdict** is `less` or `more` if the interval leaves out "the same", else `no difference`;
/// `too few` with fewer than two pairs. If all pairs have the same difference (or ratio), up to
/// rounding, they say nothing of chance: nothing is tested, there is no interval, and the verdict
/// is `equal` if the difference is 0, else `no variance`. Simulations in which nothing is drawn are
/// so.
///
/// **The level.** Somebody who compares a policy with itself should be told of a difference, in any
/// headline metric, in at most 5 of 100 comparisons. With m intervals looked at, 3 headline metrics
/// (makespan, mean waiting, mean completion) for each policy but the baseline, each has level 1 -
/// 0.04 / m: Bonferroni, which asks nothing of how metrics depend on each other, for 4 of 100,
/// since a hundred trials may have one more than is to be expected. Few headlines are what makes
/// the test sharp: at 98.7 % (two policies, t = 4.23), 5 repeats and noise of 2 % in every run of
/// both policies, 10 % more are found 97 times of 100 and 10 % less 99 times; with 12 headlines it
/// would be 80 and 87. Holm's procedure finds no more of the largest difference and has no interval
/// that agrees with it. All other metrics have intervals of the same level, each by itself: among
/// seventy-five of them one differs by chance.
inline constexpr double kFamilyError = 0.04;
/// A relative interval that reaches higher is null.
inline constexpr double kMostRelative = 10;

struct ComparedPolicy {
  std::string name;
  std::vector<std::optional<wire::Json>> summaries;  ///< by repeat; none where there is no run
  std::vector<JobReferences> references;             ///< likewise; empty: none are known
};

/// {"level", "left_out": [{"repeat", "job", "policies"}…], "identical_repeats": [policy…],
/// "options" (comparison_options.h), "in_words": [text…] (comparison_words.h), "metrics": […]}, as
/// compare.json has them (docs/results.md); metrics that no run has a value of are not there.
/// REQUIRES: a policy, and as many summaries of each.
wire::Json compare(const std::vector<ComparedPolicy>& policies,
                   const std::vector<NamedWorkloads>& groups = {});

/// The level of intervals with so many policies.
double comparison_level(std::size_t policies);

/// Values by repeat; null where there is none.
using Values = std::vector<std::optional<double>>;
/// Those that there are.
std::vector<double> known(const Values& values);

/// {"difference", "relative", "interval", "relative_interval", "verdict"} of `values` against
/// `baseline`, pairs with a null left out; null where not known. REQUIRES: all values are from 0 to
/// `most`.
wire::Json paired_difference(const Values& values, const Values& baseline, double level,
                             double most = std::numeric_limits<double>::infinity());

/// {"values", "median", "low", "high"}.
wire::Json spread_json(const Values& values);

/// The values of a metric of one run's own completed jobs and of the run, by group, in the order of
/// groups and metrics.
struct RunFigure {
  JobGroup group;
  const ComparisonMetric* metric;
  double value;
};
std::vector<RunFigure> figures_of(const wire::Json& summary,
                                  const std::vector<NamedWorkloads>& groups = {},
                                  const JobReferences& references = {});

}  // namespace heddle::report
