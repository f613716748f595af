#include "core/scenario/yaml/reader.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "common/file.h"
#include "common/text.h"
#include "core/scenario/yaml/sections.h"
#include "core/scenario/yaml/set_value.h"

namespace heddle {
namespace {

Error all_of(const Findings& findings) {
  std::string text = join(findings.errors, "\n");
  if (findings.more > 0) text += "\nand " + std::to_string(findings.more) + " more";
  return usage_error(text);
}

/// Sets a key as if it were in the file. Used for --policy and --seed.
void replace(YamlNode& root, const std::string& key, const std::string& text,
             const std::string& from) {
  YamlNode value;
  value.kind = YamlNode::Kind::kScalar;
  value.text = text;
  value.from = from;
  if (YamlNode* old = root.find(key))
    *old = std::move(value);
  else
    root.entries.push_back({key, 0, std::move(value)});
}

Result<void> apply(YamlNode& root, const Overrides& overrides) {
  if (root.kind != YamlNode::Kind::kMap) return {};
  if (overrides.policy) replace(root, "policy", *overrides.policy, "--policy " + *overrides.policy);
  if (overrides.seed) {
    std::string text = std::to_string(*overrides.seed);
    replace(root, "seed", text, "--seed " + text);
  }
  for (const std::string& assignment : overrides.set) HEDDLE_TRY(set_value(root, assignment));
  return {};
}

/// Returns false if the version of the format is unknown. In this case, other errors are not
/// useful.
bool read_version(const Section& section) {
  auto version = section.need("heddle");
  if (!version) return section.field().is(YamlNode::Kind::kMap);
  if (version->is(YamlNode::Kind::kScalar) && version->node().text == "1") return true;
  version->error("\"" + version->node().text +
                 "\" is not a version this program reads; expected 1");
  return false;
}

void read_top(const Section& section, Scenario& scenario) {
  section.need("name");
  section.name("name", scenario.name);
  std::int64_t seed = 1;
  section.whole("seed", seed, {0, std::numeric_limits<std::int64_t>::max()});
  scenario.seed = static_cast<std::uint64_t>(seed);
  QueueSpec queue;
  queue.name = "default";
  scenario.queues = {queue};
  if (auto part = section.get("emulation")) read_emulation(*part, scenario.emulation);
  if (auto part = section.get("storage")) read_storage(*part, scenario.storage);
  if (auto part = section.get("simulation")) read_simulation(*part, scenario.simulation);
  if (auto part = section.get("policy")) read_policy(*part, scenario.policy);
  if (auto part = section.get("queues")) read_queues(*part, scenario.queues);
  read_remaining_model(section, scenario.policy, scenario.remaining_model);
}

/// Reports `node_use: host` in a cluster with several nodes. A host reports only its total use,
/// which can't be divided among nodes.
void check_node_use(const Section& section, const Scenario& scenario) {
  const std::size_t nodes = scenario.cluster.nodes.size();
  if (scenario.emulation.node_use != NodeUseFrom::kHost || nodes <= 1) return;
  section.get("emulation")
      ->absent("node_use")
      .error(
          "host applies only to a cluster of one node, which is the whole host, but this cluster "
          "has " +
          std::to_string(nodes) + " nodes; expected groups, or one node");
}

void read_parts(const Section& section, Scenario& scenario) {
  read_top(section, scenario);
  const Findings& findings = section.field().findings();
  const std::size_t wrong = findings.wrong();
  if (auto part = section.need("cluster")) read_cluster(*part, scenario.cluster);
  // If the cluster has errors, requests can't be checked against it.
  Scenario context = scenario;
  if (findings.wrong() != wrong) context.cluster = ClusterSpec{};
  check_node_use(section, context);
  if (auto part = section.get("external_load"))
    read_external_load(*part, context.cluster, scenario.external_load);
  const std::size_t before = findings.wrong();
  if (auto part = section.need("jobs")) read_jobs(*part, context, scenario.jobs);
  // If jobs have errors, their names can't be used for checks.
  const bool named = findings.wrong() == before;
  if (auto part = section.get("faults"))
    read_faults(*part, context.cluster, named ? scenario.jobs : std::vector<JobSpec>(),
                scenario.faults);
}

/// Divides the text of a scenario at the end of its document. Returns the document and what
/// follows.
std::pair<std::string_view, std::string_view> divided(std::string_view text) {
  constexpr std::string_view kEnd = "\n...\n";
  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return {text, {}};
  return {text.substr(0, end + kEnd.size()), text.substr(end + kEnd.size())};
}

}  // namespace

Result<CheckedScenario> read_scenario_text(const WorkloadTable& workloads,
                                           const PolicyTable& policies, std::string_view text,
                                           const std::string& filename,
                                           const Overrides& overrides) {
  const auto [document, table] = divided(text);
  auto root = parse_yaml(document, filename);
  if (!root) return std::move(root).error();
  HEDDLE_TRY(apply(*root, overrides));
  Findings findings{.filename = filename,
                    .workloads = workloads,
                    .policies = policies,
                    .errors = {},
                    .warnings = {},
                    .table = table,
                    .table_line = static_cast<int>(
                        std::ranges::count(text.substr(0, text.size() - table.size()), '\n'))};
  CheckedScenario read;
  Section section(Field(*root, "", findings), "scenario");
  if (read_version(section)) read_parts(section, read.scenario);
  if (!findings.errors.empty()) return all_of(findings);
  read.warnings = std::move(findings.warnings);
  const YamlNode* emulation = root->find("emulation");
  read.states_time_scale = emulation != nullptr && emulation->find("time_scale") != nullptr;
  return read;
}

Result<CheckedScenario> read_scenario(const WorkloadTable& workloads, const PolicyTable& policies,
                                      const std::string& path, const Overrides& overrides) {
  // Special files except pipes are refused, because some never end.
  std::error_code none;
  auto type = std::filesystem::status(path, none).type();
  using Type = std::filesystem::file_type;
  if (type == Type::directory || type == Type::character || type == Type::block)
    return usage_error(path + ": is not a file; expected a scenario");
  if (type == Type::regular && std::filesystem::file_size(path, none) > kMaxScenarioBytes)
    return usage_error(path + ": larger than " + std::to_string(kMaxScenarioBytes >> 20) + " MiB");
  auto text = read_named_file(path, kMaxScenarioBytes);
  if (!text) return usage_error("scenario: " + text.error().text);
  return read_scenario_text(workloads, policies, *text, path, overrides);
}

}  // namespace heddle
