// Every mistake that a user can make in a scenario, and its error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/scenario/draw.h"
#include "tests/support/scenario_texts.h"

namespace heddle::scenario_error_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Functions that return the errors when the given piece of the scenario is replaced.
std::string with_head(const std::string& more) {
  ScenarioText text;
  text.head += more + "\n";
  return errors_of(text.text());
}
std::string with_cluster(const std::string& inside) {
  ScenarioText text;
  text.cluster = "cluster: {" + inside + "}\n";
  return errors_of(text.text());
}
std::string with_node(const std::string& inside) {
  return with_cluster("nodes: [{" + inside + "}]");
}
std::string with_jobs(const std::string& jobs) {
  ScenarioText text;
  text.jobs = jobs;
  return errors_of(text.text());
}
std::string with_phase(const std::string& words) { return with_jobs(one_phase(words)); }
/// Returns the errors of a phase that is valid except for these words.
std::string with_work(const std::string& words) {
  return with_phase("name: m, request: {cores: 1, memory: 1GiB}, " + words);
}
std::string with_job(const std::string& words) {
  return with_jobs("jobs:\n- {name: p, workload: pi, " + words + "}\n");
}

// The document ------------------------------------------------------------------------------------

TEST(Document, SyntaxErrorsNameTheLine) {
  EXPECT_EQ(errors_of("heddle: 1\nname: [a\n"),
            "s.yaml:3:1: the \"[\" of line 2 is not closed; expected \"]\"");
  EXPECT_EQ(errors_of("heddle: 1\n\tname: a\n"),
            "s.yaml:2:1: a tab in the indentation; expected spaces");
}

TEST(Document, EmptyOrNoMap) {
  EXPECT_THAT(errors_of(""), HasSubstr("s.yaml:1: is empty; expected a map with heddle, name, "));
  EXPECT_THAT(errors_of("- a\n"), HasSubstr("s.yaml:1: is a list; expected a map with heddle, "));
  EXPECT_THAT(errors_of("hello"), HasSubstr("s.yaml:1: is a single value; expected a map with "));
}

TEST(Document, BytesThatAreNotText) {
  using namespace std::string_literals;
  EXPECT_EQ(errors_of("\xff\xfeh\0"s),
            "s.yaml:1:1: not UTF-8 text: byte 0xff; expected a text file in UTF-8");
  EXPECT_EQ(errors_of("heddle: 1\nname: a\0b\n"s),
            "s.yaml:2:8: not UTF-8 text: byte 0x00; expected a text file in UTF-8");
  EXPECT_EQ(errors_of("heddle: 1\n# Gr\xfc\xdf"
                      "e\n"),
            "s.yaml:2:5: not UTF-8 text: byte 0xfc; expected a text file in UTF-8");
  EXPECT_EQ(errors_of("heddle: \"\x9f\"\n"),
            "s.yaml:1:10: not UTF-8 text: byte 0x9f; expected a text file in UTF-8");
}

TEST(Document, UnicodeAndAByteOrderMark) {
  EXPECT_EQ(errors_of("\xEF\xBB\xBF" + ScenarioText{}.text() + "# Grüße, 织机 🧵\n"), "none");
  EXPECT_EQ(errors_of("\xEF\xBB\xBF\"name: a\n"),
            "s.yaml:1:1: the quote of line 1 is not closed; expected \" at the end of the text");
}

TEST(Document, DoubleKeys) {
  EXPECT_EQ(errors_of("heddle: 1\nname: a\nname: b\n"),
            "s.yaml:3:1: \"name\" occurs twice in one map");
}

TEST(Document, KeysThatAreNoWords) {
  EXPECT_EQ(errors_of("heddle: 1\n[a]: b\n"), "s.yaml:2:1: a key must be a plain word");
}

TEST(Document, SecondDocument) {
  EXPECT_EQ(errors_of(ScenarioText{}.text() + "---\na: 1\n"),
            "s.yaml:8:1: a second document; a scenario is one document");
}

TEST(Document, BombOfAliases) {
  std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i < 12; ++i) {
    std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k ? "," : "") + last;
    text += "]\n";
  }
  EXPECT_EQ(
      errors_of(text),
      "s.yaml:7:14: more than 4000000 values (each alias counts with the values it refers to)");
}

TEST(Document, AliasOfItself) {
  EXPECT_EQ(errors_of("a: &a [*a]\n"), "s.yaml:1:8: an alias refers to a value that contains it");
  EXPECT_EQ(errors_of("a: *b\n"),
            "s.yaml:1:4: an alias (*name) without an anchor (&name) before it");
}

TEST(Document, TooDeep) {
  EXPECT_THAT(errors_of(std::string(100, '[')),
              AllOf(StartsWith("s.yaml:1:"), HasSubstr(": nested deeper than 64 levels")));
  std::string half(33, '['), close(33, ']');
  EXPECT_EQ(errors_of("a: &a " + half + close + "\nb: " + half + "*a" + close + "\n"),
            "s.yaml:2:37: nested deeper than 64 levels");
}

TEST(Document, TooLarge) {
  EXPECT_EQ(errors_of(std::string((32 << 20) + 1, ' ')), "s.yaml: larger than 32 MiB");
}

// For any input, the result is a scenario or an error.
TEST(Document, DamagedTextNeverBreaksTheReader) {
  ScenarioText good;
  good.head +=
      "emulation: {time_scale: 0.1, memory_scale: 1/64, overhead: 2MiB}\npolicy: {reserve: true}\n";
  good.jobs +=
      "  - {name: red, kind: reduce, after: [map], request: &r {cores: 1, memory: 1GiB}, cpu: "
      "{dist: "
      "normal, mean: 2s, cv: 0.1}, memory: [[0, 1MiB], [1, 2MiB]]}\n"
      "- {name: pi, workload: pi, count: 3, submit: {start: 1s, poisson: 2s}}\n";
  const std::string text = good.text();
  ASSERT_EQ(errors_of(text), "none");
  std::uint64_t state = 1;
  auto next = [&](std::size_t below) { return draw_key(++state, {}) % below; };
  const std::string signs = "{}[]:,-&*\"'#|>?!%@ \n\t019azMsi.e/\xff";
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (std::size_t n = 1 + next(4); n > 0; --n) {
      std::size_t at = next(damaged.size());
      if (next(3) == 0)
        damaged.erase(at, 1 + next(20));
      else if (next(2) == 0)
        damaged[at] = signs[next(signs.size())];
      else
        damaged.insert(at, damaged.substr(next(damaged.size()), next(40)));
    }
    auto read = read_text(damaged);
    if (!read) {
      EXPECT_EQ(read.error().kind, Error::Kind::kUsage);
      EXPECT_FALSE(read.error().text.empty()) << damaged;
    }
  }
}

