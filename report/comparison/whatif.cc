#include "report/comparison/whatif.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "report/comparison/job_changes.h"
#include "report/table.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::rounded;
using wire::rounded_or_null;

/// Differences below the resolution of emulated times are none.
constexpr double kResolution_s = 1e-6;
/// Stands for a wait of a job that did not start.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double mean_where(const std::vector<double>& waits, const std::vector<std::size_t>& jobs,
                  const std::vector<double>& also) {
  double sum = 0;
  std::int64_t count = 0;
  for (const std::size_t job : jobs) {
    if (std::isnan(waits[job]) || std::isnan(also[job])) continue;
    sum += waits[job];
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : kNone;
}

struct GroupKind {
  const char* name;
  std::string LoggedJob::*of;
};
constexpr GroupKind kGroupKinds[] = {{"user", &LoggedJob::user},
                                     {"queue", &LoggedJob::queue},
                                     {"account", &LoggedJob::account},
                                     {"partition", &LoggedJob::partition},
                                     {"qos", &LoggedJob::qos}};

/// Jobs of the log that belong together.
struct LogGroup {
  JobGroup group;
  std::vector<const LoggedJob*> jobs;
  std::vector<std::size_t> indices = {};  ///< of the jobs in the log
};

std::vector<LogGroup> groups_of(const std::vector<LoggedJob>& log) {
  std::vector<LogGroup> groups(1);
  groups.front().group = {"all", ""};
  for (const LoggedJob& job : log) groups.front().jobs.push_back(&job);
  for (const GroupKind& kind : kGroupKinds) {
    std::map<std::string, std::vector<const LoggedJob*>> by_name;
    for (const LoggedJob& job : log)
      if (!(job.*kind.of).empty()) by_name[job.*kind.of].push_back(&job);
    if (by_name.size() < 2) continue;
    // Partitions that are the queues too are no further groups.
    if (kind.of == &LoggedJob::partition &&
        std::ranges::all_of(log, [](const LoggedJob& job) { return job.partition == job.queue; }))
      continue;
    for (auto& [name, jobs] : by_name) groups.push_back({{kind.name, name}, std::move(jobs)});
  }
  for (LogGroup& group : groups)
    for (const LoggedJob* job : group.jobs)
      group.indices.push_back(static_cast<std::size_t>(job - log.data()));
  return groups;
}

std::optional<double> wait_in(const Replay& replay, const std::string& job) {
  const auto found = replay.jobs.find(job);
  return found == replay.jobs.end() ? std::nullopt : found->second.waiting_s;
}

/// A time for which a job holds cores.
struct HeldCores {
  double from_s, to_s, cores;
};

/// Returns the shares of the cores that are held from 0 on, each with its time.
Samples shares(const std::vector<HeldCores>& held, double cores) {
  std::map<double, double> changes;
  for (const HeldCores& one : held) {
    if (!(one.to_s > one.from_s)) continue;
    changes[one.from_s] += one.cores;
    changes[one.to_s] -= one.cores;
  }
  Samples samples;
  double at = 0, now = 0;
  for (const auto& [time, change] : changes) {
    if (time > at) samples.push_back({std::max(now, 0.0) / cores, time - at});
    at = std::max(at, time);
    now += change;
  }
  return samples;
}

/// Returns the share that is exceeded for at most 1 % of the time. The rounding of times in a log
/// can make jobs overlap for a moment.
double peak_of(Samples samples) {
  constexpr double kMoment = 0.01;
  double all_s = 0, above_s = 0;
  for (const Sample& sample : samples) all_s += sample.weight;
  std::ranges::sort(samples, std::ranges::greater(), &Sample::value);
  for (const Sample& sample : samples) {
    above_s += sample.weight;
    if (above_s > kMoment * all_s) return sample.value;
  }
  return 0;
}

Usage usage_of(const Samples& samples) {
  return {mean_of_samples(samples).value_or(0), median_of_samples(samples).value_or(0),
          peak_of(samples)};
}

/// Adds a value to a range that may have none yet.
void widen(std::optional<Range>& range, double value) {
  if (std::isnan(value)) return;
  if (!range) range = Range{value, value};
  range->add(value);
}

/// Returns the range of the errors of perturbed simulations.
std::optional<Range> range_of_errors(const LogGroup& group, const std::vector<double>& log_waits,
                                     const Replay& replay) {
  std::optional<Range> range;
  for (const std::vector<double>& waits : replay.perturbed)
    widen(range,
          mean_where(waits, group.indices, waits) - mean_where(log_waits, group.indices, waits));
  return range;
}

/// Returns the range of the differences of perturbed simulations with equal keys.
std::optional<Range> range_of_differences(const LogGroup& group, const Replay& calibrated,
                                          const Replay& variant) {
  std::optional<Range> range;
  for (std::size_t i = 0; i < std::min(calibrated.perturbed.size(), variant.perturbed.size());
       ++i) {
    const std::vector<double>&before = calibrated.perturbed[i], &after = variant.perturbed[i];
    widen(range,
          mean_where(after, group.indices, before) - mean_where(before, group.indices, after));
  }
  return range;
}

/// Returns the simulated waits of the group: each one of the perturbed simulations, if there are
/// some, in whole seconds as in the log.
Samples simulated_waits(const LogGroup& group, const Replay& replay) {
  Samples samples;
  for (const std::vector<double>& waits : replay.perturbed)
    for (const std::size_t job : group.indices)
      if (!std::isnan(waits[job])) samples.push_back({std::round(waits[job])});
  if (!replay.perturbed.empty()) return samples;
  for (const LoggedJob* job : group.jobs)
    if (const auto wait = wait_in(replay, job->name)) samples.push_back({*wait});
  return samples;
}

std::optional<WaitError> wait_error(const LogGroup& group, const std::vector<double>& log_waits,
                                    const Replay& replay) {
  Samples in_log;
  double sum = 0;
  for (const LoggedJob* job : group.jobs) {
    const std::optional<double> wait = wait_in(replay, job->name);
    if (!wait) continue;
    in_log.push_back({job->waiting_s()});
    sum += *wait;
  }
  if (in_log.empty()) return std::nullopt;
  const Samples simulated = simulated_waits(group, replay);
  WaitError error{group.group,
                  std::ssize(in_log),
                  *mean_of_samples(in_log),
                  *median_of_samples(in_log),
                  sum / static_cast<double>(in_log.size()),
                  *median_of_samples(simulated),
                  *ks_distance(in_log, simulated)};
  error.range = range_of_errors(group, log_waits, replay);
  return error;
}

/// Returns the error of the users' mean waits; that of all jobs if there are no users.
double user_error_of(const std::vector<WaitError>& groups) {
  double sum = 0;
  std::int64_t jobs = 0;
  for (const WaitError& group : groups) {
    if (group.group.kind != "user") continue;
    sum += std::abs(group.error_s()) * static_cast<double>(group.jobs);
    jobs += group.jobs;
  }
  if (jobs > 0) return sum / static_cast<double>(jobs);
  return groups.empty() ? 0 : std::abs(groups.front().error_s());
}

/// Calculates means of values that may be missing.
struct MeanOf {
  double sum = 0;
  std::size_t count = 0;
  void add(std::optional<double> value) {
    if (!value || std::isnan(*value)) return;
    sum += *value;
    ++count;
  }
  void add(const Json& object, const char* key) {
    const auto value = object.is_object() ? object.find(key) : object.end();
    if (value == object.end() || !value->is_number()) return;
    add(value->get<double>());
  }
  std::optional<double> value() const {
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
  }
  double share_of(std::size_t all) const {
    return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(all, 1));
  }
  /// Returns nullopt if at most half of so many have a value.
  std::optional<double> of_most(std::size_t all) const {
    return 2 * count > all ? value() : std::nullopt;
  }
};

