#include "report/comparison/alone_times.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/randomness.h"
#include "core/resolve.h"
#include "core/scenario/draw.h"
#include "report/comparison/comparison.h"
#include "report/comparison/words.h"
#include "wire/values.h"
#include "yaml/write.h"

namespace heddle::report {
namespace {

constexpr std::uint64_t kSample = 0x616c6f6e65;  ///< part of the key of the sample's draws

bool runs_commands(const JobSpec& job) {
  return std::ranges::any_of(
      job.phases, [](const PhaseSpec& phase) { return phase.kind == PhaseKind::kCommand; });
}

/// Returns whether the job is rigid. A rigid job has only one phase, which starts all its tasks at
/// once or none of them.
bool is_rigid(const JobSpec& job) {
  const std::size_t first = job.has_am() ? 1 : 0;
  return job.phases.size() == first + 1 && job.phases[first].gang;
}

/// Returns the scenario's cluster without jobs, for simulations of single jobs.
Scenario empty_cluster(const Scenario& scenario) {
  Scenario empty;
  empty.name = "alone";
  empty.seed = scenario.seed;
  empty.emulation = scenario.emulation;
  empty.cluster = scenario.cluster;
  empty.storage = scenario.storage;
  empty.simulation = scenario.simulation;
  empty.policy = PolicySpec{"fifo", {{"capacity_model", "reservation"}}};
  return resolve_simulated(empty);
}

JobSpec alone_job(const JobSpec& job) {
  JobSpec alone = job;
  const JobSpec plain;
  alone.name = "alone";
  alone.queue = plain.queue;
  alone.user = plain.user;
  alone.priority = plain.priority;
  alone.weight = plain.weight;
  alone.submit = plain.submit;
  alone.after = {};
  alone.workflow = "";
  return alone;
}

/// Returns a scenario with the job and the jobs before it, which have nothing to do.
Scenario with_job(Scenario empty, const Scenario& scenario, std::size_t job) {
  JobSpec nothing;
  nothing.name = "none";
  empty.jobs.assign(job, nothing);
  empty.jobs.push_back(alone_job(scenario.jobs[job]));
  return empty;
}

/// Returns a text that identifies the cluster. It does not depend on the seed.
std::string cluster_text(Scenario empty) {
  empty.seed = 0;
  return write_scenario(empty);
}

/// Returns a text that identifies what the job does. If what the job does depends on random draws,
/// no other job has the same text.
std::string job_text(const Scenario& scenario, std::size_t job) {
  const JobSpec alone = alone_job(scenario.jobs[job]);
  std::string text = write_jobs({alone}, scenario.cluster);
  if (draws(alone))
    text += "drawn: " + std::to_string(scenario.seed) + " " + std::to_string(job) + "\n";
  return text;
}

}  // namespace

/// Jobs that do the same.
struct AloneTimes::Distinct {
  Key key;
  std::vector<std::size_t> jobs;  ///< ascending
};

Scenario alone_scenario(const Scenario& scenario, JobId job) {
  return with_job(empty_cluster(scenario), scenario, static_cast<std::size_t>(job.value));
}

AloneTimes::AloneTimes(std::function<bool()> stop, Simulate simulate)
    : stop_(std::move(stop)), simulate_(std::move(simulate)) {}

JobReferences AloneTimes::of(const Scenario& scenario, std::size_t most) {
  const std::size_t cluster =
      clusters_.try_emplace(cluster_text(empty_cluster(scenario)), clusters_.size()).first->second;
  JobReferences references;
  std::vector<Distinct> distinct;
  std::map<Key, std::size_t> places;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobSpec& job = scenario.jobs[i];
    references.jobs[job.name].rigid = is_rigid(job);
    if (runs_commands(job)) continue;
    const auto [it, fresh] = places.try_emplace({cluster, job_text(scenario, i)}, distinct.size());
    if (fresh) distinct.push_back({it->first, {}});
    distinct[it->second].jobs.push_back(i);
  }
  references.distinct = distinct.size();
  if (distinct.size() > most) {
    auto drawn = [&](const Distinct& one) {
      return draw_key(scenario.seed, {kSample, one.jobs.front()});
    };
    std::ranges::sort(distinct,
                      [&](const Distinct& a, const Distinct& b) { return drawn(a) < drawn(b); });
    distinct.resize(most);
  }
  references.sampled = distinct.size();
  simulate(scenario, distinct);
  for (const Distinct& one : distinct) {
    const auto it = known_.find(one.key);
    if (it == known_.end() || !it->second) continue;
    for (const std::size_t job : one.jobs)
      references.jobs[scenario.jobs[job].name].alone_s = to_seconds(*it->second);
  }
  return references;
}

/// Simulates the jobs that are not known yet, on all CPUs.
void AloneTimes::simulate(const Scenario& scenario, const std::vector<Distinct>& jobs) {
  std::vector<const Distinct*> missing;
  for (const Distinct& one : jobs)
    if (!known_.contains(one.key)) missing.push_back(&one);
  struct Answer {
    bool done = false;
    std::optional<EmuTime> completion;
  };
  std::vector<Answer> answers(missing.size());
  const Scenario empty = empty_cluster(scenario);
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < missing.size() && !stop_(); i = next++)
      answers[i] = {true, simulate_(with_job(empty, scenario, missing[i]->jobs.front()))};
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t width =
        std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), missing.size());
    for (std::size_t i = 1; i < width; ++i) threads.emplace_back(work);
    work();
  }
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (answers[i].done) known_.emplace(missing[i]->key, answers[i].completion);
}

wire::Json slowdown_json(const wire::Json& summary, const JobReferences& references) {
  const std::map<std::string, JobFigures> completed = completed_jobs(summary, references);
  wire::Json jobs = wire::Json::array();
  for (const wire::Json& job : summary.at("jobs")) {
    const auto name = job.at("name").get<std::string>();
    const auto figures = completed.find(name);
    const auto reference = references.jobs.find(name);
    const bool known = reference != references.jobs.end();
    const bool ended = figures != completed.end();
    jobs.push_back(
        {{"alone_s", wire::rounded_or_null(known ? reference->second.alone_s : std::nullopt)},
         {"slowdown", wire::rounded_or_null(ended ? figures->second.slowdown : std::nullopt)},
         {"bounded_slowdown",
          wire::rounded_or_null(ended ? figures->second.bounded_slowdown : std::nullopt)}});
  }
  wire::Json json = {{"words", alone_text(references, summary.at("mode") == "real")},
                     {"jobs", std::move(jobs)},
                     {"mean_slowdown", nullptr},
                     {"fairness", nullptr},
                     {"mean_bounded_slowdown", nullptr}};
  for (const RunFigure& figure : figures_of(summary, {}, references))
    if (figure.group.kind == "all" && json.contains(figure.metric->key))
      json[figure.metric->key] = wire::rounded_or_null(figure.value);
  return json;
}

}  // namespace heddle::report
