#include "report/comparison/metrics.h"

#include <algorithm>

#include "report/prediction.h"
#include "report/statistics.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using Figures = std::vector<JobFigures>;
/// A function that returns a figure of a job, if it is known.
using Figure = std::function<std::optional<double>(const JobFigures&)>;

constexpr double kWhole = 1;

std::vector<double> each(const Figures& jobs, const Figure& figure) {
  std::vector<double> values;
  for (const JobFigures& job : jobs)
    if (const std::optional<double> value = figure(job)) values.push_back(*value);
  return values;
}

/// Returns a function that applies `of` to the known figures of jobs. The function returns nullopt
/// if no figure is known.
template <class Of>
auto of_known(const Figure& figure, const Of& of) {
  return [figure, of](const Figures& jobs) -> std::optional<double> {
    const std::vector<double> values = each(jobs, figure);
    return values.empty() ? std::nullopt : std::optional<double>(of(values));
  };
}

ComparisonMetric mean(const std::string& key, const std::string& title, const std::string& unit,
                      const Figure& figure, bool headline) {
  const auto rounded_mean = [](const auto& values) { return wire::rounded(mean_of(values)); };
  return {.key = key,
          .title = title,
          .unit = unit,
          .headline = headline,
          .of_jobs = of_known(figure, rounded_mean)};
}

ComparisonMetric percentile(const std::string& key, const std::string& title,
                            const std::string& unit, const Figure& figure, double p) {
  const auto at_p = [p](const std::vector<double>& values) {
    return wire::percentile(values, p).get<double>();
  };
  return {
      .key = key, .title = title, .unit = unit, .of_jobs = of_known(figure, at_p), .of_many = true};
}

ComparisonMetric fairness(const Figure& slowdown) {
  auto index = [slowdown](const Figures& jobs) { return jain_index(each(jobs, slowdown)); };
  return {.key = "fairness",
          .title = "fairness of slowdowns (Jain)",
          .better = Better::kMore,
          .of_jobs = index,
          .of_many = true,
          .most = kWhole};
}

/// Returns the number at a path of the summary, or nullopt if there is none.
std::optional<double> number_at(const Json& summary, const std::vector<std::string>& path) {
  const Json* at = &summary;
  for (const std::string& key : path) {
    auto it = at->is_object() ? at->find(key) : at->end();
    if (it == at->end()) return std::nullopt;
    at = &*it;
  }
  if (!at->is_number()) return std::nullopt;
  return at->get<double>();
}

ComparisonMetric figure(const std::string& key, const std::string& title, const std::string& unit,
                        Better better, const std::vector<std::string>& path) {
  return {.key = key,
          .title = title,
          .unit = unit,
          .better = better,
          .headline = key == "makespan_s",
          .of_run = [path](const Json& summary) { return number_at(summary, path); }};
}

/// Returns the metric with the upper bound of a share of a whole.
ComparisonMetric part(ComparisonMetric metric) {
  metric.most = kWhole;
  return metric;
}

/// Returns a metric such as "efficiency_memory_p90_job" (see AllocationEfficiency::summary()).
ComparisonMetric p90(const std::string& of, const std::string& resource) {
  return figure(
      "efficiency_" + resource + "_p90_" + of,
      (resource == "cpu" ? "CPU" : resource) + " used of allocated, 90th percentile of " + of + "s",
      "share", Better::kMore, {"allocation_efficiency", "p90", of, resource});
}

/// Returns the sum of an object's numbers, or nullopt if one is missing.
std::optional<double> sum_of(const Json& summary, const std::string& key) {
  auto object = summary.find(key);
  if (object == summary.end() || !object->is_object()) return std::nullopt;
  double sum = 0;
  for (const Json& value : *object) {
    if (!value.is_number()) return std::nullopt;
    sum += value.get<double>();
  }
  return sum;
}

