// Tests heddle compare, sweep and experiment as users call them.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"
#include "tests/system/small_scenario.h"

namespace heddle::compare_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The scenario kSmall in a scratch directory, and a directory for results.
class Batch : public ::testing::Test {
 protected:
  /// Runs `heddle COMMAND FILE --out DIR` with more arguments.
  Ended batch(const std::string& command, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {command, file_, "--out", out_};
    words.insert(words.end(), more.begin(), more.end());
    return call(words, scratch_);
  }
  /// Simulates policies so often; `more` are more options.
  Ended compare(const std::string& policies, const std::string& repeat,
                const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"--policies", policies, "--repeat", repeat, "--simulate"};
    words.insert(words.end(), more.begin(), more.end());
    return batch("compare", words);
  }
  bool has(const std::string& name) const { return fs::exists(out_ + "/" + name); }
  Json result(const std::string& name) const { return read_json(out_ + "/" + name); }

  Scratch scratch_;
  std::string file_ = scratch_.file("small.yaml", kSmall), out_ = scratch_ / "out";
};

Json metric(const Json& comparison, const std::string& key) {
  for (const Json& one : comparison["metrics"])
    if (one["key"] == key && one["group"]["kind"] == "all") return one;
  return nullptr;
}

class Compare : public Batch {};

TEST_F(Compare, SimulatesPoliciesOnTheSameSeeds) {
  const Ended end = compare("fifo,fair,fifo", "3", {"--keep", "all"});
  ASSERT_EQ(end.status, 0) << end.errors;
  expect_parts(end.output, {"mean completion, s", "fifo#2", "equal", "all metrics: " + out_,
                            "\noptions that differ\noption", "\nscheduler         fifo  fair",
                            "Slowdown is a job's completion over its completion alone"});
  const Json json = result("compare.json");
  EXPECT_EQ(json["kind"], "compare");
  EXPECT_EQ(json["mode"], "simulated");
  EXPECT_EQ(json["repeat"], 3);
  ASSERT_EQ(json["policies"].size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(json["policies"][0]["runs"][i]["seed"], 3 + i);
    EXPECT_EQ(json["policies"][1]["runs"][i]["status"], "done");
  }
  EXPECT_GE(metric(json, "mean_slowdown")["policies"][0]["low"].get<double>(), 1);
  const Json completion = metric(json, "mean_completion_s");
  EXPECT_EQ(completion["policies"][0]["values"], completion["policies"][2]["values"]);
  EXPECT_EQ(completion["against"][1]["verdict"], "equal");
  EXPECT_EQ(result("fair-2/summary.json")["mean_completion_s"],
            completion["policies"][1]["values"][1]);
  EXPECT_EQ(result("fair-2/summary.json")["seed"], 4);
  EXPECT_TRUE(has("fifo#2-3/journal.jsonl"));
  EXPECT_TRUE(has("compare.html"));
}

TEST_F(Compare, WithSetsAnOptionOfAllThatReadIt) {
  const Ended end = compare("fifo,ikayak", "2",
                            {"--variant", "faster: cluster.nodes.n.speed=2", "--with",
                             "reserve=false", "--with", "max_am_share=0.5", "--quiet"});
  ASSERT_EQ(end.status, 0) << end.errors;
  auto policy = [&](const std::string& run) { return result(run + "/summary.json")["policy"]; };
  EXPECT_EQ(policy("fifo-2")["reserve"], "false");
  EXPECT_EQ(policy("faster-1")["reserve"], "false") << "the scenario's own policy";
  EXPECT_EQ(policy("ikayak-1")["max_am_share"], "0.5");
  EXPECT_EQ(result("compare.json")["options"].back(),
            Json({{"key", "cluster.nodes.n.speed"}, {"values", {nullptr, nullptr, "2"}}}));
}

TEST_F(Compare, WithoutDrawsOneRepeatIsExact) {
  std::string text = kSmall;
  for (const char* drawn :
       {"{dist: lognormal, mean: 10s, cv: 0.3}", "{dist: lognormal, mean: 5s, cv: 0.3}"})
    text.replace(text.find(drawn), std::string(drawn).size(), "10s");
  scratch_.file("small.yaml", text);
  const Ended end = batch("compare", {"--policies", "fifo,fair", "--simulate", "--quiet"});
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, AllOf(HasSubstr("small, simulated, 1 repeat\n"),
                                HasSubstr("Nothing in these simulations depends on chance"),
                                HasSubstr(", exact"), Not(HasSubstr("too few"))));
  out_ = scratch_ / "three";
  ASSERT_EQ(compare("fifo,fair", "3", {"--quiet"}).status, 0);
  const Json json = result("compare.json");
  EXPECT_EQ(json["identical_repeats"], Json({"fifo", "fair"}));
  for (const Json& one : json["metrics"]) {
    if (one["unit"] == "us") continue;
    EXPECT_EQ(one["against"][0]["exact"], true) << one["key"];
  }
}

