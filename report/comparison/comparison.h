#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::report {

/// Compares policies by runs of the same jobs, repeat by repeat.
///
/// **What is compared.** Within a repeat the policies' runs have the same seed, and on a real
/// machine they are made right after each other, so they are pairs. A figure of jobs (waiting,
/// completion, slowdown, fairness) covers only the jobs that completed under all policies of that
/// repeat, so a policy gains nothing by failing its longest job. `left_out` names the other jobs.
/// Figures of runs (makespan, utilisation …) are the summary's own, and null if the summary has
/// null.
///
/// **Differences** from the first policy, the baseline, are paired. If all values are above 0,
/// their logarithms are compared: the noise of a time is proportional to the time, so the noise of
/// a ratio is symmetric, and exchanging the two policies changes only the sign. If a value is 0,
/// the plain differences are compared. The interval is Student's t over the repeats, limited to
/// possible values: no value is below 0, and no share of a whole is above 1. The true value is
/// within these limits, so limiting the interval does not change how often it contains the true
/// value.
///
/// **The verdict** is `less` or `more` if the interval excludes "the same", else `no difference`.
/// With fewer than two pairs it is `too few`. If all pairs have the same difference (or ratio), up
/// to rounding, they contain no information about chance: nothing is tested, there is no interval,
/// and the verdict is `equal` if the difference is 0, else `no variance`. Simulations without
/// random draws are such a case.
///
/// **The level.** If a policy is compared with itself, at most 5 of 100 comparisons should report a
/// difference in any headline metric. There are m intervals: 3 headline metrics (makespan, mean
/// waiting, mean completion) for each policy but the baseline. Each has level 1 - 0.04 / m. This is
/// Bonferroni's correction, which assumes nothing about how metrics depend on each other, for 4 of
/// 100, because a hundred trials may have one more than expected. Few headlines keep the test
/// sensitive: at 98.7 % (two policies, t = 4.23), 5 repeats and noise of 2 % in every run of both
/// policies, a 10 % increase is found 97 times of 100 and a 10 % decrease 99 times; with 12
/// headlines it would be 80 and 87. Holm's procedure finds no more of the largest differences and
/// has no interval that agrees with it. All other metrics have intervals of the same level, each by
/// itself: among seventy-five of them one differs by chance.
inline constexpr double kFamilyError = 0.04;
/// A relative interval whose upper end is above this is null.
inline constexpr double kMostRelative = 10;

struct ComparedPolicy {
  std::string name;
  std::vector<std::optional<wire::Json>> summaries;  ///< by repeat; none if there is no run
  std::vector<JobReferences> references;             ///< by repeat; empty: none are known
};

/// Returns {"level", "left_out": [{"repeat", "job", "policies"}…], "identical_repeats": [policy…],
/// "options" (report/comparison/options.h), "in_words": [text…] (report/comparison/words.h),
/// "metrics": […]}, as in compare.json (docs/reference/results.md). Metrics without a value in any
/// run are omitted. REQUIRES: at least one policy, and as many summaries of each.
wire::Json compare(const std::vector<ComparedPolicy>& policies,
                   const std::vector<NamedWorkloads>& groups = {});

/// Returns the level of the intervals when so many policies are compared.
double comparison_level(std::size_t policies);

/// Values by repeat; null if there is none.
using Values = std::vector<std::optional<double>>;
/// Returns the values that are not null.
std::vector<double> known(const Values& values);

/// Returns {"difference", "relative", "interval", "relative_interval", "verdict"} of `values`
/// relative to `baseline`; null if unknown. Pairs with a null are left out. REQUIRES: all values
/// are from 0 to `most`.
wire::Json paired_difference(const Values& values, const Values& baseline, double level,
                             double most = std::numeric_limits<double>::infinity());

/// Returns {"values", "median", "low", "high"}; low and high are the smallest and the largest
/// value.
wire::Json spread_json(const Values& values);

/// The value of a metric in one run: of the whole run, or of a group of its completed jobs.
struct RunFigure {
  JobGroup group;
  const ComparisonMetric* metric;
  double value;
};
/// Returns the values of a run's metrics, in the order of groups, then metrics. Values of jobs
/// cover all jobs that completed in this run.
std::vector<RunFigure> figures_of(const wire::Json& summary,
                                  const std::vector<NamedWorkloads>& groups = {},
                                  const JobReferences& references = {});

}  // namespace heddle::report
