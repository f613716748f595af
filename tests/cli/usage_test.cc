// Tests what `heddle` answers to bad usage and to look-ups: words and exit statuses.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/cli/answer.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/page_rows.h"
#include "tests/support/temporary_directory.h"
#include "wire/fields.h"
#include "workloads/scenario_file.h"

namespace heddle::cli::usage_test {

/// Returns the text with `what` in place of all `from`.
std::string with(std::string text, const std::string& from, const std::string& what) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += what.size())
    text.replace(at, from.size(), what);
  return text;
}

/// Returns what heddle prints, behind an end of a line, and expects a status.
std::string said(const std::string& words, int status) {
  const Answer answer = heddle(with(words, "SOURCE", HEDDLE_SOURCE_DIR));
  EXPECT_EQ(answer.status, status) << words << ": " << answer.text;
  EXPECT_TRUE(status == 0 || answer.text.starts_with("heddle")) << words << ": " << answer.text;
  return "\n" + answer.text;
}

TEST(Usage, ErrorsNameTheProgramAndWhatWasExpected) {
  tests::expect_messages_of("cli/usage.yaml", "refused",
                            [](const std::string& words) { return said(words, 2); });
}

TEST(Usage, AnswersOfCommands) {
  tests::expect_messages_of("cli/usage.yaml", "answered",
                            [](const std::string& words) { return said(words, 0); });
}

TEST(Usage, ColorsErrorsIfAskedTo) {
  const std::string red = "\033[31mheddle:\033[0m ";
  EXPECT_THAT(heddle("--color always validate /none.yaml").text, StartsWith(red));
  EXPECT_THAT(heddle("validate --color=always /none.yaml").text, StartsWith(red));
  EXPECT_THAT(heddle("validate --color always --wrong").text, StartsWith(red));
  EXPECT_THAT(heddle("validate /none.yaml").text, StartsWith("heddle: "));
  EXPECT_THAT(heddle("--color never validate /none.yaml").text, StartsWith("heddle: "));
}

TEST(Usage, Version) {
  Answer answer = heddle("--version");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.text, StartsWith("heddle " HEDDLE_VERSION "\ncommit "));
  EXPECT_THAT(answer.text, HasSubstr("\nbuilt by "));
  EXPECT_EQ(heddle("version").text, answer.text);
}

TEST(Usage, HelpOfACommandIsWhatItsHelpOptionShows) {
  for (const char* command : {"", "run", "keys make", "bench", "bench sim"}) {
    SCOPED_TRACE(command);
    const Answer help = heddle(std::string("help ") + command);
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.text, heddle(std::string(command) + " --help").text);
  }
}

/// Writes a scenario into a directory of its own and removes it at the end.
class ScratchScenario {
 public:
  explicit ScratchScenario(const std::string& text) { std::ofstream(path()) << text; }

  std::string path() const { return directory_ / "s.yaml"; }
  /// Runs `heddle` in the directory.
  Answer heddle(const std::string& words, const std::string& redirections = "2>&1") const {
    return answer_of("cd " + directory_.path() + " && " + std::string(HEDDLE_BIN) + "/heddle " +
                     words + " " + redirections);
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(directory_.path()), {});
  }

 private:
  tests::TemporaryDirectory directory_;
};

