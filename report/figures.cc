#include "report/figures.h"

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "core/policy/reduces/remaining_time.h"
#include "core/policy/registry.h"
#include "core/scenario/words.h"
#include "report/statistics.h"
#include "wire/journal_lines.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::percentile;
using wire::rounded;

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

/// Returns a member of the record of the run; without it, `otherwise`.
Json of_run(const RunFacts& facts, const char* key, Json otherwise) {
  Json value = member(facts.totals.run, key);
  return value.is_null() ? std::move(otherwise) : value;
}

Json share_or_null(double part, double whole) {
  return whole > 0 ? Json(rounded(part / whole)) : Json();
}

double span_s(const RunFacts& facts) { return to_seconds(facts.until - facts.from); }

Json emulation(const RunFacts& facts) {
  const EmulationSpec& e = facts.scenario.emulation;
  auto factor = [](std::optional<double> value) { return value ? Json(*value) : Json(); };
  return {{"time_scale", factor(e.time_scale)},
          {"core_fraction", factor(e.core_fraction)},
          {"memory_scale", factor(e.memory_scale)},
          {"data_scale", factor(e.data_scale ? e.data_scale : e.memory_scale)},
          {"cpu_limit", word_of(e.cpu_limit)},
          {"pacing", word_of(e.pacing)}};
}

Json disturbed(const RunFacts& facts) {
  const Json foreign = member(facts.totals.host, "foreign_cpu");
  if (!foreign.is_number()) return nullptr;
  return foreign > kDisturbed || facts.totals.memory.disturbed();
}

// Jobs and attempts -------------------------------------------------------------------------------

Json jobs(const RunFacts& facts) {
  Json list = Json::array();
  for (std::size_t i = 0; i < facts.scenario.jobs.size(); ++i)
    list.push_back(job_json(facts.scenario.jobs[i], facts.totals.jobs()[i]));
  return list;
}

/// Returns the mean of a time of the jobs that have it.
Json mean_of_jobs(const RunFacts& facts,
                  std::optional<double> (*time)(const JobSpec&, const JobOutcome&)) {
  std::vector<double> values;
  for (std::size_t i = 0; i < facts.scenario.jobs.size(); ++i)
    if (const auto value = time(facts.scenario.jobs[i], facts.totals.jobs()[i]))
      values.push_back(*value);
  return values.empty() ? Json() : Json(rounded(mean_of(values)));
}

Json oom_kills(const RunFacts& facts) {
  const auto& kills = facts.totals.oom_kills;
  auto count = [&](OomCause cause) {
    auto it = kills.find(cause);
    return it == kills.end() ? 0 : it->second;
  };
  // Memory kills of unknown cause do not count for a limit. They count as `other`.
  return {{"container", count(OomCause::kContainer)},
          {"node", count(OomCause::kNode)},
          {"other", count(OomCause::kOther) + count(OomCause::kNone)}};
}

Json wasted(const RunFacts& facts) {
  const RunTotals& totals = facts.totals;
  const bool measured = totals.unmeasured < totals.unfinished || totals.unfinished == 0;
  return {{"attempts", totals.unfinished},
          {"unmeasured", totals.unmeasured},
          {"core_s", measured ? Json(rounded(totals.wasted.core_s)) : Json()},
          {"byte_s", measured ? Json(std::round(totals.wasted.byte_s)) : Json()}};
}

// Resources ---------------------------------------------------------------------------------------

/// Returns the sum of the capacities of all nodes, each multiplied by `factor`.
template <class Factor>
Amount capacity(const RunFacts& facts, const Factor& factor) {
  Amount sum;
  for (const NodeSpec& node : facts.scenario.cluster.nodes) {
    sum.core_s += static_cast<double>(node.capacity.cores.count()) / 1e3 * factor(node);
    sum.byte_s += static_cast<double>(node.capacity.memory.count());
  }
  return sum;
}

/// Returns the shares of cores and memory.
Json shares(const Amount& amount, const Amount& capacity, double span) {
  return {{"cpu", share_or_null(amount.core_s, capacity.core_s * span)},
          {"memory", share_or_null(amount.byte_s, capacity.byte_s * span)}};
}

Json utilisation(const RunFacts& facts) {
  // A core of a node of half speed does half a core-second of work per second.
  const Amount whole = capacity(facts, [](const NodeSpec& node) { return node.speed; });
  return shares(facts.totals.used, whole, span_s(facts));
}

