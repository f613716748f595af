#include "core/scenario/yaml/writer.h"

#include <algorithm>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "core/scenario/yaml/jobs_table.h"
#include "core/scenario/yaml/words.h"
#include "core/scenario/yaml/yaml_text.h"

namespace heddle {
namespace {

std::string factor_text(const std::optional<double>& factor) {
  return factor ? print_fraction(*factor) : "auto";
}

std::string node_text(const NodeSpec& node) {
  Flow flow;
  flow.add("name", name_text(node.name));
  flow.add("cores", print_cores(node.capacity.cores));
  flow.add("memory", print_bytes(node.capacity.memory));
  flow.add("allowance", resources_text(node.allowance));
  if (node.system != Resources{}) flow.add("system", resources_text(node.system));
  flow.add("speed", print_fraction(node.speed));
  if (node.rack != NodeSpec{}.rack) flow.add("rack", name_text(node.rack));
  flow.add("disk", print_byte_rate(node.disk_bytes_per_s));
  flow.add("network", print_bit_rate(node.network_bits_per_s));
  if (!node.host.empty()) flow.add("host", name_text(node.host));
  return flow.map();
}

std::string real_bytes(real::Bytes bytes) { return print_bytes(EmuBytes(bytes.count())); }

std::string emulation_text(const EmulationSpec& emulation) {
  std::string text = "emulation:\n";
  auto line = [&](const std::string& key, const std::string& value) {
    text += "  " + key + ": " + value + "\n";
  };
  auto word = [&](const std::string& key, auto value) { line(key, std::string(word_of(value))); };
  line("time_scale", factor_text(emulation.time_scale));
  line("core_fraction", factor_text(emulation.core_fraction));
  line("memory_scale", factor_text(emulation.memory_scale));
  if (emulation.data_scale) line("data_scale", factor_text(emulation.data_scale));
  word("cpu_limit", emulation.cpu_limit);
  word("pacing", emulation.pacing);
  line("swap", flag_text(emulation.swap));
  line("overhead", real_bytes(emulation.overhead));
  Flow reserve;
  reserve.add("cpu", print_fraction(emulation.control_reserve_cpu));
  reserve.add("memory", real_bytes(emulation.control_reserve_memory));
  line("control_reserve", reserve.map());
  word("suspend_with", emulation.suspend_with);
  if (emulation.node_use != NodeUseFrom::kGroups) word("node_use", emulation.node_use);
  if (emulation.oom_preference != OomPreference::kKernel)
    word("oom_preference", emulation.oom_preference);
  return text;
}

std::string cluster_text(const ClusterSpec& cluster) {
  std::string text = "cluster:\n";
  text += "  heartbeat: " + print_duration(cluster.heartbeat) + "\n";
  text += "  dispatch: " + std::string(word_of(cluster.dispatch)) + "\n";
  text += "  node_timeout: " + print_duration(cluster.node_timeout) + "\n";
  if (cluster.walltime_grace)
    text += "  walltime_grace: " + print_duration(*cluster.walltime_grace) + "\n";
  text += "  unit: " + resources_text(cluster.unit) + "\n";
  text += "  normalise: " + flag_text(cluster.normalise) + "\n";
  text += "  overcommit: " + flag_text(cluster.overcommit) + "\n";
  text += "  nodes:\n";
  for (const NodeSpec& node : cluster.nodes) text += "    - " + node_text(node) + "\n";
  return text;
}

std::string simulation_text(const SimulationSpec& simulation) {
  auto time = [](real::Duration duration) {
    return print_duration(
        EmuTime(std::chrono::duration_cast<std::chrono::microseconds>(duration).count()));
  };
  Flow flow;
  flow.add("ideal", flag_text(simulation.ideal));
  flow.add("launch_delay", time(simulation.launch_delay));
  flow.add("message_delay", time(simulation.message_delay));
  flow.add("saturation", std::string(word_of(simulation.saturation)));
  return "simulation: " + flow.map() + "\n";
}

std::string load_text(const ExternalLoadSpec& load, const std::vector<NodeSpec>& nodes) {
  Flow flow;
  flow.add("node", nodes_text(load.nodes, nodes));
  flow.add("from", print_duration(load.from));
  if (load.until) flow.add("until", print_duration(*load.until));
  flow.add("cores", print_cores(load.load.cores));
  flow.add("memory", print_bytes(load.load.memory));
  return flow.map();
}

/// Returns the fault as YAML. A key that is not written has its default when the text is read.
std::string fault_text(const FaultSpec& fault, const Scenario& scenario) {
  const FaultSpec plain;
  Flow flow;
  flow.add("fault", std::string(word_of(fault.kind)));
  if (!fault.nodes.empty()) flow.add("node", nodes_text(fault.nodes, scenario.cluster.nodes));
  const bool of_tasks = fault.kind == FaultKind::kCrashTask || fault.kind == FaultKind::kStraggle;
  if (!of_tasks) flow.add("at", print_duration(fault.at));
  if (fault.lasts) flow.add("for", print_duration(*fault.lasts));
  if (fault.restart_after) flow.add("restart_after", print_duration(*fault.restart_after));
  if (fault.kind == FaultKind::kSlowNode || fault.kind == FaultKind::kStraggle)
    flow.add("factor", print_fraction(fault.factor));
  if (fault.share != plain.share) flow.add("share", print_fraction(fault.share));
  if (fault.kind == FaultKind::kDelayHeartbeats) flow.add("delay", print_duration(fault.delay));
  if (fault.job) {
    const JobSpec& job = scenario.jobs[fault.job->value];
    flow.add("job", name_text(job.name));
    if (fault.phase) flow.add("phase", name_text(job.phases[*fault.phase].name));
    if (fault.task) flow.add("task", std::to_string(*fault.task));
  }
  if (of_tasks) flow.add("attempt", std::to_string(fault.attempt));
  if (fault.kind == FaultKind::kCrashTask) flow.add("progress", print_fraction(fault.progress));
  return flow.map();
}

std::string queue_text(const QueueSpec& queue) {
  Flow flow;
  flow.add("name", name_text(queue.name));
  if (!queue.parent.empty()) flow.add("parent", name_text(queue.parent));
  flow.add("capacity", print_fraction(queue.capacity));
  flow.add("max_capacity", print_fraction(queue.max_capacity));
  flow.add("user_limit", print_fraction(queue.user_limit));
  if (queue.max_am_share) flow.add("max_am_share", print_fraction(*queue.max_am_share));
  flow.add("weight", print_fraction(queue.weight));
  if (queue.min != Resources{}) flow.add("min", resources_text(queue.min));
  return flow.map();
}

std::string model_line(const std::string& model) {
  if (model.empty()) return "";
  std::string quoted;
  for (char c : model) quoted += c == '\'' ? "''" : std::string(1, c);
  return "remaining_model: '" + quoted + "'\n";
}

std::string external_text(const ExternalSpec& external) {
  Flow flow;
  if (!external.program.empty()) flow.add("program", quoted_text(external.program));
  if (!external.arguments.empty())
    flow.add("arguments", list_text(external.arguments, &quoted_text));
  if (!external.sha256.empty()) flow.add("sha256", quoted_text(external.sha256));
  if (!external.endpoint.empty()) flow.add("endpoint", quoted_text(external.endpoint));
  if (external.protocol != ExternalSpec().protocol)
    flow.add("protocol", std::string(word_of(external.protocol)));
  return flow.map();
}

std::string policy_line(const PolicySpec& policy) {
  Flow flow;
  flow.add("preset", policy.preset);
  for (const auto& [key, value] : policy.options) flow.add(key, value);
  if (policy.external) flow.add("external", external_text(*policy.external));
  return "policy: " + flow.map() + "\n";
}

}  // namespace

std::string name_text(const std::string& name) {
  const bool null = name == "null" || name == "Null" || name == "NULL";
  return null ? "\"" + name + "\"" : name;
}

std::string nodes_text(const std::vector<NodeId>& ids, const std::vector<NodeSpec>& nodes) {
  return list_text(ids, [&](NodeId id) { return name_text(nodes[id.value].name); });
}

std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x" + hexadecimal(byte, 2);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string flag_text(bool value) { return value ? "true" : "false"; }

std::string resources_text(const Resources& resources) {
  Flow flow;
  flow.add("cores", print_cores(resources.cores));
  flow.add("memory", print_bytes(resources.memory));
  return flow.map();
}

std::string write_scenario(const Scenario& scenario) {
  std::string text = "heddle: 1\nname: " + name_text(scenario.name) +
                     "\nseed: " + std::to_string(scenario.seed) + "\n";
  text += emulation_text(scenario.emulation);
  text += cluster_text(scenario.cluster);
  if (scenario.storage != StorageSpec{}) {
    Flow storage;
    storage.add("block_size", print_bytes(scenario.storage.block_size));
    storage.add("replicas", std::to_string(scenario.storage.replicas));
    text += "storage: " + storage.map() + "\n";
  }
  text += simulation_text(scenario.simulation);
  text += policy_line(scenario.policy) + model_line(scenario.remaining_model);
  text += "queues:\n";
  for (const QueueSpec& queue : scenario.queues) text += "  - " + queue_text(queue) + "\n";
  if (!scenario.external_load.empty()) text += "external_load:\n";
  for (const ExternalLoadSpec& load : scenario.external_load)
    text += "  - " + load_text(load, scenario.cluster.nodes) + "\n";
  if (!scenario.faults.empty()) text += "faults:\n";
  for (const FaultSpec& fault : scenario.faults)
    text += "  - " + fault_text(fault, scenario) + "\n";
  if (scenario.jobs.size() > kMostListedJobs &&
      std::ranges::all_of(scenario.jobs, [](const JobSpec& job) { return fits_table(job); }))
    return text + "jobs: {table: " + std::to_string(scenario.jobs.size()) + "}\n...\n" +
           write_jobs_table(scenario.jobs);
  return text + "jobs:\n" + write_jobs(scenario.jobs, scenario.cluster.nodes);
}

}  // namespace heddle
