#include "yaml/read.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "common/file.h"
#include "common/text.h"
#include "core/scenario/device_env.h"
#include "yaml/jobs_table.h"
#include "yaml/keys.h"
#include "yaml/sections.h"
#include "yaml/set_value.h"

namespace heddle {

template <>
void describe(Keys& keys, const Scenario& s) {
  keys.by_hand("heddle", "1", "", "version of this format");
  keys.name("name", s.name, "name of the scenario; results are filed under it").needed();
  keys.number("seed", s.seed, measure::kWhole, {0, std::numeric_limits<std::int64_t>::max()},
              "seed of all random numbers");
  keys.map("emulation", "emulation", "how emulated units become real ones",
           [&](Keys& in) { describe(in, s.emulation); });
  keys.by_hand("cluster", "map, see cluster", "", "the emulated machines");
  keys.map("storage", "storage", "how data is placed on the nodes",
           [&](Keys& in) { describe(in, s.storage); })
      .rarely();
  keys.map("simulation", "simulation", "delays and memory in virtual time",
           [&](Keys& in) { describe(in, s.simulation); });
  keys.by_hand(
      "policy", "a policy, or a map of its parts and options", "fifo",
      "scheduling policy; see heddle policies. In a map, arg has options of the program of an "
      "external policy, such as {ageing: 0.1}");
  keys.by_hand("remaining_model", "file, or the text of such a file", "the built-in model",
               "model written by heddle train, for the predictors auto and fuzzy");
  keys.by_hand("queues", "list, see queue", "one queue named default", "queues of the jobs");
  keys.by_hand("accounts", "list, see account", "[]",
               "accounts and their shares, for the order of jobs priority; at most 10000");
  keys.by_hand("partitions", "list, see partition", "[]",
               "sets of nodes, each with limits and a priority for its jobs; a job runs only on "
               "nodes of its partition; at most 1000");
  keys.by_hand("qos", "list, see qos", "[]",
               "qualities of service that jobs can name; at most 1000");
  keys.by_hand("reservations", "list, see reservation", "[]",
               "nodes that only some jobs can use for a while, for example during maintenance; at "
               "most 1000");
  keys.by_hand("typical_requests", "list, see typical_request", "the requests of the jobs",
               "the requests that node_order: fgd expects, such as those of a site's past; at most "
               "10000");
  keys.by_hand("external_load", "list, see external_load", "[]",
               "programs outside of containers that use nodes for a while; at most 1000");
  keys.by_hand("faults", "list, see fault", "[]", "faults to inject; at most 1000");
  keys.by_hand("jobs", "list, see job, or map, see jobs_table", "",
               "jobs to submit; at most 100000 in all, whose tasks request at most 2097152TiB "
               "together");
}

const Keys& scenario_keys() { return keys_of<Scenario>("scenario"); }

const std::vector<const Keys*>& all_sections() {
  static const std::vector<const Keys*> all = [] {
    const auto map_of = [](const Keys& keys, const char* key) { return keys.find(key)->map; };
    const Keys* emulation = map_of(scenario_keys(), "emulation");
    return std::vector<const Keys*>{&scenario_keys(),
                                    emulation,
                                    map_of(*emulation, "control_reserve"),
                                    &cluster_keys(),
                                    &resource_keys(),
                                    &written_node_keys(),
                                    &resources_keys(false),
                                    map_of(scenario_keys(), "storage"),
                                    map_of(scenario_keys(), "simulation"),
                                    &delay_keys(),
                                    &external_keys(),
                                    &queue_keys(),
                                    &account_keys(),
                                    &partition_keys(),
                                    &qos_keys(),
                                    &reservation_keys(),
                                    &typical_request_keys(),
                                    &written_job_keys(),
                                    &jobs_table_keys(),
                                    &submit_keys(),
                                    &condition_keys(),
                                    &phase_keys(),
                                    &task_keys(),
                                    map_of(phase_keys(), "skew"),
                                    map_of(task_keys(), "idle"),
                                    &executor_keys(),
                                    &written_stage_keys(),
                                    &keys_of<Drawn>("distribution"),
                                    &fault_keys(),
                                    &external_load_keys(),
                                    &rack_keys()};
  }();
  return all;
}

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
  auto version = section.get("heddle");
  if (!version) return section.field().is(YamlNode::Kind::kMap);  // reported with the other keys
  if (version->is(YamlNode::Kind::kScalar) && version->node().text == "1") return true;
  version->error("\"" + version->node().text +
                 "\" is not a version this program reads; expected 1");
  return false;
}