std::optional<double> number_at(const Json& object, const char* key) {
  MeanOf mean;
  mean.add(object, key);
  return mean.value();
}

std::map<std::string, JobFigures> completions(const LogGroup& group, const Replay& replay) {
  std::map<std::string, JobFigures> figures;
  for (const LoggedJob* job : group.jobs)
    if (const auto found = replay.jobs.find(job->name);
        found != replay.jobs.end() && found->second.completion_s)
      figures[job->name].completion = *found->second.completion_s;
  return figures;
}

bool completes(const Replay& replay, const std::string& job) {
  const auto found = replay.jobs.find(job);
  return found != replay.jobs.end() && found->second.completion_s.has_value();
}

/// A share of simulations that is hardly chance.
constexpr double kSurely = 0.75;

double completes_in(const Replay& replay, const std::string& job) {
  const auto found = replay.jobs.find(job);
  return found == replay.jobs.end() ? 0 : found->second.completes;
}

/// Returns the jobs that surely complete in one simulation and surely not in the other one.
std::vector<std::string> completed_only_in(const Replay& one, const Replay& other,
                                           const LogGroup& group) {
  std::vector<std::string> names;
  for (const LoggedJob* job : group.jobs)
    if (completes_in(one, job->name) >= kSurely && completes_in(other, job->name) <= 1 - kSurely)
      names.push_back(job->name);
  return names;
}

