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

/// What is known of a job besides its run.
struct JobReference {
  std::optional<double> alone_s;  ///< its completion time alone on the cluster (report/alone.h)
  bool rigid = false;             ///< it is one gang phase
};
struct JobReferences {
  std::map<std::string, JobReference> jobs;  ///< by name
  std::size_t distinct = 0;                  ///< jobs that do not do the same
  std::size_t sampled = 0;                   ///< those of them whose alone_s was asked for
};

/// Of a completed job, emulated seconds. Slowdown is completion over the completion of the job
/// alone on the same cluster: finish-time fairness (K. Mahajan et al., "Themis", NSDI 2020).
/// Bounded slowdown is of rigid jobs only: completion over running time, from the first task's
/// start to the last one's end, where less than 10 s counts as 10 s, and at least 1 (D. Feitelson,
/// L. Rudolph, "Metrics and Benchmarking for Parallel Job Scheduling", 1998). A job that shares its
/// cluster runs for longer, which makes its bounded slowdown smaller.
struct JobFigures {
  double waiting = 0, completion = 0;
  std::optional<double> slowdown, bounded_slowdown;  ///< none where not known
};
inline constexpr double kSlowdownBound_s = 10;

/// The completed jobs of a summary (summary.json), by name.
std::map<std::string, JobFigures> completed_jobs(const wire::Json& summary,
                                                 const JobReferences& references);

/// Which values of a metric are better; kNeither where a policy's means are counted, such as the
/// time for which it reserved nodes.
enum class Better { kLess, kMore, kNeither };

/// Something measured of a run; of its jobs, of any part of them, or of the run as a whole. No
/// value is below 0.
struct ComparisonMetric {
  std::string key, title;
  std::string unit;  ///< "s", "core-s", "us"; "share": a part of a whole; "": a number
  Better better = Better::kLess;
  bool headline =
      false;  ///< one of those a comparison is judged by (report/comparison/comparison.h)
  /// One of these two. REQUIRES: there are jobs.
  std::function<std::optional<double>(const std::vector<JobFigures>&)> of_jobs;
  std::function<std::optional<double>(const wire::Json& summary)> of_run;
  bool of_many = false;  ///< says of one job what its mean says, or nothing
  double most = std::numeric_limits<double>::infinity();  ///< no value is above it
};

/// "less", "more", or null for neither.
wire::Json better_json(const ComparisonMetric& metric);

/// All of them, in the order in which they are shown: headlines first.
const std::vector<ComparisonMetric>& comparison_metrics();

/// A part of the jobs: {"kind": "all" | "class" | "queue" | "workload", "name"}.
struct JobGroup {
  std::string kind, name;
  friend auto operator<=>(const JobGroup&, const JobGroup&) = default;
};

/// Workloads taken together under a name; a job's own name will do for one.
struct NamedWorkloads {
  std::string name;
  std::vector<std::string> workloads;
};

/// More workloads than these are not told apart.
inline constexpr std::size_t kMostWorkloads = 12;

/// Jobs by group, of runs of the same jobs under several policies: all; by class, as the first
/// policy says that tells classes apart; by queue where there are several; by `named`, or, if there
/// are none, by workload where there are several. Ordered: all, class, queue, workload, then by
/// name.
std::map<JobGroup, std::set<std::string>> job_groups(
    const std::vector<const wire::Json*>& summaries, const std::vector<NamedWorkloads>& named);

}  // namespace heddle::report
