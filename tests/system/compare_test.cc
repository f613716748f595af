// Tests heddle compare, sweep and experiment as users call them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>

#include "common/file.h"
#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::compare_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr const char* kSmall = R"(
heddle: 1
name: small
seed: 3
emulation: {time_scale: 0.02, core_fraction: 0.05, memory_scale: 1/64}
cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: long, phases: [{name: map, tasks: 16, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 10s, cv: 0.3}}]}
  - {name: short, submit: 2s, phases: [{name: map, tasks: 2, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 5s, cv: 0.3}}]}
)";

Json metric(const Json& comparison, const std::string& key) {
  for (const Json& one : comparison["metrics"])
    if (one["key"] == key && one["group"]["kind"] == "all") return one;
  return nullptr;
}

TEST(Compare, SimulatesPoliciesOnTheSameSeeds) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  Ended end = call({"compare", file, "--policies", "fifo,fair,fifo", "--repeat", "3", "--simulate",
                    "--keep", "all", "--out", out},
                   scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, AllOf(HasSubstr("mean completion, s"), HasSubstr("fifo#2"),
                                HasSubstr("equal"), HasSubstr("all metrics: " + out)));
  EXPECT_THAT(end.output, AllOf(HasSubstr("\noptions that differ\noption"),
                                HasSubstr("\nscheduler  fifo  fair")));
  const Json json = read_json(out + "/compare.json");
  EXPECT_EQ(json["kind"], "compare");
  EXPECT_EQ(json["mode"], "simulated");
  EXPECT_EQ(json["repeat"], 3);
  ASSERT_EQ(json["policies"].size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(json["policies"][0]["runs"][i]["seed"], 3 + i);
    EXPECT_EQ(json["policies"][1]["runs"][i]["status"], "done");
  }
  EXPECT_THAT(end.output, HasSubstr("Slowdown is a job's completion over its completion alone"));
  EXPECT_GE(metric(json, "mean_slowdown")["policies"][0]["low"].get<double>(), 1);
  const Json completion = metric(json, "mean_completion_s");
  EXPECT_EQ(completion["policies"][0]["values"], completion["policies"][2]["values"]);
  EXPECT_EQ(completion["against"][1]["verdict"], "equal");
  EXPECT_EQ(read_json(out + "/fair-2/summary.json")["mean_completion_s"],
            completion["policies"][1]["values"][1]);
  EXPECT_EQ(read_json(out + "/fair-2/summary.json")["seed"], 4);
  EXPECT_TRUE(fs::exists(out + "/fifo#2-3/journal.jsonl"));
  EXPECT_TRUE(fs::exists(out + "/compare.html"));
}

TEST(Compare, WithSetsAnOptionOfAllThatReadIt) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  Ended end = call({"compare", file, "--policies", "fifo,ikayak", "--variant",
                    "faster: cluster.nodes.n.speed=2", "--repeat", "2", "--simulate", "--with",
                    "reserve=false", "--with", "max_am_share=0.5", "--out", out, "--quiet"},
                   scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  auto policy = [&](const char* run) { return read_json(out + run + "/summary.json")["policy"]; };
  EXPECT_EQ(policy("/fifo-2")["reserve"], "false");
  EXPECT_EQ(policy("/faster-1")["reserve"], "false") << "the scenario's own policy";
  EXPECT_EQ(policy("/ikayak-1")["max_am_share"], "0.5");
  const Json options = read_json(out + "/compare.json")["options"];
  EXPECT_EQ(options.back(),
            Json({{"key", "cluster.nodes.n.speed"}, {"values", {nullptr, nullptr, "2"}}}));
}