std::optional<Impact> impact_on(const LogGroup& group, const WaitError& error,
                                const Replay& calibrated, const Replay& variant) {
  double before_s = 0, after_s = 0;
  Impact impact;
  impact.group = group.group;
  for (const LoggedJob* job : group.jobs) {
    const auto before = wait_in(calibrated, job->name), after = wait_in(variant, job->name);
    if (!before || !after) continue;
    ++impact.jobs;
    before_s += *before;
    after_s += *after;
  }
  if (impact.jobs == 0) return std::nullopt;
  const auto jobs = static_cast<double>(impact.jobs);
  impact.mean_s = after_s / jobs;
  impact.difference_s = (after_s - before_s) / jobs;
  if (before_s > 0) impact.change = (after_s - before_s) / before_s;
  impact.error_s = error.error_s();
  impact.range = range_of_differences(group, calibrated, variant);
  impact.verdict = verdict_of_wait(impact.difference_s, error.most_error_s(), impact.range);
  impact.not_completed = completed_only_in(calibrated, variant, group);
  const Json changes = job_changes(completions(group, variant), completions(group, calibrated));
  impact.gain = changes.at("gain").get<std::int64_t>();
  impact.lose = changes.at("lose").get<std::int64_t>();
  if (const Json& worst = changes.at("worst"); !worst.is_null()) {
    impact.worst = worst.at("job").get<std::string>();
    impact.worst_s = worst.at("by_s").get<double>();
  }
  return impact;
}

Json range_json(const std::optional<Range>& range) {
  if (!range) return {};
  return {{"least_s", rounded(range->least)}, {"most_s", rounded(range->most)}};
}

Json log_group_json(const JobGroup& group) { return {{"kind", group.kind}, {"name", group.name}}; }

Json usage_json(const Usage& usage) {
  return {{"mean", rounded(usage.mean)},
          {"median", rounded(usage.median)},
          {"peak", rounded(usage.peak)}};
}

Json calibration_json(const Calibration& calibration) {
  Json groups = Json::array();
  for (const WaitError& one : calibration.groups)
    groups.push_back(
        {{"group", log_group_json(one.group)},
         {"jobs", one.jobs},
         {"log", {{"mean_s", rounded(one.log_mean_s)}, {"median_s", rounded(one.log_median_s)}}},
         {"simulated", {{"mean_s", rounded(one.mean_s)}, {"median_s", rounded(one.median_s)}}},
         {"error_s", rounded(one.error_s())},
         {"error_range", range_json(one.range)},
         {"error", rounded_or_null(one.error())},
         {"ks_distance", rounded(one.distance)}});
  return {{"rules", calibration.rules},
          {"user_error_s", rounded(calibration.user_error_s)},
          {"not_started", calibration.not_started},
          {"groups", std::move(groups)},
          {"utilisation",
           {{"log", usage_json(calibration.log)},
            {"simulated", usage_json(calibration.simulated)},
            {"ks_distance", rounded(calibration.usage_distance)}}}};
}