TEST_F(Compare, PrintsCsvAndMarkdownAlsoFromADirectory) {
  const std::string csv = compare("fifo,fair", "2", {"--quiet", "--csv"}).output;
  const std::string markdown = compare("fifo,fair", "2", {"--quiet", "--markdown"}).output;
  EXPECT_EQ(csv.substr(0, 24), "metric,group_kind,group_");
  EXPECT_THAT(csv, HasSubstr("\nmakespan_s,all,\"\",s,less,fair,"));
  EXPECT_THAT(markdown, AllOf(HasSubstr("## small, simulated, 2 repeats\n"),
                              HasSubstr("| makespan, s | fifo |"), HasSubstr("fair takes ")));
  EXPECT_EQ(call({"report", out_, "--csv"}, scratch_).output, csv);
  EXPECT_EQ(call({"report", out_, "--markdown"}, scratch_).output, markdown);
  EXPECT_FALSE(has("report.html"));
}

TEST_F(Compare, PrintsResultsAgainstAnotherBaseline) {
  ASSERT_EQ(compare("fifo,fair", "2", {"--quiet"}).status, 0);
  const std::vector<std::string> before = names_in(out_);
  const Json first = result("compare.json");
  const Ended end =
      call({"compare", out_, "--against", "fair", "--pairs", "--metrics", "makespan_s", "--json"},
           scratch_);
  ASSERT_EQ(end.status, 0) << end.errors;
  const Json json = Json::parse(end.output);
  EXPECT_EQ(json["policies"][0]["name"], "fair");
  ASSERT_EQ(json["metrics"].size(), 1U);
  const Json &there = metric(first, "makespan_s"), &back = json["metrics"][0];
  EXPECT_EQ(back["policies"][1]["values"], there["policies"][0]["values"]);
  EXPECT_EQ(back["against"][0]["policy"], "fifo");
  EXPECT_EQ(back["against"][0]["difference"].get<double>(),
            -there["against"][0]["difference"].get<double>());
  EXPECT_EQ(json["pairs"]["metrics"][0]["pairs"].size(), 2U);
  EXPECT_EQ(names_in(out_), before) << "nothing is run or written";
  EXPECT_EQ(result("compare.json"), first);
  EXPECT_EQ(compare("fifo,fair", "2", {"--quiet", "--against", "fair"}).status, 0);
  EXPECT_EQ(result("compare.json")["policies"][0]["name"], "fair");
}

TEST_F(Compare, GoesOnWhereItWasAndTakesMoreRepeats) {
  auto again = [&](const std::string& repeat) {
    return compare("fifo,drf", repeat, {"--json", "--quiet"});
  };
  ASSERT_EQ(again("2").status, 0);
  const auto made = fs::last_write_time(out_ + "/fifo-1/summary.json");
  fs::remove(out_ + "/drf-2/summary.json");
  const Ended more = again("3");
  ASSERT_EQ(more.status, 0) << more.errors;
  EXPECT_EQ(fs::last_write_time(out_ + "/fifo-1/summary.json"), made) << "not run again";
  EXPECT_EQ(result("drf-2/summary.json")["status"], "done");
  EXPECT_EQ(Json::parse(more.output)["policies"][1]["runs"].size(), 3U);

  fs::remove(out_ + "/drf-2/summary.json");
  scratch_.file("out/drf-2/mine.txt", "precious");
  expect_refused(again("3"), 2, {"mine.txt"});
  EXPECT_TRUE(has("drf-2/mine.txt"));
  fs::remove(out_ + "/drf-2/mine.txt");

  scratch_.file("small.yaml", std::string(kSmall) + "storage: {block_size: 1MiB}\n");
  expect_refused(again("3"), 2, {"another scenario or policy"});
}