TEST(Document, NotThereOrNoFile) {
  auto read = [](const char* path) { return workloads::read_scenario(path).error(); };
  EXPECT_EQ(read("/none.yaml").text, "scenario: open /none.yaml: No such file or directory");
  EXPECT_EQ(read("/none.yaml").kind, Error::Kind::kUsage);
  EXPECT_EQ(read("/").text, "/: is not a file; expected a scenario");
  EXPECT_EQ(read("/dev/zero").text, "/dev/zero: is not a file; expected a scenario");
}

// Keys in general ---------------------------------------------------------------------------------

TEST(Keys, UnknownOnesNameTheNearest) {
  EXPECT_EQ(with_cluster("heartbeet: 1s, nodes: [{name: n, cores: 4, memory: 8GiB}]"),
            "s.yaml:3: cluster.heartbeet: unknown key; expected one of heartbeat, dispatch, "
            "node_timeout, walltime_grace, unit, normalise, overcommit, nodes; did you mean "
            "\"heartbeat\"?");
  EXPECT_EQ(with_work("cpu: 1s, colour: red"),
            "s.yaml:7: jobs.wc.phases.m.colour: unknown key; expected one of name, kind, tasks, "
            "request, gang, after, command, output_limit, cpu, threads, sleep, memory, input, "
            "shuffle, output, skew, start_spread, idle, usage, each, spill_penalty, prefer");
}

TEST(Keys, LackingASpaceOrAColon) {
  EXPECT_EQ(with_node("name: n, cores: 4, memory: 8GiB, count:2"),
            "s.yaml:3: cluster.nodes.n.count:2: has no space after \":\"; expected \"count: 2\"");
  EXPECT_EQ(with_node("name: n, cores: 4, memory: 8GiB, count 2"),
            "s.yaml:3: cluster.nodes.n.count 2: has no \":\"; expected \"count: 2\"");
  EXPECT_EQ(with_head("-seed: 2"),
            "s.yaml:3: -seed: has no space after \"-\"; expected \"- seed\"");
  EXPECT_THAT(with_node("name: n, cores: 4, memory: 8GiB, counts 2"),
              HasSubstr("cluster.nodes.n.counts 2: unknown key; expected one of "));
}

TEST(Keys, InvalidNamesAreNotSuggested) {
  EXPECT_THAT(
      with_jobs("jobs:\n- name: j\n  phases:\n  - {name:map, request: {cores: 1, memory: "
                "1GiB}, cpu: 1s}\n  - {name: red, after: [map], request: {cores: 1, memory: "
                "1GiB}, cpu: 1s}\n"),
      HasSubstr("no phase of this job is called \"map\"; expected red"));
}

TEST(Keys, EveryLineAndUnnamedMembersByIndex) {
  EXPECT_EQ(with_jobs("jobs:\n- name: wc\n  workload: pi\n  sumbit: 3s\n- workload: pi\n"),
            "s.yaml:7: jobs.wc.sumbit: unknown key; expected one of name, count, submit, queue, "
            "user, priority, weight, max_attempts, gang, phases, workload, input, maps, reduces, "
            "cpu, jobs, framework, application_master, max_am_attempts, deploy, "
            "executor_idle_timeout, executors, stages, iterations, iterative, requests, walltime; "
            "did you "
            "mean \"submit\"?\n"
            "s.yaml:8: jobs[1].name: is missing; expected name");
}

TEST(Keys, MissingOnes) {
  EXPECT_EQ(errors_of("name: x\n"),
            "s.yaml:1: heddle: is missing; expected 1\n"
            "s.yaml:1: cluster: is missing; expected map, see cluster\n"
            "s.yaml:1: jobs: is missing; expected list, see job, or map, see jobs_table");
  EXPECT_THAT(errors_of("heddle: 1\n"), HasSubstr("s.yaml:1: name: is missing; expected name"));
  EXPECT_EQ(with_node("name: n"),
            "s.yaml:3: cluster.nodes.n.cores: is missing; expected cores\n"
            "s.yaml:3: cluster.nodes.n.memory: is missing; expected bytes");
  EXPECT_THAT(with_phase("cpu: 1s"),
              HasSubstr("s.yaml:7: jobs.wc.phases[0].name: is missing; expected name\n"
                        "s.yaml:7: jobs.wc.phases[0].request: is missing; expected map, see "
                        "resources"));
  EXPECT_EQ(with_phase("name: m, cpu: 1s, request: {cores: 1}"),
            "s.yaml:7: jobs.wc.phases.m.request.memory: is missing; expected bytes");
}

TEST(Keys, OtherVersions) {
  EXPECT_EQ(
      errors_of("heddle: 2\nfuture: {}\n"),
      "s.yaml:2: future: unknown key; expected one of heddle, name, seed, emulation, cluster, "
      "storage, simulation, policy, queues, jobs, faults, external_load, remaining_model\n"
      "s.yaml:1: heddle: \"2\" is not a version this program reads; expected 1");
}