Json allocation(const RunFacts& facts) {
  const Amount held = facts.totals.allocated(facts.until);
  const ClusterSpec& cluster = facts.scenario.cluster;
  Json json = shares(held, capacity(facts, [](const NodeSpec&) { return 1.0; }), span_s(facts));
  Resources all;
  for (const NodeSpec& node : cluster.nodes) all += node.capacity;
  for (std::size_t i = 0; i < cluster.resources.size(); ++i)
    json[cluster.resources[i]] =
        share_or_null(i < held.counted_s.size() ? held.counted_s[i] : 0,
                      static_cast<double>(all.counts[i].count()) / 1e3 * span_s(facts));
  return json;
}

Json locality(const RunFacts& facts) {
  const RunTotals& totals = facts.totals;
  bool preferring = false;
  for (const JobSpec& job : facts.scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      preferring |= !phase.prefer.empty() || phase.input.mean > 0;
  auto count = [&](Locality where) {
    auto it = totals.launches.find(where);
    return preferring ? Json(it == totals.launches.end() ? 0 : it->second) : Json();
  };
  return {{"local", count(Locality::kLocal)},
          {"rack", count(Locality::kRack)},
          {"remote", count(Locality::kRemote)}};
}

// Decisions and what they cost --------------------------------------------------------------------

/// Returns the errors as shares of the cluster.
Json release_estimate(const RunFacts& facts) {
  const ForecastError& error = facts.totals.releases;
  if (error.horizons == 0) return nullptr;
  return {{"horizons", error.horizons},
          {"predicted", rounded(error.predicted)},
          {"actual", rounded(error.actual)},
          {"mean_absolute_error", rounded(error.mean_absolute())},
          {"rmse", rounded(error.root_mean_square())}};
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

Json overhead(const RunFacts& facts) {
  const RunTotals& totals = facts.totals;
  std::optional<Json> told;
  if (totals.end && totals.end->contains("overhead")) told = totals.end->at("overhead");
  std::optional<Json> decision;
  if (Json us = member(told, "decision_us"); us.is_object()) decision = us;
  Json json = members(told, {"master_cpu_s", "workers_cpu_s", "data_cpu_s", "wall_s", "decisions"});
  json["memory_cpu_s"] = totals.memory.cpu_s();
  json["decision_us"] = members(decision, {"p50", "p99", "max"});
  json["launch_ms"] = {{"p50", percentile(totals.launch_ms, 0.5)},
                       {"p99", percentile(totals.launch_ms, 0.99)}};
  put_policy_cost(totals, told, json);
  return json;
}

/// Returns the median and the 99th percentile.
Json p50_p99(const std::vector<double>& values) {
  return {{"p50", percentile(values, 0.5)}, {"p99", percentile(values, 0.99)}};
}

Json fidelity(const RunFacts& facts) {
  const RunTotals& totals = facts.totals;
  return {{"median_error", percentile(totals.errors, 0.5)},
          {"p99_error", percentile(totals.errors, 0.99)},
          {"memory", totals.memory.json()},
          {"work", totals.times.work_json()},
          {"transfers", totals.transfers_json()}};
}

// What comparisons and pages show of objects and lists
// ---------------------------------------------

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
  const std::optional<double> all = sum_of(summary, "locality");
  if (!all || *all <= 0) return std::nullopt;
  return summary.at("locality").value("local", 0.0) / *all;
}

std::optional<double> failed_jobs(const Json& summary) {
  double failed = 0;
  for (const Json& job : summary.at("jobs")) failed += job.at("state") == "completed" ? 0 : 1;
  return failed;
}

std::optional<double> memory_kills(const Json& summary) { return sum_of(summary, "oom_kills"); }

using Facts = const RunFacts&;
constexpr double kWhole = 1;

std::vector<Figure> all_figures() {
  using enum Better;
  return {
      {.path = "schema", .of = [](Facts) { return Json(1); }, .help = "version of the format"},
      {.path = "heddle_version",
       .of = [](Facts f) { return of_run(f, "heddle_version", HEDDLE_VERSION); },
       .help = "version of Heddle"},
      {.path = "scenario",
       .of = [](Facts f) { return Json(f.scenario.name); },
       .help = "name of the scenario"},
      {.path = "policy",
       .of = [](Facts f) { return of_run(f, "policy", wire::policy_json(f.scenario.policy)); },
       .help = "parts and options of the policy"},
      {.path = "mode",
       .of = [](Facts f) { return of_run(f, "mode", nullptr); },
       .help = "`real` or `simulated`"},
      {.path = "seed",
       .of = [](Facts f) { return Json(f.scenario.seed); },
       .help = "seed of the random numbers"},
      {.path = "status",
       .of = [](Facts f) { return member(f.totals.end, "status"); },
       .help = "`done`, `failed`, `aborted` or `interrupted`"},
      {.path = "reason",
       .of = [](Facts f) { return member(f.totals.end, "reason"); },
       .help = "why the run ended so"},
      {.path = "host",
       .of =
           [](Facts f) {
             return members(f.totals.host, {"kernel", "cpus", "memory", "cgroup", "foreign_cpu"});
           },
       .help = "the machine, with the share of its CPU that other programs used (`foreign_cpu`)"},
      {.path = "hosts",
       .of = [](Facts f) { return f.totals.hosts; },
       .help = "the host of each node"},
      {.path = "emulation", .of = emulation, .help = "emulation factors"},
      {.path = "disturbed",
       .of = disturbed,
       .help = "whether `foreign_cpu` was above 5 %, or memory was [far off its "
               "profiles](../explanation/fidelity.md#memory)"},
      {.path = "makespan_s",
       .of = [](Facts f) { return f.complete ? Json(rounded(span_s(f))) : Json(); },
       .help = "from the first submission to the end of the last job",
       .title = "makespan",
       .unit = "s",
       .compared = "makespan_s",
       .headline = true},
      {.path = "jobs",
       .of = jobs,
       .help = "list of jobs, with most columns of the table [`jobs`](#jobs)"},
      {.path = "mean_waiting_s",
       .of = [](Facts f) { return mean_of_jobs(f, &waiting_s); },
       .help = "mean waiting time of the jobs that started",
       .title = "mean waiting",
       .unit = "s"},
      {.path = "mean_completion_s",
       .of = [](Facts f) { return mean_of_jobs(f, &completion_s); },
       .help = "mean completion time of the jobs that completed",
       .title = "mean completion",
       .unit = "s"},
      {.path = "utilisation",
       .of = utilisation,
       .help = "used shares of the cluster's CPU and memory"},
      {.path = "utilisation.cpu",
       .title = "CPU used",
       .unit = "share",
       .compared = "utilisation_cpu",
       .better = kMore,
       .most = kWhole},
      {.path = "utilisation.memory",
       .title = "memory used",
       .unit = "share",
       .compared = "utilisation_memory",
       .better = kMore,
       .most = kWhole},
      {.path = "mean_peak_memory",
       .of = [](Facts f) { return f.totals.memory.mean_peak(); },
       .help = "mean of the highest charges of containers that completed, in emulated bytes"},
      {.path = "allocation",
       .of = allocation,
       .help = "allocated shares of the cluster's cores (`cpu`), memory and [other "
               "resources](scenario.md#other-resources)"},
      {.path = "allocation.cpu",
       .title = "cores allocated",
       .unit = "share",
       .compared = "allocation_cpu",
       .better = kMore},
      {.path = "allocation.memory",
       .title = "memory allocated",
       .unit = "share",
       .compared = "allocation_memory",
       .better = kMore},
      {.path = "allocation_efficiency",
       .of = [](Facts f) { return f.totals.efficiency.summary(); },
       .help = "used resources divided by allocated resources; `p90`: value that 9 of 10 "
               "containers, jobs or users do not exceed"},
      {.path = "allocation_efficiency.cpu",
       .title = "CPU used of allocated",
       .unit = "share",
       .compared = "efficiency_cpu",
       .better = kMore},
      {.path = "allocation_efficiency.memory",
       .title = "memory used of allocated",
       .unit = "share",
       .compared = "efficiency_memory",
       .better = kMore},
      {.path = "allocation_efficiency.p90.container.cpu",
       .title = "CPU used of allocated, 90th percentile of containers",
       .unit = "share",
       .compared = "efficiency_cpu_p90_container",
       .better = kMore},
      {.path = "allocation_efficiency.p90.container.memory",
       .title = "memory used of allocated, 90th percentile of containers",
       .unit = "share",
       .compared = "efficiency_memory_p90_container",
       .better = kMore},
      {.path = "allocation_efficiency.p90.job.cpu",
       .title = "CPU used of allocated, 90th percentile of jobs",
       .unit = "share",
       .compared = "efficiency_cpu_p90_job",
       .better = kMore},
      {.path = "allocation_efficiency.p90.job.memory",
       .title = "memory used of allocated, 90th percentile of jobs",
       .unit = "share",
       .compared = "efficiency_memory_p90_job",
       .better = kMore},
      {.path = "allocation_efficiency.p90.user.cpu",
       .title = "CPU used of allocated, 90th percentile of users",
       .unit = "share",
       .compared = "efficiency_cpu_p90_user",
       .better = kMore},
      {.path = "allocation_efficiency.p90.user.memory",
       .title = "memory used of allocated, 90th percentile of users",
       .unit = "share",
       .compared = "efficiency_memory_p90_user",
       .better = kMore},
      {.path = "jobs",
       .title = "jobs not completed",
       .compared = "failed_jobs",
       .number = failed_jobs},
      {.path = "attempts_total",
       .of = [](Facts f) { return Json(f.totals.attempts); },
       .help = "number of attempts of tasks",
       .title = "attempts of tasks",
       .compared = "attempts"},
      {.path = "crash_fraction",
       .of =
           [](Facts f) {
             return share_or_null(static_cast<double>(f.totals.crashed),
                                  static_cast<double>(f.totals.started));
           },
       .help = "share of the started attempts that were killed for lack of memory",
       .title = "attempts out of memory",
       .unit = "share",
       .compared = "crash_fraction",
       .most = kWhole},
      {.path = "oom_kills",
       .of = oom_kills,
       .help = "number of containers that were killed for lack of memory, for each limit that can "
               "be exceeded: `container`, `node`, `other`",
       .title = "memory kills",
       .compared = "oom_kills",
       .number = memory_kills},
      {.path = "lost",
       .of = [](Facts f) { return Json(f.totals.lost); },
       .help = "number of containers that were lost with their node",
       .title = "containers lost",
       .compared = "lost"},
      {.path = "failed_attempts",
       .of = [](Facts f) { return Json(f.totals.failed); },
       .help = "number of attempts of tasks that ended with an error"},
      {.path = "not_started",
       .of =
           [](Facts f) {
             return f.totals.not_started > 0 ? Json(f.totals.not_started)
                                             : Json(Json::value_t::discarded);
           },
       .help = "number of containers that a [machine could not "
               "start](../explanation/recovery.md#machines-that-start-nothing), if there are any; "
               "they do not count as attempts"},
      {.path = "wasted",
       .of = wasted,
       .help = "attempts of tasks that ended without completing, and the resources that these "
               "attempts used; `unmeasured` attempts were lost with their worker, so their "
               "resources are not known and not counted; null if this is so for all attempts"},
      {.path = "wasted.core_s",
       .title = "wasted by what did not complete",
       .unit = "core-s",
       .compared = "wasted_core_s"},
      {.path = "locality",
       .of = locality,
       .help = "number of tasks that started on the node of their data (`local`), in its rack "
               "(`rack`), or elsewhere (`remote`)",
       .title = "launched beside their data",
       .unit = "share",
       .compared = "locality",
       .better = kMore,
       .most = kWhole,
       .number = local_share},
      {.path = "reservations",
       .of =
           [](Facts f) {
             return Json{{"count", f.totals.reservations.count()},
                         {"wait_s", to_seconds(f.totals.reservations.held(f.until))}};
           },
       .help = "how often nodes were reserved, and for how long"},
      {.path = "reservations.count",
       .title = "reservations",
       .compared = "reservations",
       .better = kNeither},
      {.path = "reservations.wait_s",
       .title = "time reserved",
       .unit = "s",
       .compared = "reservation_wait_s",
       .better = kNeither},
      {.path = "suspensions",
       .of =
           [](Facts f) {
             return Json{{"count", f.totals.suspensions},
                         {"total_s", to_seconds(f.totals.suspended(f.until))},
                         {"stop_latency_ms", p50_p99(f.totals.stop_ms)}};
           },
       .help = "how often containers were suspended, for how long, and the real time until a "
               "suspension took effect"},
      {.path = "suspensions.count",
       .title = "suspensions",
       .compared = "suspensions",
       .better = kNeither},
      {.path = "suspensions.total_s",
       .title = "time suspended",
       .unit = "s",
       .compared = "suspended_s",
       .better = kNeither},
      {.path = "preemptions",
       .of = [](Facts f) { return Json(f.totals.preemptions); },
       .help = "number of containers that were killed to make room for other containers",
       .title = "preemptions",
       .compared = "preemptions"},
      {.path = "walltime_kills",
       .of = [](Facts f) { return Json(f.totals.walltime_kills); },
       .help = "number of jobs that were killed because their walltime was over",
       .title = "jobs over their walltime",
       .compared = "walltime_kills"},
      {.path = "release_estimate",
       .of = release_estimate,
       .help = "errors of predicted releases (DRESS)"},
      {.path = "prediction",
       .of =
           [](Facts f) {
             return f.totals.predictions.json(option_text(f.scenario.policy, kPredictor));
           },
       .help = "errors of predicted remaining times (iKayak)"},
      {.path = "prediction.nrmse",
       .title = "error of predictions (NRMSE)",
       .unit = "share",
       .compared = "prediction_nrmse"},
      {.path = "suspensions.stop_latency_ms.p50",
       .title = "suspension takes effect, median",
       .unit = "ms",
       .compared = "stop_ms_p50"},
      {.path = "overhead",
       .of = overhead,
       .help = "real CPU time of Heddle's processes, and durations of decisions (`decision_us`) "
               "and of container starts (`launch_ms`); `memory_cpu_s` is the CPU time to fill the "
               "memory of tasks and to give it back; with an [external "
               "policy](external-policies.md) also `policy_requests`, the times of its decisions "
               "in microseconds (`policy_round_trip_us`; `policy_own_us` as the program measured "
               "it; `policy_outside_us` is the rest), and the CPU time of its program "
               "(`policy_cpu_s`, null if Heddle did not start it)"},
      {.path = "overhead.launch_ms.p50",
       .title = "container start, median",
       .unit = "ms",
       .compared = "launch_ms_p50"},
      {.path = "overhead.decision_us.p99",
       .title = "decision, 99th percentile, real",
       .unit = "us",
       .compared = "decision_us_p99"},
      {.path = "fidelity",
       .of = fidelity,
       .help = "relative errors of task durations, compared with their [ideal "
               "times](glossary.md#ideal-task-time); `memory`: errors of memory as shares of the "
               "request, real milliseconds from a step of the profile to its charge (`lag_ms`), "
               "and the number of completed tasks that never reached their peak (`short`); null "
               "in a simulation; `work`: errors of the sleep and CPU work of [tasks that wait or "
               "move data](../explanation/fidelity.md#tasks-that-wait-or-move-data), and the "
               "number of `parts`; `transfers`: errors of their reads and writes, and the number "
               "of `transfers`"},
      {.path = "resumed",
       .of =
           [](Facts f) {
             return Json{{"count", f.totals.resumed}, {"downtime_s", rounded(f.totals.downtime_s)}};
           },
       .help = "how often the run was [resumed](../explanation/recovery.md), and how long it had "
               "no master in real time"},
      {.path = "host_lost_s",
       .of = [](Facts f) { return Json(to_seconds(f.totals.host_lost)); },
       .help = "time that tasks lost because the host was overloaded"},
  };
}

}  // namespace

RunFacts facts_of(const Scenario& scenario, const RunTotals& totals) {
  RunFacts facts{scenario, totals, totals.last, EmuTime(0), !scenario.jobs.empty()};
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    facts.from = std::min(facts.from, scenario.jobs[i].submit);
    const std::optional<EmuTime> finish = finish_of(totals.jobs()[i]);
    facts.complete &= finish.has_value();
    facts.until = std::max(facts.until, finish.value_or(EmuTime(0)));
  }
  if (!facts.complete) facts.until = totals.last;
  return facts;
}

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = all_figures();
  return all;
}

Json summary_of(const RunFacts& facts) {
  Json summary = Json::object();
  for (const Figure& figure : figures())
    if (figure.of)
      if (Json value = figure.of(facts); !value.is_discarded())
        summary[std::string(figure.path)] = std::move(value);
  return summary;
}

std::optional<double> number_of(const Figure& figure, const Json& summary) {
  if (figure.number) return figure.number(summary);
  const Json* at = &summary;
  for (std::string_view path = figure.path; !path.empty();) {
    const auto it = at->is_object() ? at->find(std::string(take_until(path, '.'))) : at->end();
    if (it == at->end()) return std::nullopt;
    at = &*it;
  }
  return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

}  // namespace heddle::report
