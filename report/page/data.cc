#include "report/page/data.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <tuple>

#include "core/scenario/words.h"
#include "report/disturbance.h"
#include "report/efficiency.h"
#include "report/figures.h"
#include "report/page/bars.h"
#include "report/page/predictions.h"
#include "report/page/series.h"
#include "report/policy_label.h"
#include "wire/record.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using wire::resources_json;

/// Points of a distribution of durations.
constexpr std::size_t kDistributionPoints = 500;

Json when(const std::optional<EmuTime>& time) { return time ? Json(page_seconds(*time)) : Json(); }

double milliseconds(double ms) { return std::round(ms * 1e2) / 1e2; }

/// Stores each text only once. index() returns the index of a text, or null for an empty text.
class Strings {
 public:
  Json index(const std::string& text) {
    if (text.empty()) return nullptr;
    auto [place, is_new] = places_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const Json& texts() const { return texts_; }

 private:
  std::map<std::string, std::size_t> places_;
  Json texts_ = Json::array();
};

/// Stores rows as one array per column.
class Columns {
 public:
  void add(std::initializer_list<std::pair<const char*, Json>> row) {
    for (const auto& [name, value] : row) json_[name].push_back(value);
  }
  /// Adds the other values of the last row.
  void add(const Json& values) {
    for (const auto& [name, value] : values.items()) json_[name].push_back(value);
  }
  Json json() && { return std::move(json_); }
  /// Returns the columns. Leaves out columns that have only nulls.
  Json known() && {
    const auto is_null = [](const Json& value) { return value.is_null(); };
    Json known = Json::object();
    for (auto& [name, column] : json_.items())
      if (!std::all_of(column.begin(), column.end(), is_null)) known[name] = std::move(column);
    return known;
  }

 private:
  Json json_ = Json::object();
};

/// The phases of all jobs in one list.
class PhaseList {
 public:
  explicit PhaseList(const Scenario& scenario) {
    for (std::size_t job = 0; job < scenario.jobs.size(); ++job) {
      first_.push_back(list_.size());
      for (const PhaseSpec& phase : scenario.jobs[job].phases)
        list_.push_back({{"job", job}, {"name", phase.name}, {"kind", word_of(phase.kind)}});
    }
  }
  std::size_t index(PhaseId id) const {
    return first_[id.job.value] + static_cast<std::size_t>(id.phase);
  }
  Json json() && { return std::move(list_); }

 private:
  std::vector<std::size_t> first_;
  Json list_ = Json::array();
};

Json nodes_json(const Scenario& scenario, const std::vector<int>& lanes) {
  Json nodes = Json::array();
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const NodeSpec& node = scenario.cluster.nodes[i];
    Json json = {{"name", node.name}};
    wire::put(json, addable(node.capacity, scenario.cluster.resources), scenario.cluster.resources);
    json["allowance"] = resources_json(node.allowance, scenario.cluster.resources);
    json["speed"] = node.speed;
    json["rack"] = node.rack;
    json["lanes"] = lanes[i];
    nodes.push_back(std::move(json));
  }
  return nodes;
}

void add_bar(const RunHistory& history, const Bar& bar, const PhaseList& phases, Columns& columns,
             Strings& strings) {
  const AttemptRow& row = history.attempts[bar.first];
  const ContainerEnded* end = row.end ? &*row.end : nullptr;
  const std::optional<Span> wait = reduce_wait(history, row);
  const AttemptUsage usage = end != nullptr ? end->usage : AttemptUsage{};
  columns.add(
      {{"phase", phases.index(row.phase)},
       {"task", row.task},
       {"attempt", row.attempt},
       {"node", row.node.value},
       {"lane", bar.lane},
       {"from", page_seconds(bar.from)},
       {"started", when(row.started)},
       {"begun", when(row.begun ? row.begun : row.inputs)},
       {"waited", wait && bar.count == 1 ? when(wait->until) : Json()},
       {"until", page_seconds(bar.until)},
       {"count", bar.count},
       {"outcome", end != nullptr ? Json(wire::name_of(end->outcome)) : Json("running")},
       {"oom",
        end != nullptr && end->oom != OomCause::kNone ? Json(wire::name_of(end->oom)) : Json()},
       {"exit_code", end != nullptr && end->exit_code != 0 ? Json(end->exit_code) : Json()}});
  columns.add(resources_json(row.held, history.scenario.cluster.resources));
  columns.add({{"cpu_s", end != nullptr ? Json(page_seconds(EmuTime(usage.cpu.count()))) : Json()},
               {"peak", end != nullptr ? Json(usage.peak_memory.count()) : Json()},
               {"launch_ms", row.launch_ms ? Json(milliseconds(*row.launch_ms)) : Json()},
               {"locality", row.locality == Locality::kAny
                                ? Json()
                                : Json(wire::kLocalities[static_cast<std::size_t>(row.locality)])},
               {"why", strings.index(row.reason)},
               {"reason", end != nullptr ? strings.index(end->reason) : Json()}});
}

