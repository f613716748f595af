#include "report/summary.h"

#include <algorithm>
#include <cmath>

#include "core/policy/reduces/remaining_time.h"
#include "core/policy/registry.h"
#include "core/scenario/yaml/words.h"
#include "report/comparison/statistics.h"
#include "report/journal_reader.h"
#include "wire/journal_lines.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::percentile;
using wire::rounded;
using wire::rounded_or_null;

Json at(std::optional<EmuTime> time) { return time ? Json(to_seconds(*time)) : Json(); }

/// Returns a member of an optional record, or null if the record or the member is missing.
Json member(const std::optional<Json>& record, const char* key) {
  if (!record) return nullptr;
  auto it = record->find(key);
  return it == record->end() ? Json() : *it;
}

Json members(const std::optional<Json>& record, std::initializer_list<const char*> keys) {
  Json json;
  for (const char* key : keys) json[key] = member(record, key);
  return json;
}

Json mean(const std::vector<double>& values) {
  return values.empty() ? Json() : Json(rounded(mean_of(values)));
}

Json share_or_null(double part, double whole) {
  return whole > 0 ? Json(rounded(part / whole)) : Json();
}

/// Returns when the job was over. A completed job is over when its last task ends. Any other job is
/// over when the engine gives it up.
std::optional<EmuTime> finish_of(const JobFacts& job) {
  return job.final_state == "completed" && job.last_end ? job.last_end : job.finished;
}

std::string state_of(const JobFacts& job) {
  if (!job.final_state.empty()) return job.final_state;
  return job.start ? "running" : "pending";
}

std::optional<double> waiting_s(const JobSpec& spec, const JobFacts& job) {
  if (!job.start) return std::nullopt;
  return to_seconds(*job.start - spec.submit);
}

std::optional<double> completion_s(const JobSpec& spec, const JobFacts& job) {
  if (job.final_state != "completed") return std::nullopt;
  return to_seconds(*finish_of(job) - spec.submit);
}

Json job_json(const JobSpec& spec, const JobFacts& job) {
  return {{"name", spec.name},
          {"class", job.size.empty() ? Json() : Json(job.size)},
          {"queue", spec.queue},
          {"submit_s", to_seconds(spec.submit)},
          {"start_s", at(job.start)},
          {"finish_s", at(finish_of(job))},
          {"waiting_s", rounded_or_null(waiting_s(spec, job))},
          {"completion_s", rounded_or_null(completion_s(spec, job))},
          {"state", state_of(job)},
          {"reason", job.reason.empty() ? Json() : Json(job.reason)},
          {"tasks", spec.task_count()},
          {"attempts", job.attempts},
          {"am_attempts", job.am_attempts},
          {"oom_kills", job.oom_kills}};
}

Json emulation_json(const Scenario& scenario) {
  const EmulationSpec& e = scenario.emulation;
  auto factor = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  return {{"time_scale", factor(e.time_scale)},
          {"core_fraction", factor(e.core_fraction)},
          {"memory_scale", factor(e.memory_scale)},
          {"data_scale", factor(e.data_scale ? e.data_scale : e.memory_scale)},
          {"cpu_limit", word_of(e.cpu_limit)},
          {"pacing", word_of(e.pacing)}};
}

/// Adds what the decisions of an external policy took, if the run has one.
void put_policy_cost(const RunFacts& facts, const std::optional<Json>& overhead, Json& json) {
  if (!overhead || !overhead->contains("policy_requests")) return;
  json["policy_requests"] = overhead->at("policy_requests");
  json["policy_refused"] = member(overhead, "policy_refused");
  for (const char* key : {"policy_round_trip_us", "policy_own_us", "policy_outside_us"}) {
    std::optional<Json> us;
    if (Json value = member(overhead, key); value.is_object()) us = value;
    json[key] = members(us, {"p50", "p99", "max"});
  }
  const Json cpu_s = member(overhead, "policy_cpu_s");
  json["policy_cpu_s"] = cpu_s.is_null() ? member(facts.host, "policy_cpu_s") : cpu_s;
}