TEST(Compare, WithoutDrawsRepeatsAreIdentical) {
  Scratch scratch;
  std::string text = kSmall;
  for (const char* drawn :
       {"{dist: lognormal, mean: 10s, cv: 0.3}", "{dist: lognormal, mean: 5s, cv: 0.3}"})
    text.replace(text.find(drawn), std::string(drawn).size(), "10s");
  const std::string file = scratch.file("same.yaml", text), out = scratch / "out";
  Ended end = call({"compare", file, "--policies", "fifo,fair", "--repeat", "3", "--simulate",
                    "--out", out, "--quiet"},
                   scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, HasSubstr("fifo, fair: all repeats are identical"));
  EXPECT_THAT(end.output, AllOf(Not(HasSubstr("better")), Not(HasSubstr("worse"))));
  const Json json = read_json(out + "/compare.json");
  EXPECT_EQ(json["identical_repeats"], Json({"fifo", "fair"}));
  for (const Json& one : json["metrics"]) {
    if (one["unit"] == "us") continue;
    EXPECT_TRUE(one["against"][0]["interval"].is_null()) << one["key"];
  }
}

TEST(Compare, PrintsCsvAndMarkdownAlsoFromADirectory) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  auto compare = [&](const std::string& how) {
    return call({"compare", file, "--policies", "fifo,fair", "--repeat", "2", "--simulate", "--out",
                 out, "--quiet", how},
                scratch);
  };
  Ended csv = compare("--csv"), markdown = compare("--markdown");
  EXPECT_EQ(csv.output.substr(0, 24), "metric,group_kind,group_");
  EXPECT_THAT(csv.output, HasSubstr("\nmakespan_s,all,\"\",s,less,fair,"));
  EXPECT_THAT(markdown.output,
              AllOf(HasSubstr("## small, simulated, 2 repeats\n"),
                    HasSubstr("| makespan, s | fifo |"), HasSubstr("fair takes ")));
  EXPECT_EQ(call({"report", out, "--csv"}, scratch).output, csv.output);
  EXPECT_EQ(call({"report", out, "--markdown"}, scratch).output, markdown.output);
  EXPECT_FALSE(fs::exists(out + "/report.html"));
  Ended both = call({"report", out, "--csv", "--markdown"}, scratch);
  EXPECT_EQ(both.status, 2);
  Ended run = call({"report", out + "/fifo-1", "--csv"}, scratch);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.errors, HasSubstr("heddle export --csv"));
  scratch.file("out/compare.json", R"({"kind": "compare"})");
  Ended odd = call({"report", out, "--csv"}, scratch);
  EXPECT_EQ(odd.status, 2);
  EXPECT_THAT(odd.errors, HasSubstr("compare.json: not the file of a comparison"));
}

TEST(Compare, GoesOnWhereItWasAndTakesMoreRepeats) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  auto compare = [&](const std::string& repeat, const std::string& policies = "fifo,drf") {
    return call({"compare", file, "--policies", policies, "--repeat", repeat, "--simulate", "--out",
                 out, "--json", "--quiet"},
                scratch);
  };
  ASSERT_EQ(compare("2").status, 0);
  const auto made = fs::last_write_time(out + "/fifo-1/summary.json");
  fs::remove(out + "/drf-2/summary.json");
  Ended again = compare("3");
  ASSERT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(fs::last_write_time(out + "/fifo-1/summary.json"), made) << "not run again";
  EXPECT_EQ(read_json(out + "/drf-2/summary.json")["status"], "done");
  EXPECT_EQ(Json::parse(again.output)["policies"][1]["runs"].size(), 3U);

  fs::remove(out + "/drf-2/summary.json");
  scratch.file("out/drf-2/mine.txt", "precious");
  Ended foreign = compare("3");
  EXPECT_EQ(foreign.status, 2);
  EXPECT_THAT(foreign.errors, HasSubstr("mine.txt"));
  EXPECT_TRUE(fs::exists(out + "/drf-2/mine.txt"));
  fs::remove(out + "/drf-2/mine.txt");

  scratch.file("small.yaml", std::string(kSmall) + "storage: {block_size: 1MiB}\n");
  Ended changed = compare("3");
  EXPECT_EQ(changed.status, 2);
  EXPECT_THAT(changed.errors, HasSubstr("another scenario or policy"));
}

