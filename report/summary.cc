#include "report/summary.h"

#include <algorithm>
#include <cmath>

#include "core/policy/reduces/remaining_time.h"
#include "core/policy/registry.h"
#include "core/scenario/words.h"
#include "report/journal_reader.h"
#include "report/statistics.h"
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
std::optional<EmuTime> finish_of(const JobOutcome& job) {
  return job.final_state == "completed" && job.last_end ? job.last_end : job.finished;
}

std::string state_of(const JobOutcome& job) {
  if (!job.final_state.empty()) return job.final_state;
  return job.start ? "running" : "pending";
}

std::optional<double> waiting_s(const JobSpec& spec, const JobOutcome& job) {
  if (!job.start) return std::nullopt;
  return to_seconds(*job.start - spec.submit);
}

std::optional<double> completion_s(const JobSpec& spec, const JobOutcome& job) {
  if (job.final_state != "completed") return std::nullopt;
  return to_seconds(*finish_of(job) - spec.submit);
}

Json job_json(const JobSpec& spec, const JobOutcome& job) {
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
void put_policy_cost(const RunTotals& totals, const std::optional<Json>& overhead, Json& json) {
  if (!overhead || !overhead->contains("policy_requests")) return;
  json["policy_requests"] = overhead->at("policy_requests");
  json["policy_refused"] = member(overhead, "policy_refused");
  for (const char* key : {"policy_round_trip_us", "policy_own_us", "policy_outside_us"}) {
    std::optional<Json> us;
    if (Json value = member(overhead, key); value.is_object()) us = value;
    json[key] = members(us, {"p50", "p99", "max"});
  }
  const Json cpu_s = member(overhead, "policy_cpu_s");
  json["policy_cpu_s"] = cpu_s.is_null() ? member(totals.host, "policy_cpu_s") : cpu_s;
}

Json overhead_json(const RunTotals& totals) {
  std::optional<Json> overhead;
  if (totals.end && totals.end->contains("overhead")) overhead = totals.end->at("overhead");
  std::optional<Json> decision;
  if (Json us = member(overhead, "decision_us"); us.is_object()) decision = us;
  Json json =
      members(overhead, {"master_cpu_s", "workers_cpu_s", "data_cpu_s", "wall_s", "decisions"});
  json["memory_cpu_s"] = totals.memory.cpu_s();
  json["decision_us"] = members(decision, {"p50", "p99", "max"});
  json["launch_ms"] = {{"p50", percentile(totals.launch_ms, 0.5)},
                       {"p99", percentile(totals.launch_ms, 0.99)}};
  put_policy_cost(totals, overhead, json);
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

Window window_of(const Scenario& scenario, const RunTotals& totals) {
  Window window{totals.last, EmuTime(0), !scenario.jobs.empty()};
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    window.from = std::min(window.from, scenario.jobs[i].submit);
    std::optional<EmuTime> finish = finish_of(totals.jobs()[i]);
    window.complete &= finish.has_value();
    window.until = std::max(window.until, finish.value_or(EmuTime(0)));
  }
  if (!window.complete) window.until = totals.last;
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

/// Returns the allocated share of each resource.
Json allocation_json(const Amount& amount, const ClusterSpec& cluster, const Capacity& capacity,
                     double span) {
  Json json = share(amount, capacity.cores, capacity.memory, span);
  Counts all;
  for (const NodeSpec& node : cluster.nodes) all = (Resources{{}, {}, all} + node.capacity).counts;
  for (std::size_t i = 0; i < cluster.resources.size(); ++i)
    json[cluster.resources[i]] =
        share_or_null(i < amount.counted_s.size() ? amount.counted_s[i] : 0,
                      static_cast<double>(all[i].count()) / 1e3 * span);
  return json;
}

Json oom_json(const RunTotals& totals) {
  auto count = [&](OomCause cause) {
    auto it = totals.oom_kills.find(cause);
    return it == totals.oom_kills.end() ? 0 : it->second;
  };
  // Memory kills of unknown cause do not count for a limit. They count as `other`.
  return {{"container", count(OomCause::kContainer)},
          {"node", count(OomCause::kNode)},
          {"other", count(OomCause::kOther) + count(OomCause::kNone)}};
}

Json locality_json(const Scenario& scenario, const RunTotals& totals) {
  bool preferring = false;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      preferring |= !phase.prefer.empty() || phase.input.mean > 0;
  auto count = [&](Locality locality) {
    auto it = totals.launches.find(locality);
    return preferring ? Json(it == totals.launches.end() ? 0 : it->second) : Json();
  };
  return {{"local", count(Locality::kLocal)},
          {"rack", count(Locality::kRack)},
          {"remote", count(Locality::kRemote)}};
}

void put_jobs(const Scenario& scenario, const RunTotals& totals, Json& json) {
  json["jobs"] = Json::array();
  std::vector<double> waiting, completion;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobSpec& spec = scenario.jobs[i];
    const JobOutcome& job = totals.jobs()[i];
    json["jobs"].push_back(job_json(spec, job));
    if (auto s = waiting_s(spec, job)) waiting.push_back(*s);
    if (auto s = completion_s(spec, job)) completion.push_back(*s);
  }
  json["attempts_total"] = totals.attempts;
  json["oom_kills"] = oom_json(totals);
  json["crash_fraction"] =
      share_or_null(static_cast<double>(totals.crashed), static_cast<double>(totals.started));
  json["lost"] = totals.lost;
  if (totals.not_started > 0) json["not_started"] = totals.not_started;
  json["failed_attempts"] = totals.failed;
  const bool measured = totals.unmeasured < totals.unfinished || totals.unfinished == 0;
  json["wasted"] = {{"attempts", totals.unfinished},
                    {"unmeasured", totals.unmeasured},
                    {"core_s", measured ? Json(rounded(totals.wasted.core_s)) : Json()},
                    {"byte_s", measured ? Json(std::round(totals.wasted.byte_s)) : Json()}};
  json["mean_waiting_s"] = mean(waiting);
  json["mean_completion_s"] = mean(completion);
}

}  // namespace