std::optional<double> local_share(const Json& summary) {
  std::optional<double> local = number_at(summary, {"locality", "local"});
  std::optional<double> all = sum_of(summary, "locality");
  if (!local || !all || *all <= 0) return std::nullopt;
  return *local / *all;
}

std::optional<double> failed_jobs(const Json& summary) {
  double failed = 0;
  for (const Json& job : summary.at("jobs")) failed += job.at("state") == "completed" ? 0 : 1;
  return failed;
}

std::vector<ComparisonMetric> all_metrics() {
  const Figure waiting = [](const JobFigures& job) { return job.waiting; };
  const Figure completion = [](const JobFigures& job) { return job.completion; };
  const Figure slowdown = [](const JobFigures& job) { return job.slowdown; };
  const Figure bounded = [](const JobFigures& job) { return job.bounded_slowdown; };
  std::vector<ComparisonMetric> metrics = {
      figure("makespan_s", "makespan", "s", Better::kLess, {"makespan_s"}),
      mean("mean_waiting_s", "mean waiting", "s", waiting, true),
      mean("mean_completion_s", "mean completion", "s", completion, true),
      mean("mean_slowdown", "mean slowdown", "", slowdown, false),
      fairness(slowdown),
      mean("mean_bounded_slowdown", "mean bounded slowdown of rigid jobs", "", bounded, false),
  };
  const std::pair<std::string, Figure> spans[] = {{"waiting", waiting}, {"completion", completion}};
  for (const auto& [name, span] : spans) {
    metrics.push_back(percentile("p50_" + name + "_s", name + ", median", "s", span, 0.5));
    metrics.push_back(
        percentile("p95_" + name + "_s", name + ", 95th percentile", "s", span, 0.95));
    metrics.push_back(
        percentile("p99_" + name + "_s", name + ", 99th percentile", "s", span, 0.99));
  }
  metrics.push_back(percentile("p95_slowdown", "slowdown, 95th percentile", "", slowdown, 0.95));
  using enum Better;
  const std::vector<ComparisonMetric> of_runs = {
      part(figure("utilisation_cpu", "CPU used", "share", kMore, {"utilisation", "cpu"})),
      part(figure("utilisation_memory", "memory used", "share", kMore, {"utilisation", "memory"})),
      figure("allocation_cpu", "cores allocated", "share", kMore, {"allocation", "cpu"}),
      figure("allocation_memory", "memory allocated", "share", kMore, {"allocation", "memory"}),
      figure("efficiency_cpu", "CPU used of allocated", "share", kMore,
             {"allocation_efficiency", "cpu"}),
      figure("efficiency_memory", "memory used of allocated", "share", kMore,
             {"allocation_efficiency", "memory"}),
      p90("container", "cpu"),
      p90("container", "memory"),
      p90("job", "cpu"),
      p90("job", "memory"),
      p90("user", "cpu"),
      p90("user", "memory"),
      {.key = "failed_jobs", .title = "jobs not completed", .of_run = failed_jobs},
      figure("attempts", "attempts of tasks", "", kLess, {"attempts_total"}),
      part(figure("crash_fraction", "attempts out of memory", "share", kLess, {"crash_fraction"})),
      {.key = "oom_kills",
       .title = "memory kills",
       .of_run = [](const Json& summary) { return sum_of(summary, "oom_kills"); }},
      figure("lost", "containers lost", "", kLess, {"lost"}),
      figure("wasted_core_s", "wasted by what did not complete", "core-s", kLess,
             {"wasted", "core_s"}),
      part({.key = "locality",
            .title = "launched beside their data",
            .unit = "share",
            .better = kMore,
            .of_run = local_share}),
      figure("reservations", "reservations", "", kNeither, {"reservations", "count"}),
      figure("reservation_wait_s", "time reserved", "s", kNeither, {"reservations", "wait_s"}),
      figure("suspensions", "suspensions", "", kNeither, {"suspensions", "count"}),
      figure("suspended_s", "time suspended", "s", kNeither, {"suspensions", "total_s"}),
      figure("preemptions", "preemptions", "", kLess, {"preemptions"}),
      figure("walltime_kills", "jobs over their walltime", "", kLess, {"walltime_kills"}),
      figure("prediction_nrmse", "error of predictions (NRMSE)", "share", kLess,
             {"prediction", "nrmse"}),
      figure("stop_ms_p50", "suspension takes effect, median", "ms", kLess,
             {"suspensions", "stop_latency_ms", "p50"}),
      figure("launch_ms_p50", "container start, median", "ms", kLess,
             {"overhead", "launch_ms", "p50"}),
      figure("decision_us_p99", "decision, 99th percentile, real", "us", kLess,
             {"overhead", "decision_us", "p99"}),
  };
  metrics.insert(metrics.end(), of_runs.begin(), of_runs.end());
  return metrics;
}

