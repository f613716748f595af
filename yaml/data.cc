// Reads the keys that phases, stages and executors share: threads, memory, input and output data,
// and skew.

#include "common/cpu_line.h"
#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "yaml/keys.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {
namespace {

constexpr Range<double> kFactors{0.001, 1000};
const DrawnForm<EmuBytes> kDrawnBytes(measure::kBytes);

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
    if (!read_progress(corner.item(0), last, last) || !kDrawnBytes.read(corner.item(1), &use))
      continue;
    memory.emplace_back(last, use);
  }
}

/// Memory use: a peak, or a profile. M: the corners [progress, bytes].
class MemoryForm : public Form {
 public:
  std::string name() const override {
    return "bytes or distribution, or list of [progress, bytes]";
  }
  bool read(const Field& field, void* member) const override {
    const std::size_t wrong = field.findings().wrong();
    std::vector<std::pair<double, Drawn>> memory;
    Drawn peak;
    if (field.is(YamlNode::Kind::kList))
      read_profile(field, memory);
    else if (field.is(YamlNode::Kind::kNull))
      field.wrong_kind(name());
    else if (kDrawnBytes.read(field, &peak))
      memory = {{0.0, peak}};
    *static_cast<Corners*>(member) = std::move(memory);
    return field.findings().wrong() == wrong;
  }
  std::string text(const void* member) const override {
    const auto& memory = *static_cast<const Corners*>(member);
    if (memory.empty()) return "";
    if (memory.size() == 1 && memory[0].first == 0) return kDrawnBytes.text(&memory[0].second);
    return list_text(memory, [](const auto& corner) {
      return "[" + print_fraction(corner.first) + ", " + kDrawnBytes.text(&corner.second) + "]";
    });
  }
  std::string plain(const void* member) const override {
    const auto& memory = *static_cast<const Corners*>(member);
    return memory.empty() ? "" : kDrawnBytes.plain(&memory[0].second);
  }
  bool read_plain(std::string_view text, void* member) const override {
    Drawn peak;
    if (!kDrawnBytes.read_plain(text, &peak)) return false;
    *static_cast<Corners*>(member) = {{0.0, peak}};
    return true;
  }
  std::string plain_form() const override { return "bytes"; }

 private:
  using Corners = std::vector<std::pair<double, Drawn>>;
};

}  // namespace

Key& add_memory(Keys& keys, const char* name, const std::vector<std::pair<double, Drawn>>& member,
                const char* help) {
  return keys.value(name, &member, std::make_unique<MemoryForm>(), help).otherwise("none");
}

template <>
void describe(Keys& keys, const Skew& skew) {
  keys.number("heading", skew.heading, measure::kFraction, kFactors, "factor of the last task")
      .rarely();
  keys.number("trailing", skew.trailing, measure::kFraction, kFactors, "factor of the first task")
      .rarely();
  keys.number("zipf", skew.zipf, measure::kFraction, {0, 2},
              "exponent: factors proportional to 1, 1/2^zipf, 1/3^zipf, … with mean 1")
      .rarely();
}

void describe_data(Keys& keys, const Drawn& input, const Drawn& shuffle, const Drawn& output,
                   const Skew& skew, const char* shuffle_help) {
  keys.drawn("input", input, measure::kBytes, "bytes each task reads").rarely();
  keys.drawn("shuffle", shuffle, measure::kBytes, shuffle_help).rarely();
  keys.drawn("output", output, measure::kBytes, "bytes each task writes, with replicas").rarely();
  keys.map("skew", "skew", "how uneven the tasks are", [&](Keys& inner) { describe(inner, skew); })
      .rarely();
}

void check_threads(const Section& section, Millicores cores, const std::optional<int>& threads) {
  if (!threads && !section.has("threads") && (cores.count() + 999) / 1000 > kMaxThreads)
    section.field().error("requests " + print_cores(cores) + " cores; expected threads of 1 to " +
                          std::to_string(kMaxThreads));
}

bool has_data(const Section& section) {
  return section.has("input") || section.has("shuffle") || section.has("output");
}

}  // namespace heddle