TEST(Compare, NonsenseInTheDirectoryIsTold) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  const std::vector<std::string> words = {"compare", file,         "--policies", "fifo", "--repeat",
                                          "1",       "--simulate", "--out",      out};
  ASSERT_EQ(call(words, scratch).status, 0);
  scratch.file("out/fifo-1/summary.json", R"({"status": "done", "jobs": [{"name": 5}]})");
  Ended odd = call(words, scratch);
  EXPECT_EQ(odd.status, 4);
  EXPECT_THAT(odd.errors, AllOf(HasSubstr("fifo-1/summary.json"), HasSubstr("not a summary")));
  scratch.file("out/compare.json", "{");
  Ended cut = call(words, scratch);
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.errors, HasSubstr("compare.json is not of small, simulated"));
}

TEST(Compare, BadUsageIsToldBeforeAnythingRuns) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  auto errors = [&](std::vector<std::string> words, int status = 2) {
    words.insert(words.begin(), {"compare", file, "--simulate", "--out", out});
    Ended end = call(std::move(words), scratch);
    EXPECT_EQ(end.status, status) << end.errors;
    EXPECT_FALSE(fs::exists(out));
    return end.errors;
  };
  EXPECT_THAT(errors({}), HasSubstr("--policies A,B"));
  EXPECT_THAT(errors({"--policies", "fifo,fairr"}), HasSubstr("did you mean \"fair\"?"));
  EXPECT_THAT(errors({"--variant", "x: jobs.lang.submit=3s"}), HasSubstr("did you mean \"long\"?"));
  EXPECT_THAT(errors({"--policies", "fifo", "--variant", "y: jobs.long.submit=soon"}),
              AllOf(HasSubstr("y: "), HasSubstr("soon")));
  EXPECT_THAT(errors({"--policies", "fifo", "--repeat", "0"}), HasSubstr("--repeat"));
  EXPECT_THAT(errors({"--policies", "fifo", "--set", "seed=4"}), HasSubstr("--seed"));
  EXPECT_THAT(errors({"--policies", "fifo", "--group", "x"}), HasSubstr("NAME=WORKLOAD"));
  EXPECT_THAT(errors({"--policies", "fifo", "--with", "reserve"}), HasSubstr("OPTION=VALUE"));
  EXPECT_THAT(errors({"--policies", "fifo", "--with", "reserv=true"}),
              HasSubstr("did you mean \"reserve\"?"));
  EXPECT_THAT(errors({"--policies", "fifo", "--with", "reserve=maybe"}), HasSubstr("maybe"));
  EXPECT_THAT(errors({"--policies", "fifo,fair", "--with", "dress_indicator=0.2"}),
              HasSubstr("none of the policies uses this option"));
  EXPECT_THAT(errors({"--policies", "fifo,fair+reserve=true", "--with", "reserve=false"}),
              HasSubstr("fair+reserve=true sets reserve itself"));
  EXPECT_THAT(errors({"--variant", "x: policy.reserve=true", "--with", "reserve=false"}),
              HasSubstr("x sets reserve itself"));
  EXPECT_THAT(
      errors({"--policies", "fifo", "--set", "policy.reserve=true", "--with", "reserve=false"}),
      HasSubstr("fifo sets reserve itself"));
  EXPECT_THAT(errors({"--policies", "fifo", "--with", "preset=fair"}),
              HasSubstr("an option or a part"));
  EXPECT_THAT(errors({"--policies", "fifo", "--csv", "--json"}), HasSubstr("--csv"));
  EXPECT_EQ(call({"compare", scratch / "none.yaml", "--policies", "fifo"}, scratch).status, 2);
}

TEST(Compare, ADirectoryKeepsTheVariantsThatItHas) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  const auto sweep = [&](const std::string& seconds) {
    return call({"sweep", file, "--over", "jobs.short.submit=" + seconds, "--simulate", "--repeat",
                 "1", "--quiet", "--out", out},
                scratch);
  };
  ASSERT_EQ(sweep("2s,3s").status, 0);
  const std::string before = text_of(out + "/sweep.json");
  const Ended other = sweep("4s");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.errors, HasSubstr("sweep.json has results of \"submit=2s\", which this command "
                                      "leaves out; expected a command with all variants of the "
                                      "earlier one, or another --out"));
  EXPECT_EQ(text_of(out + "/sweep.json"), before);
  EXPECT_EQ(sweep("2s,3s,4s").status, 0);
}