/// A node that runs two of its four tasks at a time, for 10 s each.
constexpr const char* kTwoWaves = R"(
heddle: 1
name: waves
simulation: {ideal: true}
emulation: {time_scale: 0.1, core_fraction: 0.05, memory_scale: 1/64, overhead: 1MiB}
cluster: {nodes: [{name: n, cores: 2, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: j, phases: [{name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s}]}
)";

TEST(Usage, DryRunPrintsTheForecastAndNothingElse) {
  const ScratchScenario scenario(kTwoWaves);
  const Answer answer = scenario.heddle("run s.yaml --dry-run");
  EXPECT_EQ(answer.status, 0) << answer.text;
  // With delays, the second wave starts at the heartbeat after the end of the first, 1 s later.
  EXPECT_THAT(answer.text, StartsWith("makespan 20.0 s (20.0 to 21."));
  EXPECT_THAT(answer.text, HasSubstr(" s with other delays), which takes about 2."));
  EXPECT_THAT(answer.text, HasSubstr("\ntasks use up to 0.10 of "));
  EXPECT_EQ(scenario.files(), 1);
  // --quiet concerns progress, and the forecast is the result.
  EXPECT_THAT(scenario.heddle("run s.yaml --dry-run --quiet").text, StartsWith("makespan 20.0 s"));
}

TEST(Usage, DryRunNeedsNoRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "the user is not root anyway";
  const ScratchScenario scenario(kTwoWaves);
  std::filesystem::permissions(std::filesystem::path(scenario.path()).parent_path(),
                               std::filesystem::perms(0755));
  const Answer answer =
      answer_of("setpriv --reuid=65534 --regid=65534 --clear-groups " + std::string(HEDDLE_BIN) +
                "/heddle run " + scenario.path() + " --dry-run 2>&1");
  if (answer.status == 126 || answer.status == 127) GTEST_SKIP() << answer.text;
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_THAT(answer.text, StartsWith("makespan 20.0 s"));
}

TEST(Usage, DryRunAsJson) {
  const ScratchScenario scenario(kTwoWaves);
  const Answer answer = scenario.heddle("run s.yaml --dry-run --json", "2>/dev/null");
  EXPECT_EQ(answer.status, 0);
  const wire::Json json = wire::parse_json(answer.text);
  ASSERT_FALSE(json.is_discarded()) << answer.text;
  EXPECT_THAT(json, HasMembers(R"({"status":"done","makespan_s":20.0})"));
  EXPECT_GT(json["real_s"], 2.0);
  EXPECT_EQ(json["peak"]["cpus"], 0.1);
  EXPECT_TRUE(json["short_of_memory"].empty());
}

TEST(Usage, NoForecastOfCommandsAndPrograms) {
  const ScratchScenario scenario(R"(
heddle: 1
name: c
emulation: {time_scale: 0.1, core_fraction: 0.05, memory_scale: 1/64}
cluster: {nodes: [{name: n, cores: 2, memory: 4GiB}]}
jobs:
  - {name: j, phases: [{name: c, kind: command, command: [/bin/true], request: {cores: 1, memory: 1GiB}}]}
)");
  const Answer answer = scenario.heddle("run s.yaml --dry-run");
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.text,
              HasSubstr("heddle: s.yaml: there is no forecast: job \"j\" runs commands"));
  const ScratchScenario waves(kTwoWaves);
  tests::expect_messages_of("cli/usage.yaml", "without_forecast", [&](const std::string& options) {
    const Answer refused = waves.heddle("run s.yaml --dry-run " + options);
    EXPECT_EQ(refused.status, 2) << options;
    return refused.text;
  });
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null").c_str()) == 0;
}

TEST(Usage, ShellsLoadTheirCompletions) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    SCOPED_TRACE(shell);
    EXPECT_THAT(heddle(std::string("completion ") + shell).text, HasSubstr("time-scale"));
    if (!has_program(shell)) continue;
    const Answer loaded =
        heddle(std::string("completion ") + shell, "2>&1 | " + std::string(shell) + " 2>&1");
    EXPECT_EQ(loaded.status, 0);
    EXPECT_EQ(loaded.text, "");
  }
  const Answer offered = heddle(
      "completion bash",
      "| { cat; echo 'COMP_WORDS=(heddle compare s.yaml --journal d); COMP_CWORD=4; _heddle; echo "
      "\"${COMPREPLY[@]}\"'; } | bash 2>&1");
  EXPECT_EQ(offered.text, "decisions\n");
}

