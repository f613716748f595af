#include <algorithm>

#include "common/wire/codec.h"
#include "common/wire/values.h"
#include "core/scenario/words.h"

namespace heddle::wire {
namespace {

template <class T>
std::vector<T> list_from(const Fields& fields, const char* key, T (*read)(const Fields&)) {
  std::vector<T> list;
  for (const Json& row : fields.array(key, 1'000'000))
    list.push_back(read(Fields(row, fields.path(key))));
  return list;
}

Report report_from(const Fields& f) {
  Report report;
  report.number = f.integer("number", 1, kMaxInteger);
  report.monotonic_ns = f.integer("at", 0, kMaxInteger);
  report.kind = static_cast<ReportKind>(f.word("kind", kReportKinds));
  report.container = id_field<ContainerId>(f, "container");
  report.reason = f.text("reason");
  if (report.kind == ReportKind::kPartDone)
    report.part = static_cast<int>(f.integer("part", 1, 1'000'000'000));
  if (report.kind == ReportKind::kInputLost) {
    report.source = static_cast<int>(f.integer("source", 0, 100'000'000));
    report.object = f.unsigned_integer("object");
  }
  if (report.kind != ReportKind::kEnded) return report;
  report.outcome = static_cast<Outcome>(f.word("outcome", kOutcomes));
  report.oom = static_cast<OomCause>(f.word("oom", kOomCauses));
  report.exit_code = static_cast<int>(f.integer("exit_code", 0, 1023));
  report.usage = usage_from(f);
  return report;
}

std::vector<std::string> program_from(const Fields& f) {
  std::vector<std::string> program;
  if (!f.has("command")) return program;
  for (const Json& argument : f.array("command", kMaxArguments)) {
    if (!argument.is_string() || argument.get_ref<const std::string&>().size() > kMaxArgumentBytes)
      f.bad("command", "texts of at most " + std::to_string(kMaxArgumentBytes) + " bytes");
    program.push_back(argument.get<std::string>());
  }
  return program;
}

BeatRule beat_rule_from(const Fields& f, const Json& row) {
  const auto& words = kWords<FaultKind>;
  const auto is_share = [](const Json& value) {
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1;
  };
  const bool shape = row.is_array() && row.size() == 4 && row[0].is_string() && is_share(row[1]) &&
                     row[2].is_number() && row[2].get<double>() >= 0 &&
                     row[2].get<double>() <= kMaxSeconds && row[3].is_number_unsigned();
  const auto word =
      shape ? std::find(words.begin(), words.end(), row[0].get<std::string>()) : words.end();
  if (word == words.end())
    f.bad("heartbeats", "rows of [kind of fault, share from 0 to 1, seconds, key]");
  return {static_cast<FaultKind>(word - words.begin()), row[1].get<double>(),
          emu_seconds(row[2].get<double>()), row[3].get<std::uint64_t>()};
}

FaultCommand fault_from(const Fields& f) {
  FaultCommand fault;
  fault.kind = static_cast<FaultKind>(f.word("kind", kWords<FaultKind>));
  fault.lasts = time_field(f, "lasts_s");
  fault.conditions.speed = f.number("speed", 1e-6, 1);
  fault.conditions.disk_full = f.flag("disk_full");
  for (const Json& row : f.array("heartbeats", 1000))
    fault.conditions.beats.push_back(beat_rule_from(f, row));
  return fault;
}

Command command_from(const Fields& f) {
  Command command;
  command.number = f.integer("number", 1, kMaxInteger);
  static constexpr std::string_view kVerbs[] = {
      "launch",   "kill",   "suspend", "resume",        "inputs_ready", "fetch",
      "run_part", "finish", "forget",  "external_load", "fault",        "expect"};
  const auto verb = f.word("do", kVerbs);
  if (kVerbs[verb] == "forget") {
    command.what = ForgetCommand{f.name("job")};
    return command;
  }
  if (kVerbs[verb] == "external_load") {
    command.what = ExternalLoadCommand{resources_from(f)};
    return command;
  }
  if (kVerbs[verb] == "fault") {
    command.what = fault_from(f);
    return command;
  }
  if (kVerbs[verb] == "expect") {
    command.what =
        ExpectCommand{f.unsigned_integer("object"), EmuBytes(f.integer("size", 0, kMaxBytes)),
                      f.flag("kept"), id_field<NodeId>(f, "from")};
    return command;
  }
  ContainerId container = id_field<ContainerId>(f, "container");
  switch (verb) {
    case 0: {
      LaunchCommand launch;
      launch.container = container;
      launch.job = f.name("job");
      launch.phase = f.name("phase");
      launch.task = static_cast<int>(f.integer("task", 0, 100'000'000));
      launch.attempt = static_cast<int>(f.integer("attempt", 1, 1'000'000));
      launch.resources = resources_from(f);
      launch.work = work_from(f.object("work"));
      launch.command = program_from(f);
      if (!launch.command.empty())
        launch.output_limit = real::Bytes(
            f.integer("output_limit", kLeastOutputLimit.count(), kMostOutputLimit.count()));
      command.what = std::move(launch);
      break;
    }
    case 1:
      command.what = KillCommand{container};
      break;
    case 2:
      command.what = SuspendCommand{container};
      break;
    case 3:
      command.what = ResumeCommand{container};
      break;
    case 4:
      command.what = InputsReadyCommand{container};
      break;
    case 5:
      command.what = FetchCommand{container, reads_from(f, "reads")};
      break;
    case 6:
      command.what = RunPartCommand{container, part_from(f.object("work"))};
      break;
    default:
      command.what = FinishCommand{container};
      break;
  }
  return command;
}

NodeSpec node_from(const Fields& f) {
  NodeSpec spec;
  spec.name = f.name("name");
  spec.speed = f.number("speed", 1e-6, 1e6);
  spec.rack = f.optional_name("rack");
  spec.capacity = resources_from(f.object("capacity"));
  spec.allowance = resources_from(f.object("allowance"));
  spec.system = resources_from(f.object("system"));
  spec.disk_bytes_per_s = f.number("disk", 0, 1e15);
  spec.network_bits_per_s = f.number("network", 0, 1e16);
  return spec;
}

Message hello_from(const Fields& f) {
  Hello m;
  m.protocol = static_cast<int>(f.integer("protocol", 0, 1'000'000));
  // Of another protocol the rest is anyone's guess; this much is enough to refuse it.
  if (m.protocol != kProtocol) return m;
  m.run = f.optional_name("run");
  m.node = f.optional_name("node");
  m.incarnation = f.unsigned_integer("incarnation");
  m.pid = f.integer("pid", 0, kMaxInteger);
  m.monotonic_ns = f.integer("at", 0, kMaxInteger);
  m.data = f.text("data", 256);
  m.data_key = f.text("data_key", 64);
  m.version = f.text("version", 64);
  m.clock = f.text("clock", 128);
  m.last_command = f.integer("last_command", 0, kMaxInteger);
  m.last_report = f.integer("last_report", 0, kMaxInteger);
  if (!f.has("host")) return m;
  Fields host = f.object("host");
  m.host = HostFacts{host.name("name"),
                     {host.number("cpus", 0, 1e6)},
                     real::Bytes(host.integer("memory", 0, 1LL << 60))};
  return m;
}
Message reports_from(const Fields& f) {
  return Reports{f.unsigned_integer("incarnation"), list_from(f, "reports", report_from)};
}
Message heartbeat_from(const Fields& f) {
  Heartbeat m;
  m.incarnation = f.unsigned_integer("incarnation");
  m.sequence = f.integer("sequence", 0, kMaxInteger);
  m.monotonic_ns = f.integer("at", 0, kMaxInteger);
  m.last_command = f.integer("last_command", 0, kMaxInteger);
  m.reports = list_from(f, "reports", report_from);
  m.containers = containers_from(f, "containers");
  m.node_cpu = work_field(f, "node_cpu");
  m.node_memory = EmuBytes(f.integer("node_memory", 0, kMaxInteger));
  m.use = use_from(f);
  m.estimate = estimate_from(f);
  m.worker_cpu_s = f.number("worker_cpu_s", 0, kMaxSeconds);
  m.data_cpu_s = f.number("data_cpu_s", 0, kMaxSeconds);
  if (!f.has("echo")) return m;
  Fields echo = f.object("echo");
  m.echo =
      ClockEcho{echo.integer("master", 0, kMaxInteger), echo.integer("received", 0, kMaxInteger)};
  return m;
}
Message goodbye_from(const Fields& f) {
  return Goodbye{f.unsigned_integer("incarnation"), f.text("reason"),
                 f.number("worker_cpu_s", 0, kMaxSeconds), f.number("data_cpu_s", 0, kMaxSeconds)};
}
Damping damping_from(const Fields& f) {
  std::vector<double> damping;
  for (const Json& item : f.array("estimate", 2))
    if (item.is_number() && item >= 0 && item <= 1) damping.push_back(item.get<double>());
  if (damping.size() != 2) f.bad("estimate", "two numbers from 0 to 1");
  return {damping[0], damping[1]};
}
Message welcome_from(const Fields& f) {
  Welcome m;
  m.node = id_field<NodeId>(f, "node");
  m.spec = node_from(f.object("spec"));
  Fields scale = f.object("scale");
  m.scale = {scale.number("time", 1e-9, 1e9), scale.number("core", 1e-9, 1e9),
             scale.number("memory", 1e-9, 1e9), scale.number("data", 1e-9, 1e9)};
  m.cpu_limit = static_cast<CpuLimit>(f.word("cpu_limit", kWords<CpuLimit>));
  m.pacing = static_cast<Pacing>(f.word("pacing", kWords<Pacing>));
  m.swap = f.flag("swap");
  m.suspend_with = static_cast<SuspendWith>(f.word("suspend_with", kWords<SuspendWith>));
  m.overhead = real::Bytes(f.integer("overhead", 0, kMaxInteger));
  m.heartbeat = time_field(f, "heartbeat_s");
  m.node_timeout = time_field(f, "node_timeout_s");
  m.max_containers = static_cast<int>(f.integer("max_containers", 0, 1'000'000));
  if (f.has("estimate")) m.estimate = damping_from(f);
  if (f.has("suspend_cost_s")) m.suspend_cost = time_field(f, "suspend_cost_s");
  m.node_use = static_cast<NodeUseFrom>(f.word("node_use", kWords<NodeUseFrom>));
  m.oom_preference = static_cast<OomPreference>(f.word("oom_preference", kWords<OomPreference>));
  m.run = f.name("run");
  m.master_ns = f.integer("master", 0, kMaxInteger);
  m.incarnation = f.unsigned_integer("incarnation");
  return m;
}
Message commands_from(const Fields& f) {
  return Commands{f.unsigned_integer("incarnation"), list_from(f, "commands", command_from)};
}
Message heartbeat_reply_from(const Fields& f) {
  HeartbeatReply m;
  m.incarnation = f.unsigned_integer("incarnation");
  m.sequence = f.integer("sequence", 0, kMaxInteger);
  m.last_report = f.integer("last_report", 0, kMaxInteger);
  m.commands = list_from(f, "commands", command_from);
  m.master_ns = f.integer("master", 0, kMaxInteger);
  return m;
}
Message beat_from(const Fields& f) {
  return Beat{real::Duration(f.integer("next_in_ns", 0, kMaxInteger))};
}
std::vector<std::string> texts_from(const Fields& f, const char* key) {
  std::vector<std::string> texts;
  for (const Json& row : f.array(key, 20'000)) {
    if (!row.is_string() || row.get_ref<const std::string&>().size() > 256)
      f.bad(key, "texts of at most 256 bytes");
    texts.push_back(row.get<std::string>());
  }
  return texts;
}
Message peers_from(const Fields& f) { return Peers{texts_from(f, "data"), texts_from(f, "keys")}; }
Message shutdown_from(const Fields& f) { return Shutdown{f.text("reason")}; }
Message rejoin_from(const Fields& f) {
  return Rejoin{f.text("reason"), f.unsigned_integer("incarnation")};
}
Message introduce_from(const Fields& f) { return Introduce{f.unsigned_integer("incarnation")}; }
Message probe_from(const Fields& f) { return Probe{f.unsigned_integer("incarnation")}; }
Message probed_from(const Fields& f) {
  return Probed{f.unsigned_integer("incarnation"), f.text("reason")};
}
Message error_from(const Fields& f) { return ErrorMessage{f.text("text"), f.flag("fatal")}; }

Message message_from(const Fields& fields) {
  static constexpr Message (*kReaders[])(const Fields&) = {
      hello_from,    reports_from,         heartbeat_from, goodbye_from,  welcome_from,
      commands_from, heartbeat_reply_from, beat_from,      shutdown_from, rejoin_from,
      error_from,    peers_from,           introduce_from, probe_from,    probed_from};
  static_assert(std::size(kMessageKinds) == std::size(kReaders));
  return kReaders[fields.word("m", kMessageKinds)](fields);
}

}  // namespace

Result<Message> decode(std::string_view text) {
  if (text.size() > kMaxMessage) return aborted_error("message: longer than 16 MiB");
  Json json = parse_json(text);
  if (json.is_discarded()) return aborted_error("message: not JSON");
  try {
    return message_from(Fields(json));
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
}

}  // namespace heddle::wire