void read_top(const Section& section, Scenario& scenario) {
  section.read(&scenario);
  QueueSpec queue;
  queue.name = "default";
  scenario.queues = {queue};
  if (auto part = section.get("policy")) read_policy(*part, scenario.policy);
  if (auto part = section.get("queues")) read_queues(*part, scenario.queues);
  if (auto part = section.get("accounts")) read_accounts(*part, scenario.accounts);
  if (auto part = section.get("qos")) read_qos(*part, scenario.qos);
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

/// Reports variables for resources without devices, and names that no such variable can have.
void check_device_env(const Section& section, const Scenario& scenario) {
  for (const auto& [resource, variable] : scenario.emulation.device_env) {
    const Field field = section.get("emulation")->absent("device_env").absent(resource);
    const auto is_it = [&name = resource](const CountedResource& one) {
      return one.devices && one.name == name;
    };
    if (std::ranges::none_of(scenario.cluster.resources, is_it))
      field.error("no resource with devices has this name; expected one of cluster.resources");
    else if (!is_device_variable(variable))
      field.error("\"" + variable +
                  "\" can't be the variable; expected capitals, digits and underscores, such as "
                  "CUDA_VISIBLE_DEVICES");
  }
}

/// Reports a policy that compares shares of a resource that the cluster does not have.
void check_named_resource(const Section& section, const Scenario& scenario) {
  const PolicyTable& policies = section.field().findings().policies;
  const std::string name = policies.named_resource(scenario.policy);
  std::vector<std::string> names{"memory", "cores"};
  for (const CountedResource& one : scenario.cluster.resources) names.push_back(one.name);
  if (name.empty() || std::ranges::count(names, name) > 0) return;
  section.get("policy")->error(with_nearest(
      "no resource is called \"" + name + "\"; expected one of " + join(names), name, names));
}

void read_parts(const Section& section, Scenario& scenario) {
  read_top(section, scenario);
  const Findings& findings = section.field().findings();
  const std::size_t wrong = findings.wrong();
  if (auto part = section.get("cluster")) read_cluster(*part, scenario.cluster);
  if (auto part = section.get("partitions"))
    read_partitions(*part, scenario.cluster, scenario.partitions);
  if (auto part = section.get("reservations"))
    read_reservations(*part, scenario, scenario.reservations);
  // If the cluster has errors, requests can't be checked against it.
  Scenario context = scenario;
  if (findings.wrong() != wrong) context.cluster = ClusterSpec{};
  check_node_use(section, context);
  if (findings.wrong() == wrong) check_device_env(section, context);
  if (findings.wrong() == wrong) check_named_resource(section, context);
  if (auto part = section.get("typical_requests"))
    read_typical_requests(*part, scenario.typical_requests);
  if (auto part = section.get("external_load"))
    read_external_load(*part, context.cluster, scenario.external_load);
  const std::size_t before = findings.wrong();
  if (auto part = section.get("jobs")) read_jobs(*part, context, scenario.jobs);
  // If jobs have errors, their names can't be used for checks.
  const bool named = findings.wrong() == before;
  if (auto part = section.get("reservations"); part && named)
    check_reserved_jobs(*part, scenario.jobs, scenario.reservations);
  if (auto part = section.get("faults"))
    read_faults(*part, context.cluster, named ? scenario.jobs : std::vector<JobSpec>(),
                scenario.faults);
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
  const Section section(Field(*root, "", findings), scenario_keys());
  if (read_version(section)) read_parts(section, read.scenario);
  if (!findings.errors.empty()) return all_of(findings);
  read.warnings = std::move(findings.warnings);
  const YamlNode* emulation = root->find("emulation");
  read.drawn_jobs = findings.drawn_jobs;
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