Result<void> SummaryBuilder::add_lines(std::string_view lines) {
  return each_record(lines, [this](const Json& record) { return add(record); });
}

Json SummaryBuilder::summary() const {
  Window window = window_of(scenario_, totals_);
  double span = to_seconds(window.until - window.from);
  Capacity capacity = capacity_of(scenario_);
  Json foreign = member(totals_.host, "foreign_cpu");
  auto from_run = [&](const char* key, Json otherwise) {
    Json value = member(totals_.run, key);
    return value.is_null() ? std::move(otherwise) : value;
  };
  Json json = {
      {"schema", 1},
      {"heddle_version", from_run("heddle_version", HEDDLE_VERSION)},
      {"scenario", scenario_.name},
      {"policy", from_run("policy", wire::policy_json(scenario_.policy))},
      {"mode", from_run("mode", nullptr)},
      {"seed", scenario_.seed},
      {"status", member(totals_.end, "status")},
      {"reason", member(totals_.end, "reason")},
      {"host", members(totals_.host, {"kernel", "cpus", "memory", "cgroup", "foreign_cpu"})},
      {"hosts", totals_.hosts},
      {"emulation", emulation_json(scenario_)},
      {"disturbed",
       foreign.is_number() ? Json(foreign > kDisturbed || totals_.memory.disturbed()) : Json()},
      {"makespan_s", window.complete ? Json(rounded(span)) : Json()}};
  put_jobs(scenario_, totals_, json);
  json["utilisation"] = share(totals_.used, capacity.work, capacity.memory, span);
  json["mean_peak_memory"] = totals_.memory.mean_peak();
  json["allocation"] = allocation_json(totals_.allocated(window.until), scenario_.cluster, capacity, span);
  json["allocation_efficiency"] = totals_.efficiency.summary();
  json["locality"] = locality_json(scenario_, totals_);
  json["suspensions"] = {
      {"count", totals_.suspensions},
      {"total_s", to_seconds(totals_.suspended(window.until))},
      {"stop_latency_ms",
       {{"p50", percentile(totals_.stop_ms, 0.5)}, {"p99", percentile(totals_.stop_ms, 0.99)}}}};
  json["reservations"] = {{"count", totals_.reservations},
                          {"wait_s", to_seconds(totals_.reserved(window.until))}};
  json["preemptions"] = totals_.preemptions;
  json["walltime_kills"] = totals_.walltime_kills;
  json["release_estimate"] = release_json(totals_.releases);
  json["prediction"] = totals_.predictions.json(option_text(scenario_.policy, kPredictor));
  json["overhead"] = overhead_json(totals_);
  json["fidelity"] = {{"median_error", percentile(totals_.errors, 0.5)},
                      {"p99_error", percentile(totals_.errors, 0.99)},
                      {"memory", totals_.memory.json()},
                      {"work", totals_.times.work_json()},
                      {"transfers", totals_.transfers_json()}};
  json["resumed"] = {{"count", totals_.resumed}, {"downtime_s", rounded(totals_.downtime_s)}};
  json["host_lost_s"] = to_seconds(totals_.host_lost);
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
