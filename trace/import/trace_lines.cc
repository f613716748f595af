#include "trace/import/trace_lines.h"

#include <algorithm>
#include <cmath>

#include "core/policy/registry.h"
#include "core/scenario/words.h"
#include "trace/import/formats.h"
#include "trace/plain_json.h"
#include "trace/trace.h"
#include "wire/values.h"
#include "yaml/sections.h"

namespace heddle::trace {
namespace {

using wire::BadField;
using wire::Fields;
using wire::Json;
using wire::kMaxInteger;
using wire::kMaxSeconds;

constexpr std::size_t kMostNodes = 20'000, kMostQueues = 1000, kMostLoads = 1000;
constexpr std::size_t kMostAttempts = 4'000'000;
constexpr std::int64_t kMostTasks = 1'000'000;
/// Maximum number of corners in traces, which other tools can also write. If usage has more corners
/// than a scenario allows, it is simplified.
constexpr std::size_t kMostTraceCorners = 10'000;

EmuTime seconds_field(const Fields& fields, const char* key) {
  return emu_seconds(fields.number(key, 0, kMaxSeconds));
}

/// Reads the objects of a list, each with its path.
template <class Read>
void each_object(const Fields& fields, const char* key, std::size_t most, const Read& read) {
  const std::vector<Json>& items = fields.array(key, most);
  for (std::size_t i = 0; i < items.size(); ++i)
    read(items[i], Fields(items[i], fields.path(key) + "[" + std::to_string(i) + "]"));
}

bool is_null(const Json& json, const char* key) {
  auto it = json.find(key);
  return it != json.end() && it->is_null();
}

void read_cluster(const Json& json, const Fields& fields, ClusterSpec& cluster) {
  read_plain(cluster_keys(), json, fields, &cluster);
  // `unit` has the resources that are known now.
  if (!cluster.resources.empty())
    read_plain(cluster_keys(), json, fields, &cluster, cluster.resources);
  each_object(fields, "nodes", kMostNodes, [&](const Json& object, const Fields& node) {
    NodeSpec& spec = cluster.nodes.emplace_back();
    read_plain(node_keys(), object, node, &spec, cluster.resources);
    for (Resources* of : {&spec.capacity, &spec.allowance}) *of = on_node(*of, cluster.resources);
  });
  if (cluster.nodes.empty()) fields.bad("nodes", "at least one");
}

void read_policy(const Json& json, const Fields& fields, PolicySpec& policy) {
  auto set = [&](const char* where, const std::string& key, const std::string& value) {
    Result<void> done = set_policy_key(policy, key, value);
    if (!done) throw BadField{fields.path(where) + ": " + done.error().text};
  };
  set("preset", "preset", fields.text("preset"));
  const Fields options = fields.object("options");
  for (const auto& option : json["options"].items())
    set("options", option.key(), options.text(option.key().c_str()));
}

std::vector<NodeId> nodes_from(const Fields& fields, const ClusterSpec& cluster) {
  std::vector<NodeId> nodes;
  for (const Json& name : fields.array("nodes", kMostNodes)) {
    auto node = std::ranges::find_if(cluster.nodes, [&](auto& one) { return name == one.name; });
    if (node == cluster.nodes.end()) fields.bad("nodes", "names of nodes of the cluster");
    nodes.push_back(NodeId{node - cluster.nodes.begin()});
  }
  return nodes;
}

ExternalLoadSpec load_from(const Json& json, const Fields& fields, const ClusterSpec& cluster) {
  ExternalLoadSpec load;
  load.nodes = nodes_from(fields, cluster);
  read_plain(external_load_keys(), json, fields, &load);
  return load;
}

int index_of(const std::string& name, const std::vector<std::string>& phases, const Fields& fields,
             const char* key) {
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (phases[i] == name) return static_cast<int>(i);
  fields.bad(key, "the name of a phase of this job, not \"" + name + "\"");
}

/// `phases`: the names of all phases of the job, because a phase can come after a later one.
PhaseSpec phase_from(const Fields& fields, const std::vector<std::string>& phases,
                     const CountNames& counted) {
  PhaseSpec phase;
  phase.name = fields.name("name");
  phase.kind = static_cast<PhaseKind>(fields.word("kind", kWords<PhaseKind>));
  for (const Json& name : fields.array("after", kMostPhases)) {
    if (!name.is_string()) fields.bad("after", "names of phases");
    phase.after.push_back(index_of(name.get<std::string>(), phases, fields, "after"));
  }
  phase.tasks = static_cast<int>(fields.integer("tasks", 1, kMostTasks));
  phase.request = wire::resources_from(fields.object("request"), counted);
  phase.gang = fields.flag("gang");
  phase.start_spread = seconds_field(fields, "start_spread_s");
  if (fields.has("where"))
    for (const Json& rule : fields.array("where", kMostPhases)) {
      PhaseSpec one;
      const Form& form = *phase_keys().find("where")->form;
      if (!rule.is_string() || !form.read_plain(rule.get<std::string>(), &one.where))
        fields.bad("where", "rules such as \"model=V100|A100\" or \"!model=T4\"");
      phase.where.insert(phase.where.end(), one.where.begin(), one.where.end());
    }
  return phase;
}

/// Reads corners [s, cores, memory, …], ascending, the first at 0, the last at the end.
void read_usage(const Fields& fields, TraceAttempt& attempt) {
  constexpr const char* kExpected =
      "corners [s, cores, memory, …], ascending, the first at 0 and the last at the end";
  const std::vector<Json>& rows = fields.array("usage", kMostTraceCorners);
  EmuTime last(-1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    const bool end = i + 1 == rows.size();
    if (!row.is_array() || row.size() < 3) fields.bad("usage", kExpected);
    for (const Json& cell : row)
      if (!cell.is_number() || !(cell.get<double>() >= 0 && cell.get<double>() <= 1e18))
        fields.bad("usage", kExpected);
    if (row[0].get<double>() > kMaxSeconds) fields.bad("usage", kExpected);
    const EmuTime at = emu_seconds(row[0].get<double>());
    if (at <= last || (i == 0 && at != EmuTime(0))) fields.bad("usage", kExpected);
    last = at;
    const EmuBytes memory(std::llround(row[2].get<double>()));
    if (!end) {
      const double kept = row.size() > 5 ? std::min(row[5].get<double>(), 1.0) : 0;
      attempt.corners.push_back({at, row[1].get<double>(), memory, kept});
      continue;
    }
    attempt.end = at;
    attempt.last_memory = memory;
  }
  if (rows.size() == 1) fields.bad("usage", kExpected);
}

void read_attempt(const Json& json, const Fields& fields, const std::vector<std::string>& phases,
                  TraceJob& job) {
  TraceAttempt attempt;
  attempt.container = fields.integer("id", 0, kMaxInteger);
  attempt.phase = index_of(fields.text("phase"), phases, fields, "phase");
  const PhaseSpec& phase = job.spec.phases[attempt.phase];
  attempt.task = static_cast<int>(fields.integer("task", 0, phase.tasks - 1));
  attempt.node = fields.text("node");
  attempt.cores = wire::resources_from(fields.object("requested")).cores;
  attempt.completed = !is_null(json, "outcome") && fields.text("outcome") == "completed";
  read_usage(fields, attempt);
  if (phase.kind != PhaseKind::kAm && !attempt.corners.empty())
    job.attempts.push_back(std::move(attempt));
}

/// Reads partitions, reservations and qualities of service.
void read_site(const Json& line, Scenario& scenario) {
  const Fields fields(line, "trace");
  if (line.contains("partitions"))
    each_object(fields, "partitions", kMostLoads, [&](const Json& json, const Fields& partition) {
      WrittenPartition written;
      read_plain(partition_keys(), json, partition, &written);
      written.partition.nodes = nodes_from(partition, scenario.cluster);
      scenario.partitions.push_back(std::move(written.partition));
    });
  if (line.contains("reservations"))
    each_object(fields, "reservations", kMostLoads,
                [&](const Json& json, const Fields& reservation) {
                  WrittenReservation written;
                  read_plain(reservation_keys(), json, reservation, &written);
                  written.reservation.nodes = nodes_from(reservation, scenario.cluster);
                  scenario.reservations.push_back(std::move(written.reservation));
                });
  if (line.contains("qos"))
    each_object(fields, "qos", kMostLoads, [&](const Json& json, const Fields& qos) {
      read_plain(qos_keys(), json, qos, &scenario.qos.emplace_back());
    });
}

}  // namespace

void read_trace_header(const wire::Json& line, Scenario& scenario) {
  const Fields fields(line, "trace");
  const std::int64_t version = fields.integer("heddle_trace", 0, kMaxInteger);
  if (version != kTraceVersion)
    fields.bad("heddle_trace", std::to_string(kTraceVersion) +
                                   ", the version that this Heddle knows, not " +
                                   std::to_string(version));
  scenario.name = fields.name("scenario");
  scenario.seed = fields.unsigned_integer("seed");
  read_policy(line["policy"], fields.object("policy"), scenario.policy);
  read_cluster(line["cluster"], fields.object("cluster"), scenario.cluster);
  for (const char* part : {"emulation", "simulation"})
    read_plain(*scenario_keys().find(part)->map, line[part], fields.object(part), &scenario);
  // If a scenario does not set these factors, a simulation sets them to 1. A real run must choose
  // them itself, so they are left out here.
  if (!is_null(line, "mode") && fields.text("mode") == "simulated")
    for (auto* factor : {&scenario.emulation.core_fraction, &scenario.emulation.memory_scale,
                         &scenario.emulation.data_scale})
      if (*factor == 1.0) factor->reset();
  each_object(fields, "queues", kMostQueues, [&](const Json& json, const Fields& queue) {
    read_plain(queue_keys(), json, queue, &scenario.queues.emplace_back(),
               scenario.cluster.resources);
  });
  each_object(fields, "external_load", kMostLoads, [&](const Json& json, const Fields& load) {
    scenario.external_load.push_back(load_from(json, load, scenario.cluster));
  });
  read_site(line, scenario);
}

TraceJob read_trace_job(const wire::Json& line, const CountNames& counted) {
  const Fields fields(line, "job");
  TraceJob job;
  JobSpec& spec = job.spec;
  job.id = fields.integer("id", 0, kMaxInteger);
  read_plain(job_keys(), line, fields, &spec);
  if (line.contains("after_jobs")) {
    auto conditions = parse_conditions(fields.text("after_jobs"));
    if (!conditions) fields.bad("after_jobs", kConditionsForm);
    job.after = *std::move(conditions);
  }
  std::vector<std::string> phases;
  each_object(fields, "phases", kMostPhases,
              [&](const Json&, const Fields& phase) { phases.push_back(phase.name("name")); });
  each_object(fields, "phases", kMostPhases, [&](const Json&, const Fields& phase) {
    spec.phases.push_back(phase_from(phase, phases, counted));
  });
  each_object(fields, "containers", kMostAttempts, [&](const Json& json, const Fields& container) {
    read_attempt(json, container, phases, job);
  });
  return job;
}

}  // namespace heddle::trace