/// Adds the bars, and the suspensions and the times after their ends that are drawn on them.
void put_bars(const RunHistory& history, const std::vector<Bar>& bars, const PhaseList& phases,
              Json& json) {
  Strings strings;
  Columns columns, suspended, kept;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const AttemptRow& row = history.attempts[bar.first];
    add_bar(history, bar, phases, columns, strings);
    for (const Span& span : row.suspended)
      suspended.add({{"bar", i},
                     {"from", page_seconds(span.from)},
                     {"until", page_seconds(span.until.value_or(bar.until))}});
    if (row.kept)
      kept.add(
          {{"bar", i}, {"from", page_seconds(*row.ended)}, {"until", page_seconds(bar.until)}});
  }
  json["strings"] = strings.texts();
  json["bars"] = std::move(columns).known();
  json["suspended"] = std::move(suspended).json();
  json["kept"] = std::move(kept).json();
}

/// Returns the devices and the bars of the containers that hold them, or null.
Json devices_json(const RunHistory& history, const Bars& bars) {
  const DeviceBars held = device_bars(history, bars);
  if (held.devices.empty()) return nullptr;
  Json devices = Json::array();
  for (const DeviceLanes& one : held.devices)
    devices.push_back({{"node", one.node.value},
                       {"name", history.node(one.node).name + " " +
                                    history.scenario.cluster.resources[one.resource].name + " " +
                                    std::to_string(one.device)},
                       {"lanes", one.lanes}});
  Columns columns;
  for (const DeviceBar& bar : held.bars)
    columns.add({{"bar", bar.bar}, {"device", bar.device}, {"lane", bar.lane}});
  return {{"devices", std::move(devices)}, {"bars", std::move(columns).json()}};
}

Json reserved_json(const RunHistory& history, const PhaseList& phases, std::size_t nodes_shown) {
  Columns columns;
  for (const ReservationRow& row : history.reservations)
    if (static_cast<std::size_t>(row.node.value) < nodes_shown)
      columns.add({{"phase", phases.index(row.phase)},
                   {"node", row.node.value},
                   {"from", page_seconds(row.span.from)},
                   {"until", page_seconds(row.span.until.value_or(history.end))},
                   {"moved", row.moved}});
  return std::move(columns).json();
}

Json node_events_json(const RunHistory& history, std::size_t nodes_shown) {
  Json events = Json::array();
  for (const NodeRow& row : history.nodes) {
    if (static_cast<std::size_t>(row.node.value) >= nodes_shown) continue;
    Json event = {{"t", page_seconds(row.at)},
                  {"node", row.node.value},
                  {"event", row.event},
                  {"reason", row.reason}};
    wire::put(event, row.load);
    events.push_back(std::move(event));
  }
  return events;
}

