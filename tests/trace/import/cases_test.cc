// Imports the texts of the YAML files in cases/, and compares what becomes of them with what stands
// there. A file has:
//
//   format:      name of the format
//   file:        name of the file with a case's rows
//   cases:       list of cases
//   recognised:  texts that this format recognises
//   foreign:     texts that this format does not recognise
//
// A case has a name, and `rows` (the lines of the file), `text` (the same as one text) or `files`
// (a map from names to lists of lines). `options` are those of ImportOptions. `report`, `written`
// and `error` are parts of the report, of the scenario's file and of the error; one text is the
// whole of it. All other keys are facts of facts_of(). `runs` has [eligible, start, end] of each
// job that the log has, in seconds after the submission. Of a map, only the keys that stand in the
// file are compared. The keys of a list can be indexes. `repairs` has all repairs; without it,
// there are none. Each scenario must be valid.

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/scenario/quantity_text.h"
#include "core/scenario/words.h"
#include "tests/support/matchers.h"
#include "trace/import/batsim_jobs.h"
#include "trace/import/formats.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::trace::cases_test {

/// Returns the text of a scalar, or the items of a list as lines.
std::string text_of(const YAML::Node& node) {
  if (!node.IsSequence()) return node.as<std::string>();
  std::string text;
  for (const YAML::Node& line : node) text += line.as<std::string>() + "\n";
  return text;
}

std::vector<Input> files_of(const YAML::Node& test, const std::string& name) {
  std::vector<Input> files;
  for (const char* key : {"rows", "text"})
    if (test[key]) files.emplace_back(name, text_of(test[key]));
  if (test["files"])
    for (const auto& file : test["files"])
      files.emplace_back(file.first.as<std::string>(), text_of(file.second));
  return files;
}

using SetOption = void (*)(ImportOptions& options, const std::string& value);
const std::map<std::string, SetOption> kOptions = {
    {"nodes", [](ImportOptions& o, const std::string& v) { o.nodes = std::stoi(v); }},
    {"cores", [](ImportOptions& o, const std::string& v) { o.cores = *parse_cores(v); }},
    {"memory", [](ImportOptions& o, const std::string& v) { o.memory = *parse_bytes(v); }},
    {"memory_per_core",
     [](ImportOptions& o, const std::string& v) { o.memory_per_core = *parse_bytes(v); }},
    {"block", [](ImportOptions& o, const std::string& v) { o.block = *parse_bytes(v); }},
    {"rate", [](ImportOptions& o, const std::string& v) { o.rate = *parse_byte_rate(v); }},
    {"flops", [](ImportOptions& o, const std::string& v) { o.flops = std::stod(v); }},
    {"load", [](ImportOptions& o, const std::string& v) { o.load = std::stod(v); }},
    {"jobs", [](ImportOptions& o, const std::string& v) { o.jobs = std::stoi(v); }},
    {"from", [](ImportOptions& o, const std::string& v) { o.from = *parse_instant(v); }},
    {"until", [](ImportOptions& o, const std::string& v) { o.until = *parse_instant(v); }},
    {"user", [](ImportOptions& o, const std::string& v) { o.users.insert(v); }},
    {"queue", [](ImportOptions& o, const std::string& v) { o.queues.insert(v); }},
    {"queue_by",
     [](ImportOptions& o, const std::string& v) {
       o.queue_by = v == "user" ? QueueBy::kUser : v == "queue" ? QueueBy::kQueue : QueueBy::kGroup;
     }},
    {"as_it_ran", [](ImportOptions& o, const std::string&) { o.as_it_ran = true; }},
    {"compute", [](ImportOptions& o, const std::string&) { o.work = ImportOptions::Work::kCpu; }},
};

ImportOptions options_of(const YAML::Node& test) {
  ImportOptions options;
  const YAML::Node given = test["options"];
  if (!given) return options;
  for (const auto& entry : given) {
    const SetOption set = kOptions.at(entry.first.as<std::string>());
    if (entry.second.IsScalar()) set(options, entry.second.Scalar());
    for (const YAML::Node& value : entry.second) set(options, value.Scalar());
  }
  return options;
}

/// Returns the groups of adjacent nodes of a size: {name: of the first, count, cores, memory}.
YAML::Node nodes_of(const std::vector<NodeSpec>& nodes) {
  YAML::Node groups(YAML::NodeType::Sequence);
  for (std::size_t i = 0, first = 0; i < nodes.size(); ++i) {
    if (i + 1 < nodes.size() && nodes[i + 1].allowance == nodes[i].allowance) continue;
    YAML::Node group;
    group["name"] = nodes[first].name;
    group["count"] = i + 1 - first;
    group["cores"] = print_cores(nodes[i].allowance.cores);
    group["memory"] = print_bytes(nodes[i].allowance.memory);
    if (const Thousandths gpus = nodes[i].allowance.counts[0]; gpus > Thousandths(0))
      group["gpu"] = print_count(gpus);
    groups.push_back(group);
    first = i + 1;
  }
  return groups;
}