TEST(Keys, AtMostTwentyErrors) {
  std::string jobs = "jobs:\n";
  for (int i = 0; i < 25; ++i) jobs += "- {name: -, workload: pi}\n";
  std::string errors = with_jobs(jobs);
  EXPECT_THAT(errors, StartsWith("s.yaml:5: jobs[0].name: \"-\" is not a name; expected 1 to 64 "
                                 "letters, digits, '.', '_' or '-', beginning with a letter or "
                                 "digit\ns.yaml:6: jobs[1].name: "));
  EXPECT_THAT(errors, HasSubstr("s.yaml:24: jobs[19].name"));
  EXPECT_THAT(errors, Not(HasSubstr("s.yaml:25:")));
  EXPECT_THAT(errors, ::testing::EndsWith("\nand 5 more"));
}

TEST(Keys, BackfillingTakesOnlyRigidJobs) {
  const std::string why =
      "is not rigid, and easy takes only rigid jobs; expected one phase with gang: true, and no "
      "application master";
  const std::string rigid =
      "phases: [{name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s, gang: true}]";
  const auto with = [&](const std::string& job) {
    Overrides overrides;
    overrides.policy = "easy";
    ScenarioText text;
    text.jobs =
        "jobs:\n- {name: r, walltime: 1h, " + rigid + "}\n- {name: j, count: 3, " + job + "}\n";
    return errors_of(text.text(), overrides);
  };
  EXPECT_EQ(with(rigid), "none");
  EXPECT_EQ(with("workload: pi"), "s.yaml:6: jobs.j: " + why);
  EXPECT_EQ(with(rigid + ", application_master: {cores: 1, memory: 1GiB}"),
            "s.yaml:6: jobs.j: " + why);
  EXPECT_EQ(with("phases: [{name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s}]"),
            "s.yaml:6: jobs.j: " + why);
}

TEST(Keys, EndlessWordsAreCut) {
  EXPECT_LT(with_head(std::string(1 << 20, 'a') + ": 1").size(), 3000U);
  EXPECT_LT(with_head("policy: " + std::string(1 << 20, 'a')).size(), 3000U);
}

// Values ------------------------------------------------------------------------------------------

TEST(Values, WordsOutsideTheirList) {
  EXPECT_EQ(with_head("emulation: {cpu_limit: strickt}"),
            "s.yaml:3: emulation.cpu_limit: unknown word \"strickt\"; expected strict or shares; "
            "did you mean \"strict\"?");
  EXPECT_EQ(with_head("emulation: {pacing: 1}"),
            "s.yaml:3: emulation.pacing: unknown word \"1\"; expected line or none");
  EXPECT_EQ(with_head("emulation: {swap: yes}"),
            "s.yaml:3: emulation.swap: unknown word \"yes\"; expected true or false");
  EXPECT_EQ(with_head("emulation: {suspend_with: ice}"),
            "s.yaml:3: emulation.suspend_with: unknown word \"ice\"; expected signal or freezer");
  EXPECT_EQ(with_cluster("dispatch: now, nodes: [{name: n, cores: 4, memory: 8GiB}]"),
            "s.yaml:3: cluster.dispatch: unknown word \"now\"; expected heartbeat or immediate");
  EXPECT_EQ(with_work("cpu: 1s, kind: mapp"),
            "s.yaml:7: jobs.wc.phases.m.kind: unknown word \"mapp\"; expected map or reduce or "
            "command; did "
            "you mean \"map\"?");
  EXPECT_EQ(with_head("simulation: {ideal: maybe}"),
            "s.yaml:3: simulation.ideal: unknown word \"maybe\"; expected true or false");
  EXPECT_EQ(with_head("simulation: {saturation: al}"),
            "s.yaml:3: simulation.saturation: unknown word \"al\"; expected kernel or all; did you "
            "mean \"all\"?");
}

TEST(Values, OutOfRange) {
  struct Case {
    const char* words;
    const char* error;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"emulation: {time_scale: 0}",
            "emulation.time_scale: \"0\" is out of range; expected 0.001 to 1000"},
           {"emulation: {core_fraction: 2}",
            "emulation.core_fraction: \"2\" is out of range; expected 0.001 to 1"},
           {"emulation: {memory_scale: 0}",
            "emulation.memory_scale: \"0\" is out of range; expected 1e-06 to 1"},
           {"emulation: {data_scale: 2}",
            "emulation.data_scale: \"2\" is out of range; expected 1e-06 to 1"},
           {"emulation: {overhead: 2GiB}",
            "emulation.overhead: \"2GiB\" is out of range; expected 0B to 1GiB"},
           {"emulation: {control_reserve: {cpu: 95%}}",
            "emulation.control_reserve.cpu: \"95%\" is out of range; expected 0 to 0.9"},
           {"seed: -1", "seed: \"-1\" is out of range; expected 0 to 9223372036854775807"},
           {"simulation: {launch_delay: 2min}",
            "simulation.launch_delay: \"2min\" is out of range; expected 0s to 60s"},
           {"simulation: {message_delay: 2h}",
            "simulation.message_delay: \"2h\" is out of range; expected 0s to 60s"},
           {"storage: {block_size: 1B}",
            "storage.block_size: \"1B\" is out of range; expected 1KiB to 1TiB"},
           {"storage: {replicas: 0}",
            "storage.replicas: \"0\" is out of range; expected 1 to 100"}})
    EXPECT_EQ(with_head(c.words), "s.yaml:3: " + std::string(c.error));
}

