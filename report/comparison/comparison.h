#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::report {

/// Compares policies by their runs of the same jobs. Runs of the same repeat are compared with each
/// other.
///
/// **What is compared.** Within a repeat, the runs of all policies have the same seed. Real runs of
/// a repeat are made right after each other. Therefore, the runs of two policies in the same repeat
/// are a pair. A figure of jobs (waiting, completion, slowdown, fairness) covers only the jobs that
/// completed under all policies in that repeat. Therefore a policy gains nothing if its longest job
/// fails. `left_out` names the other jobs. Figures of runs (makespan, utilisation …) are taken from
/// the summary. They are null if the summary has null.
///
/// **Differences** are relative to the first policy, the baseline, and each repeat gives one pair.
/// If all values are above 0, their logarithms are compared. The noise of a time is proportional to
/// the time, so the noise of the logarithm of a ratio is symmetric. If the two policies are
/// exchanged, only the sign changes. If a value is 0, the plain differences are compared. The
/// interval is Student's t over the repeats. The interval is limited to possible values: no value
/// is below 0, and no share of a whole is above 1. The true value is within these limits, so
/// limiting the interval does not change how often it contains the true value.
///
/// **The verdict** is `less` or `more` if the interval does not contain "the same", else `no
/// difference`. Affected runs (report/comparison/affected.h) are in no pair. If all runs of a
/// policy or of the baseline are affected, the verdict is `affected`. With fewer than two pairs,
/// the verdict is `too few`. If all pairs have the same difference or ratio, up to rounding, they
/// contain no information about chance. In this case nothing is tested and there is no interval.
/// The verdict is `equal` if the difference is 0, else `no variance`.
///
/// **Exact differences.** If nothing in the runs of a policy and of the baseline depends on chance,
/// a difference needs no test, and one repeat is enough. The verdict is then `less`, `more` or
/// `equal`, and "exact" is true. Times that decisions took on this machine are never exact.
///
/// **The level.** If a policy is compared with itself, at most 5 of 100 comparisons should report a
/// difference in any headline metric. Each policy except the baseline has an interval for each of 3
/// headline metrics: makespan, mean waiting and mean completion. Let m be the number of these
/// intervals. Each of them has level 1 - 0.04 / m. This is Bonferroni's correction, which assumes
/// nothing about how metrics depend on each other. The correction aims at 4 of 100 instead of 5,
/// because a hundred trials can have one more false difference than expected.
///
/// The number of headlines is small so that the test stays sensitive. An example has two policies
/// (level 98.7 %, t = 4.23), 5 repeats and noise of 2 % in every run. A 10 % increase is then found
/// 97 times of 100, and a 10 % decrease 99 times. With 12 headlines, these numbers would be 80 and
/// 87. Holm's procedure finds no more of the largest differences and has no interval that agrees
/// with it. The intervals of all other metrics have the same level, but without a correction for
/// their number: among seventy-five of them, one differs by chance.
inline constexpr double kFamilyError = 0.04;
/// If the upper end of a relative interval is above this limit, the interval is null.
inline constexpr double kMostRelative = 10;

struct ComparedPolicy {
  std::string name;
  std::vector<std::optional<wire::Json>> summaries;  ///< by repeat; nullopt if there is no run
  std::vector<JobReferences> references;  ///< by repeat; empty if no references are known
  std::vector<bool> affected = {};        ///< by repeat: runs not to be used; empty: none
  bool exact = false;                     ///< nothing in the runs depends on chance
};

/// The value of each repeat, or nullopt if the repeat has no value.
using Values = std::vector<std::optional<double>>;

/// The runs of one repeat, by policy. A policy without a run has nullopt.
struct RepeatRuns {
  std::vector<std::optional<wire::Json>> summaries;
  std::vector<JobReferences> references;  ///< empty if no references are known
  std::vector<bool> affected = {};        ///< runs not to be used; empty: none
};