/// Returns the figures of a whole simulation.
Json totals_json(const Replay& replay, bool priced) {
  Json totals = {{"name", replay.name},
                 {"makespan_s", rounded_or_null(replay.makespan_s)},
                 {"utilisation", rounded_or_null(replay.utilisation)},
                 {"node_h", rounded_or_null(replay.node_h)}};
  if (priced) totals["cost"] = rounded_or_null(replay.cost);
  return totals;
}

Json impact_json(const Impact& impact) {
  Json worst;
  if (impact.worst_s) worst = {{"job", impact.worst}, {"by_s", rounded(*impact.worst_s)}};
  return {{"group", log_group_json(impact.group)},
          {"jobs", impact.jobs},
          {"mean_s", rounded(impact.mean_s)},
          {"difference_s", rounded(impact.difference_s)},
          {"difference_range", range_json(impact.range)},
          {"change", rounded_or_null(impact.change)},
          {"calibration_error_s", rounded(impact.error_s)},
          {"gain", impact.gain},
          {"lose", impact.lose},
          {"worst", std::move(worst)},
          {"not_completed", impact.not_completed.size()},
          {"verdict", kVerdicts[static_cast<std::size_t>(impact.verdict)]}};
}

std::int64_t never_started(const std::vector<LoggedJob>& log, const Replay& replay) {
  return std::ranges::count_if(
      log, [&](const LoggedJob& job) { return !wait_in(replay, job.name).has_value(); });
}

/// Returns how many of these jobs do not complete, by the way in which they end.
Json ends_of(const std::vector<std::string>& jobs, const Replay& replay) {
  Json ends = Json::object();
  for (const std::string& job : jobs) {
    const auto found = replay.jobs.find(job);
    const std::string end = found == replay.jobs.end() ? "" : found->second.end;
    const std::string word = end.empty() || end == "completed" ? "not completed" : end;
    ends[word] = ends.value(word, std::int64_t{0}) + 1;
  }
  return ends;
}

std::vector<std::string> never_completed(const std::vector<LoggedJob>& log, const Replay& replay) {
  std::vector<std::string> names;
  for (const LoggedJob& job : log)
    if (!completes(replay, job.name)) names.push_back(job.name);
  return names;
}

}  // namespace

PerturbedRun perturbed_run(const Replay& replay, const std::vector<LoggedJob>& log) {
  PerturbedRun run{{}, {}, {}, replay.makespan_s, replay.utilisation, replay.node_h, replay.cost};
  for (const LoggedJob& job : log) {
    const auto found = replay.jobs.find(job.name);
    const ReplayedJob replayed = found == replay.jobs.end() ? ReplayedJob() : found->second;
    run.waits.push_back(replayed.waiting_s.value_or(kNone));
    run.completions.push_back(replayed.completion_s.value_or(kNone));
    if (!replayed.completion_s) run.ends.emplace(run.waits.size() - 1, replayed.end);
  }
  return run;
}

void take_perturbed(Replay& replay, const std::vector<LoggedJob>& log,
                    std::vector<PerturbedRun> runs) {
  const auto mean = [&](const auto& value) {
    MeanOf all;
    for (const PerturbedRun& run : runs) all.add(value(run));
    return all;
  };
  for (std::size_t job = 0; job < log.size(); ++job) {
    ReplayedJob& replayed = replay.jobs[log[job].name];
    replayed.waiting_s = mean([&](const PerturbedRun& run) { return run.waits[job]; }).value();
    const MeanOf completion = mean([&](const PerturbedRun& run) { return run.completions[job]; });
    replayed.completion_s = completion.of_most(runs.size());
    replayed.completes = completion.share_of(runs.size());
    for (const PerturbedRun& run : runs)
      if (const auto end = run.ends.find(job); end != run.ends.end()) replayed.end = end->second;
  }
  replay.makespan_s = mean([](const PerturbedRun& run) { return run.makespan_s; }).value();
  replay.utilisation = mean([](const PerturbedRun& run) { return run.utilisation; }).value();
  replay.node_h = mean([](const PerturbedRun& run) { return run.node_h; }).value();
  replay.cost = mean([](const PerturbedRun& run) { return run.cost; }).value();
  for (PerturbedRun& run : runs) replay.perturbed.push_back(std::move(run.waits));
}