TEST_F(Compare, NonsenseInTheDirectoryIsTold) {
  ASSERT_EQ(compare("fifo", "1").status, 0);
  scratch_.file("out/fifo-1/summary.json", R"({"status": "done", "jobs": [{"name": 5}]})");
  expect_refused(compare("fifo", "1"), 4, {"fifo-1/summary.json", "not a summary"});
  scratch_.file("out/compare.json", "{");
  expect_refused(compare("fifo", "1"), 2, {"compare.json is not of small, simulated"});
}

TEST_F(Compare, ADirectoryKeepsTheVariantsThatItHas) {
  const auto sweep = [&](const std::string& seconds) {
    return batch("sweep", {"--over", "jobs.short.submit=" + seconds, "--simulate", "--repeat", "1",
                           "--quiet"});
  };
  ASSERT_EQ(sweep("2s,3s").status, 0);
  const std::string before = text_of(out_ + "/sweep.json");
  expect_refused(
      sweep("4s"), 2,
      {"sweep.json has results of \"submit=2s\", which this command leaves out; expected "
       "a command with all variants of the earlier one, or another --out"});
  EXPECT_EQ(text_of(out_ + "/sweep.json"), before);
  EXPECT_EQ(sweep("2s,3s,4s").status, 0);
}

TEST_F(Compare, JobsThatFailAreMarkedAndCount) {
  scratch_.file("small.yaml",
                std::string(kSmall) +
                    "  - {name: bad, max_attempts: 1, phases: [{name: map, request: {cores: 1, "
                    "memory: 512MiB}, cpu: 5s, memory: 600MiB}]}\n");
  const Ended end = compare("fifo,fair", "2");
  EXPECT_EQ(end.status, 1) << end.errors;
  EXPECT_THAT(end.output, HasSubstr("fair: jobs failed in repeat 1, 2"));
  const Json json = result("compare.json");
  EXPECT_EQ(json["policies"][0]["runs"][0]["status"], "failed");
  EXPECT_EQ(json["left_out"][0]["job"], "bad");
  EXPECT_FALSE(metric(json, "mean_completion_s").is_null());
}

// Four real runs of a second or so each, at 0.02 s an emulated second.
TEST_F(Compare, RunsForRealOneByOne) {
  const Ended end = batch("compare", {"--policies", "fifo,fair", "--repeat", "2"});
  ASSERT_EQ(end.status, 0) << end.errors;
  const Json json = result("compare.json");
  EXPECT_EQ(json["mode"], "real");
  EXPECT_EQ(json["policies"][1]["runs"][1]["seed"], 3) << "the machine is the noise";
  EXPECT_TRUE(metric(json, "makespan_s")["policies"][0]["median"].is_number());
  EXPECT_THAT(json["slowdown"], HasSubstr("the first is measured, the second simulated"));
  EXPECT_GT(metric(json, "mean_slowdown")["policies"][0]["median"].get<double>(), 0.9);
  EXPECT_THAT(end.errors, HasSubstr("of 4 runs done: fifo-1"));
  EXPECT_EQ(replay_trouble(out_ + "/fair-2"), "");
  EXPECT_EQ(text_of(out_ + "/.fifo-1.yaml"), "");
}

TEST_F(Compare, CtrlCKeepsWhatIsDoneAndCleansUp) {
  for (const bool simulate : {true, false}) {
    std::vector<std::string> words = {"compare",  file_, "--policies", "fifo,fair",
                                      "--repeat", "500", "--out",      out_};
    if (simulate) words.emplace_back("--simulate");
    Process process(heddle(words), scratch_);
    ASSERT_TRUE(eventually([&] { return has("fifo-1/summary.json") && has("fair-1"); }));
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(std::chrono::seconds(5)), 130);
    const Json json = result("compare.json");
    EXPECT_EQ(json["policies"][0]["runs"][0]["status"], "done");
    EXPECT_TRUE(json["policies"][1]["runs"][499]["status"].is_null());
    for (const char* name : {"/fifo-1", "/fair-1"}) {
      // The second run may not have begun.
      const std::string run = simulate ? "" : run_id(out_ + name);
      if (!run.empty()) {
        EXPECT_THAT(left_of(run), IsEmpty());
      }
    }
    fs::remove_all(out_);
  }
}

TEST_F(Compare, TwoAtOnceDoNotShareADirectory) {
  Process first(heddle({"compare", file_, "--policies", "fifo", "--repeat", "900", "--simulate",
                        "--out", out_}),
                scratch_);
  ASSERT_TRUE(eventually([&] { return has("fifo-1"); }));
  expect_refused(compare("fifo", "1"), 2, {"another heddle is using it"});
}

