#include "report/comparison/metrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/figures.h"
#include "report/prediction.h"
#include "report/statistics.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using Figures = std::vector<JobFigures>;
/// A function that returns a figure of a job, if it is known.
using OfJob = std::function<std::optional<double>(const JobFigures&)>;

constexpr double kWhole = 1;

std::vector<double> each(const Figures& jobs, const OfJob& figure) {
  std::vector<double> values;
  for (const JobFigures& job : jobs)
    if (const std::optional<double> value = figure(job)) values.push_back(*value);
  return values;
}

/// Returns a function that applies `of` to the known figures of jobs. The function returns nullopt
/// if no figure is known.
template <class Of>
auto of_known(const OfJob& figure, const Of& of) {
  return [figure, of](const Figures& jobs) -> std::optional<double> {
    const std::vector<double> values = each(jobs, figure);
    return values.empty() ? std::nullopt : std::optional<double>(of(values));
  };
}

ComparisonMetric mean(const std::string& key, const std::string& title, const std::string& unit,
                      const OfJob& figure, bool headline) {
  const auto rounded_mean = [](const auto& values) { return wire::rounded(mean_of(values)); };
  return {.key = key,
          .title = title,
          .unit = unit,
          .headline = headline,
          .of_jobs = of_known(figure, rounded_mean)};
}

/// The geometric mean of the running times. If the same jobs complete under two policies, the ratio
/// of their means is the mean change of a single job, so long jobs do not count more than short
/// ones.
ComparisonMetric running_time() {
  const auto geometric = [](const std::vector<double>& values) {
    double sum = 0;
    for (double value : values) sum += std::log(value);
    return wire::rounded(std::exp(sum / static_cast<double>(values.size())));
  };
  const OfJob running = [](const JobFigures& job) {
    return job.running > 0 ? std::optional(job.running) : std::nullopt;
  };
  return {.key = "gmean_running_s",
          .title = "running time, geometric mean",
          .unit = "s",
          .of_jobs = of_known(running, geometric)};
}

ComparisonMetric percentile(const std::string& key, const std::string& title,
                            const std::string& unit, const OfJob& figure, double p) {
  const auto at_p = [p](const std::vector<double>& values) {
    return wire::percentile(values, p).get<double>();
  };
  return {
      .key = key, .title = title, .unit = unit, .of_jobs = of_known(figure, at_p), .of_many = true};
}

ComparisonMetric fairness(const OfJob& slowdown) {
  auto index = [slowdown](const Figures& jobs) { return jain_index(each(jobs, slowdown)); };
  return {.key = "fairness",
          .title = "fairness of slowdowns (Jain)",
          .better = Better::kMore,
          .of_jobs = index,
          .of_many = true,
          .most = kWhole};
}

/// Fairness between users: Jain's index of the mean slowdown of each user's jobs. Unlike the
/// fairness of all jobs, it does not depend on how many jobs a user has.
ComparisonMetric user_fairness(const OfJob& slowdown) {
  auto index = [slowdown](const Figures& jobs) -> std::optional<double> {
    std::map<std::string, Figures> users;
    for (const JobFigures& job : jobs)
      if (!job.user.empty() && job.slowdown) users[job.user].push_back(job);
    if (users.size() < 2) return std::nullopt;
    std::vector<double> means;
    for (const auto& [user, some] : users) means.push_back(mean_of(each(some, slowdown)));
    return jain_index(means);
  };
  return {.key = "user_fairness",
          .title = "fairness between users (Jain)",
          .better = Better::kMore,
          .of_jobs = index,
          .of_many = true,
          .most = kWhole};
}

/// The core-hours that the containers of a group of jobs held.
ComparisonMetric core_hours() {
  const auto sum = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  return {.key = "jobs_core_h",
          .title = "core-hours of completed jobs",
          .unit = "core-h",
          .of_jobs = of_known([](const JobFigures& job) { return job.core_h; }, sum)};
}

ComparisonMetric metric_of(const Figure& figure) {
  return {.key = std::string(figure.shown.compared),
          .title = std::string(figure.shown.title),
          .unit = std::string(figure.shown.unit),
          .better = figure.shown.better,
          .headline = figure.shown.headline,
          .of_run = [&figure](const Json& summary) { return number_of(figure, summary); },
          .most = figure.shown.most};
}