Replay replay_of(std::string name, const std::vector<Json>& summaries,
                 const std::optional<Price>& price) {
  struct Means {
    MeanOf waiting, completion;
  };
  std::map<std::string, Means> jobs;
  MeanOf makespan, utilisation, node_h, cost;
  Replay replay{std::move(name), {}, {}, {}, {}, {}};
  for (const Json& summary : summaries) {
    makespan.add(summary, "makespan_s");
    utilisation.add(summary.value("allocation", Json()), "cpu");
    node_h.add(summary.value("hours", Json()), "node_h");
    if (price) {
      Json priced = {{"hours", summary.value("hours", Json::object())}};
      add_cost(priced, *price);
      cost.add(priced.value("cost", Json()), "cluster");
    }
    for (const Json& job : summary.at("jobs")) {
      const auto job_name = job.at("name").get<std::string>();
      const auto [entry, fresh] = replay.jobs.try_emplace(job_name);
      if (fresh) {
        entry->second.start_s = number_at(job, "start_s");
        entry->second.finish_s = number_at(job, "finish_s");
        entry->second.end = job.value("state", "");
      }
      jobs[job_name].waiting.add(job, "waiting_s");
      jobs[job_name].completion.add(job, "completion_s");
    }
  }
  for (const auto& [job, means] : jobs) {
    replay.jobs[job].waiting_s = means.waiting.value();
    replay.jobs[job].completion_s = means.completion.of_most(summaries.size());
    replay.jobs[job].completes = means.completion.share_of(summaries.size());
  }
  replay.makespan_s = makespan.value();
  replay.utilisation = utilisation.value();
  replay.node_h = node_h.value();
  replay.cost = cost.value();
  return replay;
}

std::optional<double> WaitError::error() const {
  if (!(log_mean_s > 0)) return std::nullopt;
  return error_s() / log_mean_s;
}

double WaitError::most_error_s() const {
  if (!range) return std::abs(error_s());
  return std::max({std::abs(error_s()), std::abs(range->least), std::abs(range->most)});
}

const WaitError* Calibration::find(const JobGroup& group) const {
  const auto found = std::ranges::find(groups, group, &WaitError::group);
  return found == groups.end() ? nullptr : &*found;
}

Calibration calibrate(const std::vector<LoggedJob>& log, const Replay& replay, double cores) {
  Calibration calibration;
  calibration.rules = replay.name;
  std::vector<double> log_waits;
  for (const LoggedJob& job : log) log_waits.push_back(job.waiting_s());
  for (const LogGroup& group : groups_of(log))
    if (std::optional<WaitError> error = wait_error(group, log_waits, replay))
      calibration.groups.push_back(*std::move(error));
  calibration.user_error_s = user_error_of(calibration.groups);
  calibration.not_started = never_started(log, replay);
  std::vector<HeldCores> in_log, simulated;
  for (const LoggedJob& job : log) {
    in_log.push_back({job.start_s, job.end_s, job.cores});
    const auto found = replay.jobs.find(job.name);
    if (found == replay.jobs.end() || !found->second.start_s || !found->second.finish_s) continue;
    simulated.push_back({*found->second.start_s, *found->second.finish_s, job.cores});
  }
  const Samples log_shares = shares(in_log, cores), own_shares = shares(simulated, cores);
  calibration.log = usage_of(log_shares);
  calibration.simulated = usage_of(own_shares);
  calibration.usage_distance = ks_distance(log_shares, own_shares).value_or(0);
  return calibration;
}

