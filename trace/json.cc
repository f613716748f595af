// Lines of a trace as JSON: the header with the run's settings, and the jobs.

#include "core/scenario/yaml/words.h"
#include "trace/trace.h"
#include "wire/values.h"

namespace heddle::trace {
namespace {

using wire::Json;
using wire::resources_json;

Json or_null(std::optional<double> value) { return value ? Json(*value) : Json(); }
Json seconds_or_null(std::optional<EmuTime> time) {
  return time ? Json(to_seconds(*time)) : Json();
}

Json node_json(const NodeSpec& node) {
  Json json = {{"name", node.name}};
  wire::put(json, node.capacity);
  json["allowance"] = resources_json(node.allowance);
  json["system"] = resources_json(node.system);
  json["speed"] = node.speed;
  json["rack"] = node.rack;
  json["disk"] = node.disk_bytes_per_s;
  json["network"] = node.network_bits_per_s;
  return json;
}

Json cluster_json(const ClusterSpec& cluster) {
  Json nodes = Json::array();
  for (const NodeSpec& node : cluster.nodes) nodes.push_back(node_json(node));
  Json json = {{"heartbeat_s", to_seconds(cluster.heartbeat)},
               {"dispatch", word_of(cluster.dispatch)},
               {"unit", resources_json(cluster.unit)},
               {"overcommit", cluster.overcommit},
               {"nodes", std::move(nodes)}};
  if (cluster.walltime_grace) json["walltime_grace_s"] = to_seconds(*cluster.walltime_grace);
  return json;
}

Json emulation_json(const EmulationSpec& emulation) {
  return {{"time_scale", or_null(emulation.time_scale)},
          {"core_fraction", or_null(emulation.core_fraction)},
          {"memory_scale", or_null(emulation.memory_scale)},
          {"cpu_limit", word_of(emulation.cpu_limit)},
          {"overhead", emulation.overhead.count()}};
}

Json simulation_json(const SimulationSpec& simulation) {
  auto seconds = [](real::Duration time) { return std::chrono::duration<double>(time).count(); };
  return {{"ideal", simulation.ideal},
          {"launch_delay_s", seconds(simulation.launch_delay)},
          {"message_delay_s", seconds(simulation.message_delay)},
          {"saturation", word_of(simulation.saturation)}};
}

Json policy_json(const PolicySpec& policy) {
  Json options = Json::object();
  for (const auto& [name, value] : policy.options) options[name] = value;
  return {{"preset", policy.preset}, {"options", std::move(options)}};
}

Json queues_json(const std::vector<QueueSpec>& queues) {
  Json list = Json::array();
  for (const QueueSpec& queue : queues)
    list.push_back({{"name", queue.name},
                    {"parent", queue.parent},
                    {"capacity", queue.capacity},
                    {"max_capacity", queue.max_capacity},
                    {"user_limit", queue.user_limit},
                    {"max_am_share", or_null(queue.max_am_share)},
                    {"weight", queue.weight},
                    {"min", resources_json(queue.min)}});
  return list;
}

Json loads_json(const Scenario& scenario) {
  Json list = Json::array();
  for (const ExternalLoadSpec& load : scenario.external_load) {
    Json nodes = Json::array();
    for (NodeId node : load.nodes) nodes.push_back(scenario.cluster.nodes[node.value].name);
    list.push_back({{"nodes", std::move(nodes)},
                    {"from_s", to_seconds(load.from)},
                    {"until_s", seconds_or_null(load.until)}});
    wire::put(list.back(), load.load);
  }
  return list;
}

Json phase_json(const PhaseSpec& phase, const std::vector<PhaseSpec>& phases) {
  Json after = Json::array();
  for (int index : phase.after) after.push_back(phases[index].name);
  return {{"name", phase.name},
          {"kind", word_of(phase.kind)},
          {"after", std::move(after)},
          {"tasks", phase.tasks},
          {"request", resources_json(phase.request)},
          {"gang", phase.gang},
          {"start_spread_s", to_seconds(phase.start_spread)}};
}

}  // namespace

wire::Json trace_header(const Scenario& scenario, const std::string& mode) {
  return {{"heddle_trace", kTraceVersion},
          {"scenario", scenario.name},
          {"mode", mode.empty() ? Json() : Json(mode)},
          {"seed", scenario.seed},
          {"policy", policy_json(scenario.policy)},
          {"cluster", cluster_json(scenario.cluster)},
          {"emulation", emulation_json(scenario.emulation)},
          {"simulation", simulation_json(scenario.simulation)},
          {"queues", queues_json(scenario.queues)},
          {"external_load", loads_json(scenario)}};
}

wire::Json TraceBuilder::job_json(JobId id) const {
  const Job& of = jobs_[id.value];
  const JobSpec& spec = scenario_.jobs[id.value];
  Json phases = Json::array();
  for (const PhaseSpec& phase : spec.phases) phases.push_back(phase_json(phase, spec.phases));
  const bool completed = of.state == "completed";
  const std::string state = !of.state.empty() ? of.state : of.start ? "running" : "pending";
  Json json = {{"id", id.value},
               {"name", spec.name},
               {"queue", spec.queue},
               {"user", spec.user},
               {"framework", word_of(spec.framework)},
               {"priority", spec.priority},
               {"weight", spec.weight},
               {"max_attempts", spec.max_attempts},
               {"submit_s", to_seconds(spec.submit)},
               {"finish_s", seconds_or_null(completed && of.last_end ? of.last_end : of.finished)},
               {"state", state},
               {"phases", std::move(phases)},
               {"containers", of.gone}};
  if (spec.walltime) json["walltime_s"] = to_seconds(*spec.walltime);
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
          {"requested", resources_json(container.held)}};
}

}  // namespace heddle::trace