TEST_F(Compare, ASweepHasAPointForEachValue) {
  const Ended end = batch("sweep", {"--over", "cluster.nodes.n.cores=2,4", "--over",
                                    "policy=fifo,fair", "--repeat", "2", "--simulate"});
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, HasSubstr("cluster.nodes.n.cores"));
  const Json json = result("sweep.json");
  ASSERT_EQ(json["points"].size(), 4U);
  EXPECT_EQ(json["points"][1]["values"], Json({"2", "fair"}));
  auto makespan = [&](std::size_t point) {
    return json["points"][point]["metrics"]["makespan_s"]["median"].get<double>();
  };
  EXPECT_GT(makespan(0), makespan(2));
  EXPECT_TRUE(has("cores=4,policy=fair-2/summary.json"));
  EXPECT_TRUE(has("sweep.html"));
}

constexpr const char* kExperiment = R"(
title: Two policies
scenario: small.yaml
real: small.yaml
repeat: 3
real_repeat: 1
variants: {fifo: , fair: policy=fair, drf: policy=drf}
real_variants: [fifo, fair]
settings: {two-cores: cluster.nodes.n.cores=2}
table: [makespan_s]
claims:
  - {about: short job's completion, metric: mean_completion_s, of: workload short, policy: fair, against: fifo, paper: sooner, expect: less, settings: [unchanged, two-cores]}
  - {about: makespan, metric: makespan_s, policy: fair, against: fifo, paper: a third, expect: -66 % .. -60 %, settings: [unchanged, two-cores]}
)";

class Experiment : public Batch {
 protected:
  Ended experiment(const std::vector<std::string>& more, const std::string& text = kExperiment) {
    file_ = scratch_.file("two.yaml", text);
    return batch("experiment", more);
  }
};

// fifo starts the short job after all 16 tasks of the long one. fair starts it as soon as some of
// the long job's first 8 tasks have ended. The makespan is the long job's and differs little.
TEST_F(Experiment, JudgesClaimsInEachSetting) {
  const Ended end = experiment({"--quiet"});
  ASSERT_EQ(end.status, 0) << end.errors;
  expect_parts(end.output,
               {"## Two policies", "n = 3 | reproduced |\n", "n = 3 | not reproduced |\n",
                "### Two policies: two-cores", "`cluster.nodes.n.cores=2`", "| drf | 3 | ",
                "results: " + out_ + "/two"});
  EXPECT_THAT(end.output, Not(HasSubstr("real")));
  EXPECT_EQ(text_of(out_ + "/two/claims.md").substr(0, 17), "## Two policies\n\n");
  EXPECT_THAT(text_of(out_ + "/claims.md"),
              HasSubstr("| Two policies | 2 | 0 | 2 | 0 | 0 | 0 |\n| all | 2 | 0 | 2 |"));
  EXPECT_TRUE(has("two/simulated-two-cores/compare.json"));
  EXPECT_TRUE(has("two/simulated/fifo-1/journal.jsonl"));
  EXPECT_TRUE(has("two/simulated/fifo-2/scenario.yaml"));
  EXPECT_FALSE(has("two/simulated/fifo-2/journal.jsonl"));
  EXPECT_FALSE(has("two/simulated/fifo-2/samples.jsonl"));
}

TEST_F(Experiment, RunsForRealWhatIsLeft) {
  const Ended plan = experiment({"--real", "--dry-run"});
  ASSERT_EQ(plan.status, 0) << plan.errors;
  EXPECT_EQ(plan.output, "2 real runs, about 1 min\n");
  EXPECT_FALSE(fs::exists(out_));
  const Ended real = experiment({"--quiet", "--real"});
  ASSERT_EQ(real.status, 0) << real.errors;
  // Values and verdicts depend on what other programs left to these runs.
  EXPECT_THAT(real.output, HasSubstr("| claim | paper | simulated | verdict | real | verdict |\n"));
  EXPECT_FALSE(has("two/real-two-cores"));
  EXPECT_TRUE(has("two/real/fifo-1/journal.jsonl"));
  EXPECT_EQ(experiment({"--real", "--dry-run"}).output, "0 real runs, about 0 min\n");
}

// Both policies have two real runs each, and one each in the setting that has real runs.
TEST_F(Experiment, ASettingHasOneRealRunOfEachPolicy) {
  std::string text = kExperiment;
  text.replace(text.find("real_repeat: 1"), 14, "real_repeat: 2\nreal_settings: [two-cores]");
  const Ended plan = experiment({"--real", "--dry-run"}, text);
  ASSERT_EQ(plan.status, 0) << plan.errors;
  EXPECT_THAT(plan.output, StartsWith("6 real runs, "));
}