TEST(Values, OutOfRangeInTheCluster) {
  const std::string node = ", nodes: [{name: n, cores: 4, memory: 8GiB}]";
  EXPECT_EQ(with_cluster("heartbeat: 0s" + node),
            "s.yaml:3: cluster.heartbeat: \"0s\" is out of range; expected 1ms to 1h");
  EXPECT_EQ(with_cluster("heartbeat: 20s" + node),
            "s.yaml:3: cluster.node_timeout: 10s is shorter than the heartbeat of 20s; expected at "
            "least the heartbeat");
  EXPECT_EQ(with_cluster("node_timeout: 500ms" + node),
            "s.yaml:3: cluster.node_timeout: 0.5s is shorter than the heartbeat of 1s; expected at "
            "least the heartbeat");
  EXPECT_EQ(with_cluster("unit: {cores: 0}" + node),
            "s.yaml:3: cluster.unit.cores: \"0\" is out of range; expected 0.001 to 10000");
  EXPECT_EQ(with_node("name: n, cores: 0, memory: 8GiB"),
            "s.yaml:3: cluster.nodes.n.cores: \"0\" is out of range; expected 0.001 to 10000");
  EXPECT_EQ(with_node("name: n, cores: 1, memory: 1B"),
            "s.yaml:3: cluster.nodes.n.memory: \"1B\" is out of range; expected 1MiB to 1024TiB");
  EXPECT_EQ(with_node("name: n, cores: 1, memory: 8GiB, speed: 0"),
            "s.yaml:3: cluster.nodes.n.speed: \"0\" is out of range; expected 0.01 to 10");
  EXPECT_EQ(with_node("name: n, count: 0, cores: 1, memory: 8GiB"),
            "s.yaml:3: cluster.nodes.n.count: \"0\" is out of range; expected 1 to 20000");
  EXPECT_EQ(with_node("name: n, cores: 1, memory: 8GiB, disk: 0"),
            "s.yaml:3: cluster.nodes.n.disk: \"0\" is out of range; expected 1B/s to 1024TiB/s");
}

TEST(Values, OutOfRangeInJobs) {
  EXPECT_EQ(with_job("count: 100001"),
            "s.yaml:5: jobs.p.count: \"100001\" is out of range; expected 1 to 100000");
  EXPECT_EQ(
      with_job("priority: 1.5"),
      "s.yaml:5: jobs.p.priority: \"1.5\" is not a whole number; expected a whole number from "
      "-1000000 to 1000000");
  EXPECT_EQ(with_job("maps: 99999999999999999999"),
            "s.yaml:5: jobs.p.maps: \"99999999999999999999\" is out of range; expected 1 to "
            "1000000");
  EXPECT_EQ(with_job("maps: ''"),
            "s.yaml:5: jobs.p.maps: \"\" is not a whole number; expected a whole number from 1 to "
            "1000000");
  EXPECT_EQ(with_job("weight: 0"),
            "s.yaml:5: jobs.p.weight: \"0\" is out of range; expected 0.001 to 1000");
  EXPECT_EQ(with_job("max_attempts: 0"),
            "s.yaml:5: jobs.p.max_attempts: \"0\" is out of range; expected 1 to 1000");
  EXPECT_EQ(with_job("max_am_attempts: 1001"),
            "s.yaml:5: jobs.p.max_am_attempts: \"1001\" is out of range; expected 1 to 1000");
  EXPECT_EQ(with_job("maps: 0"),
            "s.yaml:5: jobs.p.maps: \"0\" is out of range; expected 1 to 1000000");
  EXPECT_EQ(with_job("submit: 5"),
            "s.yaml:5: jobs.p.submit: \"5\" has no unit; expected a duration such as 12s, 500ms, "
            "2min or 1h");
  EXPECT_EQ(with_work("cpu: 1s, tasks: 0"),
            "s.yaml:7: jobs.wc.phases.m.tasks: \"0\" is out of range; expected 1 to 1000000");
  EXPECT_EQ(with_work("cpu: 1s, threads: 257"),
            "s.yaml:7: jobs.wc.phases.m.threads: \"257\" is out of range; expected 1 to 256");
  EXPECT_EQ(with_phase("name: m, cpu: 1s, request: {cores: 0, memory: 0}"),
            "s.yaml:7: jobs.wc.phases.m.request.cores: \"0\" is out of range; expected 0.001 to "
            "10000\ns.yaml:7: jobs.wc.phases.m.request.memory: \"0\" is out of range; expected 1B "
            "to 1024TiB");
}

TEST(Values, OfTheWrongKind) {
  EXPECT_EQ(with_head("seed: [1]"), "s.yaml:3: seed: is a list; expected whole number");
  EXPECT_EQ(with_head("seed:"), "s.yaml:3: seed: is empty; expected whole number");
  EXPECT_EQ(
      with_head("emulation: 3"),
      "s.yaml:3: emulation: is a single value; expected a map with time_scale, core_fraction, "
      "memory_scale, data_scale, cpu_limit, pacing, swap, overhead, control_reserve, "
      "suspend_with, node_use, oom_preference");
  EXPECT_EQ(with_head("emulation: {cpu_limit: [a]}"),
            "s.yaml:3: emulation.cpu_limit: is a list; expected strict or shares");
  EXPECT_EQ(with_head("policy: [fifo]"),
            "s.yaml:3: policy: is a list; expected a policy such as fifo, or a map of its parts "
            "and options");
  EXPECT_EQ(with_head("policy: {reserve: [true]}"),
            "s.yaml:3: policy.reserve: is a list; expected a single value");
  EXPECT_EQ(with_head("policy: {reserve: {mapreduce: true}}"),
            "s.yaml:3: policy.reserve: is a map; expected a single value");
  EXPECT_EQ(with_head("policy: {delay: [mapreduce]}"),
            "s.yaml:3: policy.delay: is a list; expected a single value");
  EXPECT_EQ(with_work("cpu: 1s, prefer: n1"),
            "s.yaml:7: jobs.wc.phases.m.prefer: is a single value; expected a list of nodes such "
            "as [n1, n2]");
  EXPECT_EQ(with_cluster("nodes: 3"),
            "s.yaml:3: cluster.nodes: is a single value; expected a list of at least one node");
  EXPECT_EQ(with_cluster("nodes: []"),
            "s.yaml:3: cluster.nodes: is an empty list; expected a list of at least one node");
  EXPECT_EQ(with_jobs("jobs: []\n"),
            "s.yaml:4: jobs: is an empty list; expected a list of at least one job");
  EXPECT_EQ(with_head("queues: []"),
            "s.yaml:3: queues: is an empty list; expected a list of at least one queue");
  EXPECT_EQ(with_jobs("jobs:\n- {name: a, phases: []}\n"),
            "s.yaml:5: jobs.a.phases: is an empty list; expected a list of at least one phase");
  EXPECT_THAT(with_jobs("jobs: [a]\n"),
              HasSubstr("s.yaml:4: jobs[0]: is a single value; expected a map with name, "));
}

