#include "common/wire/codec.h"
#include "common/wire/values.h"
#include "core/scenario/words.h"

namespace heddle::wire {
namespace {

template <class Enum>
std::string_view spell(std::span<const std::string_view> words, Enum value) {
  return words[static_cast<std::size_t>(value)];
}

void add(JsonText& json, const std::vector<std::string>& texts) {
  json.open('[');
  for (const std::string& text : texts) json.add(text);
  json.close(']');
}

void add(JsonText& json, const std::vector<Report>& reports) {
  json.open('[');
  for (const Report& report : reports) {
    json.open('{').field("number", report.number).field("at", report.monotonic_ns);
    json.field("kind", spell(kReportKinds, report.kind));
    json.field("container", report.container.value).field("reason", report.reason);
    if (report.kind == ReportKind::kPartDone) json.field("part", report.part);
    if (report.kind == ReportKind::kInputLost)
      json.field("source", report.source).field("object", report.object);
    if (report.kind == ReportKind::kEnded) {
      json.field("outcome", spell(kOutcomes, report.outcome));
      json.field("oom", spell(kOomCauses, report.oom)).field("exit_code", report.exit_code);
      put(json, report.usage);
    }
    json.close('}');
  }
  json.close(']');
}

/// Adds a command's fields, what to do first.
struct CommandWriter {
  JsonText& json;

  void operator()(const LaunchCommand& c) const {
    of("launch", c.container).field("job", c.job).field("phase", c.phase);
    json.field("task", c.task).field("attempt", c.attempt);
    put(json, c.resources);
    add(json.key("work"), c.work);
    if (c.command.empty()) return;
    add(json.key("command"), c.command);
    json.field("output_limit", c.output_limit.count());
  }
  void operator()(const KillCommand& c) const { of("kill", c.container); }
  void operator()(const SuspendCommand& c) const { of("suspend", c.container); }
  void operator()(const ResumeCommand& c) const { of("resume", c.container); }
  void operator()(const InputsReadyCommand& c) const { of("inputs_ready", c.container); }
  void operator()(const FetchCommand& c) const {
    add(of("fetch", c.container).key("reads"), c.reads);
  }
  void operator()(const RunPartCommand& c) const {
    add(of("run_part", c.container).key("work"), c.part);
  }
  void operator()(const FinishCommand& c) const { of("finish", c.container); }
  void operator()(const ForgetCommand& c) const { json.field("do", "forget").field("job", c.job); }
  void operator()(const ExpectCommand& c) const {
    json.field("do", "expect").field("object", c.object).field("size", c.size);
    json.field("kept", c.kept).field("from", c.from.value);
  }
  void operator()(const ExternalLoadCommand& c) const {
    json.field("do", "external_load");
    put(json, c.load);
  }
  void operator()(const FaultCommand& c) const {
    json.field("do", "fault").field("kind", word_of(c.kind)).field("lasts_s", c.lasts);
    json.field("speed", c.conditions.speed).field("disk_full", c.conditions.disk_full);
    json.key("heartbeats").open('[');
    for (const BeatRule& rule : c.conditions.beats)
      json.row(word_of(rule.kind), rule.share, rule.delay, rule.key);
    json.close(']');
  }

 private:
  JsonText& of(const char* verb, ContainerId id) const {
    return json.field("do", verb).field("container", id.value);
  }
};

void add(JsonText& json, const std::vector<Command>& commands) {
  json.open('[');
  for (const Command& command : commands) {
    json.open('{');
    std::visit(CommandWriter{json}, command.what);
    json.field("number", command.number).close('}');
  }
  json.close(']');
}

void add(JsonText& json, const Resources& resources) {
  json.open('{');
  put(json, resources);
  json.close('}');
}

void add(JsonText& json, const NodeSpec& spec) {
  json.open('{').field("name", spec.name).field("speed", spec.speed).field("rack", spec.rack);
  add(json.key("capacity"), spec.capacity);
  add(json.key("allowance"), spec.allowance);
  add(json.key("system"), spec.system);
  json.field("disk", spec.disk_bytes_per_s).field("network", spec.network_bits_per_s).close('}');
}

/// Adds a message's fields but for its kind.
struct MessageWriter {
  JsonText& json;