TEST(Compare, OthersDirectoriesAreLeftAlone) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall);
  fs::create_directory(scratch / "full");
  scratch.file("full/x", "");
  Ended full = call(
      {"compare", file, "--policies", "fifo", "--simulate", "--out", scratch / "full"}, scratch);
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.errors, HasSubstr("never overwritten"));
  Ended plain = call({"compare", file, "--policies", "fifo", "--simulate", "--out", file}, scratch);
  EXPECT_EQ(plain.status, 2);
  EXPECT_THAT(plain.errors, HasSubstr("not a directory"));
  ASSERT_EQ(call({"sweep", file, "--over", "policy.strict_order=true,false", "--simulate",
                  "--repeat", "1", "--out", scratch / "sweep"},
                 scratch)
                .status,
            0);
  Ended other = call(
      {"compare", file, "--policies", "fifo", "--simulate", "--out", scratch / "sweep"}, scratch);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.errors, HasSubstr("holds no compare.json"));
}

TEST(Compare, JobsThatFailAreMarkedAndCount) {
  Scratch scratch;
  const std::string file = scratch.file(
      "fails.yaml", std::string(kSmall) +
                        "  - {name: bad, max_attempts: 1, phases: [{name: map, request: {cores: 1, "
                        "memory: 512MiB}, cpu: 5s, memory: 600MiB}]}\n");
  const std::string out = scratch / "out";
  Ended end = call(
      {"compare", file, "--policies", "fifo,fair", "--repeat", "2", "--simulate", "--out", out},
      scratch);
  EXPECT_EQ(end.status, 1) << end.errors;
  EXPECT_THAT(end.output, HasSubstr("fair: jobs failed in repeat 1, 2"));
  const Json json = read_json(out + "/compare.json");
  EXPECT_EQ(json["policies"][0]["runs"][0]["status"], "failed");
  EXPECT_EQ(json["left_out"][0]["job"], "bad");
  EXPECT_FALSE(metric(json, "mean_completion_s").is_null());
}

// Four real runs of a second or so each, at 0.02 s an emulated second.
TEST(Compare, RunsForRealOneByOne) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  Ended end =
      call({"compare", file, "--policies", "fifo,fair", "--repeat", "2", "--out", out}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  const Json json = read_json(out + "/compare.json");
  EXPECT_EQ(json["mode"], "real");
  EXPECT_EQ(json["policies"][1]["runs"][1]["seed"], 3) << "the machine is the noise";
  EXPECT_TRUE(metric(json, "makespan_s")["policies"][0]["median"].is_number());
  EXPECT_THAT(json["slowdown"], HasSubstr("the first is measured, the second simulated"));
  EXPECT_GT(metric(json, "mean_slowdown")["policies"][0]["median"].get<double>(), 0.9);
  EXPECT_THAT(end.errors, HasSubstr("of 4 runs done: fifo-1"));
  EXPECT_EQ(replay_trouble(out + "/fair-2"), "");
  EXPECT_EQ(text_of(out + "/.fifo-1.yaml"), "");
}

TEST(Compare, CtrlCKeepsWhatIsDoneAndCleansUp) {
  for (const bool simulate : {true, false}) {
    Scratch scratch;
    const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
    std::vector<std::string> words = {"compare",  file,  "--policies", "fifo,fair",
                                      "--repeat", "500", "--out",      out};
    if (simulate) words.emplace_back("--simulate");
    Process process(heddle(words), scratch);
    ASSERT_TRUE(eventually([&] { return fs::exists(out + "/fifo-1/summary.json"); }));
    ASSERT_TRUE(eventually([&] { return fs::exists(out + "/fair-1"); }));
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(std::chrono::seconds(5)), 130);
    const Json json = read_json(out + "/compare.json");
    EXPECT_EQ(json["policies"][0]["runs"][0]["status"], "done");
    EXPECT_TRUE(json["policies"][1]["runs"][499]["status"].is_null());
    if (simulate) continue;
    EXPECT_THAT(left_of(run_id(out + "/fifo-1")), ::testing::IsEmpty());
    const std::string second = run_id(out + "/fair-1");  // this run may not have begun
    if (!second.empty()) {
      EXPECT_THAT(left_of(second), ::testing::IsEmpty());
    }
  }
}

