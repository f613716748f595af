#include "report/figures.h"

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "core/policy/queues/queue_tree.h"
#include "core/policy/reduces/remaining_time.h"
#include "core/policy/registry.h"
#include "core/scenario/words.h"
#include "report/disturbance.h"
#include "report/statistics.h"
#include "report/workflows.h"
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

/// Returns the median and the 99th percentile.
Json p50_p99(const std::vector<double>& values) {
  return {{"p50", percentile(values, 0.5)}, {"p99", percentile(values, 0.99)}};
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

Json host(const RunFacts& facts) {
  return members(facts.totals.host, {"heddle_commit", "kernel", "cpu_model", "cpus", "memory",
                                     "cgroup", "foreign_cpu", "cpu_weight", "cpu_reach"});
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

Json crash_fraction(const RunFacts& facts) {
  return share_or_null(static_cast<double>(facts.totals.crashed),
                       static_cast<double>(facts.totals.started));
}

/// Returns the number of starts that failed, or a discarded value if none did.
Json not_started(const RunFacts& facts) {
  const std::int64_t count = facts.totals.not_started;
  return count > 0 ? Json(count) : Json(Json::value_t::discarded);
}

Json lost_nodes(const RunFacts& facts) {
  return facts.totals.lost_nodes.empty() ? Json(Json::value_t::discarded) : facts.totals.lost_nodes;
}

Json wasted(const RunFacts& facts) {
  const RunTotals& totals = facts.totals;
  const bool measured = totals.unmeasured < totals.unfinished || totals.unfinished == 0;
  return {{"attempts", totals.unfinished},
          {"unmeasured", totals.unmeasured},
          {"core_s", measured ? Json(rounded(totals.wasted.core_s)) : Json()},
          {"byte_s", measured ? Json(std::round(totals.wasted.byte_s)) : Json()},
          {"held_core_s", rounded(totals.wasted_held.core_s)},
          {"held_byte_s", std::round(totals.wasted_held.byte_s)}};
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
  const Resources all = cluster.capacity();
  for (std::size_t i = 0; i < cluster.resources.size(); ++i)
    json[cluster.resources[i].name] =
        share_or_null(i < held.counted_s.size() ? held.counted_s[i] : 0,
                      static_cast<double>(all.counts[i].count()) / 1e3 * span_s(facts));
  return json;
}

/// Returns the hours of the cluster's nodes and cores, and how many core-hours were allocated,
/// used, and held by attempts that did not complete.
Json hours(const RunFacts& facts) {
  const double span_h = span_s(facts) / kHour_s;
  const double cores = capacity(facts, [](const NodeSpec&) { return 1.0; }).core_s;
  return {{"node_h", rounded(static_cast<double>(facts.scenario.cluster.nodes.size()) * span_h)},
          {"core_h", rounded(cores * span_h)},
          {"allocated_core_h", rounded(facts.totals.allocated(facts.until).core_s / kHour_s)},
          {"used_core_h", rounded(facts.totals.used.core_s / kHour_s)},
          {"wasted_core_h", rounded(facts.totals.wasted_held.core_s / kHour_s)}};
}

/// `preferring`: whether any of the containers has its data on some nodes.
Json localities(const std::map<Locality, std::int64_t>& launches, bool preferring) {
  auto count = [&](Locality where) {
    auto it = launches.find(where);
    return preferring ? Json(it == launches.end() ? 0 : it->second) : Json();
  };
  return {{"local", count(Locality::kLocal)},
          {"rack", count(Locality::kRack)},
          {"remote", count(Locality::kRemote)}};
}

Json locality(const RunFacts& facts) {
  bool preferring = false;
  for (const JobSpec& job : facts.scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      preferring |= !phase.prefer.empty() || phase.input.mean > 0;
  return localities(facts.totals.launches, preferring);
}

Json framework_locality(const RunFacts& facts) {
  Json made = Json::object();
  for (const auto& [framework, launches] : facts.totals.framework_launches) {
    const bool preferring = std::ranges::any_of(
        launches, [](const auto& entry) { return entry.first != Locality::kAny; });
    made[std::string(word_of(framework))] = localities(launches, preferring);
  }
  return made;
}

/// Returns the number and times of completed maps and reduces, or null for a kind without any.
Json task_times(const RunFacts& facts) {
  Json json;
  for (PhaseKind kind : {PhaseKind::kMap, PhaseKind::kReduce}) {
    Json& times = json[std::string(word_of(kind))];
    const auto found = facts.totals.completed.find(kind);
    if (found == facts.totals.completed.end()) continue;
    const auto count = static_cast<double>(found->second.count);
    const double minutes = to_seconds(found->second.last_end - facts.from) / kMinute_s;
    times = {{"count", found->second.count},
             {"mean_s", rounded(to_seconds(found->second.took) / count)},
             {"per_min", share_or_null(count, minutes)}};
  }
  return json;
}

// Decisions and what they cost --------------------------------------------------------------------

Json reservations(const RunFacts& facts) {
  const ReservationTotals& of = facts.totals.reservations;
  return {{"count", of.count()}, {"wait_s", to_seconds(of.held(facts.until))}};
}

Json suspensions(const RunFacts& facts) {
  const RunTotals& totals = facts.totals;
  return {{"count", totals.suspensions},
          {"total_s", to_seconds(totals.suspended(facts.until))},
          {"stop_latency_ms", p50_p99(totals.stop_ms)}};
}

Json prediction(const RunFacts& facts) {
  return facts.totals.predictions.json(option_text(facts.scenario.policy, kPredictor));
}

Json resumed(const RunFacts& facts) {
  return {{"count", facts.totals.resumed}, {"downtime_s", rounded(facts.totals.downtime_s)}};
}

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
  json["launch_ms"] = p50_p99(totals.launch_ms);
  put_policy_cost(totals, told, json);
  return json;
}

Json fidelity(const RunFacts& facts) {
  const RunTotals& totals = facts.totals;
  return {{"median_error", percentile(totals.errors, 0.5)},
          {"p99_error", percentile(totals.errors, 0.99)},
          {"memory", totals.memory.json()},
          {"work", totals.times.work_json()},
          {"transfers", totals.transfers_json()}};
}

Json host_lost_s(const RunFacts& facts) { return to_seconds(facts.totals.host_lost); }

std::optional<Disturbance> disturbance_in(const RunFacts& facts) {
  return disturbance_of(host(facts), fidelity(facts), host_lost_s(facts));
}

Json disturbed(const RunFacts& facts) {
  const std::optional<Disturbance> disturbance = disturbance_in(facts);
  return disturbance ? Json(word_of(*disturbance) == DisturbanceWord::kAffected) : Json();
}

Json disturbance(const RunFacts& facts) { return to_json(disturbance_in(facts)); }

// Numbers of objects and lists -------------------------------------------------------------------

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

/// Returns the share of `local` in the numbers of `key`.
std::optional<double> local_share_of(const Json& json, const std::string& key) {
  const std::optional<double> all = sum_of(json, key);
  if (!all || *all <= 0) return std::nullopt;
  return json.at(key).value("local", 0.0) / *all;
}

std::optional<double> local_share(const Json& summary) {
  return local_share_of(summary, "locality");
}

template <Framework framework>
std::optional<double> local_share_in(const Json& summary) {
  const auto all = summary.find("framework_locality");
  if (all == summary.end() || !all->is_object()) return std::nullopt;
  return local_share_of(*all, std::string(word_of(framework)));
}

std::optional<double> failed_jobs(const Json& summary) {
  const auto list = summary.find("jobs");
  if (list == summary.end() || !list->is_array()) return std::nullopt;
  double failed = 0;
  for (const Json& job : *list)
    failed += job.is_object() && job.value("state", Json()) == "completed" ? 0 : 1;
  return failed;
}

std::optional<double> workflow_slowdown(const Json& summary) {
  const auto list = summary.find("workflows");
  if (list == summary.end()) return std::nullopt;
  double sum = 0;
  for (const Json& workflow : *list) {
    if (!workflow.at("slowdown").is_number()) return std::nullopt;
    sum += workflow.at("slowdown").get<double>();
  }
  return list->empty() ? std::nullopt : std::optional(sum / static_cast<double>(list->size()));
}

std::optional<double> memory_kills(const Json& summary) { return sum_of(summary, "oom_kills"); }

using Facts = const RunFacts&;
constexpr double kWhole = 1, kAny = std::numeric_limits<double>::infinity();

/// A figure inside of an object that another figure is.
Figure part(std::string_view path, Figure::Shown shown) { return {path, nullptr, "", shown}; }

/// Returns whether each user has a queue of their own although the policy does not set user_queues.
bool user_queues_by_default(const Scenario& scenario) {
  return reads(scenario.policy, kUserQueues) && !value(scenario.policy, kUserQueues) &&
         several_users_in_one_queue(scenario.jobs);
}

Json policy(Facts f) {
  Json json = of_run(f, "policy", wire::policy_json(f.scenario.policy));
  if (user_queues_by_default(f.scenario)) json["queues_by_user"] = true;
  if (!f.totals.own_rules.empty()) json["own_rules"] = f.totals.own_rules;
  return json;
}

std::vector<Figure> all_figures() {
  using enum Better;
  return {
      {"schema", [](Facts) { return Json(1); }, "version of the format"},
      {"heddle_version", [](Facts f) { return of_run(f, "heddle_version", HEDDLE_VERSION); },
       "version of Heddle"},
      {"scenario", [](Facts f) { return Json(f.scenario.name); }, "name of the scenario"},
      {"policy", policy,
       "parts and options of the policy; `own_rules` names the options whose rules an external "
       "policy did not follow in its own launches; `queues_by_user` is true if `user_queues` is "
       "`auto` and each user had a queue"},
      {"mode", [](Facts f) { return of_run(f, "mode", nullptr); }, "`real` or `simulated`"},
      {"seed", [](Facts f) { return Json(f.scenario.seed); }, "seed of the random numbers"},
      {"status", [](Facts f) { return member(f.totals.end, "status"); },
       "`done`, `failed`, `aborted` or `interrupted`"},
      {"reason", [](Facts f) { return member(f.totals.end, "reason"); }, "why the run ended so"},
      {"host", host,
       "the machine and the commit of Heddle (`heddle_commit`), with the share of the machine's "
       "CPU "
       "that other programs used (`foreign_cpu`), the CPU weight of the run's control group, and "
       "the group in which this [weight acts](../explanation/fidelity.md#other-programs) "
       "(`cpu_reach`, `/` for the whole machine)"},
      {"hosts", [](Facts f) { return f.totals.hosts; }, "the host of each node"},
      {"emulation", emulation, "emulation factors"},
      {"disturbed", disturbed,
       "whether the times of the run are wrong: its `disturbance` is `affected`"},
      {"disturbance", disturbance,
       "effect of [other programs](../explanation/fidelity.md#other-programs): `word` is `clean` "
       "(`foreign_cpu` was at most 5 %), `unaffected` (99 of 100 tasks are off by at most 5 %, and "
       "memory is not [far off its profiles](../explanation/fidelity.md#memory)) or `affected`; "
       "`lost_s`: time that tasks lost; `task_error`: error that 99 of 100 tasks do not exceed, "
       "null if no task has an ideal time; null in a simulation and with workers on other hosts"},
      {"makespan_s",
       [](Facts f) { return f.complete ? Json(rounded(span_s(f))) : Json(); },
       "from the first submission to the end of the last job",
       {"makespan", "s", "makespan_s", kLess, kAny, nullptr, true}},
      {"jobs", jobs, "list of jobs, with most columns of the table [`jobs`](#jobs)"},
      {"workflows", [](Facts f) { return workflows_json(f.scenario.jobs, f.totals.jobs()); },
       "list of [workflows](scenario.md#condition): `makespan_s` from the first submission to the "
       "end "
       "of "
       "the last job, `critical_path_s` (the longest chain of jobs that wait for each other, with "
       "the run times and delays that they had), and `slowdown`, the first divided by the second"},
      part("workflows",
           {"mean slowdown of workflows", "", "workflow_slowdown", kLess, kAny, workflow_slowdown}),
      {"mean_waiting_s",
       [](Facts f) { return mean_of_jobs(f, &waiting_s); },
       "mean waiting time of the jobs that started",
       {"mean waiting", "s"}},
      {"mean_completion_s",
       [](Facts f) { return mean_of_jobs(f, &completion_s); },
       "mean completion time of the jobs that completed",
       {"mean completion", "s"}},
      {"utilisation", utilisation, "used shares of the cluster's CPU and memory"},
      part("utilisation.cpu", {"CPU used", "share", "utilisation_cpu", kMore, kWhole}),
      part("utilisation.memory", {"memory used", "share", "utilisation_memory", kMore, kWhole}),
      {"mean_peak_memory", [](Facts f) { return f.totals.memory.mean_peak(); },
       "mean of the memory peaks of containers that completed, in emulated bytes"},
      {"sampled_peaks", [](Facts f) { return Json(f.totals.memory.sampled_peaks()); },
       "number of these peaks that are the [largest "
       "sample](../explanation/fidelity.md#page-cache), because the containers had page cache"},
      {"allocation", allocation,
       "allocated shares of the cluster's cores (`cpu`), memory and [other "
       "resources](scenario.md#other-resources)"},
      part("allocation.cpu", {"cores allocated", "share", "allocation_cpu", kMore}),
      part("allocation.memory", {"memory allocated", "share", "allocation_memory", kMore}),
      {"fragmentation", [](Facts f) { return f.totals.fragmentation.json(f.until); },
       "if the cluster has devices: shares of the devices and cores that are free but of no use, "
       "as means over time ([fragmentation](policies.md#choosing-a-node)). `unusable_devices`: the "
       "fragmentation of all nodes; `stranded_devices`: on nodes where no typical request for "
       "devices fits; `stranded_cores`: on nodes where no typical request fits"},
      part("fragmentation.unusable_devices",
           {"fragmentation", "share", "fragmentation", kLess, kWhole}),
      part("fragmentation.stranded_devices",
           {"devices stranded", "share", "stranded_devices", kLess, kWhole}),
      part("fragmentation.stranded_cores",
           {"cores stranded", "share", "stranded_cores", kLess, kWhole}),
      {"allocation_efficiency", [](Facts f) { return f.totals.efficiency.summary(); },
       "used resources divided by allocated resources; `p90`: value that 9 of 10 containers, jobs "
       "or users do not exceed"},
      part("allocation_efficiency.cpu",
           {"CPU used of allocated", "share", "efficiency_cpu", kMore}),
      part("allocation_efficiency.memory",
           {"memory used of allocated", "share", "efficiency_memory", kMore}),
      part("allocation_efficiency.p90.container.cpu",
           {"CPU used of allocated, 90th percentile of containers", "share",
            "efficiency_cpu_p90_container", kMore}),
      part("allocation_efficiency.p90.container.memory",
           {"memory used of allocated, 90th percentile of containers", "share",
            "efficiency_memory_p90_container", kMore}),
      part("allocation_efficiency.p90.job.cpu", {"CPU used of allocated, 90th percentile of jobs",
                                                 "share", "efficiency_cpu_p90_job", kMore}),
      part("allocation_efficiency.p90.job.memory",
           {"memory used of allocated, 90th percentile of jobs", "share",
            "efficiency_memory_p90_job", kMore}),
      part("allocation_efficiency.p90.user.cpu", {"CPU used of allocated, 90th percentile of users",
                                                  "share", "efficiency_cpu_p90_user", kMore}),
      part("allocation_efficiency.p90.user.memory",
           {"memory used of allocated, 90th percentile of users", "share",
            "efficiency_memory_p90_user", kMore}),
      part("jobs", {"jobs not completed", "", "failed_jobs", kLess, kAny, failed_jobs}),
      {"attempts_total",
       [](Facts f) { return Json(f.totals.attempts); },
       "number of attempts of tasks",
       {"attempts of tasks", "", "attempts"}},
      {"task_times", task_times,
       "for completed maps and reduces: their number, the mean time from start to end (`mean_s`, "
       "suspensions included), and their number per minute from the first submission to the end of "
       "the last one (`per_min`)"},
      part("task_times.map.mean_s", {"mean time of a map", "s", "mean_map_s"}),
      part("task_times.reduce.mean_s", {"mean time of a reduce", "s", "mean_reduce_s"}),
      part("task_times.map.per_min", {"maps per minute", "", "maps_per_min", kMore}),
      {"crash_fraction",
       crash_fraction,
       "share of the started attempts that were killed for lack of memory",
       {"attempts out of memory", "share", "crash_fraction", kLess, kWhole}},
      {"oom_kills",
       oom_kills,
       "number of containers that were killed for lack of memory, for each limit that can be "
       "exceeded: `container`, `node`, `other`",
       {"memory kills", "", "oom_kills", kLess, kAny, memory_kills}},
      {"lost",
       [](Facts f) { return Json(f.totals.lost); },
       "number of containers that were lost with their node",
       {"containers lost", "", "lost"}},
      {"lost_nodes", lost_nodes,
       "nodes that were lost, if there are any: the name of the `node`, `at_s`, the `reason`, "
       "which says whether the [machine was slow](../how-to/faults.md#when-a-node-is-lost), and "
       "`given_up_s`, from when on the run no longer waited for the node, if it did"},
      {"failed_attempts", [](Facts f) { return Json(f.totals.failed); },
       "number of attempts of tasks that ended with an error"},
      {"not_started", not_started,
       "number of containers that a [machine could not "
       "start](../explanation/recovery.md#machines-that-start-nothing), if there are any; they do "
       "not count as attempts"},
      {"wasted", wasted,
       "attempts of tasks that ended without completing, and the resources that these attempts "
       "used and held; `unmeasured` attempts were lost with their worker, so what they used is not "
       "known and not counted; null if this is so for all attempts"},
      part("wasted.core_s", {"wasted by what did not complete", "core-s", "wasted_core_s"}),
      {"hours", hours,
       "node-hours and core-hours (emulated): `node_h` and `core_h` of the cluster during the "
       "makespan, and the core-hours that containers held (`allocated_core_h`), that they used as "
       "CPU time (`used_core_h`), and that attempts which did not complete held (`wasted_core_h`)"},
      part("hours.node_h", {"node-hours of the cluster", "node-h", "node_h"}),
      part("hours.core_h", {"core-hours of the cluster", "core-h", "core_h"}),
      part("hours.allocated_core_h", {"core-hours allocated", "core-h", "allocated_core_h"}),
      part("hours.used_core_h", {"core-hours used", "core-h", "used_core_h", kNeither}),
      part("hours.wasted_core_h",
           {"core-hours held by what did not complete", "core-h", "wasted_core_h"}),
      {"cost", [](Facts) { return Json(Json::value_t::discarded); },
       "with `--price`: the `price`, and the `hours` in money: `cluster` (per core-hour or per "
       "node-hour), and per core-hour also `allocated`, `used` and `wasted`"},
      part("cost.cluster", {"cost of the cluster"}),
      part("cost.allocated", {"cost of the core-hours allocated"}),
      part("cost.used", {"cost of the core-hours used"}),
      part("cost.wasted", {"cost of what did not complete"}),
      {"locality",
       locality,
       "number of tasks that started on the node of their data (`local`), in its rack (`rack`), or "
       "elsewhere (`remote`)",
       {"launched beside their data", "share", "locality", kMore, kWhole, local_share}},
      {"framework_locality", framework_locality,
       "as `locality`, for the jobs of each framework (`mapreduce`, `spark`). Executors count. "
       "Their "
       "data are the inputs of the first stage"},
      part("framework_locality.mapreduce",
           {"launched beside their data, MapReduce", "share", "mapreduce_locality", kMore, kWhole,
            local_share_in<Framework::kMapReduce>}),
      part("framework_locality.spark",
           {"launched beside their data, Spark", "share", "spark_locality", kMore, kWhole,
            local_share_in<Framework::kSpark>}),
      {"reservations", reservations, "how often nodes were reserved, and for how long"},
      part("reservations.count", {"reservations", "", "reservations", kNeither}),
      part("reservations.wait_s", {"time reserved", "s", "reservation_wait_s", kNeither}),
      {"suspensions", suspensions,
       "how often containers were suspended, for how long, and the real time until a suspension "
       "took effect"},
      part("suspensions.count", {"suspensions", "", "suspensions", kNeither}),
      part("suspensions.total_s", {"time suspended", "s", "suspended_s", kNeither}),
      {"preemptions",
       [](Facts f) { return Json(f.totals.preemptions); },
       "number of containers that were killed to make room for other containers",
       {"preemptions", "", "preemptions"}},
      {"walltime_kills",
       [](Facts f) { return Json(f.totals.walltime_kills); },
       "number of jobs that were killed because their walltime was over",
       {"jobs over their walltime", "", "walltime_kills"}},
      {"release_estimate", release_estimate, "errors of predicted releases (DRESS)"},
      part("release_estimate.mean_absolute_error",
           {"error of predicted releases", "share", "release_error"}),
      {"prediction", prediction, "errors of predicted remaining times (iKayak)"},
      part("prediction.nrmse", {"error of predictions (NRMSE)", "share", "prediction_nrmse"}),
      part("suspensions.stop_latency_ms.p50",
           {"suspension takes effect, median", "ms", "stop_ms_p50"}),
      {"overhead", overhead,
       "real CPU time of Heddle's processes, and durations of decisions (`decision_us`) and of "
       "container starts (`launch_ms`); `memory_cpu_s` is the CPU time to fill the memory of tasks "
       "and to give it back; with an [external policy](external-policies.md) also "
       "`policy_requests`, the times of its decisions in microseconds (`policy_round_trip_us`; "
       "`policy_own_us` as the program measured it; `policy_outside_us` is the rest), and the CPU "
       "time of its program (`policy_cpu_s`, null if Heddle did not start it)"},
      part("overhead.launch_ms.p50", {"container start, median", "ms", "launch_ms_p50"}),
      part("overhead.decision_us.p99",
           {"decision, 99th percentile, real", "us", "decision_us_p99"}),
      {"fidelity", fidelity,
       "relative errors of task durations, compared with their [ideal "
       "times](glossary.md#ideal-task-time); `memory`: errors of memory as shares of the request, "
       "real milliseconds from a step of the profile to its charge (`lag_ms`), and how many of "
       "the completed `tasks` never reached their peak (`short`); null in a simulation; `work`: "
       "errors of the sleep and CPU work of [tasks that wait or move "
       "data](../explanation/fidelity.md#tasks-that-wait-or-move-data), and the number of `parts`; "
       "`transfers`: errors of their reads and writes, and the number of `transfers`"},
      {"resumed", resumed,
       "how often the run was [resumed](../explanation/recovery.md), and how long it had no master "
       "in real time"},
      {"host_lost_s", host_lost_s, "time that tasks lost because the host was overloaded"},
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
  // Without the room for all members, the jobs would be copied again and again.
  Json::object_t summary;
  summary.reserve(figures().size());
  for (const Figure& figure : figures())
    if (figure.of)
      if (Json value = figure.of(facts); !value.is_discarded())
        summary.emplace_back(std::string(figure.path), std::move(value));
  return summary;
}

std::optional<double> number_of(const Figure& figure, const Json& summary) {
  if (figure.shown.number) return figure.shown.number(summary);
  const Json* at = &summary;
  for (std::string_view path = figure.path; !path.empty();) {
    const auto it = at->is_object() ? at->find(std::string(take_until(path, '.'))) : at->end();
    if (it == at->end()) return std::nullopt;
    at = &*it;
  }
  return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

bool is_overhead(const Figure& figure) { return figure.path.starts_with("overhead"); }

}  // namespace heddle::report
