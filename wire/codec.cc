#include "wire/codec.h"

#include <algorithm>

#include "core/scenario/words.h"
#include "wire/forms.h"
#include "yaml/limits.h"

namespace heddle::wire {
namespace {

constexpr std::size_t kMaxAddress = 256;

}  // namespace

// Values that occur only in messages ------------------------------------------------------------

void add(JsonText& json, const std::vector<BeatRule>& rules) {
  json.list(rules, [&](const BeatRule& rule) {
    json.row(word_of(rule.kind), rule.share, rule.delay, rule.key);
  });
}

void get(const Fields& from, const char* key, std::vector<BeatRule>& rules) {
  const auto& words = kWords<FaultKind>;
  const auto within = [](const Json& value, double most) {
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= most;
  };
  for (const Json& row : from.array(key, 1000)) {
    const bool shape = row.is_array() && row.size() == 4 && row[0].is_string() &&
                       within(row[1], 1) && within(row[2], to_seconds(kMaxTime)) &&
                       row[3].is_number_unsigned();
    const auto word =
        shape ? std::find(words.begin(), words.end(), row[0].get<std::string>()) : words.end();
    if (word == words.end())
      from.bad(key, "rows of [kind of fault, share from 0 to 1, seconds, key]");
    rules.push_back({static_cast<FaultKind>(word - words.begin()), row[1].get<double>(),
                     emu_seconds(row[2].get<double>()), row[3].get<std::uint64_t>()});
  }
}

void add(JsonText& json, const Damping& damping) { json.row(damping.cores, damping.memory); }

void get(const Fields& from, const char* key, Damping& damping) {
  std::vector<double> factors;
  for (const Json& item : from.array(key, 2))
    if (item.is_number() && item >= 0 && item <= 1) factors.push_back(item.get<double>());
  if (factors.size() != 2) from.bad(key, "two numbers from 0 to 1");
  damping = {factors[0], factors[1]};
}

// Commands and reports --------------------------------------------------------------------------

void describe(const auto& io, Of<LaunchCommand> auto& c) {
  io("container", c.container);
  io.name("job", c.job);
  io.name("phase", c.phase);
  io("task", c.task, 0, kMaxTask);
  io("attempt", c.attempt, 1, kMaxAttempt);
  describe(io, c.resources);
  io.object("work", c.work);
  if (io.given("command", !c.command.empty()))
    io.texts("command", c.command, kMaxArguments, kMaxArgumentBytes);
  if (!c.command.empty()) io("output_limit", c.output_limit, kLeastOutputLimit, kMostOutputLimit);
  if (io.given("environment", !c.environment.empty()))
    io.texts("environment", c.environment, kMaxArguments, kMaxArgumentBytes);
}
void describe(const auto& io, Of<ForgetCommand> auto& c) { io.name("job", c.job); }
void describe(const auto& io, Of<ExpectCommand> auto& c) {
  io("object", c.object);
  io("size", c.size, kMaxBytes);
  io("kept", c.kept);
  io("from", c.from);
}
void describe(const auto& io, Of<FaultCommand> auto& c) {
  io.word("kind", c.kind, kWords<FaultKind>);
  io("lasts_s", c.lasts, kMaxTime);  // the longest that a scenario can have
  io("speed", c.conditions.speed, 1e-6, 1);
  io("disk_full", c.conditions.disk_full);
  io("heartbeats", c.conditions.beats);
}
void describe(const auto& io, Of<Command> auto& c) {
  io("number", c.number, 1);
  io.alternative("type", c.what);
}

void describe(const auto& io, Of<CommandRefused> auto& e) {
  io("container", e.container);
  io("reason", e.reason);
}
void describe(const auto& io, Of<Report> auto& r) {
  io("number", r.number, 1);
  io("at", r.monotonic_ns);
  io.alternative("type", r.what);
}

// Messages --------------------------------------------------------------------------------------

void describe(const auto& io, Of<HostFacts> auto& h) {
  io.name("name", h.name);
  io("cpus", h.cpus.value, 0, 1e6);
  io("memory", h.memory, real::Bytes(0), real::Bytes(kMaxBytes));
}
void describe(const auto& io, Of<Hello> auto& m) {
  io("protocol", m.protocol, 0, 1'000'000);
  // In another version of the protocol, the other fields can have any meaning. The version is
  // enough to refuse the Hello.
  if (m.protocol != kProtocol) return;
  io.optional_name("run", m.run);
  io.optional_name("node", m.node);
  io("incarnation", m.incarnation);
  io("pid", m.pid);
  io("at", m.monotonic_ns);
  io("data", m.data, kMaxAddress);
  io("data_key", m.data_key, 64);
  io("version", m.version, 64);
  io("clock", m.clock, 128);
  io("last_command", m.last_command);
  io("last_report", m.last_report);
  io.object("host", m.host);
}
void describe(const auto& io, Of<Reports> auto& m) {
  io("incarnation", m.incarnation);
  io.objects("reports", m.reports);
}
void describe(const auto& io, Of<ClockEcho> auto& e) {
  io("master", e.master_ns);
  io("received", e.received_ns);
}
void describe(const auto& io, Of<Heartbeat> auto& m) {
  io("incarnation", m.incarnation);
  io("sequence", m.sequence);
  io("at", m.monotonic_ns);
  io("last_command", m.last_command);
  io.objects("reports", m.reports);
  io("containers", m.containers);
  io("node_cpu", m.node_cpu);
  io("node_memory", m.node_memory, kMaxInteger);
  io("worker_cpu_s", m.worker_cpu_s, 0, kMaxSeconds);
  io("data_cpu_s", m.data_cpu_s, 0, kMaxSeconds);
  io("use", m.use);
  io("estimate", m.estimate);
  io.object("echo", m.echo);
  io("late_ns", m.late, kLongestReal);
}
void describe(const auto& io, Of<Goodbye> auto& m) {
  io("incarnation", m.incarnation);
  io("reason", m.reason);
  io("worker_cpu_s", m.worker_cpu_s, 0, kMaxSeconds);
  io("data_cpu_s", m.data_cpu_s, 0, kMaxSeconds);
}
void describe(const auto& io, Of<NodeSpec> auto& n) {
  io.name("name", n.name);
  io("speed", n.speed, 1e-6, 1e6);
  io.optional_name("rack", n.rack);
  io.object("capacity", n.capacity);
  io.object("allowance", n.allowance);
  io.object("system", n.system);
  io("disk", n.disk_bytes_per_s, 0, 1e15);
  io("network", n.network_bits_per_s, 0, 1e16);
}
void describe(const auto& io, Of<Scale> auto& s) {
  io("time", s.time, 1e-9, 1e9);
  io("core", s.core, 1e-9, 1e9);
  io("memory", s.memory, 1e-9, 1e9);
  io("data", s.data, 1e-9, 1e9);
}
void describe(const auto& io, Of<Welcome> auto& m) {
  io("node", m.node);
  io.object("spec", m.spec);
  io.object("scale", m.scale);
  io.word("cpu_limit", m.cpu_limit, kWords<CpuLimit>);
  io.word("pacing", m.pacing, kWords<Pacing>);
  io("swap", m.swap);
  io.word("suspend_with", m.suspend_with, kWords<SuspendWith>);
  io("overhead", m.overhead, real::Bytes(0), real::Bytes(kMaxInteger));
  io("heartbeat_s", m.heartbeat);
  io("node_timeout_s", m.node_timeout);
  io("max_containers", m.max_containers, 0, 1'000'000);
  io.word("node_use", m.node_use, kWords<NodeUseFrom>);
  io.word("oom_preference", m.oom_preference, kWords<OomPreference>);
  io("cpu_weight", m.cpu_weight, 1, kLargestCpuWeight);
  io.name("run", m.run);
  io("master", m.master_ns);
  io("incarnation", m.incarnation);
  io("estimate", m.estimate);
  if (io.given("suspend_cost_s", m.suspend_cost > EmuTime(0))) io("suspend_cost_s", m.suspend_cost);
}
void describe(const auto& io, Of<Commands> auto& m) {
  io("incarnation", m.incarnation);
  io.objects("commands", m.commands);
}
void describe(const auto& io, Of<HeartbeatReply> auto& m) {
  io("incarnation", m.incarnation);
  io("sequence", m.sequence);
  io("last_report", m.last_report);
  io.objects("commands", m.commands);
  io("master", m.master_ns);
  io("silence_ns", m.silence, kLongestReal);
}
void describe(const auto& io, Of<Beat> auto& m) {
  io("next_in_ns", m.next_in);
  io("due", m.due_ns, 0);
}
void describe(const auto& io, Of<Peers> auto& m) {
  io.texts("data", m.data, kMaxNodes, kMaxAddress);
  io.texts("keys", m.keys, kMaxNodes, kMaxAddress);
}
void describe(const auto& io, Of<Shutdown> auto& m) { io("reason", m.reason); }
void describe(const auto& io, Of<Rejoin> auto& m) {
  io("reason", m.reason);
  io("incarnation", m.incarnation);
}
void describe(const auto& io, Of<Introduce> auto& m) { io("incarnation", m.incarnation); }
void describe(const auto& io, Of<Probe> auto& m) { io("incarnation", m.incarnation); }
void describe(const auto& io, Of<Probed> auto& m) {
  io("incarnation", m.incarnation);
  io("reason", m.reason);
}
void describe(const auto& io, Of<ErrorMessage> auto& m) {
  io("text", m.text);
  io("fatal", m.fatal);
}

std::string encode(const Message& message) {
  JsonText json;
  json.open('{');
  FieldWriter{json}.alternative("m", message);
  return json.close('}').take();
}

Result<Message> decode(std::string_view text) {
  if (text.size() > kMaxMessage) return aborted_error("message: longer than 16 MiB");
  const Json json = parse_json(text);
  if (json.is_discarded()) return aborted_error("message: not JSON");
  try {
    const Fields fields(json);
    Message message;
    FieldReader{fields}.alternative("m", message);
    return message;
  } catch (const BadField& bad) {
    return aborted_error(bad.text);
  }
}

}  // namespace heddle::wire