Json overhead_json(const RunFacts& facts) {
  std::optional<Json> overhead;
  if (facts.end && facts.end->contains("overhead")) overhead = facts.end->at("overhead");
  std::optional<Json> decision;
  if (Json us = member(overhead, "decision_us"); us.is_object()) decision = us;
  Json json =
      members(overhead, {"master_cpu_s", "workers_cpu_s", "data_cpu_s", "wall_s", "decisions"});
  json["memory_cpu_s"] = facts.memory.cpu_s();
  json["decision_us"] = members(decision, {"p50", "p99", "max"});
  json["launch_ms"] = {{"p50", percentile(facts.launch_ms, 0.5)},
                       {"p99", percentile(facts.launch_ms, 0.99)}};
  put_policy_cost(facts, overhead, json);
  return json;
}

/// Returns the errors as shares of the cluster.
Json release_json(const ForecastError& error) {
  if (error.horizons == 0) return nullptr;
  return {{"horizons", error.horizons},
          {"predicted", rounded(error.predicted)},
          {"actual", rounded(error.actual)},
          {"mean_absolute_error", rounded(error.mean_absolute())},
          {"rmse", rounded(error.root_mean_square())}};
}

/// The time span for averages over time. If all jobs are done in this span, its length is the
/// makespan.
struct Window {
  EmuTime from, until;
  bool complete = false;
};

Window window_of(const Scenario& scenario, const RunFacts& facts) {
  Window window{facts.last, EmuTime(0), !scenario.jobs.empty()};
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    window.from = std::min(window.from, scenario.jobs[i].submit);
    std::optional<EmuTime> finish = finish_of(facts.jobs()[i]);
    window.complete &= finish.has_value();
    window.until = std::max(window.until, finish.value_or(EmuTime(0)));
  }
  if (!window.complete) window.until = facts.last;
  return window;
}

struct Capacity {
  double cores = 0, work = 0, memory = 0;  ///< work: core-seconds per second, cores multiplied by
                                           ///< their speed
};

Capacity capacity_of(const Scenario& scenario) {
  Capacity sum;
  for (const NodeSpec& node : scenario.cluster.nodes) {
    double cores = static_cast<double>(node.capacity.cores.count()) / 1e3;
    sum.cores += cores;
    sum.work += cores * node.speed;
    sum.memory += static_cast<double>(node.capacity.memory.count());
  }
  return sum;
}

Json share(const Amount& amount, double cores, double memory, double span) {
  return {{"cpu", share_or_null(amount.core_s, cores * span)},
          {"memory", share_or_null(amount.byte_s, memory * span)}};
}

Json oom_json(const RunFacts& facts) {
  auto count = [&](OomCause cause) {
    auto it = facts.oom_kills.find(cause);
    return it == facts.oom_kills.end() ? 0 : it->second;
  };
  // Memory kills of unknown cause do not count for a limit. They count as `other`.
  return {{"container", count(OomCause::kContainer)},
          {"node", count(OomCause::kNode)},
          {"other", count(OomCause::kOther) + count(OomCause::kNone)}};
}

Json locality_json(const Scenario& scenario, const RunFacts& facts) {
  bool preferring = false;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      preferring |= !phase.prefer.empty() || phase.input.mean > 0;
  auto count = [&](Locality locality) {
    auto it = facts.launches.find(locality);
    return preferring ? Json(it == facts.launches.end() ? 0 : it->second) : Json();
  };
  return {{"local", count(Locality::kLocal)},
          {"rack", count(Locality::kRack)},
          {"remote", count(Locality::kRemote)}};
}

void put_jobs(const Scenario& scenario, const RunFacts& facts, Json& json) {
  json["jobs"] = Json::array();
  std::vector<double> waiting, completion;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobSpec& spec = scenario.jobs[i];
    const JobFacts& job = facts.jobs()[i];
    json["jobs"].push_back(job_json(spec, job));
    if (auto s = waiting_s(spec, job)) waiting.push_back(*s);
    if (auto s = completion_s(spec, job)) completion.push_back(*s);
  }
  json["attempts_total"] = facts.attempts;
  json["oom_kills"] = oom_json(facts);
  json["crash_fraction"] =
      share_or_null(static_cast<double>(facts.crashed), static_cast<double>(facts.started));
  json["lost"] = facts.lost;
  if (facts.not_started > 0) json["not_started"] = facts.not_started;
  json["failed_attempts"] = facts.failed;
  const bool measured = facts.unmeasured < facts.unfinished || facts.unfinished == 0;
  json["wasted"] = {{"attempts", facts.unfinished},
                    {"unmeasured", facts.unmeasured},
                    {"core_s", measured ? Json(rounded(facts.wasted.core_s)) : Json()},
                    {"byte_s", measured ? Json(std::round(facts.wasted.byte_s)) : Json()}};
  json["mean_waiting_s"] = mean(waiting);
  json["mean_completion_s"] = mean(completion);
}

}  // namespace