TEST(Compare, TwoAtOnceDoNotShareADirectory) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  Process first(heddle({"compare", file, "--policies", "fifo", "--repeat", "900", "--simulate",
                        "--out", out}),
                scratch);
  ASSERT_TRUE(eventually([&] { return fs::exists(out + "/fifo-1"); }));
  Ended second = call({"compare", file, "--policies", "fifo", "--simulate", "--out", out}, scratch);
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.errors, HasSubstr("another heddle is using it"));
}

TEST(Sweep, HasAPointForEachValue) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall), out = scratch / "out";
  Ended end = call({"sweep", file, "--over", "cluster.nodes.n.cores=2,4", "--over",
                    "policy=fifo,fair", "--repeat", "2", "--simulate", "--out", out},
                   scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, HasSubstr("cluster.nodes.n.cores"));
  const Json json = read_json(out + "/sweep.json");
  ASSERT_EQ(json["points"].size(), 4U);
  EXPECT_EQ(json["points"][1]["values"], Json({"2", "fair"}));
  auto makespan = [&](std::size_t point) {
    return json["points"][point]["metrics"]["makespan_s"]["median"].get<double>();
  };
  EXPECT_GT(makespan(0), makespan(2));
  EXPECT_TRUE(fs::exists(out + "/cores=4,policy=fair-2/summary.json"));
  EXPECT_TRUE(fs::exists(out + "/sweep.html"));
}

TEST(Sweep, BadKeysAndValuesAreToldBeforeAnythingRuns) {
  Scratch scratch;
  const std::string file = scratch.file("small.yaml", kSmall);
  auto errors = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"sweep", file, "--simulate", "--out", scratch / "out"});
    Ended end = call(std::move(words), scratch);
    EXPECT_EQ(end.status, 2) << end.errors;
    EXPECT_FALSE(fs::exists(scratch / "out"));
    return end.errors;
  };
  EXPECT_THAT(errors({"--over", "policy.strict_ordr=true,false"}),
              HasSubstr("did you mean \"strict_order\"?"));
  EXPECT_THAT(errors({"--over", "cluster.nodes.n.cores=2,many"}), HasSubstr("many"));
  EXPECT_THAT(errors({"--over", "policy.strict_order"}), HasSubstr("key.path=value"));
  EXPECT_THAT(errors({"--over", "a=1", "--over", "b=1", "--over", "c=1"}), HasSubstr("two"));
  EXPECT_THAT(errors({"--over", "policy=fifo", "--over", "policy=fair"}), HasSubstr("twice"));
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
  - {about: short job's completion, metric: mean_completion_s, of: workload short, policy: fair, against: fifo, paper: sooner, expect: less}
  - {about: makespan, metric: makespan_s, policy: fair, against: fifo, paper: a third, expect: -66 % .. -60 %}
)";

