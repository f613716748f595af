// Reads the sections about the run of a scenario (emulation, simulation, policy), and drawn
// numbers.

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "core/scenario/yaml/sections.h"

namespace heddle {
namespace {

constexpr Range<double> kMemoryScales{1e-6, 1};

void read_reserve(const Field& field, EmulationSpec& emulation) {
  Section section(field, "control_reserve");
  section.fraction("cpu", emulation.control_reserve_cpu, {0, 0.9});
  EmuBytes memory{emulation.control_reserve_memory.count()};
  section.bytes("memory", memory, {EmuBytes(0), kMaxBytes});
  emulation.control_reserve_memory = real::Bytes(memory.count());
}

/// Reads a real time, which is written like an emulated time.
void read_real_time(const Section& section, std::string_view key, real::Duration& out) {
  EmuTime time;
  if (section.duration(key, time, {EmuTime(0), EmuTime(60LL * 1000000)}))
    out = std::chrono::microseconds(time.count());
}

/// Returns the value of the option for a map such as {mapreduce: true, spark: false}.
std::string read_delay(const Field& field) {
  bool mapreduce = false, spark = false;
  Section section(field, "delay");
  section.flag("mapreduce", mapreduce);
  section.flag("spark", spark);
  return mapreduce && spark ? "both" : mapreduce ? "mapreduce" : spark ? "spark" : "none";
}

/// Returns the text of a policy's option. If the option is no single value, reports that and
/// returns nullopt.
std::optional<std::string> option_text(const Field& field, std::string_view key) {
  if (field.is(YamlNode::Kind::kScalar)) return field.node().text;
  if (key == "delay" && field.is(YamlNode::Kind::kMap)) return read_delay(field);
  const auto& items = field.node().items;
  const bool takes_list = field.findings().policies.takes_list(key);
  const bool list = takes_list && field.is(YamlNode::Kind::kList) &&
                    std::all_of(items.begin(), items.end(), [](const YamlNode& item) {
                      return item.kind == YamlNode::Kind::kScalar;
                    });
  if (list) {
    std::vector<std::string> texts;
    for (const YamlNode& item : items) texts.push_back(item.text);
    return "[" + join(texts) + "]";
  }
  field.wrong_kind(takes_list ? "a list of numbers" : "a single value");
  return std::nullopt;
}

/// Returns the text without the prefix, if it begins with it.
std::string without_prefix(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Reads a distribution. `read` reads a single value, such as the mean.
bool read_distribution(const Field& field, Drawn& out, auto read) {
  auto mean = [&](const Field& at) -> std::optional<double> {
    auto value = read(at);
    if (!value) return std::nullopt;
    return static_cast<double>(value->count());
  };
  if (!field.is(YamlNode::Kind::kMap)) {
    auto value = mean(field);
    if (value) out = {Drawn::Dist::kConstant, *value, 0};
    return value.has_value();
  }
  using Dist = Drawn::Dist;
  Section section(field, "distribution");
  Drawn drawn;
  section.need("dist");
  bool ok = section.word("dist", drawn.dist);
  auto field_mean = section.need("mean");
  auto value = field_mean ? mean(*field_mean) : std::nullopt;
  if (!ok || !value) return false;
  drawn.mean = *value;
  if (drawn.dist == Dist::kConstant || drawn.dist == Dist::kExponential) {
    if (auto cv = section.get("cv")) {
      cv->error("this distribution has no cv; expected only dist and mean");
      return false;
    }
  } else {
    section.fraction("cv", drawn.cv, {0, drawn.dist == Dist::kUniform ? 1 / std::sqrt(3.0) : 10});
  }
  out = drawn;
  return true;
}

}  // namespace

bool read_drawn_duration(const Section& section, std::string_view key, Drawn& out) {
  auto field = section.get(key);
  return field && read_distribution(*field, out, [](const Field& at) {
           return to_duration(at, "duration or distribution", {EmuTime(0), kMaxTime});
         });
}

bool read_drawn_bytes(const Section& section, std::string_view key, Drawn& out) {
  auto field = section.get(key);
  return field && to_drawn_bytes(*field, out);
}

bool to_drawn_bytes(const Field& field, Drawn& out) {
  return read_distribution(field, out, [](const Field& at) {
    return to_bytes(at, "bytes or distribution", {EmuBytes(0), kMaxBytes});
  });
}

void read_emulation(const Field& field, EmulationSpec& emulation) {
  Section section(field, "emulation");
  section.fraction_or_auto("time_scale", emulation.time_scale, {0.001, 1000});
  section.fraction_or_auto("core_fraction", emulation.core_fraction, {0.001, 1});
  section.fraction_or_auto("memory_scale", emulation.memory_scale, kMemoryScales);
  section.fraction_or_auto("data_scale", emulation.data_scale, kMemoryScales);
  section.word("cpu_limit", emulation.cpu_limit);
  section.word("pacing", emulation.pacing);
  section.flag("swap", emulation.swap);
  EmuBytes overhead{emulation.overhead.count()};
  section.bytes("overhead", overhead, {EmuBytes(0), EmuBytes(1LL << 30)});
  emulation.overhead = real::Bytes(overhead.count());
  if (auto reserve = section.get("control_reserve")) read_reserve(*reserve, emulation);
  section.word("suspend_with", emulation.suspend_with);
  section.word("node_use", emulation.node_use);
  section.word("oom_preference", emulation.oom_preference);
}

/// Reads the program of an external policy.
void read_external(const Field& field, std::optional<ExternalSpec>& out) {
  const Section section(field, "external");
  ExternalSpec external;
  if (const auto program = section.text("program")) external.program = *program;
  if (const auto endpoint = section.text("endpoint")) external.endpoint = *endpoint;
  if (const auto sha256 = section.text("sha256")) external.sha256 = *sha256;
  section.word("protocol", external.protocol);
  if (const auto list = section.get("arguments")) {
    if (!list->is_list("a list of texts") || !list->has_at_most(kMaxArguments, "arguments")) return;
    for (std::size_t i = 0; i < list->node().items.size(); ++i) {
      const Field argument = list->item(i);
      if (!argument.is(YamlNode::Kind::kScalar)) return argument.wrong_kind("a text");
      external.arguments.push_back(argument.node().text);
    }
  }
  if (external.program.empty() == external.endpoint.empty())
    field.error("expected either a program or an endpoint");
  else if (!external.endpoint.empty() && !external.endpoint.starts_with("ipc://") &&
           !external.endpoint.starts_with("tcp://"))
    field.error("the endpoint is \"" + external.endpoint +
                "\"; expected ipc://PATH or tcp://HOST:PORT");
  else
    out = std::move(external);
}

void read_policy(const Field& field, PolicySpec& policy) {
  const PolicyTable& policies = field.findings().policies;
  auto take_text = [&](const Field& at) {
    auto parsed = policies.parse(at.node().text);
    if (parsed)
      policy = *parsed;
    else
      at.error(parsed.error().text);
  };
  if (field.is(YamlNode::Kind::kScalar)) return take_text(field);
  if (!field.is(YamlNode::Kind::kMap))
    return field.wrong_kind("a policy such as fifo, or a map of its parts and options");
  const std::size_t wrong = field.findings().wrong();
  // The preset is set first, because parts and options change it. In the scenario, it can be at any
  // place.
  for (bool preset : {true, false}) {
    for (const YamlNode::Entry& entry : field.node().entries) {
      if ((entry.key == "preset") != preset) continue;
      Field at = field.at(entry);
      if (entry.key == "external") {
        read_external(at, policy.external);
        continue;
      }
      auto text = option_text(at, entry.key);
      if (text && preset && *text == "external") {
        policy.preset = *text;  // `external` beside it names the program
      } else if (text && preset) {
        take_text(at);
      } else if (text) {
        if (auto set = policies.set(policy, entry.key, *text); !set)
          at.error(without_prefix(set.error().text, "option " + entry.key + ": "));
      }
    }
  }
  if (field.findings().wrong() != wrong) return;
  if (auto checked = policies.check(policy); !checked) field.error(checked.error().text);
}

void read_simulation(const Field& field, SimulationSpec& simulation) {
  Section section(field, "simulation");
  section.flag("ideal", simulation.ideal);
  read_real_time(section, "launch_delay", simulation.launch_delay);
  read_real_time(section, "message_delay", simulation.message_delay);
  section.word("saturation", simulation.saturation);
}

}  // namespace heddle