/// Returns the faults. If a fault began on several nodes at the same time, it is one entry. The
/// entry lists the nodes that are shown and counts all nodes.
Json faults_json(const RunHistory& history, std::size_t nodes_shown) {
  std::map<std::tuple<EmuTime, int, EmuTime>, Json> groups;
  for (const FaultRow& row : history.faults) {
    const EmuTime until = row.span.until.value_or(history.end);
    Json& group = groups[{row.span.from, row.number, until}];
    if (group.is_null())
      group = {{"fault", word_of(row.kind)},   {"from", page_seconds(row.span.from)},
               {"until", page_seconds(until)}, {"once", row.strikes_once()},
               {"nodes", Json::array()},       {"node_count", 0}};
    if (!row.node) continue;
    group["node_count"] = group["node_count"].get<int>() + 1;
    if (static_cast<std::size_t>(row.node->value) < nodes_shown)
      group["nodes"].push_back(row.node->value);
  }
  Json faults = Json::array();
  for (auto& [key, group] : groups) faults.push_back(std::move(group));
  return faults;
}

Json resumptions_json(const RunHistory& history) {
  Json resumptions = Json::array();
  for (const ResumptionRow& row : history.resumptions)
    resumptions.push_back({{"t", page_seconds(row.at)}, {"downtime_s", row.downtime_s}});
  return resumptions;
}

Json jobs_json(const Scenario& scenario) {
  Json users = Json::array(), frameworks = Json::array();
  for (const JobSpec& job : scenario.jobs) {
    users.push_back(job.user);
    frameworks.push_back(word_of(job.framework));
  }
  return {{"user", std::move(users)}, {"framework", std::move(frameworks)}};
}

/// Returns the time that a container worked: without the waiting of a reduce, and without
/// suspensions.
EmuTime worked(const RunHistory& history, const AttemptRow& row) {
  EmuTime from = *row.started;
  if (const std::optional<Span> wait = reduce_wait(history, row)) from = *wait->until;
  EmuTime time = *row.ended - from;
  for (const Span& span : row.suspended) {
    const EmuTime suspended = span.until.value_or(*row.ended) - std::max(from, span.from);
    if (suspended > EmuTime(0)) time -= suspended;
  }
  return time;
}

/// Returns how long completed tasks worked.
Json durations_json(const RunHistory& history) {
  std::map<std::string, std::vector<double>> by_kind;
  history.each_attempt([&](const AttemptRow& row) {
    if (!row.started || !row.ended || !row.end || row.end->outcome != Outcome::kCompleted) return;
    const PhaseKind kind = history.phase(row.phase).kind;
    if (kind != PhaseKind::kAm)
      by_kind[std::string(word_of(kind))].push_back(to_seconds(worked(history, row)));
  });
  Json json = Json::object();
  for (auto& [kind, seconds] : by_kind) {
    std::sort(seconds.begin(), seconds.end());
    json[kind] = distribution(seconds, kDistributionPoints);
  }
  return json;
}

/// Computes the same as TraceBuilder::count. Both count attempts that became a process and whose
/// end the worker has seen.
Json efficiency_json(const RunHistory& history) {
  AllocationEfficiency efficiency;
  bool any = false;
  history.each_attempt([&](const AttemptRow& row) {
    if (!row.started || !row.ended || !row.end || row.end->outcome == Outcome::kLost) return;
    const double span_s = to_seconds(*row.ended - *row.started);
    double suspended_s = 0;
    for (const Span& span : row.suspended)
      suspended_s += to_seconds(span.until.value_or(*row.ended) - span.from);
    const JobSpec& job = history.job(row.phase.job);
    efficiency.add(job.name, job.user,
                   {to_core_seconds(row.end->usage.cpu),
                    static_cast<double>(row.held.cores.count()) / 1e3 * (span_s - suspended_s) *
                        history.node(row.node).speed,
                    row.end->usage.memory_byte_seconds,
                    static_cast<double>(row.held.memory.count()) * span_s});
    any = true;
  });
  return any ? efficiency.json() : Json();
}

void put_latencies(const RunHistory& history, Json& json) {
  Json launch = Json::array(), stop = Json::array();
  history.each_attempt([&](const AttemptRow& row) {
    if (row.launch_ms) launch.push_back(milliseconds(*row.launch_ms));
    for (double ms : row.stop_ms) stop.push_back(milliseconds(ms));
  });
  json["launch_ms"] = std::move(launch);
  json["stop_ms"] = std::move(stop);
}