// fifo starts the short job after all 16 tasks of the long one. fair starts it as soon as some of
// the long job's first 8 tasks have ended. The makespan is the long job's and differs little.
TEST(Experiment, JudgesClaimsInEachSetting) {
  Scratch scratch;
  scratch.file("small.yaml", kSmall);
  const std::string file = scratch.file("two.yaml", kExperiment), out = scratch / "out";
  Ended end = call({"experiment", file, "--out", out, "--quiet"}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, AllOf(HasSubstr("## Two policies"), HasSubstr("n = 3 | reproduced |\n"),
                                HasSubstr("n = 3 | not reproduced |\n"),
                                HasSubstr("### Two policies: two-cores"),
                                HasSubstr("`cluster.nodes.n.cores=2`"), HasSubstr("| drf | 3 | "),
                                HasSubstr("results: " + out + "/two")));
  EXPECT_THAT(end.output, Not(HasSubstr("real")));
  EXPECT_EQ(text_of(out + "/two/claims.md").substr(0, 17), "## Two policies\n\n");
  EXPECT_THAT(text_of(out + "/claims.md"),
              HasSubstr("| Two policies | 2 | 0 | 2 | 0 | 0 | 0 |\n| all | 2 | 0 | 2 |"));
  EXPECT_TRUE(fs::exists(out + "/two/simulated-two-cores/compare.json"));
  EXPECT_TRUE(fs::exists(out + "/two/simulated/fifo-1/journal.jsonl"));
  EXPECT_TRUE(fs::exists(out + "/two/simulated/fifo-2/scenario.yaml"));
  EXPECT_FALSE(fs::exists(out + "/two/simulated/fifo-2/journal.jsonl"));
  EXPECT_FALSE(fs::exists(out + "/two/simulated/fifo-2/samples.jsonl"));
}

TEST(Experiment, RunsForRealWhatIsLeft) {
  Scratch scratch;
  scratch.file("small.yaml", kSmall);
  const std::string file = scratch.file("two.yaml", kExperiment), out = scratch / "out";
  Ended plan = call({"experiment", file, "--out", out, "--real", "--dry-run"}, scratch);
  ASSERT_EQ(plan.status, 0) << plan.errors;
  EXPECT_EQ(plan.output, "2 real runs, about 1 min\n");
  EXPECT_FALSE(fs::exists(out));
  Ended real = call({"experiment", file, "--out", out, "--quiet", "--real"}, scratch);
  ASSERT_EQ(real.status, 0) << real.errors;
  EXPECT_THAT(real.output, HasSubstr("n = 1 | reproduced |\n"));
  EXPECT_FALSE(fs::exists(out + "/two/real-two-cores"));
  EXPECT_TRUE(fs::exists(out + "/two/real/fifo-1/journal.jsonl"));
  EXPECT_EQ(call({"experiment", file, "--out", out, "--real", "--dry-run"}, scratch).output,
            "0 real runs, about 0 min\n");
}

// Both policies have two real runs each, and one each in the setting that has real runs.
TEST(Experiment, ASettingHasOneRealRunOfEachPolicy) {
  Scratch scratch;
  scratch.file("small.yaml", kSmall);
  std::string text = kExperiment;
  text.replace(text.find("real_repeat: 1"), 14, "real_repeat: 2\nreal_settings: [two-cores]");
  Ended plan = call({"experiment", scratch.file("two.yaml", text), "--out", scratch / "out",
                     "--real", "--dry-run"},
                    scratch);
  ASSERT_EQ(plan.status, 0) << plan.errors;
  EXPECT_THAT(plan.output, ::testing::StartsWith("6 real runs, "));
}

/// An experiment, the page of docs/papers with its results, and the number of its table rows.
struct Documented {
  std::string experiment, page;
  int rows;
};

class DocumentedExperiment : public ::testing::TestWithParam<Documented> {};

// Each row of the simulated results begins a row in the document, where figures of real runs may
// follow.
TEST_P(DocumentedExperiment, HasTheRowsOfItsResults) {
  const auto& [name, page, expected_rows] = GetParam();
  Scratch scratch;
  const std::string out = scratch / "out";
  Ended end = call({"experiment", HEDDLE_SOURCE "/scenarios/experiments/" + name + ".yaml", "--out",
                    out, "--quiet"},
                   scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  const std::string document = text_of(HEDDLE_SOURCE "/docs/papers/" + page);
  std::istringstream lines(text_of(out + "/" + name + "/claims.md"));
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) continue;
    ++rows;
    EXPECT_THAT(document, HasSubstr("\n" + line));
  }
  EXPECT_EQ(rows, expected_rows);
}