TEST(Usage, ManualPagesAreWithoutFaults) {
  if (!has_program("mandoc")) GTEST_SKIP() << "mandoc is not installed";
  for (const char* program : {"heddle", "heddle-bench", "heddle-master", "heddle-worker"}) {
    SCOPED_TRACE(program);
    const std::string path = std::string(HEDDLE_BIN) + "/" + program;
    EXPECT_EQ(answer_of(path + " --man | mandoc -Tlint -Wwarning").text, "");
    EXPECT_THAT(answer_of(path + " --man | mandoc -Tascii").text, HasSubstr("Show this text."));
  }
}

TEST(Usage, TheReferenceOfCommandsIsMadeOfThem) {
  std::string page = *read_file(HEDDLE_SOURCE_DIR "/docs/reference/command-line.md");
  page.resize(page.find("## heddle\n"));
  for (const char* program : {"heddle", "heddle-bench", "heddle-master", "heddle-worker"})
    page += (page.ends_with("\n\n") ? "" : "\n") +
            answer_of(std::string(HEDDLE_BIN) + "/" + program + " --markdown").text;
  expect_page("reference/command-line.md", page);
}

TEST(Usage, TrainWantsRunsWithSomethingToLearnFrom) {
  namespace fs = std::filesystem;
  const fs::path dir = fs::temp_directory_path() / ("heddle-train-" + std::to_string(::getpid()));
  const std::string at = dir.string();
  Answer none = heddle("train " + at + " --out " + at + "/m.json");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.text, HasSubstr("not a result directory"));
  const std::string simulate =
      "simulate " HEDDLE_SOURCE_DIR "/scenarios/papers/ikayak-remaining.yaml --quiet --out " + at;
  ASSERT_EQ(heddle(simulate).status, 0);
  Answer made = heddle("train " + at + " --out " + at + "/m.json");
  EXPECT_EQ(made.status, 0) << made.text;
  for (const char* word : {"1 run, 12 reduces", "terasort", "wordcount", "NRMSE", "naive"})
    EXPECT_THAT(made.text, HasSubstr(word));
  Answer twice = heddle("train " + at + " --out " + at + "/m.json");
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.text, HasSubstr("never overwritten"));
  Answer few = heddle("train " + at + " --rules 100 --out " + at + "/n.json");
  EXPECT_EQ(few.status, 2);
  EXPECT_THAT(few.text, HasSubstr("expected at least 1000"));
  fs::remove(at + "/samples.jsonl");
  Answer unmeasured = heddle("train " + at + " --out " + at + "/o.json");
  EXPECT_EQ(unmeasured.status, 2);
  EXPECT_THAT(unmeasured.text, HasSubstr("no samples.jsonl"));
  fs::remove_all(dir);
  ASSERT_EQ(heddle(simulate + " --journal decisions").status, 0);
  Answer decisions = heddle("train " + at + " --out " + at + "/p.json");
  EXPECT_EQ(decisions.status, 2);
  EXPECT_THAT(decisions.text, HasSubstr("only decisions"));
  fs::remove_all(dir);
}

TEST(Usage, BenchesCompared) {
  const std::string file = ::testing::TempDir() + "heddle-usage-bench.json";
  std::ofstream(file) << R"({"bench": "sim", "cases": ["nodes"], "measures": {"cpu_s": "less"},
                             "rows": [{"nodes": 3, "cpu_s": 2.0}]})";
  Answer same = heddle("bench --compare " + file + " " + file);
  EXPECT_EQ(same.status, 0) << same.text;
  EXPECT_THAT(same.text, HasSubstr("one run"));
  EXPECT_EQ(heddle("bench --compare " + file).status, 2);
  Answer missing = heddle("bench --compare " + file + " /no/such.json");
  EXPECT_NE(missing.status, 0);
  EXPECT_THAT(missing.text, HasSubstr("/no/such.json"));
  std::ofstream(file) << "{}";
  Answer other = heddle("bench --compare " + file + " " + file);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.text, HasSubstr(file));
  std::filesystem::remove(file);
}

