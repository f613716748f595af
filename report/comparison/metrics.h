#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/figures.h"
#include "wire/fields.h"

namespace heddle::report {

/// Facts about a job that do not come from its run.
struct JobReference {
  std::optional<double>
      alone_s;         ///< completion time alone on the cluster (report/comparison/alone_times.h)
  bool rigid = false;  ///< the job is one gang phase
};
struct JobReferences {
  std::map<std::string, JobReference> jobs;  ///< by name
  /// Number of different jobs. Several jobs that do the same count as one.
  std::size_t distinct = 0;
  std::size_t sampled = 0;  ///< number of these jobs that were chosen for alone_s
};

/// Figures of a completed job, in emulated seconds. The slowdown is the job's completion time
/// divided by its completion time alone on the same cluster. The literature calls this finish-time
/// fairness (K. Mahajan et al., "Themis", NSDI 2020). The bounded slowdown exists only for rigid
/// jobs. It is the completion time divided by the running time. A running time below 10 s counts as
/// 10 s, and the result is at least 1 (D. Feitelson, L. Rudolph, "Metrics and Benchmarking for
/// Parallel Job Scheduling", 1998). For other jobs, sharing the cluster lengthens the running time,
/// which would make their bounded slowdown smaller.
struct JobFigures {
  double waiting = 0, completion = 0;
  double running = 0;  ///< from the start of the first task to the end of the last one
  std::optional<double> slowdown, bounded_slowdown;  ///< nullopt if not known
  std::string user;                                  ///< "" if not known
  std::optional<double> core_h;                      ///< core-hours that the job's containers held
};
inline constexpr double kSlowdownBound_s = 10;

/// Returns the figures of a summary's (summary.json) completed jobs, by name.
std::map<std::string, JobFigures> completed_jobs(const wire::Json& summary,
                                                 const JobReferences& references);

/// A metric of a group of jobs or of a whole run. No value is below 0.
struct ComparisonMetric {
  std::string key, title;
  std::string unit = {};  ///< "s", "core-s" or "us"; "share" for a part of a whole; "" for a number
  Better better = Better::kLess;
  bool headline = false;  ///< a comparison is judged by headlines (report/comparison/comparison.h)
  /// Exactly one of of_jobs and of_run is set. of_jobs REQUIRES: there is at least one job.
  std::function<std::optional<double>(const std::vector<JobFigures>&)> of_jobs = {};
  std::function<std::optional<double>(const wire::Json& summary)> of_run = {};
  /// The metric is useful only for groups with several jobs. For a single job, it equals the mean
  /// or has no meaning.
  bool of_many = false;
  double most = std::numeric_limits<double>::infinity();  ///< upper bound of the values
};

/// Returns "less" or "more", or null for kNeither.
wire::Json better_json(const ComparisonMetric& metric);

/// Returns all metrics in the order in which they are shown: headlines first.
const std::vector<ComparisonMetric>& comparison_metrics();

/// A group of jobs: {"kind": "all" | "class" | "queue" | "user" | "workload", "name"}.
struct JobGroup {
  std::string kind, name;
  friend auto operator<=>(const JobGroup&, const JobGroup&) = default;
};

/// Workloads that form one group with this name. The name of a job can stand for a workload.
struct NamedWorkloads {
  std::string name;
  std::vector<std::string> workloads;
};

/// Maximum number of workloads, and of users. If there are more, jobs are not grouped by them.
inline constexpr std::size_t kMostWorkloads = 12;
inline constexpr std::size_t kMostUsers = 20;

/// Returns the jobs of each group, for runs of the same jobs under several policies. There are
/// these groups:
///
/// - all jobs
/// - the jobs of each class, as reported by the first policy that has classes
/// - the jobs of each queue, if there are several queues
/// - the jobs of each user, if there are several users
/// - the jobs of each entry of `named`; if `named` is empty, the jobs of each workload, if there
///   are several workloads
///
/// The groups are ordered by kind (all, class, queue, user, workload), then by name.
std::map<JobGroup, std::set<std::string>> job_groups(
    const std::vector<const wire::Json*>& summaries, const std::vector<NamedWorkloads>& named);

}  // namespace heddle::report