  void operator()(const Hello& m) const {
    json.field("protocol", m.protocol).field("run", m.run).field("node", m.node);
    json.field("incarnation", m.incarnation).field("pid", m.pid).field("at", m.monotonic_ns);
    json.field("data", m.data).field("data_key", m.data_key).field("version", m.version);
    json.field("clock", m.clock).field("last_command", m.last_command);
    json.field("last_report", m.last_report);
    if (!m.host) return;
    json.key("host").open('{').field("name", m.host->name).field("cpus", m.host->cpus.value);
    json.field("memory", m.host->memory.count()).close('}');
  }
  void operator()(const Reports& m) const {
    json.field("incarnation", m.incarnation);
    add(json.key("reports"), m.reports);
  }
  void operator()(const Heartbeat& m) const {
    json.field("incarnation", m.incarnation).field("sequence", m.sequence);
    json.field("at", m.monotonic_ns).field("last_command", m.last_command);
    add(json.key("reports"), m.reports);
    add(json.key("containers"), m.containers);
    json.field("node_cpu", m.node_cpu).field("node_memory", m.node_memory);
    json.field("worker_cpu_s", m.worker_cpu_s).field("data_cpu_s", m.data_cpu_s);
    put(json, m.use, m.estimate);
    if (!m.echo) return;
    json.key("echo").open('{').field("master", m.echo->master_ns);
    json.field("received", m.echo->received_ns).close('}');
  }
  void operator()(const Goodbye& m) const {
    json.field("incarnation", m.incarnation).field("reason", m.reason);
    json.field("worker_cpu_s", m.worker_cpu_s).field("data_cpu_s", m.data_cpu_s);
  }
  void operator()(const Welcome& m) const {
    json.field("node", m.node.value);
    add(json.key("spec"), m.spec);
    json.key("scale").open('{').field("time", m.scale.time).field("core", m.scale.core);
    json.field("memory", m.scale.memory).field("data", m.scale.data).close('}');
    json.field("cpu_limit", word_of(m.cpu_limit)).field("pacing", word_of(m.pacing));
    json.field("swap", m.swap).field("suspend_with", word_of(m.suspend_with));
    json.field("overhead", m.overhead.count()).field("heartbeat_s", m.heartbeat);
    json.field("node_timeout_s", m.node_timeout).field("max_containers", m.max_containers);
    json.field("node_use", word_of(m.node_use));
    json.field("oom_preference", word_of(m.oom_preference)).field("run", m.run);
    json.field("master", m.master_ns).field("incarnation", m.incarnation);
    if (m.estimate) json.key("estimate").row(m.estimate->cores, m.estimate->memory);
    if (m.suspend_cost > EmuTime(0)) json.field("suspend_cost_s", m.suspend_cost);
  }
  void operator()(const Commands& m) const {
    json.field("incarnation", m.incarnation);
    add(json.key("commands"), m.commands);
  }
  void operator()(const HeartbeatReply& m) const {
    json.field("incarnation", m.incarnation).field("sequence", m.sequence);
    json.field("last_report", m.last_report);
    add(json.key("commands"), m.commands);
    json.field("master", m.master_ns);
  }
  void operator()(const Beat& m) const { json.field("next_in_ns", m.next_in.count()); }
  void operator()(const Peers& m) const {
    add(json.key("data"), m.data);
    add(json.key("keys"), m.keys);
  }
  void operator()(const Shutdown& m) const { json.field("reason", m.reason); }
  void operator()(const Rejoin& m) const {
    json.field("reason", m.reason).field("incarnation", m.incarnation);
  }
  void operator()(const Introduce& m) const { json.field("incarnation", m.incarnation); }
  void operator()(const Probe& m) const { json.field("incarnation", m.incarnation); }
  void operator()(const Probed& m) const {
    json.field("incarnation", m.incarnation).field("reason", m.reason);
  }
  void operator()(const ErrorMessage& m) const {
    json.field("text", m.text).field("fatal", m.fatal);
  }
};

}  // namespace

std::string encode(const Message& message) {
  JsonText json;
  json.open('{').field("m", kMessageKinds[message.index()]);
  std::visit(MessageWriter{json}, message);
  return json.close('}').take();
}

}  // namespace heddle::wire