TEST(Values, Policies) {
  EXPECT_THAT(with_head("policy: fiffo"),
              HasSubstr("s.yaml:3: policy: unknown policy \"fiffo\"; did you mean \"fifo\"?"));
  EXPECT_EQ(with_head("policy: {preset: fifo, reserve: 2}"),
            "s.yaml:3: policy.reserve: expected true or false, got \"2\"");
  EXPECT_THAT(with_head("policy: {resreve: true}"),
              HasSubstr("s.yaml:3: policy.resreve: unknown policy option \"resreve\"; did you mean "
                        "\"reserve\"?"));
  EXPECT_EQ(with_head("policy: {name: fifo}"),
            "s.yaml:3: policy.name: unknown policy option \"name\"; did you mean \"preset\"?");
}

// Only the whole policy shows whether an option is used, so the error names the line where the
// policy begins.
TEST(Values, PolicyOptionsThatNothingReads) {
  EXPECT_EQ(with_head("policy: {cores_weight: 2, preset: fifo}"),
            "s.yaml:3: policy: option cores_weight does not apply to fifo with first-fit; expected "
            "a policy with ffd-dp or haste or haste-a");
  EXPECT_EQ(with_head("policy: fifo+cores_weight=2"),
            "s.yaml:3: policy: option cores_weight does not apply to fifo with first-fit; expected "
            "a policy with ffd-dp or haste or haste-a");
}

TEST(Values, ListsOfAPolicy) {
  EXPECT_EQ(with_head("policy: {preset: dress, categories: [0.05, 0.2]}"), "none");
  EXPECT_EQ(with_head("policy: {preset: dress, categories: [0.2, 0.05]}"),
            "s.yaml:3: policy.categories: expected a list such "
            "as [0.05, 0.2], ascending, each 0 to 1, got \"[0.2, 0.05]\"");
  EXPECT_EQ(with_head("policy: {preset: dress, categories: 0.05}"),
            "s.yaml:3: policy.categories: expected a list such as "
            "[0.05, 0.2], ascending, each 0 to 1, got \"0.05\"");
  EXPECT_EQ(with_head("policy: {preset: dress, categories: [[0.05]]}"),
            "s.yaml:3: policy.categories: is a list; expected a list of numbers");
}

TEST(Values, PolicyOptionsThatContradictEachOther) {
  EXPECT_EQ(
      with_head("policy: {preset: dress, categories: [0.05], dress_indicator: 0.2}"),
      "s.yaml:3: policy: categories and dress_indicator exclude each other; expected one of them");
  EXPECT_EQ(with_head("policy: {preset: dress, min_ratio: 0.5, max_ratio: 0.2}"),
            "s.yaml:3: policy: min_ratio is greater than max_ratio; expected at most max_ratio");
}

TEST(Values, Distributions) {
  EXPECT_EQ(with_work("cpu: {dist: gamma, mean: 1s}"),
            "s.yaml:7: jobs.wc.phases.m.cpu.dist: unknown word \"gamma\"; expected constant or "
            "uniform or normal or lognormal or exponential");
  EXPECT_EQ(with_work("cpu: {}"),
            "s.yaml:7: jobs.wc.phases.m.cpu.dist: is missing; expected constant, uniform, normal, "
            "lognormal or exponential\n"
            "s.yaml:7: jobs.wc.phases.m.cpu.mean: is missing; expected duration or bytes, as the "
            "key requires");
  EXPECT_EQ(with_work("cpu: {dist: normal, mean: 1GiB}"),
            "s.yaml:7: jobs.wc.phases.m.cpu.mean: \"1GiB\" has an unknown unit \"GiB\"; expected a "
            "duration such as 12s, 500ms, 2min or 1h");
  EXPECT_EQ(with_work("cpu: {dist: uniform, mean: 1s, cv: 0.6}"),
            "s.yaml:7: jobs.wc.phases.m.cpu.cv: \"0.6\" is out of range; expected 0 to "
            "0.5773502691896258");
  EXPECT_EQ(with_work("cpu: {dist: exponential, mean: 1s, cv: 1}"),
            "s.yaml:7: jobs.wc.phases.m.cpu.cv: this distribution has no cv; expected only dist "
            "and mean");
  EXPECT_EQ(with_work("cpu: {dist: normal, mean: 1s, cv: 11}"),
            "s.yaml:7: jobs.wc.phases.m.cpu.cv: \"11\" is out of range; expected 0 to 10");
}

TEST(Values, MemoryProfiles) {
  const std::string key = "s.yaml:7: jobs.wc.phases.m.memory";
  EXPECT_EQ(with_work("cpu: 1s, memory:"),
            key + ": is empty; expected bytes or distribution, or list of [progress, bytes]");
  EXPECT_EQ(with_work("cpu: 1s, memory: []"),
            key + ": has 0 corners; expected 1 to 64 of [progress, bytes]");
  EXPECT_EQ(with_work("cpu: 1s, memory: [1GiB]"),
            key + "[0]: is not a corner; expected [progress, bytes]");
  EXPECT_EQ(with_work("cpu: 1s, memory: [[0.5, 1MiB], [0.5, 2MiB]]"),
            key +
                "[1][0]: \"0.5\" is out of order or range; expected ascending progress from 0 to "
                "1");
  EXPECT_EQ(with_work("cpu: 1s, memory: [[1.5, 1MiB]]"),
            key +
                "[0][0]: \"1.5\" is out of order or range; expected ascending progress from 0 to "
                "1");
  EXPECT_EQ(with_work("cpu: 1s, memory: [[x, 1MiB]]"),
            key + "[0][0]: \"x\" is not a number; expected a fraction such as 1/64, 0.05 or 5%");
  EXPECT_EQ(with_work("cpu: 1s, memory: [[0, 1]]"),
            key + "[0][1]: \"1\" has no unit; expected bytes such as 700MiB, 1.5GiB or 2GB");
  EXPECT_EQ(with_work("cpu: 1s, memory: [[[0], 1MiB]]"),
            key + "[0][0]: is a list; expected a progress from 0 to 1");
  std::string corners = "[[0, 1MiB]";
  for (int i = 1; i < 65; ++i) corners += ", [" + std::to_string(i) + "/64, 1MiB]";
  EXPECT_EQ(with_work("cpu: 1s, memory: " + corners + "]"),
            key + ": has 65 corners; expected 1 to 64 of [progress, bytes]");
}

