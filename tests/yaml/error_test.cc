// Every mistake that a user can make in a scenario, and its error.

#include "core/scenario/draw.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"

namespace heddle::error_test {

/// Functions that return the errors when the given piece of the scenario is replaced.
std::string with_head(const std::string& more) { return errors_of(text_with_head(more + "\n")); }
std::string with_cluster(const std::string& inside) {
  return errors_of(text_with_cluster("cluster: {" + inside + "}\n"));
}
std::string with_node(const std::string& inside) {
  return with_cluster("nodes: [{" + inside + "}]");
}
std::string with_jobs(const std::string& jobs) { return errors_of(text_with_jobs(jobs)); }
std::string with_phase(const std::string& words) { return with_jobs(one_phase(words)); }
/// Returns the errors of a phase that is valid except for these words.
std::string with_work(const std::string& words) {
  return with_phase("name: m, request: {cores: 1, memory: 1GiB}, " + words);
}
std::string with_job(const std::string& words) {
  return with_jobs("jobs:\n- {name: p, workload: pi, " + words + "}\n");
}

// The document ------------------------------------------------------------------------------------

TEST(Document, BytesThatAreNotText) {
  using namespace std::string_literals;
  EXPECT_EQ(errors_of("\xff\xfeh\0"s),
            "s.yaml:1:1: not UTF-8 text: byte 0xff; expected a text file in UTF-8");
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

TEST(Keys, AtMostTwentyErrors) {
  std::string jobs = "jobs:\n";
  for (int i = 0; i < 25; ++i) jobs += "- {name: -, workload: pi}\n";
  std::string errors = with_jobs(jobs);
  EXPECT_THAT(errors, StartsWith("s.yaml:5: jobs[0].name: \"-\" is not a name; expected 1 to 64 "
                                 "letters, digits, '.', '_' or '-', beginning with a letter or "
                                 "digit\ns.yaml:6: jobs[1].name: "));
  EXPECT_THAT(errors, HasSubstr("s.yaml:24: jobs[19].name"));
  EXPECT_THAT(errors, Not(HasSubstr("s.yaml:25:")));
  EXPECT_THAT(errors, EndsWith("\nand 5 more"));
}

TEST(Keys, BackfillingTakesOnlyRigidJobs) {
  const std::string rigid =
      "phases: [{name: m, request: {cores: 1, memory: 1GiB}, cpu: 1s, gang: true}]";
  std::string policy = "easy";
  const auto with = [&](const std::string& job) {
    Overrides overrides;
    overrides.policy = policy;
    return errors_of(text_with_jobs("jobs:\n- {name: r, walltime: 1h, " + rigid +
                                    "}\n- {name: j, count: 3, " + job + "}\n"),
                     overrides);
  };
  tests::expect_messages_of("yaml/error.yaml", "backfilling takes only rigid jobs", with);
  // Users know the name that they gave.
  for (const char* name : {"slurm", "conservative"}) {
    policy = name;
    EXPECT_THAT(with("workload: pi"), HasSubstr(std::string(name) + " takes only rigid jobs"));
  }
}

TEST(Keys, OnlyRigidJobsReleaseTheirNodesTogether) {
  tests::expect_messages_of("yaml/error.yaml", "release", [](const std::string& job) {
    return errors_of(text_with_jobs("jobs:\n- {name: j, " + job + "}\n"));
  });
}

TEST(Keys, EndlessWordsAreCut) {
  EXPECT_LT(with_head(std::string(1 << 20, 'a') + ": 1").size(), 3000U);
  EXPECT_LT(with_head("policy: " + std::string(1 << 20, 'a')).size(), 3000U);
}

// Values ------------------------------------------------------------------------------------------

TEST(Values, MemoryProfiles) {
  const std::string key = "s.yaml:7: jobs.wc.phases.m.memory";
  std::string corners = "[[0, 1MiB]";
  for (int i = 1; i < 65; ++i) corners += ", [" + std::to_string(i) + "/64, 1MiB]";
  EXPECT_EQ(with_work("cpu: 1s, memory: " + corners + "]"),
            key + ": has 65 corners; expected 1 to 64 of [progress, bytes]");
}

// Fit of keys to each other -----------------------------------------------------------------------

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

TEST(Jobs, BoundsOverAll) {
  std::string phases;
  for (int i = 0; i < 10000; ++i)
    phases +=
        "  - {name: p" + std::to_string(i) + ", request: {cores: 1, memory: 1GiB}, cpu: 1s}\n";
  EXPECT_EQ(with_jobs("jobs:\n- name: a\n  count: 101\n  phases:\n" + phases),
            "s.yaml:5: jobs.a: makes 1010000 phases in all; expected at most 1000000");
  EXPECT_EQ(with_jobs("jobs:\n- name: a\n  phases:\n" + phases +
                      "  - {name: more, request: {cores: 1, memory: 1GiB}, cpu: 1s}\n"),
            "s.yaml:6: jobs.a.phases: has 10001 phases; expected at most 10000");
}

TEST(Phases, Order) {
  auto phases = [](const std::string& a, const std::string& b) {
    const std::string rest = ", request: {cores: 1, memory: 1GiB}, cpu: 1s";
    return with_jobs("jobs:\n- name: j\n  phases:\n  - {name: map" + rest + a +
                     "}\n  - {name: red" + rest + b + "}\n");
  };
  tests::expect_messages_of("yaml/error.yaml", "order", phases);
}

TEST(Phases, Work) {
  ScenarioText text;
  text.cluster = "cluster: {nodes: [{name: n, cores: 300, memory: 8GiB}]}\n";
  text.jobs = one_phase("name: m, request: {cores: 300, memory: 1GiB}, cpu: 1s");
  EXPECT_EQ(errors_of(text.text()),
            "s.yaml:7: jobs.wc.phases.m: requests 300 cores; expected threads of 1 to 256");
  text.jobs = one_phase(
      "name: m, request: {cores: 300, memory: 1GiB}, cpu: 1s, threads: 256, each: [{cpu: 2s}]");
  EXPECT_EQ(errors_of(text.text()), "none");
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
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  EXPECT_THAT(with_set(deep + "=1"), HasSubstr("the key has more than 64 parts"));
}

TEST(Set, EveryMemberOfAList) {
  ScenarioText text;
  auto checked = workloads::read_scenario_text(text.text(), "s.yaml", set({"jobs.*.submit=7s"}));
  ASSERT_TRUE(checked) << checked.error().text;
  for (const JobSpec& job : checked->scenario.jobs) EXPECT_EQ(job.submit, emu_seconds(7));
}

TEST(Set, WrongKeysAndValuesNameTheCommandLine) {
  Overrides overrides;
  overrides.policy = "fiffo";
  EXPECT_THAT(
      errors_of(ScenarioText{}.text(), overrides),
      HasSubstr("--policy fiffo: policy: unknown policy \"fiffo\"; did you mean \"fifo\"?"));
  overrides.policy.reset();
  overrides.seed = 1ULL << 63;
  EXPECT_EQ(errors_of(ScenarioText{}.text(), overrides),
            "--seed 9223372036854775808: seed: \"9223372036854775808\" is out of range; expected "
            "0 to 2^63-1");
}

TEST(ScenarioError, Messages) {
  tests::expect_messages_of("yaml/error.yaml", "text",
                            [](const std::string& text) { return errors_of(text); });
  tests::expect_messages_of("yaml/error.yaml", "cluster", with_cluster);
  tests::expect_messages_of("yaml/error.yaml", "work", with_work);
  tests::expect_messages_of("yaml/error.yaml", "node", with_node);
  tests::expect_messages_of("yaml/error.yaml", "head", with_head);
  tests::expect_messages_of("yaml/error.yaml", "jobs", with_jobs);
  tests::expect_messages_of("yaml/error.yaml", "phase", with_phase);
  tests::expect_messages_of("yaml/error.yaml", "job", with_job);
  tests::expect_messages_of("yaml/error.yaml", "set", with_set);
}

}  // namespace heddle::error_test
