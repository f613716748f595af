#include "report/timeline/timeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/policy/own_options.h"
#include "core/scenario/words.h"
#include "report/timeline/counters.h"
#include "report/timeline/lanes.h"
#include "report/timeline/layout.h"
#include "report/whole_file.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;
using Kind = TimelineKind;

constexpr int kCluster = 1, kJobs = 2, kFirstNode = 3;
constexpr int kDecisions = 1;  ///< thread of the decisions, in the cluster's process
/// Limits for the size of the file. A point of a counter takes about 80 bytes, and a container
/// about 500 bytes.
constexpr std::size_t kMostCurvePoints = 200'000;
constexpr std::int64_t kMostSamples = 500'000;
/// Maximum number of reasons shown for the decisions of one time.
constexpr std::size_t kMostReasons = 5;

/// Name of a counter's track: the event's name and the series.
struct CounterName {
  const char *event, *series;
};
constexpr CounterName kNames[kCounters] = {
    {"cores", "allocated"},      {"cores", "used"},         {"memory (MiB)", "allocated"},
    {"memory (MiB)", "used"},    {"containers", "running"}, {"cores", "outside"},
    {"memory (MiB)", "outside"}, {"jobs", "waiting"},       {"jobs", "running"}};

/// Returns a thread id that is unique in the file, because some readers assume unique ids.
std::int64_t thread_of(int process, int lane) { return std::int64_t{process} * 10'000 + lane; }

int process_of(NodeId node) { return kFirstNode + static_cast<int>(node.value); }

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string size_of(const Resources& size) {
  return fmt::format("{:g} cores, {:g} GiB", static_cast<double>(size.cores.count()) / 1e3,
                     static_cast<double>(size.memory.count()) / (1 << 30));
}

double mib(EmuBytes bytes) { return wire::rounded(static_cast<double>(bytes.count()) / (1 << 20)); }

class Timeline {
 public:
  Timeline(const RunHistory& history, std::ostream& out)
      : history_(history), out_(out), layout_(lay_out(history)) {}

  Result<void> count(const std::string& dir) {
    const ClusterSpec& cluster = history_.scenario.cluster;
    CounterTable table;
    count_history(history_, table);
    const std::int64_t nodes = std::ssize(cluster.nodes);
    const std::int64_t beats =
        history_.end.count() / std::max<std::int64_t>(cluster.heartbeat.count(), 1);
    const EmuTime resolution(
        beats * nodes > kMostSamples ? history_.end.count() / kMostSamples * nodes : 0);
    UseCounters use(cluster.nodes.size(), history_.nodes, resolution, table);
    HEDDLE_TRY(each_sample(
        dir, history_.scenario, [&](const UsageSample& sample) { use.take(sample); }, false));
    use.finish();
    points_ = table.points(kMostCurvePoints);
    for (std::size_t i = 0; i < points_.size(); ++i)
      layout_.entries.push_back({{points_[i].at, points_[i].at}, Kind::kCounter, i});
    return {};
  }

  void write() {
    std::sort(layout_.entries.begin(), layout_.entries.end(),
              [](const TimelineEntry& a, const TimelineEntry& b) { return a.key() < b.key(); });
    out_ << "{\"traceEvents\":[\n";
    name_processes();
    for (const TimelineEntry& entry : layout_.entries) add(entry);
    const Json about = {{"scenario", history_.scenario.name},
                        {"policy", policy_label(history_.scenario.policy)},
                        {"mode", history_.summary.at("mode")},
                        {"seed", history_.scenario.seed},
                        {"time", "emulated microseconds"}};
    out_ << "\n],\"displayTimeUnit\":\"ms\",\"otherData\":" << text_of(about) << "}\n";
  }

 private:
  void put(const std::string& event) {
    out_ << (begun_ ? ",\n" : "") << event;
    begun_ = true;
  }

  void name(const char* what, int process, std::int64_t thread, const Json& value) {
    Json json = {{"ph", "M"}, {"name", what}, {"pid", process}};
    if (thread > 0) json["tid"] = thread;
    const bool sort = std::string_view(what).ends_with("_index");
    json["args"] = {{sort ? "sort_index" : "name", value}};
    put(text_of(json));
  }

  void name_process(int process, const std::string& called) {
    name("process_name", process, 0, called);
    name("process_sort_index", process, 0, process);
  }

  void name_lane(int process, int lane, const std::string& called) {
    name("thread_name", process, thread_of(process, lane), called);
    name("thread_sort_index", process, thread_of(process, lane), lane);
  }

  void name_processes() {
    const std::vector<NodeSpec>& nodes = history_.scenario.cluster.nodes;
    name_process(kCluster, fmt::format("cluster ({} nodes: {})", nodes.size(),
                                       size_of(history_.scenario.cluster.capacity())));
    name_lane(kCluster, kDecisions, "decisions");
    name_process(kJobs, fmt::format("jobs ({})", history_.scenario.jobs.size()));
    int job_lanes = 0;
    for (int lane : layout_.job_lanes) job_lanes = std::max(job_lanes, lane);
    for (int lane = 1; lane <= job_lanes; ++lane)
      name_lane(kJobs, lane, fmt::format("jobs {}", lane));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const int process = kFirstNode + static_cast<int>(i);
      name_process(process, nodes[i].name + " (" + size_of(nodes[i].capacity) + ")");
      int lane = 0;
      for (int n = 0; n < layout_.fault_lanes[i]; ++n) name_lane(process, ++lane, "faults");
      for (int n = 0; n < layout_.reserved_lanes[i]; ++n) name_lane(process, ++lane, "reserved");
      for (int n = 0; n < layout_.container_lanes[i]; ++n)
        name_lane(process, ++lane, fmt::format("lane {}", n + 1));
    }
  }

  void add(const TimelineEntry& entry) {
    switch (entry.kind) {
      case Kind::kJob:
        return put_job(entry);
      case Kind::kWaiting:
        return put_slice("waiting", "waiting", kJobs, layout_.job_lanes[entry.index], entry.when);
      case Kind::kDecision:
        return put_decision(entry);
      case Kind::kFault:
        return put_fault(entry);
      case Kind::kReservation:
        return put_reservation(entry);
      case Kind::kContainer:
        return put_container(entry);
      case Kind::kPart:
        return put_part(entry);
      case Kind::kFlow:
      case Kind::kFlowEnd:
        return put_flow(entry);
      case Kind::kKill:
        return put_kill(entry);
      case Kind::kLoss:
        return put_loss(entry);
      case Kind::kStrike:
        return put_strike(entry);
      case Kind::kResumption:
        return put_instant("resumed", kCluster, entry.when.from,
                           {{"downtime_s", history_.resumptions[entry.index].downtime_s}});
      case Kind::kCounter:
        return put_counter(points_[entry.index]);
    }
  }

  void put_slice(const std::string& called, const std::string& category, int process, int lane,
                 const Stretch& when, const Json& args = nullptr) {
    Json json = {{"ph", "X"},
                 {"name", called},
                 {"cat", category},
                 {"pid", process},
                 {"tid", thread_of(process, lane)},
                 {"ts", when.from.count()},
                 {"dur", (when.until - when.from).count()}};
    if (!args.is_null()) json["args"] = args;
    put(text_of(json));
  }

  void put_instant(const std::string& called, int process, EmuTime at, const Json& args) {
    put(text_of({{"ph", "i"},
                 {"name", called},
                 {"cat", "fault"},
                 {"pid", process},
                 {"tid", 0},
                 {"ts", at.count()},
                 {"s", "p"},
                 {"args", args}}));
  }

  void put_job(const TimelineEntry& entry) {
    const Json& job = history_.summary.at("jobs").at(layout_.jobs[entry.index]);
    Json args = Json::object();
    for (const auto& [key, value] : job.items())
      if (!value.is_null() && key != "name") args[key] = value;
    put_slice(job.at("name").get<std::string>(), "job", kJobs, layout_.job_lanes[entry.index],
              entry.when, args);
  }

  std::string task_name(const PhaseId& phase, int task) const {
    return fmt::format("{}/{} {}", history_.job(phase.job).name, history_.phase(phase).name, task);
  }

  void put_decision(const TimelineEntry& entry) {
    const std::vector<const DecisionRow*>& rows =
        layout_.decisions.at(layout_.moments[entry.index]);
    std::map<std::string, int> counts;
    std::vector<std::string> reasons;
    for (const DecisionRow* row : rows) {
      ++counts[row->line.at("type").get<std::string>()];
      const auto reason = row->line.find("reason");
      if (reason == row->line.end() || !reason->is_string() || reasons.size() >= kMostReasons)
        continue;
      const std::string& text = reason->get_ref<const std::string&>();
      if (!text.empty() && std::find(reasons.begin(), reasons.end(), text) == reasons.end())
        reasons.push_back(text);
    }
    std::string called;
    for (const auto& [type, count] : counts) {
      called += called.empty() ? "" : ", ";
      called += count > 1 ? fmt::format("{} {}", count, type) : type;
    }
    Json args = {{"step", rows.front()->step}};
    if (!reasons.empty()) args["reasons"] = reasons;
    put_slice(called, "decision", kCluster, kDecisions, entry.when, args);
  }

  void put_fault(const TimelineEntry& entry) {
    const LastingFault& fault = layout_.faults[entry.index];
    put_slice(std::string(word_of(fault.row->kind)), "fault", process_of(fault.node),
              layout_.fault_lane[entry.index], entry.when, {{"number", fault.row->number}});
  }

  void put_strike(const TimelineEntry& entry) {
    const FaultRow& row = history_.faults[entry.index];
    put_instant(std::string(word_of(row.kind)), row.node ? process_of(*row.node) : kCluster,
                entry.when.from, {{"number", row.number}});
  }

  void put_reservation(const TimelineEntry& entry) {
    const ReservationRow& row = history_.reservations[entry.index];
    put_slice(
        "reserved for " + history_.job(row.phase.job).name + "/" + history_.phase(row.phase).name,
        "reservation", process_of(row.node), layout_.reservation_lane[entry.index], entry.when,
        {{"moved", row.moved}});
  }

  void put_container(const TimelineEntry& entry) {
    const AttemptRow& row = history_.attempts[entry.index];
    std::string called = task_name(row.phase, row.task);
    if (row.attempt > 1) called += fmt::format(" attempt {}", row.attempt);
    if (!row.started) called += " not started";
    const std::string outcome(row.end ? wire::name_of(row.end->outcome) : "running");
    put_slice(called, outcome, process_of(row.node), layout_.attempt_lane[entry.index], entry.when,
              container_args(row, outcome));
  }

  Json container_args(const AttemptRow& row, const std::string& outcome) const {
    Json args = {{"job", history_.job(row.phase.job).name},
                 {"phase", history_.phase(row.phase).name},
                 {"task", row.task},
                 {"attempt", row.attempt},
                 {"container", row.container.value},
                 {"outcome", outcome},
                 {"cores", static_cast<double>(row.held.cores.count()) / 1e3},
                 {"memory_mib", mib(row.held.memory)}};
    const CountNames& counted = history_.scenario.cluster.resources;
    for (std::size_t i = 0; i < counted.size(); ++i)
      args[counted[i].name] = static_cast<double>(row.held.counts[i].count()) / 1e3;
    if (row.end) {
      args["peak_mib"] = mib(row.end->usage.peak_memory);
      args["cpu_s"] = to_core_seconds(row.end->usage.cpu);
      if (!row.end->reason.empty()) args["reason"] = row.end->reason;
    }
    if (!row.reason.empty()) args["decision"] = row.reason;
    if (row.locality != Locality::kAny)
      args["locality"] = wire::kLocalities[static_cast<std::size_t>(row.locality)];
    if (row.launch_ms) args["launch_ms"] = wire::rounded(*row.launch_ms);
    return args;
  }

  void put_part(const TimelineEntry& entry) {
    const AttemptRow& row = history_.attempts[entry.index];
    const LanePart part = parts_of(row, history_.end)[entry.part];
    const char* called = part.kind == LanePart::Kind::kSuspended ? "suspended"
                         : part.kind == LanePart::Kind::kKept    ? "ended, held for its job"
                                                                 : "reading inputs";
    put_slice(called, called, process_of(row.node), layout_.attempt_lane[entry.index], entry.when);
  }

  void put_flow(const TimelineEntry& entry) {
    const AttemptRow& row = history_.attempts[entry.index];
    const bool end = entry.kind == Kind::kFlowEnd;
    const int process = end ? process_of(row.node) : kCluster;
    put(fmt::format(
        R"({{"ph":"{}","name":"launch","cat":"launch","id":{},"pid":{},"tid":{},"ts":{}{}}})",
        end ? 'f' : 's', row.container.value, process,
        thread_of(process, end ? layout_.attempt_lane[entry.index] : kDecisions),
        entry.when.from.count(), end ? R"(,"bp":"e")" : ""));
  }

  void put_kill(const TimelineEntry& entry) {
    const AttemptRow& row = history_.attempts[entry.index];
    put_instant("killed for lack of memory", process_of(row.node), entry.when.from,
                {{"task", task_name(row.phase, row.task)},
                 {"attempt", row.attempt},
                 {"container", row.container.value},
                 {"limit_of", wire::name_of(row.end->oom)},
                 {"peak_mib", mib(row.end->usage.peak_memory)}});
  }

  void put_loss(const TimelineEntry& entry) {
    const NodeRow& row = history_.nodes[entry.index];
    put_instant("node lost", process_of(row.node), entry.when.from, {{"reason", row.reason}});
  }

  void put_counter(const CounterPoint& point) {
    const CounterName& called = kNames[static_cast<std::size_t>(point.track.counter)];
    const int process = point.track.process == 0 ? kCluster : kFirstNode + point.track.process - 1;
    put(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"{}":{}}}}})", called.event,
                    process, point.at.count(), called.series, point.value));
  }

  const RunHistory& history_;
  std::ostream& out_;
  TimelineLayout layout_;
  std::vector<CounterPoint> points_;
  bool begun_ = false;
};

}  // namespace

Result<void> write_timeline(const RunHistory& history, const std::string& dir,
                            const std::string& path) {
  return write_whole(path, [&](std::ostream& out) {
    Timeline timeline(history, out);
    Result<void> counted = timeline.count(dir);
    if (counted) timeline.write();
    return counted;
  });
}

}  // namespace heddle::report