/// Compares policies repeat by repeat. Keeps only a number for each metric of each run, so the
/// summaries of many runs need not be in memory at the same time.
class Comparison {
 public:
  /// `exact`: whether nothing in the runs of a policy depends on chance; empty: none is so.
  /// REQUIRES: there is at least one policy.
  explicit Comparison(std::vector<std::string> policies, std::vector<NamedWorkloads> groups = {},
                      std::vector<bool> exact = {});

  /// Adds the next repeat. REQUIRES: `runs` has an entry for each policy.
  void add(const RepeatRuns& runs);
  /// Returns {"level", "left_out": [{"repeat", "job", "policies"}…], "identical_repeats":
  /// [policy…], "job_changes": [{"policy", "baseline", …}…] (report/comparison/job_changes.h) of
  /// policies with exact differences, "options" (report/comparison/options.h), "in_words": [text…]
  /// (report/comparison/words.h), "metrics": […]}, as in compare.json (docs/reference/results.md).
  /// Metrics without a value in any run are omitted.
  wire::Json json() const;

 private:
  /// The values of a group of jobs.
  struct Group {
    bool several = false;  ///< the group has several jobs in some repeat, or is that of all jobs
    std::vector<std::vector<Values>> of_metrics;  ///< by metric, then by policy
  };
  wire::Json identical_repeats() const;
  /// Returns whether a policy's differences from the baseline are exact.
  bool exact(std::size_t policy) const { return exact_[0] && exact_[policy]; }

  std::vector<std::string> policies_;
  std::vector<NamedWorkloads> named_;
  std::size_t repeats_ = 0;
  std::vector<bool> exact_;                       ///< by policy
  std::vector<std::size_t> runs_;                 ///< number of runs, by policy
  std::vector<std::vector<bool>> affected_;       ///< by policy, then by repeat
  std::vector<std::optional<wire::Json>> parts_;  ///< of each policy, as in a summary
  std::map<JobGroup, Group> groups_;
  wire::Json left_out_ = wire::Json::array();
  wire::Json job_changes_ = wire::Json::array();
};

/// Returns the comparison of all repeats. REQUIRES: there is at least one policy, and all policies
/// have the same number of summaries.
wire::Json compare(const std::vector<ComparedPolicy>& policies,
                   const std::vector<NamedWorkloads>& groups = {});

/// Returns the level of the intervals if this number of pairs of policies is compared.
double level_of_pairs(std::size_t pairs);
/// Returns the level of the intervals for a comparison of this number of policies.
double comparison_level(std::size_t policies);

/// Returns the values that are not nullopt.
std::vector<double> known(const Values& values);

/// Returns {"difference", "relative", "interval", "relative_interval", "verdict"} of `values`
/// relative to `baseline`. Unknown results are null. A pair is left out if one of its values is
/// nullopt. REQUIRES: all values are from 0 to `most`.
wire::Json paired_difference(const Values& values, const Values& baseline, double level,
                             double most = std::numeric_limits<double>::infinity());

/// Returns paired_difference() of values of a metric. If `exact`, a difference that needs no test
/// also has "exact": true.
wire::Json metric_difference(const ComparisonMetric& metric, const Values& values,
                             const Values& baseline, double level, bool exact);

/// Returns {"values", "median", "low", "high"}. `low` is the smallest value, and `high` is the
/// largest. Affected runs are left out: they are null in `values`. If all runs are affected, the
/// other members describe them. `affected`: by repeat; empty: no run is affected.
wire::Json spread_json(const Values& values, const std::vector<bool>& affected = {});
/// Returns the values of a spread, by repeat. Affected runs have none.
Values values_of(const wire::Json& spread);

/// The value of a metric in one run: of the whole run, or of a group of its completed jobs.
struct RunFigure {
  JobGroup group;
  const ComparisonMetric* metric;
  double value;
};
/// Returns the values of a run's metrics, sorted by group and then by metric. The values of a group
/// cover all its jobs that completed in this run.
std::vector<RunFigure> figures_of(const wire::Json& summary,
                                  const std::vector<NamedWorkloads>& groups = {},
                                  const JobReferences& references = {});

}  // namespace heddle::report