TEST(Usage, BenchInJson) {
  Answer answer = heddle("bench sim --schedulers fifo,drf --nodes 2,4 --json");
  EXPECT_EQ(answer.status, 0);
  ASSERT_THAT(answer.text, HasSubstr("\n{\n")) << "after progress";
  const std::string json = answer.text.substr(answer.text.find("\n{\n"));
  wire::Json results = wire::Json::parse(json, nullptr, false);
  ASSERT_TRUE(results.is_object()) << answer.text;
  EXPECT_EQ(results["bench"], "sim");
  ASSERT_EQ(results["rows"].size(), 4u);
  EXPECT_THAT(results["rows"][3], HasMembers(R"({"scheduler":"drf","nodes":4,"runs":3})"));
  EXPECT_TRUE(results["met"].is_boolean());
}

TEST(Usage, ScenarioErrorsNameFileAndLine) {
  std::string path = ::testing::TempDir() + "/bad.yaml";
  std::ofstream(path) << "heddle: 1\nname: x\ncluter: {}\n";
  Answer answer = heddle("validate " + path);
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.text, HasSubstr("bad.yaml:3"));
  EXPECT_THAT(answer.text, HasSubstr("cluster"));
}

TEST(Usage, ValidScenarioIsSummedUp) {
  std::string path = ::testing::TempDir() + "/good.yaml";
  std::ofstream(path) << "heddle: 1\nname: x\nemulation: {time_scale: 0.1, core_fraction: 0.05, "
                         "memory_scale: 1/64}\ncluster: {nodes: [{name: n, count: 2, cores: 2, "
                         "memory: 4GiB}]}\njobs:\n  - name: j\n    phases:\n      - {name: map, "
                         "kind: map, tasks: 3, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n";
  Answer answer = heddle("validate " + path);
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("2 nodes, 1 jobs, 3 tasks, policy fifo, seed 1"));
  EXPECT_THAT(answer.text, HasSubstr("time_scale 0.1, core_fraction 0.05"));
}

TEST(Usage, OutputThatCannotBeWrittenIsNoSuccess) {
  Answer answer = heddle("policies", "2>&1 >/dev/full");
  EXPECT_EQ(answer.status, 4);
  EXPECT_EQ(answer.text, "heddle: could not write to standard output\n");
}

TEST(Usage, ResultsStayCleanWithTheStandardStreamsClosed) {
  std::string out = ::testing::TempDir() + "/closed";
  std::filesystem::remove_all(out);
  Answer answer = heddle(
      "simulate " + std::string(HEDDLE_SOURCE_DIR) + "/scenarios/lone-task.yaml --out " + out,
      "2>&- >&- <&-");
  EXPECT_EQ(answer.status, 0);
  std::ifstream journal(out + "/journal.jsonl");
  for (std::string line; std::getline(journal, line);) EXPECT_TRUE(line.starts_with("{")) << line;
}

// Control characters in names that users give are escaped, as in any other text.
TEST(Usage, NothingReachesATerminalThatItWouldObey) {
  const Answer error = heddle("validate '/no\x1b[2Jne\xc2\x9b.yaml'");
  EXPECT_EQ(error.status, 2);
  EXPECT_THAT(error.text, HasSubstr("/no\\u001b[2Jne\\u009b.yaml"));
  const std::string out = ::testing::TempDir() + "/title\x1b]0;x\x07";
  std::filesystem::remove_all(out);
  const Answer results = heddle("simulate " + std::string(HEDDLE_SOURCE_DIR) +
                                "/scenarios/lone-task.yaml --derived=later --out '" + out + "'");
  EXPECT_EQ(results.status, 0);
  EXPECT_THAT(results.text, HasSubstr("/title\\u001b]0;x\\u0007\n"));
  for (const std::string& text : {error.text, results.text})
    EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos);
  std::filesystem::remove_all(out);
}