/// An experiment, the page of docs/papers with its results, and the number of its table rows.
struct Documented {
  std::string experiment, page;
  int rows;
};

class DocumentedExperiment : public ::testing::TestWithParam<Documented> {};

// Each row of the simulated results begins a row in the document, where figures of real runs may
// follow. The command has no path of one machine.
TEST_P(DocumentedExperiment, HasTheRowsOfItsResults) {
  const auto& [name, page, expected_rows] = GetParam();
  Scratch scratch;
  const std::string out = scratch / "out";
  Ended end = call({"experiment", HEDDLE_SOURCE "/scenarios/experiments/" + name + ".yaml", "--out",
                    out, "--quiet"},
                   scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  const std::string document = text_of(HEDDLE_SOURCE "/docs/papers/" + page);
  const std::string claims = text_of(out + "/" + name + "/claims.md");
  EXPECT_THAT(claims, HasSubstr("`heddle experiment scenarios/experiments/" + name + ".yaml`"));
  std::istringstream lines(claims);
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) continue;
    ++rows;
    EXPECT_THAT(document, HasSubstr("\n" + line));
  }
  EXPECT_EQ(rows, expected_rows);
}

// A table has a head, a rule, and a row for each claim or policy. The experiment on placement has a
// table of the mechanism, and two tables for each of two settings.
INSTANTIATE_TEST_SUITE_P(, DocumentedExperiment,
                         ::testing::Values(Documented{"dress-fig1", "dress.md", 2 + 5},
                                           Documented{"ikayak-placement", "ikayak.md",
                                                      2 + 3 + 2 + 4 + 2 + 5 + 2 + 2 + 2 + 5},
                                           Documented{"ikayak-shares", "ikayak.md", 2 + 2 + 2 + 5},
                                           Documented{"beyond-drf", "beyond.md", 2 + 4 + 2 + 4}),
                         [](const auto& test) {
                           std::string name = test.param.experiment;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(Batch, LeagueRanksPoliciesOnEveryScenarioOfADirectory) {
  fs::create_directories(scratch_ / "some/more");
  scratch_.file("some/more/a.yaml", kSmall);
  scratch_.file("some/notes.txt", "no scenario");
  std::vector<std::string> words = {"league", scratch_ / "some", "--policies", "fifo,fair",
                                    "--quiet"};
  const Ended end = call(words, scratch_);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, AllOf(HasSubstr("scenario        fifo  fair\nsmall "),
                                HasSubstr("Mean slowdown relative to the best policy")));
  words.insert(words.end(), {"--format", "json"});
  const Json ranked = Json::parse(call(words, scratch_).output)["scenarios"][0]["policies"];
  EXPECT_EQ(ranked[1]["policy"], "fair");
  // Under fair the short job runs alone during its longer task. Under fifo it waits for both waves
  // of the long job.
  EXPECT_EQ(ranked[1]["mean_slowdown"], 1.0);
  EXPECT_GT(ranked[0]["mean_slowdown"].get<double>(), 1.2);
}

// Each run takes about 3 s.
TEST_F(Batch, TwoRealRunsOnOneMachineAreDisturbed) {
  file_ = scratch_.file(
      "s.yaml",
      ScenarioText{.emulation = "time_scale: 0.1, core_fraction: 0.01, memory_scale: 1/64",
                   .jobs = maps(8, "cpu: 15s")}
          .text());
  const std::string plan = scratch_ / "p";
  Ended end =
      call({"compare", file_, "--policies", "fifo", "--repeat", "2", "--plan", plan}, scratch_);
  ASSERT_EQ(end.status, 0) << end.errors;
  {
    Process first(heddle({"cell", plan, "0"}), scratch_);
    ASSERT_TRUE(eventually([&] { return !descendants(first.pid(), "heddle-task").empty(); }))
        << first.errors();
    Process second(heddle({"cell", plan, "1"}), scratch_);
    EXPECT_EQ(second.wait(), 0) << second.errors();
    EXPECT_EQ(first.wait(), 0) << first.errors();
  }
  end = call({"gather", plan}, scratch_);
  EXPECT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr("2 runs are affected by other programs: fifo-1, fifo-2"));
}

}  // namespace heddle::compare_test