/// Returns the bars of the page: of a large run only the lanes, because GanttPieces has its bars.
Bars page_bars(const RunHistory& history) {
  if (history.indexed.empty()) return gantt_bars(history, kNodesShown);
  return {{}, each_bar(history, kNodesShown, [](const Bar&) {})};
}

/// Returns the summary with the name of the program in place of the preset of an external policy.
Json shown_summary(Json summary) {
  if (const auto policy = summary.find("policy"); policy != summary.end()) {
    (*policy)["preset"] = policy_name(*policy);
    if (const auto external = policy->find("external"); external != policy->end())
      *external = external->value("program", std::string());
  }
  return summary;
}

}  // namespace

Json gantt_data(const RunHistory& history, const Bars& bars) {
  const PhaseList phases(history.scenario);
  const std::size_t nodes = bars.lanes.size();
  Json json = {{"nodes", nodes_json(history.scenario, bars.lanes)}};
  put_bars(history, bars.bars, phases, json);
  json["devices"] = devices_json(history, bars);
  json["reserved"] = reserved_json(history, phases, nodes);
  json["node_events"] = node_events_json(history, nodes);
  json["faults"] = faults_json(history, nodes);
  return json;
}

Json page_data(const RunHistory& history, const std::string& label, const std::string& dir,
               Json used) {
  const Scenario& scenario = history.scenario;
  const Resources capacity = scenario.cluster.capacity(), allowance = scenario.cluster.allowance();
  // The parts that take longest, if there are a million containers, are made by two threads.
  std::future<Json> efficiency = std::async(efficiency_json, std::cref(history));
  PhaseList phases(scenario);
  Json json = {{"label", label},
               {"dir", dir},
               {"summary", shown_summary(history.summary)},
               {"disturbance", disturbance_text(history.summary)},
               {"cut", history.cut},
               {"end_s", page_seconds(history.end)},
               {"date", history.run.is_object() ? history.run.value("wall", Json()) : Json()},
               {"jobs", jobs_json(scenario)},
               {"node_count", scenario.cluster.nodes.size()},
               {"capacity", resources_json(capacity, scenario.cluster.resources)},
               {"allowance", resources_json(allowance, scenario.cluster.resources)}};
  json.update(gantt_data(history, page_bars(history)));
  json["resumptions"] = resumptions_json(history);
  json["allocated"] = allocated_series(history).json();
  json["used"] = std::move(used);
  json["durations"] = durations_json(history);
  json["efficiency"] = efficiency.get();
  put_latencies(history, json);
  json["states"] =
      history.indexed_states.is_null() ? history.state_series.json() : history.indexed_states;
  json["predictions"] = predictions(history);
  json["phases"] = std::move(phases).json();
  return json;
}

Json page_of_runs(std::vector<Json> runs) {
  Json shown = Json::array();
  for (const Figure& figure : figures()) {
    if (figure.shown.title.empty()) continue;
    Json numbers = Json::array();
    for (const Json& run : runs) {
      const auto number = number_of(figure, run.at("summary"));
      numbers.push_back(number ? Json(*number) : Json());
    }
    shown.push_back({{"title", figure.shown.title},
                     {"unit", figure.shown.unit},
                     {"numbers", std::move(numbers)}});
  }
  return {{"schema", 1},
          {"kind", "runs"},
          {"version", HEDDLE_VERSION},
          {"figures", std::move(shown)},
          {"runs", std::move(runs)}};
}

std::vector<std::string> run_labels(const std::vector<std::string>& dirs,
                                    const std::vector<Json>& summaries) {
  std::vector<std::string> policies, names;
  for (std::size_t i = 0; i < dirs.size(); ++i) {
    policies.push_back(policy_name(summaries[i].at("policy")));
    const std::filesystem::path path = std::filesystem::path(dirs[i]).lexically_normal();
    names.push_back((path.has_filename() ? path : path.parent_path()).filename().string());
  }
  for (const std::vector<std::string>* labels : {&policies, &names})
    if (std::set<std::string>(labels->begin(), labels->end()).size() == labels->size())
      return *labels;
  return dirs;
}

}  // namespace heddle::report