TEST(Usage, WorkloadsFitOnALine) {
  const std::string all = heddle("workloads").text;
  EXPECT_THAT(all, HasSubstr("\npi "));
  EXPECT_THAT(all, HasSubstr("\nusage-slack "));
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

// The command prints YAML for a scenario, with the same meaning as the workload's name.
TEST(Usage, WorkloadsReadBack) {
  for (const char* name : {"join", "hive-query", "pagerank --framework spark"}) {
    const std::string text =
        "heddle: 1\nname: t\ncluster: {nodes: [{name: n, cores: 99, memory: 999GiB}]}\n" +
        heddle("workloads " + std::string(name)).text;
    auto read = workloads::read_scenario_text(text, "printed");
    ASSERT_TRUE(read) << read.error().text << text;
    EXPECT_EQ(read->scenario.jobs.size(), 1U);
  }
}

/// Makes the results of a simulated run of scenarios/lone-task.yaml; returns their directory.
std::string results(const std::string& name) {
  const std::string out = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(out);
  Answer answer = heddle("simulate " + std::string(HEDDLE_SOURCE_DIR) +
                         "/scenarios/lone-task.yaml --quiet --out " + out);
  EXPECT_EQ(answer.status, 0) << answer.text;
  return out;
}

TEST(Usage, TraceWritesBesideTheResults) {
  const std::string out = results("traced");
  Answer answer = heddle("trace " + out);
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("used / held"));
  EXPECT_THAT(answer.text, HasSubstr("trace: " + out + "/trace.jsonl\n"));
  EXPECT_TRUE(std::filesystem::exists(out + "/efficiency.json"));
  // The trace can be made again.
  Answer json = heddle("trace " + out + " --json", "2>/dev/null");
  EXPECT_EQ(json.status, 0);
  wire::Json told = wire::Json::parse(json.text, nullptr, false);
  ASSERT_TRUE(told.is_object()) << json.text;
  EXPECT_THAT(told, HasMembers(R"({"jobs":1,"containers":1})"));
  EXPECT_TRUE(told["overall"]["cores"].is_number());
}

/// Returns what heddle says to words about the results RUN and the trace TRACE, with status 2.
std::string said_of(const std::string& out, const std::string& command, const std::string& words) {
  const std::string trace = out + "/trace.jsonl";
  const std::string text = said(command + " " + with(with(words, "TRACE", trace), "RUN", out), 2);
  return with(text, out, "RUN");
}

TEST(Usage, TraceErrors) {
  const std::string out = results("traced-badly"),
                    above = std::filesystem::path(out).parent_path().string();
  tests::expect_messages_of("cli/usage.yaml", "traces",
                            [&](const std::string& words) { return said_of(out, "trace", words); });
  EXPECT_THAT(heddle("trace " + above).text,
              HasSubstr(above +
                        ": not a result directory (the runs are below it; expected one of "
                        "them, such as " +
                        above + "/"));
  EXPECT_NE(heddle("trace " + out + " --out " + out + "/none/trace.jsonl").status, 0);
  std::filesystem::remove(out + "/samples.jsonl");
  Answer without = heddle("trace " + out);
  EXPECT_EQ(without.status, 0);
  EXPECT_THAT(without.text, HasSubstr("only the total usage of each container is known"));
  std::ofstream(out + "/journal.jsonl") << "{\"type\":\"launch\"}\n";
  Answer broken = heddle("trace " + out);
  EXPECT_EQ(broken.status, 4);
  EXPECT_THAT(broken.text, HasSubstr("journal.jsonl:1: "));
}