// Fit of keys to each other -----------------------------------------------------------------------

// 1024 nodes of 1024 TiB have 2^10 x 2^50 bytes, which is the maximum. 9000 have 2^63.1, which
// exceeds 64 bits.
TEST(Cluster, AllMemory) {
  const std::string refused =
      "s.yaml:3: cluster.nodes: the nodes have more than 1048576TiB of memory together; expected "
      "fewer or smaller nodes";
  EXPECT_EQ(with_node("name: n, count: 1024, cores: 1, memory: 1024TiB"), "none");
  EXPECT_EQ(with_node("name: n, count: 1025, cores: 1, memory: 1024TiB"), refused);
  EXPECT_EQ(with_node("name: n, count: 9000, cores: 1, memory: 1024TiB"), refused);
  EXPECT_EQ(with_cluster("overcommit: true, nodes: [{name: n, count: 1025, cores: 1, memory: 8GiB, "
                         "allowance: {memory: 1024TiB}}]"),
            refused);
}

// 2048 tasks that request 1024 TiB each request 2^11 x 2^50 bytes, which is the maximum.
TEST(Cluster, AllRequestedMemory) {
  const auto errors = [](const std::string& jobs) {
    ScenarioText text;
    text.cluster = "cluster: {nodes: [{name: n, cores: 8, memory: 1024TiB}]}\n";
    text.jobs = "jobs:\n" + jobs;
    return errors_of(text.text());
  };
  const auto job = [](const std::string& name, int count, int tasks) {
    return "- {name: " + name + ", count: " + std::to_string(count) +
           ", phases: [{name: m, tasks: " + std::to_string(tasks) +
           ", request: {cores: 1, memory: 1024TiB}, sleep: 1s}]}\n";
  };
  const std::string refused =
      "the tasks of the jobs up to this one request more than 2097152TiB of memory together; "
      "expected fewer tasks or smaller requests";
  EXPECT_EQ(errors(job("a", 1, 2048)), "none");
  EXPECT_EQ(errors(job("a", 1, 1000000)), "s.yaml:5: jobs.a: " + refused);
  EXPECT_EQ(errors(job("a", 2, 1024)), "none");
  EXPECT_EQ(errors(job("a", 2, 1024) + job("b", 1, 1) + job("c", 1, 1)),
            "s.yaml:6: jobs.b: " + refused);
  EXPECT_EQ(errors(job("a", 100000, 1)), "s.yaml:5: jobs.a: " + refused);
}

TEST(Cluster, NamesAndSizes) {
  EXPECT_EQ(with_cluster("nodes: [{name: n, count: 2, cores: 1, memory: 8GiB}, {name: n2, cores: "
                         "1, memory: 8GiB}]"),
            "s.yaml:3: cluster.nodes.n2: the name \"n2\" is already used; expected a name that no "
            "other node has");
  EXPECT_EQ(with_node("name: " + std::string(63, 'n') + ", count: 10, cores: 1, memory: 8GiB"),
            "s.yaml:3: cluster.nodes." + std::string(63, 'n') + ": \"" + std::string(63, 'n') +
                "10\" is too long for a name");
  EXPECT_EQ(
      with_cluster("nodes: [{name: a, count: 20000, cores: 1, memory: 8GiB}, {name: b, cores: "
                   "1, memory: 8GiB}]"),
      "s.yaml:3: cluster.nodes.b: more than 20000 nodes in all");
  EXPECT_EQ(with_node("name: n, cores: 4, memory: 8GiB, allowance: {memory: 9GiB}"),
            "s.yaml:3: cluster.nodes.n.allowance: 4 cores and 9GiB are more than the node's 4 "
            "cores and 8GiB; expected at most the capacity, or cluster.overcommit: true");
  EXPECT_EQ(with_node("name: n, cores: 4, memory: 8GiB, system: {cores: 5}"),
            "s.yaml:3: cluster.nodes.n.system: 5 cores and 0B are more than the node's 4 cores and "
            "8GiB");
}

TEST(Jobs, Names) {
  EXPECT_EQ(
      with_jobs("jobs:\n- {name: a, workload: pi}\n- {name: a, workload: pi}\n"),
      "s.yaml:6: jobs.a: the name \"a\" is already used; expected a name that no other job has");
  EXPECT_EQ(with_jobs("jobs:\n- {name: a, count: 2, workload: pi}\n- {name: a-2, workload: pi}\n"),
            "s.yaml:6: jobs.a-2: the name \"a-2\" is already used; expected a name that no other "
            "job has");
  EXPECT_THAT(
      with_jobs("jobs:\n- {name: ../etc, workload: pi}\n"),
      HasSubstr("s.yaml:5: jobs[0].name: \"../etc\" is not a name; expected 1 to 64 letters"));
  EXPECT_EQ(with_jobs("jobs:\n- {name: " + std::string(64, 'j') + ", count: 2, workload: pi}\n"),
            "s.yaml:5: jobs." + std::string(64, 'j') + ": \"" + std::string(64, 'j') +
                "-1\" is too long for a name");
  EXPECT_EQ(with_job("queue: defualt"),
            "s.yaml:5: jobs.p.queue: no queue is called \"defualt\"; expected one of default; did "
            "you mean \"default\"?");
  EXPECT_THAT(with_job("user: a b"), HasSubstr("jobs.p.user: \"a b\" is not a name"));
}