std::size_t nearest(const std::vector<Calibration>& calibrations) {
  const auto least = std::ranges::min_element(calibrations, {}, &Calibration::user_error_s);
  return static_cast<std::size_t>(least - calibrations.begin());
}

Verdict verdict_of_wait(double difference_s, double error_s, const std::optional<Range>& range) {
  if (std::abs(difference_s) < kResolution_s) return Verdict::kSame;
  if (std::abs(difference_s) <= std::abs(error_s)) return Verdict::kWithinError;
  if (range && range->has(0)) return Verdict::kByChance;
  return difference_s < 0 ? Verdict::kWins : Verdict::kLoses;
}

std::vector<Impact> impacts(const std::vector<LoggedJob>& log, const Calibration& calibration,
                            const Replay& calibrated, const Replay& variant) {
  std::vector<Impact> all;
  for (const LogGroup& group : groups_of(log)) {
    const WaitError* error = calibration.find(group.group);
    if (!error) continue;
    if (std::optional<Impact> impact = impact_on(group, *error, calibrated, variant))
      all.push_back(*std::move(impact));
  }
  return all;
}

Json whatif_json(const WhatIf& answer) {
  double end_s = 0;
  for (const LoggedJob& job : answer.log) end_s = std::max(end_s, job.end_s);
  Json tried = Json::array(), variants = Json::array();
  for (const Calibration& one : answer.tried)
    tried.push_back({{"rules", one.rules}, {"user_error_s", rounded(one.user_error_s)}});
  const bool priced = !answer.price.empty();
  for (const Replay& variant : answer.variants) {
    Json entry = totals_json(variant, priced);
    entry["not_started"] = never_started(answer.log, variant);
    entry["not_completed"] = never_completed(answer.log, variant).size();
    entry["perturbed"] = variant.perturbed.size();
    entry["impacts"] = Json::array();
    for (const Impact& impact :
         impacts(answer.log, answer.calibration, answer.calibrated, variant)) {
      if (impact.group.kind == "all") {
        entry["lost_jobs"] = impact.not_completed;
        entry["ends"] = ends_of(impact.not_completed, variant);
      }
      entry["impacts"].push_back(impact_json(impact));
    }
    variants.push_back(std::move(entry));
  }
  Json calibrated = totals_json(answer.calibrated, priced);
  const std::vector<std::string> open = never_completed(answer.log, answer.calibrated);
  calibrated["not_completed"] = open.size();
  calibrated["ends"] = ends_of(open, answer.calibrated);
  calibrated["perturbed"] = answer.calibrated.perturbed.size();
  Json json = {{"schema", 1},
               {"scenario", answer.scenario},
               {"log",
                {{"files", answer.files},
                 {"renamed_nodes", answer.renamed},
                 {"begin", answer.begin.empty() ? Json() : Json(answer.begin)},
                 {"jobs", answer.log.size()},
                 {"without_start", answer.without_start},
                 {"makespan_s", rounded(end_s)}}},
               {"tried", std::move(tried)},
               {"calibration", calibration_json(answer.calibration)},
               {"calibrated", std::move(calibrated)},
               {"variants", std::move(variants)}};
  if (priced) json["price"] = answer.price;
  if (!answer.policy.empty()) json["calibration"]["policy"] = answer.policy;
  return json;
}

std::string log_csv(const std::vector<LoggedJob>& log) {
  std::string text = "name,user,queue,account,partition,cores,submit_s,eligible_s,start_s,end_s\n";
  const auto word = [](const std::string& of) { return of.empty() ? "" : csv_text(of); };
  for (const LoggedJob& job : log)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_text(job.name), csv_text(job.user),
                        csv_text(job.queue), word(job.account), word(job.partition),
                        rounded(job.cores), rounded(job.submit_s), rounded(job.eligible_s),
                        rounded(job.start_s), rounded(job.end_s));
  return text;
}

}  // namespace heddle::report
