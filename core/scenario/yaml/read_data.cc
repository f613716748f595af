// Reads the keys that phases, stages and executors share: threads, memory, input and output data,
// and skew.

#include "common/cpu_line.h"
#include "core/scenario/yaml/sections.h"

namespace heddle {
namespace {

constexpr Range<double> kFactors{0.001, 1000};
constexpr std::string_view kMemoryForm = "bytes or distribution, or list of [progress, bytes]";

bool read_progress(const Field& field, double last, double& out) {
  if (!field.is(YamlNode::Kind::kScalar)) {
    field.wrong_kind("a progress from 0 to 1");
    return false;
  }
  auto value = parse_fraction(field.node().text);
  if (!value) {
    field.error(value.error().text);
    return false;
  }
  if (*value > 1 || *value <= last) {
    field.error("\"" + field.node().text +
                "\" is out of order or range; expected ascending progress from 0 to 1");
    return false;
  }
  out = *value;
  return true;
}

/// Reads a profile: [[0, 100MiB], [0.5, 700MiB], …].
void read_profile(const Field& field, std::vector<std::pair<double, Drawn>>& memory) {
  const auto& corners = field.node().items;
  if (corners.empty() || corners.size() > kMaxMemoryPoints) {
    field.error("has " + std::to_string(corners.size()) + " corners; expected 1 to " +
                std::to_string(kMaxMemoryPoints) + " of [progress, bytes]");
    return;
  }
  double last = -1;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    Field corner = field.item(i);
    if (corners[i].kind != YamlNode::Kind::kList || corners[i].items.size() != 2) {
      corner.error("is not a corner; expected [progress, bytes]");
      continue;
    }
    Drawn use;
    if (!read_progress(corner.item(0), last, last) || !to_drawn_bytes(corner.item(1), use))
      continue;
    memory.emplace_back(last, use);
  }
}

}  // namespace

void read_threads(const Section& section, Millicores cores, std::optional<int>& threads) {
  if (!threads && !section.has("threads") && (cores.count() + 999) / 1000 > kMaxThreads)
    section.field().error("requests " + print_cores(cores) + " cores; expected threads of 1 to " +
                          std::to_string(kMaxThreads));
  section.whole("threads", threads, {1, kMaxThreads});
}

void read_memory(const Section& section, std::string_view key,
                 std::vector<std::pair<double, Drawn>>& memory) {
  auto field = section.get(key);
  if (!field) return;
  if (field->is(YamlNode::Kind::kList)) return read_profile(*field, memory);
  if (field->is(YamlNode::Kind::kNull)) return field->wrong_kind(kMemoryForm);
  Drawn peak;
  if (to_drawn_bytes(*field, peak)) memory = {{0.0, peak}};
}

bool has_data(const Section& section) {
  return section.has("input") || section.has("shuffle") || section.has("output");
}

void read_skew(const Section& section, Skew& skew) {
  auto field = section.get("skew");
  if (!field) return;
  Section factors(*field, "skew");
  factors.fraction("heading", skew.heading, kFactors);
  factors.fraction("trailing", skew.trailing, kFactors);
  factors.fraction("zipf", skew.zipf, {0, 2});
}

void read_phase_data(const Section& section, PhaseSpec& phase) {
  read_drawn_bytes(section, "input", phase.input);
  read_drawn_bytes(section, "shuffle", phase.shuffle);
  read_drawn_bytes(section, "output", phase.output);
  read_skew(section, phase.skew);
  section.duration("start_spread", phase.start_spread, {EmuTime(0), kMaxTime});
  if (phase.kind == PhaseKind::kCommand)
    for (const char* key : {"input", "shuffle", "output", "idle"})
      if (auto field = section.get(key))
        field->error(
            "does not apply to phases of kind: command, whose program reads and writes files of "
            "its own; expected kind: map or reduce");
  if (section.has("input") && section.has("prefer"))
    section.get("prefer")->error(
        "a phase with input prefers the nodes that hold its blocks; expected only one of input and "
        "prefer");
}

}  // namespace heddle