TEST(Jobs, PhasesOrWorkload) {
  EXPECT_EQ(with_jobs("jobs:\n- {name: a}\n"),
            "s.yaml:5: jobs.a: has no phases; expected phases or workload");
  EXPECT_EQ(with_jobs("jobs:\n- {name: a, workload: pi, phases: []}\n"),
            "s.yaml:5: jobs.a: has both phases and workload; expected one of them");
  EXPECT_EQ(with_jobs("jobs:\n- name: a\n  maps: 3\n  phases: [{name: m, request: {cores: 1, "
                      "memory: 1GiB}, cpu: 1s}]\n"),
            "s.yaml:6: jobs.a.maps: is a parameter of a named workload; expected workload in the "
            "same job, or the key in a phase");
  EXPECT_THAT(
      with_jobs("jobs:\n- {name: w, workload: wordcoutn}\n"),
      HasSubstr("s.yaml:5: jobs.w.workload: unknown workload \"wordcoutn\"; expected one of "
                "wordcount, grep, "));
  EXPECT_THAT(with_jobs("jobs:\n- {name: w, workload: wordcoutn}\n"),
              HasSubstr("; did you mean \"wordcount\"?"));
}

TEST(Jobs, Submission) {
  EXPECT_EQ(with_job("submit: {every: 1s, poisson: 2s}"),
            "s.yaml:5: jobs.p.submit: has both every and poisson; expected one of them");
  EXPECT_EQ(with_job("submit: {every: 0s}"),
            "s.yaml:5: jobs.p.submit.every: \"0s\" is out of range; expected 1us to 10000h");
  EXPECT_EQ(with_job("submit: [1s]"),
            "s.yaml:5: jobs.p.submit: is a list; expected duration, or map, see submit");
  EXPECT_EQ(with_job("count: 3, submit: {every: 9000h}"),
            "s.yaml:5: jobs.p: \"p-3\" would be submitted after 10000h");
}

TEST(Jobs, BoundsOverAll) {
  EXPECT_EQ(
      with_jobs("jobs:\n- {name: a, count: 100000, workload: pi}\n- {name: b, workload: pi}\n"),
      "s.yaml:6: jobs.b: makes 100001 jobs in all; expected at most 100000");
  EXPECT_EQ(with_jobs("jobs:\n- {name: a, count: 11, workload: pi, maps: 1000000}\n"),
            "s.yaml:5: jobs.a: makes 11000011 tasks in all; expected at most 10000000");
  std::string phases;
  for (int i = 0; i < 1000; ++i)
    phases +=
        "  - {name: p" + std::to_string(i) + ", request: {cores: 1, memory: 1GiB}, cpu: 1s}\n";
  EXPECT_EQ(with_jobs("jobs:\n- name: a\n  count: 1001\n  phases:\n" + phases),
            "s.yaml:5: jobs.a: makes 1001000 phases in all; expected at most 1000000");
  EXPECT_EQ(with_jobs("jobs:\n- name: a\n  phases:\n" + phases +
                      "  - {name: more, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n"),
            "s.yaml:6: jobs.a.phases: has 1001 phases; expected at most 1000");
}

TEST(Phases, Order) {
  auto phases = [](const std::string& a, const std::string& b) {
    const std::string rest = ", request: {cores: 1, memory: 1GiB}, cpu: 1s";
    return with_jobs("jobs:\n- name: j\n  phases:\n  - {name: map" + rest + a +
                     "}\n  - {name: red" + rest + b + "}\n");
  };
  EXPECT_EQ(phases("", ", after: [mpa]"),
            "s.yaml:8: jobs.j.phases.red.after[0]: no phase of this job is called \"mpa\"; did you "
            "mean \"map\"?");
  EXPECT_EQ(phases("", ", after: map"),
            "s.yaml:8: jobs.j.phases.red.after: is a single value; expected a list of phases such "
            "as [map]");
  EXPECT_EQ(phases(", after: [red]", ", after: [map]"),
            "s.yaml:6: jobs.j.phases: the after keys form a cycle: map after red after map; "
            "expected an order in which the "
            "phases can run");
  EXPECT_EQ(phases("", ", after: [red]"),
            "s.yaml:6: jobs.j.phases: the after keys form a cycle: red after red; expected an "
            "order in which the "
            "phases can run");
  EXPECT_EQ(
      with_jobs("jobs:\n- name: j\n  phases:\n  - {name: a, request: {cores: 1, memory: 1GiB}, "
                "cpu: 1s}\n  - {name: a, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n"),
      "s.yaml:8: jobs.j.phases.a: the name \"a\" is already used; expected a name that no other "
      "phase of this job has");
}

TEST(Phases, PreferredNodes) {
  EXPECT_EQ(with_work("cpu: 1s, prefer: [n1, m2]"),
            "s.yaml:7: jobs.wc.phases.m.prefer[1]: no node is called \"m2\"; did you mean "
            "\"n2\"?");
  // The common prefix of counted nodes is not the name of a node.
  EXPECT_EQ(with_work("cpu: 1s, prefer: [n]"),
            "s.yaml:7: jobs.wc.phases.m.prefer[0]: no node is called \"n\"; did you mean "
            "\"n1\"?");
  EXPECT_THAT(with_work("cpu: 1s, prefer: [[n1]]"), HasSubstr("prefer[0]: no node is called \"\""));
}

TEST(Phases, Work) {
  EXPECT_EQ(
      with_work("memory: 1GiB"),
      "s.yaml:7: jobs.wc.phases.m: has no work; expected cpu, sleep, usage, input, shuffle or "
      "output");
  EXPECT_EQ(with_cluster("nodes: [{name: n, cores: 300, memory: 8GiB}]"), "none");
  ScenarioText text;
  text.cluster = "cluster: {nodes: [{name: n, cores: 300, memory: 8GiB}]}\n";
  text.jobs = one_phase("name: m, request: {cores: 300, memory: 1GiB}, cpu: 1s");
  EXPECT_EQ(errors_of(text.text()),
            "s.yaml:7: jobs.wc.phases.m: requests 300 cores; expected threads of 1 to 256");
  text.jobs = one_phase(
      "name: m, request: {cores: 300, memory: 1GiB}, cpu: 1s, threads: 256, each: [{cpu: 2s}]");
  EXPECT_EQ(errors_of(text.text()), "none");
}