/// Returns what is known of an import. The jobs are as in a scenario file.
YAML::Node facts_of(const Imported& imported, const ImportReport& report) {
  const Scenario& scenario = imported.scenario;
  YAML::Node facts = YAML::Load("jobs:\n" + write_jobs(scenario.jobs, scenario.cluster));
  facts["scenario"] = scenario.name;
  facts["policy"] = scenario.policy.preset;
  facts["ideal"] = scenario.simulation.ideal;
  facts["dispatch"] = std::string(word_of(scenario.cluster.dispatch));
  facts["nodes"] = nodes_of(scenario.cluster.nodes);
  facts["queues"] = scenario.queues.size();
  facts["warnings"] = imported.warnings;
  facts["licence"] = imported.licence;
  for (const char* count : {"rows", "found", "chosen", "jobs", "tasks"})
    facts["counts"][count] = report.json()[count].get<int>();
  facts["origin"] = to_seconds(imported.origin);
  facts["runs"] = YAML::Node(YAML::NodeType::Map);
  for (const auto& [name, run] : imported.runs)
    for (const double at_s : {run.eligible_s, run.start_s, run.end_s})
      facts["runs"][name].push_back(at_s);
  facts["repairs"] = YAML::Node(YAML::NodeType::Map);
  const wire::Json json = report.json();
  for (const auto& [key, repair] : json["repairs"].items())
    facts["repairs"][key] = repair["count"].get<int>();
  return facts;
}

/// Returns whether two texts are equal, or are the same time or the same number of bytes.
bool same(const std::string& one, const std::string& other) {
  const auto time = parse_instant(one), other_time = parse_instant(other);
  const auto bytes = parse_bytes(one), other_bytes = parse_bytes(other);
  return one == other || (time && other_time && *time == *other_time) ||
         (bytes && other_bytes && *bytes == *other_bytes);
}

/// Expects that `facts` has all that `expected` has. A null stands for what is not there.
void expect_part(const YAML::Node& expected, const YAML::Node& facts, const std::string& path) {
  if (expected.IsNull()) {
    EXPECT_FALSE(facts && !facts.IsNull()) << path;
    return;
  }
  ASSERT_TRUE(facts) << path << " is not there";
  if (expected.IsScalar()) {
    ASSERT_TRUE(facts.IsScalar()) << path << ": " << facts;
    EXPECT_PRED2(same, facts.Scalar(), expected.Scalar()) << path;
  } else if (expected.IsMap()) {
    for (const auto& entry : expected) {
      const auto key = entry.first.as<std::string>();
      expect_part(entry.second, facts.IsSequence() ? facts[std::stoul(key)] : facts[key],
                  path + "." + key);
    }
  } else {
    ASSERT_EQ(facts.size(), expected.size()) << path << ": " << facts;
    for (std::size_t i = 0; i < expected.size(); ++i)
      expect_part(expected[i], facts[i], path + "." + std::to_string(i));
  }
}

/// Expects a text that is equal to a scalar, or has all parts of a list.
void expect_text(const YAML::Node& expected, const std::string& text) {
  if (expected.IsScalar()) {
    EXPECT_EQ(text, expected.Scalar());
  }
  for (const YAML::Node& part : expected) {
    EXPECT_THAT(text, HasSubstr(part.as<std::string>()));
  }
}

void expect_made(const YAML::Node& test, const Imported& imported, const ImportReport& report) {
  const YAML::Node facts = facts_of(imported, report);
  const YAML::Node repairs = test["repairs"];
  EXPECT_EQ(facts["repairs"].size(), repairs ? repairs.size() : 0) << facts["repairs"];
  for (const auto& entry : test) {
    const auto key = entry.first.as<std::string>();
    if (key == "report")
      expect_text(entry.second, report.text());
    else if (key == "written")
      expect_text(entry.second, write_scenario(imported.scenario));
    else if (key != "name" && key != "rows" && key != "text" && key != "files" && key != "options")
      expect_part(entry.second, facts[key], key);
  }
  const auto read = workloads::read_scenario_text(write_scenario(imported.scenario), "made.yaml");
  EXPECT_TRUE(read) << (read ? "" : read.error().text);
}

void expect_case(const ImportFormat& format, const YAML::Node& test, const std::string& file) {
  std::vector<Input> files = files_of(test, file);
  ImportReport report;
  const Result<Imported> imported = import_trace(format, files, options_of(test), report);
  if (test["error"]) {
    ASSERT_FALSE(imported);
    expect_text(test["error"], imported.error().text);
  } else {
    ASSERT_TRUE(imported) << imported.error().text;
    expect_made(test, *imported, report);
  }
}

const ImportFormat kBatsimJobs{{&is_batsim_jobs, &import_batsim_jobs}, "batsim-jobs", "", ""};

class Cases : public ::testing::TestWithParam<std::string> {};

TEST_P(Cases, BecomeWhatStandsThere) {
  const std::string path = "trace/import/cases/" + GetParam() + ".yaml";
  const YAML::Node all = YAML::LoadFile(HEDDLE_SOURCE_DIR "/tests/" + path);
  const auto name = all["format"].as<std::string>();
  const ImportFormat& format = name == kBatsimJobs.name ? kBatsimJobs : **find_import_format(name);
  ASSERT_GT(all["cases"].size(), 0U);
  for (const YAML::Node& test : all["cases"]) {
    SCOPED_TRACE(path + ":" + std::to_string(test.Mark().line + 1) + ": " +
                 test["name"].as<std::string>());
    expect_case(format, test, all["file"].as<std::string>());
  }
  for (const YAML::Node& text : all["recognised"])
    EXPECT_TRUE(format.recognises(text_of(text))) << text;
  for (const YAML::Node& text : all["foreign"])
    EXPECT_FALSE(format.recognises(text_of(text))) << text;
}

std::vector<std::string> names_of_cases() {
  std::vector<std::string> names;
  const std::string folder = HEDDLE_SOURCE_DIR "/tests/trace/import/cases";
  for (const auto& file : std::filesystem::directory_iterator(folder))
    names.push_back(file.path().stem());
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Import, Cases, testing::ValuesIn(names_of_cases()),
                         [](const auto& file) { return file.param; });

}  // namespace heddle::trace::cases_test