/// Class and queue of a job, from the first run that has them.
struct JobPlace {
  std::string size, queue;
};

std::map<std::string, JobPlace> places_of(const std::vector<const Json*>& summaries) {
  std::map<std::string, JobPlace> places;
  for (const Json* summary : summaries)
    for (const Json& job : summary->at("jobs")) {
      JobPlace& place = places[job.at("name").get<std::string>()];
      if (place.queue.empty()) place.queue = job.at("queue").get<std::string>();
      if (place.size.empty() && job.at("class").is_string())
        place.size = job.at("class").get<std::string>();
    }
  return places;
}

bool is_one_of(const std::string& job, const NamedWorkloads& named) {
  return std::any_of(
      named.workloads.begin(), named.workloads.end(),
      [&](const std::string& workload) { return workload == job || workload == workload_of(job); });
}

}  // namespace

std::map<std::string, JobFigures> completed_jobs(const Json& summary,
                                                 const JobReferences& references) {
  std::map<std::string, JobFigures> jobs;
  for (const Json& job : summary.at("jobs")) {
    if (job.at("state") != "completed") continue;
    const auto name = job.at("name").get<std::string>();
    JobFigures figures;
    figures.waiting = job.at("waiting_s").get<double>();
    figures.completion = job.at("completion_s").get<double>();
    const double runs = job.at("finish_s").get<double>() - job.at("start_s").get<double>();
    if (const auto it = references.jobs.find(name); it != references.jobs.end()) {
      const JobReference& reference = it->second;
      if (reference.alone_s && *reference.alone_s > 0)
        figures.slowdown = figures.completion / *reference.alone_s;
      if (reference.rigid)
        figures.bounded_slowdown =
            std::max(1.0, figures.completion / std::max(runs, kSlowdownBound_s));
    }
    jobs.emplace(name, figures);
  }
  return jobs;
}

Json better_json(const ComparisonMetric& metric) {
  switch (metric.better) {
    case Better::kLess:
      return "less";
    case Better::kMore:
      return "more";
    case Better::kNeither:
      break;
  }
  return nullptr;
}

const std::vector<ComparisonMetric>& comparison_metrics() {
  static const std::vector<ComparisonMetric> metrics = all_metrics();
  return metrics;
}

std::map<JobGroup, std::set<std::string>> job_groups(const std::vector<const Json*>& summaries,
                                                     const std::vector<NamedWorkloads>& named) {
  std::map<JobGroup, std::set<std::string>> groups, queues, workloads;
  for (const auto& [job, place] : places_of(summaries)) {
    groups[{"all", ""}].insert(job);
    if (!place.size.empty()) groups[{"class", place.size}].insert(job);
    queues[{"queue", place.queue}].insert(job);
    workloads[{"workload", workload_of(job)}].insert(job);
    for (const NamedWorkloads& some : named)
      if (is_one_of(job, some)) groups[{"workload", some.name}].insert(job);
  }
  if (queues.size() > 1) groups.merge(queues);
  if (named.empty() && workloads.size() > 1 && workloads.size() <= kMostWorkloads)
    groups.merge(workloads);
  return groups;
}

}  // namespace heddle::report
