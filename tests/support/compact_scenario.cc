#include "tests/support/compact_scenario.h"

#include <filesystem>
#include <ostream>
#include <set>

#include "tests/support/cluster.h"
#include "tests/support/scenario_texts.h"

namespace heddle::tests {
namespace {

using YAML::Node;

/// Keys of a job in a scenario's file. All others are keys of its phase.
const std::set<std::string> kJobKeys = {"after",
                                        "workflow",
                                        "account",
                                        "partition",
                                        "qos",
                                        "array",
                                        "array_limit",
                                        "queue",
                                        "user",
                                        "priority",
                                        "weight",
                                        "walltime",
                                        "max_attempts",
                                        "stages",
                                        "framework",
                                        "deploy",
                                        "iterative",
                                        "submit",
                                        "max_am_attempts",
                                        "phases",
                                        "executors",
                                        "requests",
                                        "application_master",
                                        "count",
                                        "release",
                                        "gang_restart"};
/// Keys that have another form in a scenario's file.
const std::set<std::string> kCompactKeys = {"nodes", "node", "policy", "queues", "jobs"};

Node resources(const Node& size) {
  Node made;
  made["cores"] = size[0].as<std::string>();
  made["memory"] = size[1].as<std::string>() + "GiB";
  return made;
}

std::string seconds(const Node& number) { return number.as<std::string>() + "s"; }

Node phase_of(const std::string& name, const Node& compact) {
  Node phase;
  phase["name"] = name;
  for (const auto& entry : compact) {
    const auto key = entry.first.as<std::string>();
    if (key == "size")
      phase["request"] = resources(entry.second);
    else if (key == "takes")
      phase["sleep"] = seconds(entry.second);
    else
      phase[key] = entry.second;
  }
  if (!phase["request"]) phase["request"] = resources(YAML::Load("[1, 1]"));
  return phase;
}

Node phases_of(const Node& compact) {
  Node phases;
  for (const auto& entry : compact)
    phases.push_back(phase_of(entry.first.as<std::string>(), entry.second));
  return phases;
}

Node job_of(const std::string& name, const Node& compact) {
  Node job, map, phases;
  job["name"] = name;
  for (const auto& entry : compact) {
    const auto key = entry.first.as<std::string>();
    if (key == "at")
      job["submit"] = seconds(entry.second);
    else if (key == "master")
      job["application_master"] = resources(entry.second);
    else if (key == "phases")
      phases = phases_of(entry.second);
    else if (key == "master_takes" || key == "marked")
      continue;  // a scenario cannot say this
    else if (kJobKeys.contains(key))
      job[key] = entry.second;
    else if (key != "reduces")
      map[key] = entry.second;
  }
  if (job["stages"]) return job;
  if (!compact["phases"]) phases.push_back(phase_of("map", map));
  if (const Node reduces = compact["reduces"]) {
    Node reduce = phase_of("reduce", reduces);
    reduce["kind"] = "reduce";
    reduce["after"].push_back(phases[phases.size() - 1]["name"].as<std::string>());
    phases.push_back(reduce);
  }
  job["phases"] = phases;
  return job;
}

Node nodes_of(const Node& compact) {
  Node nodes;
  for (int i = 1; i <= compact["nodes"][0].as<int>(); ++i) {
    Node node = resources(YAML::Load("[" + compact["nodes"][1].as<std::string>() + ", " +
                                     compact["nodes"][2].as<std::string>() + "]"));
    node["name"] = "n" + std::to_string(i);
    if (const Node more =
            compact["node"] ? compact["node"][node["name"].as<std::string>()] : Node())
      for (const auto& entry : more) node[entry.first.as<std::string>()] = entry.second;
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

Node merged(const Node& base, const Node& over) {
  if (!base.IsMap() || !over.IsMap()) return YAML::Clone(over);
  Node all;
  for (const auto& entry : base) {
    const auto key = entry.first.as<std::string>();
    const Node other = over[key];
    if (!other)
      all[key] = YAML::Clone(entry.second);
    else if (!other.IsNull())
      all[key] = merged(entry.second, other);
  }
  for (const auto& entry : over)
    if (const auto key = entry.first.as<std::string>(); !base[key])
      all[key] = YAML::Clone(entry.second);
  return all;
}

Scenario compact_scenario(const Node& compact) {
  Node scenario;
  scenario["heddle"] = 1;
  scenario["name"] = "test";
  scenario["cluster"]["dispatch"] = "immediate";
  for (const auto& entry : compact)
    if (const auto key = entry.first.as<std::string>(); !kCompactKeys.contains(key))
      scenario[key] = scenario[key] ? merged(scenario[key], entry.second) : entry.second;
  scenario["cluster"]["nodes"] = nodes_of(compact);
  if (const Node queues = compact["queues"])
    for (const auto& entry : queues) {
      Node queue = YAML::Clone(entry.second);
      queue["name"] = entry.first.as<std::string>();
      scenario["queues"].push_back(queue);
    }
  for (const auto& entry : compact["jobs"])
    scenario["jobs"].push_back(job_of(entry.first.as<std::string>(), entry.second));
  Scenario read = scenario_of(YAML::Dump(scenario));
  for (JobSpec& job : read.jobs)
    if (const Node it = compact["jobs"][job.name]) {
      if (it["master_takes"]) job.phases[0].sleep.mean = it["master_takes"].as<double>() * 1e6;
      if (it["marked"]) job.framework = Framework::kSpark;
    }
  if (const Node policy = compact["policy"]) set_policy(read, policy.as<std::string>());
  return read;
}

void PrintTo(const Case& it, std::ostream* out) { *out << it.place; }

std::vector<Case> cases_of(const std::string& path) {
  const std::filesystem::path top = HEDDLE_SOURCE_DIR "/tests/" + path;
  std::set<std::filesystem::path> files;
  if (std::filesystem::is_directory(top))
    for (const auto& entry : std::filesystem::directory_iterator(top)) files.insert(entry.path());
  else
    files.insert(top);
  std::vector<Case> all;
  for (const std::filesystem::path& file : files) {
    const Node cases = YAML::LoadFile(file);
    for (const auto& entry : cases) {
      const auto name = entry.first.as<std::string>();
      if (name == "each") continue;
      all.push_back({file.stem().string() + "_" + name,
                     file.filename().string() + ":" + std::to_string(entry.first.Mark().line + 1),
                     cases["each"] ? merged(cases["each"], entry.second) : entry.second});
    }
  }
  return all;
}

}  // namespace heddle::tests