TEST(Jobs, QueuesThatAreListed) {
  const std::string job = "queues: [{name: q}, {name: r}]";
  EXPECT_EQ(with_head(job),
            "s.yaml:6: jobs.wc.queue: is missing; expected one of q, r, as a scenario that lists "
            "queues has no queue \"default\" besides them");
  EXPECT_EQ(with_head("queues: [{name: q}, {name: q}]"),
            "s.yaml:3: queues.q: the name \"q\" is already used; expected a name that no other "
            "queue has");
}

TEST(Phases, RequestsThatNoNodeCanMeet) {
  EXPECT_EQ(with_phase("name: m, cpu: 1s, request: {cores: 1, memory: 9GiB}"),
            "s.yaml:7: jobs.wc.phases.m.request: phase \"m\" requests 1 cores and 9GiB per task; "
            "that fits no node: the nearest node n1 gives tasks 4 cores and 8GiB");
  EXPECT_EQ(with_phase("name: m, cpu: 1s, gang: true, tasks: 9, request: {cores: 1, memory: 1GiB}"),
            "s.yaml:7: jobs.wc.phases.m.request: phase \"m\" requests 1 cores and 1GiB per task; "
            "its gang of 9 can never start: the empty cluster has room for 8");
  EXPECT_EQ(with_job("application_master: none, gang: true, maps: 9"),
            "s.yaml:5: jobs.p.workload: phase \"map\" requests 1 cores and 1GiB per task; its gang "
            "of 9 can never start: the empty cluster has room for 8");
}

TEST(Phases, AWrongClusterSaysNothingAboutFit) {
  ScenarioText text;
  text.cluster = "cluster: {nodes: [{name: n, cores: 1, memory: oops}]}\n";
  text.jobs = one_phase("name: m, cpu: 1s, request: {cores: 8, memory: 1GiB}");
  EXPECT_EQ(errors_of(text.text()),
            "s.yaml:3: cluster.nodes.n.memory: \"oops\" is not a number; expected bytes such as "
            "700MiB, 1.5GiB or 2GB");
}

// The command line --------------------------------------------------------------------------------

std::string with_set(const std::string& assignment) {
  return errors_of(ScenarioText{}.text(), set({assignment}));
}

TEST(Set, Form) {
  EXPECT_EQ(with_set("seed"),
            "--set seed: expected key.path=value, for example emulation.time_scale=0.1");
  EXPECT_EQ(with_set("=3"),
            "--set =3: expected key.path=value, for example emulation.time_scale=0.1");
  EXPECT_EQ(with_set("a..b=3"),
            "--set a..b=3: a part of the key is empty; expected key.path=value");
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_THAT(with_set(deep + "=1"), HasSubstr("the key has more than 64 parts"));
  EXPECT_EQ(with_set("seed=[1"),
            "--set seed=[1: the \"[\" of line 1 is not closed; expected \"]\"");
  EXPECT_EQ(with_set("seed.x=1"), "--set seed.x=1: seed: is a map; expected whole number");
}

TEST(Set, NamesThatAreNotThere) {
  EXPECT_EQ(with_set("jobs.cw.submit=1s"),
            "--set jobs.cw.submit=1s: no \"cw\" in jobs; did you mean \"wc\"? (names there: wc)");
  EXPECT_EQ(
      with_set("cluster.nodes.n1.cores=1"),
      "--set cluster.nodes.n1.cores=1: no \"n1\" in nodes; did you mean \"n\"? (names there: n)");
  EXPECT_EQ(with_set("jobs.wc.phases.map.cpu.mean=1s"),
            "--set jobs.wc.phases.map.cpu.mean=1s: cpu is a single value and has no keys that can "
            "be set");
}

TEST(Set, EveryMemberOfAList) {
  ScenarioText text;
  auto checked = workloads::read_scenario_text(text.text(), "s.yaml", set({"jobs.*.submit=7s"}));
  ASSERT_TRUE(checked) << checked.error().text;
  for (const JobSpec& job : checked->scenario.jobs) EXPECT_EQ(job.submit, emu_seconds(7));
  EXPECT_THAT(with_set("jobs.*.sumbit=1s"),
              HasSubstr("--set jobs.*.sumbit=1s: jobs.wc.sumbit: unknown key; "));
}

TEST(Set, WrongKeysAndValuesNameTheCommandLine) {
  EXPECT_EQ(with_set("emulation.time_scale=fast"),
            "--set emulation.time_scale=fast: emulation.time_scale: \"fast\" is not a number; "
            "expected a fraction such as 1/64, 0.05 or 5%, or auto");
  EXPECT_EQ(with_head("emulation: {core_fraction: auot}"),
            "s.yaml:3: emulation.core_fraction: \"auot\" is not a number; expected a fraction such "
            "as 1/64, 0.05 or 5%, or auto; did you mean \"auto\"?");
  EXPECT_THAT(with_set("emulatoin.time_scale=1"),
              HasSubstr("--set emulatoin.time_scale=1: emulatoin: unknown key; expected one of "));
  EXPECT_THAT(with_set("emulatoin.time_scale=1"), HasSubstr("did you mean \"emulation\"?"));
  EXPECT_THAT(with_set("jobs.wc.sumbit=1s"),
              HasSubstr("--set jobs.wc.sumbit=1s: jobs.wc.sumbit: unknown key; "));
  Overrides overrides;
  overrides.policy = "fiffo";
  EXPECT_THAT(
      errors_of(ScenarioText{}.text(), overrides),
      HasSubstr("--policy fiffo: policy: unknown policy \"fiffo\"; did you mean \"fifo\"?"));
  overrides.policy.reset();
  overrides.seed = 1ULL << 63;
  EXPECT_EQ(errors_of(ScenarioText{}.text(), overrides),
            "--seed 9223372036854775808: seed: \"9223372036854775808\" is out of range; expected "
            "0 to 9223372036854775807");
}

}  // namespace heddle::scenario_error_test