// A table has a head, a rule, and a row for each claim or policy.
INSTANTIATE_TEST_SUITE_P(, DocumentedExperiment,
                         ::testing::Values(Documented{"dress-fig1", "dress.md", 2 + 5},
                                           Documented{"ikayak-placement", "ikayak.md",
                                                      2 + 6 + 2 + 4},
                                           Documented{"ikayak-shares", "ikayak.md", 2 + 8},
                                           Documented{"beyond-drf", "beyond.md", 2 + 4 + 2 + 4}),
                         [](const auto& test) {
                           std::string name = test.param.experiment;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Experiment, BadUsageIsRefused) {
  Scratch scratch;
  EXPECT_EQ(call({"experiment", scratch / "none.yaml"}, scratch).status, 2);
  const std::string file = scratch.file("two.yaml", kExperiment);
  Ended alone = call({"experiment", file, "--dry-run"}, scratch);
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.errors, HasSubstr("--dry-run requires --real"));
}

TEST(League, RanksPoliciesOnEveryScenarioOfADirectory) {
  Scratch scratch;
  fs::create_directories(scratch / "some/more");
  scratch.file("some/more/a.yaml", kSmall);
  scratch.file("some/notes.txt", "no scenario");
  const std::vector<std::string> words = {"league", scratch / "some", "--policies", "fifo,fair",
                                          "--quiet"};
  Ended end = call(words, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, AllOf(HasSubstr("scenario        fifo  fair\nsmall "),
                                HasSubstr("Mean slowdown relative to the best policy")));
  std::vector<std::string> json_words = words;
  json_words.insert(json_words.end(), {"--format", "json"});
  const Json json = Json::parse(call(json_words, scratch).output);
  EXPECT_EQ(json["scenarios"][0]["policies"][1]["policy"], "fair");
  // Under fair the short job runs alone during its longer task. Under fifo it waits for both waves
  // of the long job.
  EXPECT_EQ(json["scenarios"][0]["policies"][1]["mean_slowdown"], 1.0);
  EXPECT_GT(json["scenarios"][0]["policies"][0]["mean_slowdown"].get<double>(), 1.2);
}

TEST(League, BadUsageIsRefused) {
  Scratch scratch;
  Ended none = call({"league", scratch / "none"}, scratch);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors,
              HasSubstr("no such file or directory; expected a scenario or a directory"));
  fs::create_directory(scratch / "empty");
  Ended empty = call({"league", scratch / "empty"}, scratch);
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.errors, HasSubstr("no scenario; expected files or directories with *.yaml"));
  Ended policy = call({"league", scratch / "empty", "--policies", "fiffo"}, scratch);
  EXPECT_EQ(policy.status, 2);
  const std::string file = scratch.file("bad.yaml", "heddle: 1\n");
  EXPECT_EQ(call({"league", file}, scratch).status, 2);
}

// Each run takes about 7 s. On an idle machine, neither would be disturbed alone.
TEST(Cell, TwoRealRunsOnOneMachineAreDisturbed) {
  Scratch scratch;
  const std::string file = scratch.file("s.yaml",
                                        R"(
heddle: 1
name: small
emulation: {time_scale: 0.1, core_fraction: 0.01, memory_scale: 1/64}
cluster: {nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}
jobs:
  - {name: j, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: 30s}]}
)");
  const std::string plan = scratch / "p";
  Ended end =
      call({"compare", file, "--policies", "fifo", "--repeat", "2", "--plan", plan}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  {
    Process first(heddle({"cell", plan, "0"}), scratch);
    ASSERT_TRUE(eventually([&] { return !descendants(first.pid(), "heddle-task").empty(); }))
        << first.errors();
    Process second(heddle({"cell", plan, "1"}), scratch);
    EXPECT_EQ(second.wait(), 0) << second.errors();
    EXPECT_EQ(first.wait(), 0) << first.errors();
  }
  end = call({"gather", plan}, scratch);
  EXPECT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr("2 runs were disturbed by other programs: fifo-1, fifo-2"));
}

}  // namespace heddle::compare_test
