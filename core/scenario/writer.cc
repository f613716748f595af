#include "core/scenario/writer.h"

#include "common/text.h"
#include "core/scenario/quantity_text.h"

namespace heddle {
namespace {

/// `{a: 1, b: 2}` or, without braces, its inside, one word after the other.
class Flow {
 public:
  void add(const std::string& key, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + key + ": " + value;
  }
  std::string map() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

/// A valid name, quoted where YAML would take it for nothing.
std::string name_text(const std::string& name) {
  const bool null = name == "null" || name == "Null" || name == "NULL";
  return null ? "\"" + name + "\"" : name;
}

/// Any text, in one line.
std::string quoted(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string flag_text(bool value) { return value ? "true" : "false"; }

std::string factor_text(const std::optional<double>& factor) {
  return factor ? print_fraction(*factor) : "auto";
}

std::string resources_text(const Resources& resources) {
  Flow flow;
  flow.add("cores", print_cores(resources.cores));
  flow.add("memory", print_bytes(resources.memory));
  return flow.map();
}

std::string time_text(double microseconds) {
  return print_duration(EmuTime(static_cast<std::int64_t>(microseconds)));
}

std::string byte_text(double bytes) {
  return print_bytes(EmuBytes(static_cast<std::int64_t>(bytes)));
}

std::string dist_text(Drawn::Dist dist) {
  switch (dist) {
    case Drawn::Dist::kConstant:
      return "constant";
    case Drawn::Dist::kUniform:
      return "uniform";
    case Drawn::Dist::kNormal:
      return "normal";
    case Drawn::Dist::kLognormal:
      return "lognormal";
    case Drawn::Dist::kExponential:
      return "exponential";
  }
  return "";
}

std::string drawn_text(const Drawn& drawn, std::string (*print)(double)) {
  if (drawn.dist == Drawn::Dist::kConstant) return print(drawn.mean);
  Flow flow;
  flow.add("dist", dist_text(drawn.dist));
  flow.add("mean", print(drawn.mean));
  if (drawn.dist != Drawn::Dist::kExponential) flow.add("cv", print_fraction(drawn.cv));
  return flow.map();
}

std::string memory_text(const std::vector<std::pair<double, Drawn>>& memory) {
  if (memory.size() == 1 && memory[0].first == 0) return drawn_text(memory[0].second, &byte_text);
  std::vector<std::string> corners;
  for (const auto& [progress, use] : memory)
    corners.push_back("[" + print_fraction(progress) + ", " + drawn_text(use, &byte_text) + "]");
  return "[" + join(corners) + "]";
}

/// [a, b] of names.
std::string names_text(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(name_text(name));
  return "[" + join(texts) + "]";
}

std::string kind_text(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kMap:
      return "map";
    case PhaseKind::kReduce:
      return "reduce";
    case PhaseKind::kCommand:
      return "command";
    case PhaseKind::kAm:
      break;  // it is the job's and not among its phases
  }
  return "";
}

std::string command_text(const std::vector<std::string>& command) {
  std::vector<std::string> texts;
  for (const std::string& argument : command) texts.push_back(quoted(argument));
  return "[" + join(texts) + "]";
}

std::string phase_text(const PhaseSpec& phase, const std::vector<PhaseSpec>& phases,
                       const std::vector<NodeSpec>& nodes) {
  Flow flow;
  flow.add("name", name_text(phase.name));
  flow.add("kind", kind_text(phase.kind));
  if (!phase.after.empty()) {
    std::vector<std::string> names;
    for (int index : phase.after) names.push_back(phases[static_cast<std::size_t>(index)].name);
    flow.add("after", names_text(names));
  }
  flow.add("tasks", std::to_string(phase.tasks));
  flow.add("request", resources_text(phase.request));
  flow.add("gang", flag_text(phase.gang));
  if (!phase.command.empty()) flow.add("command", command_text(phase.command));
  flow.add("cpu", drawn_text(phase.cpu, &time_text));
  if (phase.threads) flow.add("threads", std::to_string(*phase.threads));
  flow.add("sleep", drawn_text(phase.sleep, &time_text));
  if (!phase.memory.empty()) flow.add("memory", memory_text(phase.memory));
  if (!phase.prefer.empty()) {
    std::vector<std::string> names;
    for (NodeId node : phase.prefer)
      names.push_back(nodes[static_cast<std::size_t>(node.value)].name);
    flow.add("prefer", names_text(names));
  }
  return flow.map();
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
  // Words without effect yet stand only where they say something: they cause warnings.
  if (node.disk_bytes_per_s > 0) flow.add("disk", print_byte_rate(node.disk_bytes_per_s));
  if (node.network_bits_per_s > 0) flow.add("network", print_bit_rate(node.network_bits_per_s));
  return flow.map();
}

std::string real_bytes(real::Bytes bytes) { return print_bytes(EmuBytes(bytes.count())); }

std::string emulation_text(const EmulationSpec& emulation) {
  std::string text = "emulation:\n";
  auto line = [&](const std::string& key, const std::string& value) {
    text += "  " + key + ": " + value + "\n";
  };
  line("time_scale", factor_text(emulation.time_scale));
  line("core_fraction", factor_text(emulation.core_fraction));
  line("memory_scale", factor_text(emulation.memory_scale));
  if (emulation.data_scale) line("data_scale", factor_text(emulation.data_scale));
  line("cpu_limit", emulation.cpu_limit == CpuLimit::kStrict ? "strict" : "shares");
  line("pacing", emulation.pacing == Pacing::kLine ? "line" : "none");
  line("swap", flag_text(emulation.swap));
  line("overhead", real_bytes(emulation.overhead));
  Flow reserve;
  reserve.add("cpu", print_fraction(emulation.control_reserve_cpu));
  reserve.add("memory", real_bytes(emulation.control_reserve_memory));
  line("control_reserve", reserve.map());
  line("suspend_with", emulation.suspend_with == SuspendWith::kSignal ? "signal" : "freezer");
  return text;
}

std::string cluster_text(const ClusterSpec& cluster) {
  std::string text = "cluster:\n";
  text += "  heartbeat: " + print_duration(cluster.heartbeat) + "\n";
  text += std::string("  dispatch: ") +
          (cluster.dispatch == Dispatch::kHeartbeat ? "heartbeat" : "immediate") + "\n";
  text += "  node_timeout: " + print_duration(cluster.node_timeout) + "\n";
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
  flow.add("saturation", simulation.saturation == Saturation::kKernel ? "kernel" : "all");
  return "simulation: " + flow.map() + "\n";
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

std::string policy_text(const PolicySpec& policy) {
  Flow flow;
  flow.add("preset", policy.preset);
  for (const auto& [key, value] : policy.options) flow.add(key, value);
  return "policy: " + flow.map() + "\n";
}

std::string job_text(const JobSpec& job, const std::vector<NodeSpec>& nodes) {
  std::string text = "  - name: " + name_text(job.name) + "\n";
  auto line = [&](const std::string& key, const std::string& value) {
    text += "    " + key + ": " + value + "\n";
  };
  line("submit", print_duration(job.submit));
  line("queue", name_text(job.queue));
  if (job.user != JobSpec{}.user) line("user", name_text(job.user));
  line("priority", std::to_string(job.priority));
  if (job.weight != JobSpec{}.weight) line("weight", print_fraction(job.weight));
  line("max_attempts", std::to_string(job.max_attempts));
  if (job.has_am()) line("application_master", resources_text(job.phases.front().request));
  if (job.max_am_attempts != JobSpec{}.max_am_attempts)
    line("max_am_attempts", std::to_string(job.max_am_attempts));
  if (job.framework == Framework::kSpark) line("framework", "spark");
  return text + "    phases:\n" + write_phases(job.phases, "      ", nodes);
}

}  // namespace

std::string write_phases(const std::vector<PhaseSpec>& phases, const std::string& indent,
                         const std::vector<NodeSpec>& nodes) {
  std::string text;
  for (const PhaseSpec& phase : phases)
    if (phase.kind != PhaseKind::kAm)
      text += indent + "- " + phase_text(phase, phases, nodes) + "\n";
  return text;
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
  text += policy_text(scenario.policy);
  text += "queues:\n";
  for (const QueueSpec& queue : scenario.queues) text += "  - " + queue_text(queue) + "\n";
  text += "jobs:\n";
  for (const JobSpec& job : scenario.jobs) text += job_text(job, scenario.cluster.nodes);
  return text;
}

}  // namespace heddle