Result<void> SummaryBuilder::add_lines(std::string_view lines) {
  return each_record(lines, [this](const Json& record) { return add(record); });
}

Json SummaryBuilder::summary() const {
  const RunFacts& f = facts_;
  Window window = window_of(scenario_, f);
  double span = to_seconds(window.until - window.from);
  Capacity capacity = capacity_of(scenario_);
  Json foreign = member(f.host, "foreign_cpu");
  auto from_run = [&](const char* key, Json otherwise) {
    Json value = member(f.run, key);
    return value.is_null() ? std::move(otherwise) : value;
  };
  Json json = {{"schema", 1},
               {"heddle_version", from_run("heddle_version", HEDDLE_VERSION)},
               {"scenario", scenario_.name},
               {"policy", from_run("policy", wire::policy_json(scenario_.policy))},
               {"mode", from_run("mode", nullptr)},
               {"seed", scenario_.seed},
               {"status", member(f.end, "status")},
               {"reason", member(f.end, "reason")},
               {"host", members(f.host, {"kernel", "cpus", "memory", "cgroup", "foreign_cpu"})},
               {"hosts", f.hosts},
               {"emulation", emulation_json(scenario_)},
               {"disturbed",
                foreign.is_number() ? Json(foreign > kDisturbed || f.memory.disturbed()) : Json()},
               {"makespan_s", window.complete ? Json(rounded(span)) : Json()}};
  put_jobs(scenario_, f, json);
  json["utilisation"] = share(f.used, capacity.work, capacity.memory, span);
  json["mean_peak_memory"] = f.memory.mean_peak();
  json["allocation"] = share(f.allocated(window.until), capacity.cores, capacity.memory, span);
  json["allocation_efficiency"] = f.efficiency.summary();
  json["locality"] = locality_json(scenario_, f);
  json["suspensions"] = {
      {"count", f.suspensions},
      {"total_s", to_seconds(f.suspended(window.until))},
      {"stop_latency_ms",
       {{"p50", percentile(f.stop_ms, 0.5)}, {"p99", percentile(f.stop_ms, 0.99)}}}};
  json["reservations"] = {{"count", f.reservations},
                          {"wait_s", to_seconds(f.reserved(window.until))}};
  json["preemptions"] = f.preemptions;
  json["walltime_kills"] = f.walltime_kills;
  json["release_estimate"] = release_json(f.releases);
  json["prediction"] = f.predictions.json(option_text(scenario_.policy, kPredictor));
  json["overhead"] = overhead_json(f);
  json["fidelity"] = {{"median_error", percentile(f.errors, 0.5)},
                      {"p99_error", percentile(f.errors, 0.99)},
                      {"memory", f.memory.json()},
                      {"work", f.times.work_json()},
                      {"transfers", f.transfers_json()}};
  json["resumed"] = {{"count", f.resumed}, {"downtime_s", rounded(f.downtime_s)}};
  json["host_lost_s"] = to_seconds(f.host_lost);
  return json;
}

Result<Json> summarise(const Scenario& scenario, const std::string& journal,
                       std::span<const Json> more) {
  auto reader = JournalReader::open(journal);
  if (!reader) return std::move(reader).error();
  // Most lines of a run with estimates are of the skipped types. They do not affect the summary.
  reader->skip({R"({"type":"heartbeat",)", R"({"type":"policy_state","about":"estimation.)"});
  SummaryBuilder builder(scenario);
  HEDDLE_TRY(reader->each([&](const Json& record) { return builder.add(record); }));
  for (const Json& record : more) HEDDLE_TRY(builder.add(record));
  return builder.summary();
}

}  // namespace heddle::report
