#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Facts about a job that do not come from its run.
struct JobReference {
  std::optional<double> alone_s;  ///< completion time alone on the cluster (report/alone.h)
  bool rigid = false;             ///< the job is one gang phase
};
struct JobReferences {
  std::map<std::string, JobReference> jobs;  ///< by name
  std::size_t distinct = 0;  ///< number of different jobs; jobs that do the same count once
  std::size_t sampled = 0;   ///< number of these jobs whose alone_s was requested
};

/// Figures of a completed job, in emulated seconds. Slowdown is the completion time divided by the
/// completion time alone on the same cluster: finish-time fairness (K. Mahajan et al., "Themis",
/// NSDI 2020). Bounded slowdown exists only for rigid jobs: the completion time divided by the
/// running time, from the first task's start to the last one's end. A running time below 10 s
/// counts as 10 s, and the result is at least 1 (D. Feitelson, L. Rudolph, "Metrics and
/// Benchmarking for Parallel Job Scheduling", 1998). A job that shares its cluster runs longer, so
/// its bounded slowdown is smaller.
struct JobFigures {
  double waiting = 0, completion = 0;
  std::optional<double> slowdown, bounded_slowdown;  ///< none if not known
};
inline constexpr double kSlowdownBound_s = 10;

/// Returns the figures of a summary's (summary.json) completed jobs, by name.
std::map<std::string, JobFigures> completed_jobs(const wire::Json& summary,
                                                 const JobReferences& references);

/// Says which values of a metric are better. kNeither is for metrics of how a policy
/// works, such as the time for which it reserved nodes.
enum class Better { kLess, kMore, kNeither };

/// A metric of a run: of any group of its jobs, or of the run as a whole. No value is below 0.
struct ComparisonMetric {
  std::string key, title;
  std::string unit;  ///< "s", "core-s", "us"; "share": a part of a whole; "": a number
  Better better = Better::kLess;
  bool headline = false;  ///< a comparison is judged by headlines (report/comparison/comparison.h)
  /// Exactly one of the two is set. of_jobs REQUIRES: there are jobs.
  std::function<std::optional<double>(const std::vector<JobFigures>&)> of_jobs;
  std::function<std::optional<double>(const wire::Json& summary)> of_run;
  bool of_many = false;  ///< for a single job the metric equals the mean or says nothing
  double most = std::numeric_limits<double>::infinity();  ///< upper bound of the values
};

/// Returns "less", "more", or null for neither.
wire::Json better_json(const ComparisonMetric& metric);

/// Returns all metrics in the order in which they are shown: headlines first.
const std::vector<ComparisonMetric>& comparison_metrics();

/// A group of jobs: {"kind": "all" | "class" | "queue" | "workload", "name"}.
struct JobGroup {
  std::string kind, name;
  friend auto operator<=>(const JobGroup&, const JobGroup&) = default;
};

/// Workloads that form one group with this name. The name of a job can stand for a workload.
struct NamedWorkloads {
  std::string name;
  std::vector<std::string> workloads;
};

/// If there are more workloads, jobs are not grouped by workload.
inline constexpr std::size_t kMostWorkloads = 12;

/// Returns the jobs by group, for runs of the same jobs under several policies. The groups are:
/// all; each class, as reported by the first policy that has classes; each queue, if there are
/// several; each group of `named` or, if `named` is empty, each workload, if there are several.
/// They are ordered by kind (all, class, queue, workload), then by name.
std::map<JobGroup, std::set<std::string>> job_groups(
    const std::vector<const wire::Json*>& summaries, const std::vector<NamedWorkloads>& named);

}  // namespace heddle::report