std::vector<ComparisonMetric> all_metrics() {
  const OfJob waiting = [](const JobFigures& job) { return job.waiting; };
  const OfJob completion = [](const JobFigures& job) { return job.completion; };
  const OfJob slowdown = [](const JobFigures& job) { return job.slowdown; };
  const OfJob bounded = [](const JobFigures& job) { return job.bounded_slowdown; };
  std::vector<ComparisonMetric> metrics = {
      mean("mean_waiting_s", "mean waiting", "s", waiting, true),
      mean("mean_completion_s", "mean completion", "s", completion, true),
      mean("mean_slowdown", "mean slowdown", "", slowdown, false),
      running_time(),
      fairness(slowdown),
      user_fairness(slowdown),
      core_hours(),
      mean("mean_bounded_slowdown", "mean bounded slowdown of rigid jobs", "", bounded, false),
  };
  const std::pair<std::string, OfJob> spans[] = {{"waiting", waiting}, {"completion", completion}};
  for (const auto& [name, span] : spans) {
    metrics.push_back(percentile("p50_" + name + "_s", name + ", median", "s", span, 0.5));
    metrics.push_back(
        percentile("p95_" + name + "_s", name + ", 95th percentile", "s", span, 0.95));
    metrics.push_back(
        percentile("p99_" + name + "_s", name + ", 99th percentile", "s", span, 0.99));
  }
  metrics.push_back(percentile("p95_slowdown", "slowdown, 95th percentile", "", slowdown, 0.95));
  // Headlines come first.
  std::vector<ComparisonMetric> headlines;
  for (const Figure& figure : figures())
    if (!figure.shown.compared.empty())
      (figure.shown.headline ? headlines : metrics).push_back(metric_of(figure));
  metrics.insert(metrics.begin(), headlines.begin(), headlines.end());
  return metrics;
}

/// Class, queue and user of a job, from the first run that has them.
struct JobPlace {
  std::string size, queue, user;
};

/// Returns the user of a job; "" if an earlier version wrote the summary.
std::string user_of(const Json& job) {
  const auto user = job.find("user");
  return user != job.end() && user->is_string() ? user->get<std::string>() : "";
}

std::map<std::string, JobPlace> places_of(const std::vector<const Json*>& summaries) {
  std::map<std::string, JobPlace> places;
  for (const Json* summary : summaries)
    for (const Json& job : summary->at("jobs")) {
      JobPlace& place = places[job.at("name").get<std::string>()];
      if (place.queue.empty()) place.queue = job.at("queue").get<std::string>();
      if (place.user.empty()) place.user = user_of(job);
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
    figures.user = user_of(job);
    if (const auto hours = job.find("allocated_core_h"); hours != job.end() && hours->is_number())
      figures.core_h = hours->get<double>();
    figures.running = job.at("finish_s").get<double>() - job.at("start_s").get<double>();
    if (const auto it = references.jobs.find(name); it != references.jobs.end()) {
      const JobReference& reference = it->second;
      if (reference.alone_s && *reference.alone_s > 0)
        figures.slowdown = figures.completion / *reference.alone_s;
      if (reference.rigid)
        figures.bounded_slowdown =
            std::max(1.0, figures.completion / std::max(figures.running, kSlowdownBound_s));
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
  std::map<JobGroup, std::set<std::string>> groups, queues, users, workloads;
  for (const auto& [job, place] : places_of(summaries)) {
    groups[{"all", ""}].insert(job);
    if (!place.size.empty()) groups[{"class", place.size}].insert(job);
    queues[{"queue", place.queue}].insert(job);
    if (!place.user.empty()) users[{"user", place.user}].insert(job);
    workloads[{"workload", workload_of(job)}].insert(job);
    for (const NamedWorkloads& some : named)
      if (is_one_of(job, some)) groups[{"workload", some.name}].insert(job);
  }
  if (queues.size() > 1) groups.merge(queues);
  if (users.size() > 1 && users.size() <= kMostUsers) groups.merge(users);
  if (named.empty() && workloads.size() > 1 && workloads.size() <= kMostWorkloads)
    groups.merge(workloads);
  return groups;
}

}  // namespace heddle::report
