// Lines of a trace as JSON: the header with the run's settings, and the jobs.

#include "core/scenario/words.h"
#include "trace/plain_json.h"
#include "trace/trace.h"
#include "wire/values.h"
#include "yaml/conditions.h"
#include "yaml/sections.h"

namespace heddle::trace {
namespace {

using wire::Json;
using wire::resources_json;

Json seconds_or_null(std::optional<EmuTime> time) {
  return time ? Json(to_seconds(*time)) : Json();
}

Json cluster_json(const ClusterSpec& cluster) {
  Json json = plain_json(cluster_keys(), &cluster, cluster.resources);
  json["nodes"] = Json::array();
  for (const NodeSpec& node : cluster.nodes)
    json["nodes"].push_back(plain_json(node_keys(), &node, cluster.resources));
  return json;
}

Json policy_json(const PolicySpec& policy) {
  Json options = Json::object();
  for (const auto& [name, value] : policy.options) options[name] = value;
  return {{"preset", policy.preset}, {"options", std::move(options)}};
}

Json queues_json(const Scenario& scenario) {
  Json list = Json::array();
  for (const QueueSpec& queue : scenario.queues)
    list.push_back(plain_json(queue_keys(), &queue, scenario.cluster.resources));
  return list;
}

Json names_json(const std::vector<NodeId>& nodes, const ClusterSpec& cluster) {
  Json names = Json::array();
  for (const NodeId node : nodes) names.push_back(cluster.nodes[node.value].name);
  return names;
}

Json loads_json(const Scenario& scenario) {
  Json list = Json::array();
  for (const ExternalLoadSpec& load : scenario.external_load) {
    Json json = plain_json(external_load_keys(), &load);
    json["nodes"] = names_json(load.nodes, scenario.cluster);
    list.push_back(std::move(json));
  }
  return list;
}

Json partitions_json(const Scenario& scenario) {
  Json list = Json::array();
  for (const PartitionSpec& partition : scenario.partitions) {
    const WrittenPartition written{partition, {}};
    Json json = plain_json(partition_keys(), &written);
    json["nodes"] = names_json(partition.nodes, scenario.cluster);
    list.push_back(std::move(json));
  }
  return list;
}

Json reservations_json(const Scenario& scenario) {
  Json list = Json::array();
  for (const ReservationSpec& reservation : scenario.reservations) {
    const WrittenReservation written{reservation, {}, {}, {}};
    Json json = plain_json(reservation_keys(), &written);
    json["nodes"] = names_json(reservation.nodes, scenario.cluster);
    list.push_back(std::move(json));
  }
  return list;
}

Json qos_json(const Scenario& scenario) {
  Json list = Json::array();
  for (const QosSpec& qos : scenario.qos) list.push_back(plain_json(qos_keys(), &qos));
  return list;
}

Json phase_json(const PhaseSpec& phase, const std::vector<PhaseSpec>& phases,
                const CountNames& counted) {
  Json after = Json::array();
  for (int index : phase.after) after.push_back(phases[index].name);
  Json json{{"name", phase.name},
            {"kind", word_of(phase.kind)},
            {"after", std::move(after)},
            {"tasks", phase.tasks},
            {"request", resources_json(phase.request, counted)},
            {"gang", phase.gang},
            {"start_spread_s", to_seconds(phase.start_spread)}};
  for (const LabelRule& rule : phase.where) {
    if (names_partition(rule.label)) continue;  // the job names its partition
    const Where one{rule};
    json["where"].push_back(phase_keys().find("where")->form->plain(&one));
  }
  return json;
}

}  // namespace

wire::Json trace_header(const Scenario& scenario, const std::string& mode) {
  const auto part = [&](const char* key) {
    return plain_json(*scenario_keys().find(key)->map, &scenario);
  };
  Json header{{"heddle_trace", kTraceVersion},
              {"scenario", scenario.name},
              {"mode", mode.empty() ? Json() : Json(mode)},
              {"seed", scenario.seed},
              {"policy", policy_json(scenario.policy)},
              {"cluster", cluster_json(scenario.cluster)},
              {"emulation", part("emulation")},
              {"simulation", part("simulation")},
              {"queues", queues_json(scenario)},
              {"external_load", loads_json(scenario)}};
  if (!scenario.partitions.empty()) header["partitions"] = partitions_json(scenario);
  if (!scenario.qos.empty()) header["qos"] = qos_json(scenario);
  if (!scenario.reservations.empty()) header["reservations"] = reservations_json(scenario);
  return header;
}

wire::Json TraceBuilder::job_json(JobId id) const {
  const Job& of = jobs_[id.value];
  const JobSpec& spec = scenario_.jobs[id.value];
  Json phases = Json::array();
  for (const PhaseSpec& phase : spec.phases)
    phases.push_back(phase_json(phase, spec.phases, scenario_.cluster.resources));
  const bool completed = of.state == "completed";
  const std::string state = !of.state.empty() ? of.state : of.start ? "running" : "pending";
  Json json = plain_json(job_keys(), &spec);
  json["id"] = id.value;
  if (!spec.after.empty()) json["after_jobs"] = conditions_cell(spec, scenario_.jobs);
  json["finish_s"] = seconds_or_null(completed && of.last_end ? of.last_end : of.finished);
  json["state"] = state;
  json["phases"] = std::move(phases);
  json["containers"] = of.gone;
  return json;
}

wire::Json TraceBuilder::container_json(ContainerId id, const Container& container) const {
  return {{"id", id.value},
          {"phase", phase(container.phase).name},
          {"task", container.task},
          {"attempt", container.attempt},
          {"node", scenario_.cluster.nodes[container.node.value].name},
          {"outcome", nullptr},
          {"allocated_s", to_seconds(container.allocated)},
          {"start_s", seconds_or_null(container.started)},
          {"begin_s", seconds_or_null(container.begun ? container.begun : container.started)},
          {"finish_s", nullptr},
          {"requested", resources_json(container.held, scenario_.cluster.resources)}};
}

}  // namespace heddle::trace