TEST(Usage, ImportWritesAScenario) {
  const std::string out = results("imported");
  ASSERT_EQ(heddle("trace " + out).status, 0);
  const std::string import = "import heddle-trace " + out + "/trace.jsonl ";
  const std::string made = out + "/again.yaml", report = out + "/report.json";
  const Answer told =
      heddle(import + "--nodes 2 --time-scale 1/8 --policy drf --name again --out " + made +
             " --report " + report);
  EXPECT_EQ(told.status, 0) << told.text;
  EXPECT_THAT(told.text, HasSubstr(" found, "));
  EXPECT_EQ(wire::Json::parse(*read_file(report))["repairs"], wire::Json::object());
  auto read = workloads::read_scenario(made);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->scenario.name, "again");
  EXPECT_EQ(read->scenario.cluster.nodes.size(), 2U);
  EXPECT_EQ(read->scenario.emulation.time_scale, 0.125);
  EXPECT_EQ(read->scenario.policy.preset, "drf");
  EXPECT_THAT(heddle(import + "--requests exact-fit").text, HasSubstr("requests: exact-fit"));
}

TEST(Usage, ImportErrors) {
  const std::string out = results("imported-badly");
  ASSERT_EQ(heddle("trace " + out).status, 0);
  tests::expect_messages_of("cli/usage.yaml", "imports", [&](const std::string& words) {
    return said_of(out, "import", words);
  });
}

TEST(Usage, ATraceIsNoScenario) {
  const std::string out = results("no-scenario");
  std::ofstream(out + "/log.swf") << "1 9 0 5 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
  for (const std::string command : {"simulate ", "validate ", "run --dry-run "}) {
    const Answer answer = heddle(command + out + "/log.swf");
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.text,
                HasSubstr("log.swf: is a trace of the format swf; expected a scenario, "
                          "which heddle import " +
                          out + "/log.swf makes"));
  }
}

TEST(Usage, ImportRefusesRepairsIfAsked) {
  const std::string out = results("imported-strictly");
  std::ofstream(out + "/log.swf") << "1 9 0 5 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n"
                                     "2 8 0 5 1 -1 -1 1 -1 -1 1 1 1 1 1 -1 -1 -1\n";
  EXPECT_EQ(heddle("import " + out + "/log.swf").status, 0);
  const Answer strict = heddle("import " + out + "/log.swf --strict");
  EXPECT_EQ(strict.status, 2);
  EXPECT_THAT(strict.text,
              HasSubstr("1 x submitted before an earlier row: sorted (" + out + "/log.swf:2)"));
  EXPECT_THAT(strict.text, HasSubstr("needs 1 repair, and --strict allows none"));
}

TEST(Usage, DoctorNamesDevelopersToolsOnlyIfAskedTo) {
  EXPECT_THAT(heddle("doctor").text, Not(HasSubstr("clang-format")));
  EXPECT_THAT(heddle("doctor --developer").text, HasSubstr("clang-format"));
}

TEST(Usage, ShippedScenariosAreFoundFromEveryDirectory) {
  const ScratchScenario elsewhere(kTwoWaves);
  EXPECT_EQ(elsewhere.heddle("validate scenarios/quickstart.yaml").status, 0);
  // A file of the user comes first.
  const std::string own = std::filesystem::path(elsewhere.path()).parent_path() / "scenarios";
  std::filesystem::create_directory(own);
  std::ofstream(own + "/quickstart.yaml") << "heddle: 7\n";
  EXPECT_EQ(elsewhere.heddle("validate scenarios/quickstart.yaml").status, 2);
  const Answer none = elsewhere.heddle("validate scenarios/none.yaml");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.text, HasSubstr("scenarios/none.yaml"));
  EXPECT_EQ(elsewhere.heddle("validate scenarios/../README.md").status, 2);
}

TEST(Usage, DoctorTellsTheSameInBothForms) {
  Answer table = heddle("doctor");
  EXPECT_TRUE(table.status == 0 || table.status == 3);
  EXPECT_THAT(table.text, HasSubstr("a place for control groups"));
  Answer json = heddle("doctor --json");
  EXPECT_EQ(json.status, table.status);
  wire::Json checks = wire::Json::parse(json.text, nullptr, false);
  ASSERT_TRUE(checks.is_object()) << json.text;
  EXPECT_EQ(checks["ok"], json.status == 0);
}

}  // namespace heddle::cli::usage_test
