#include "report/agreement/run_difference.h"

#include "tests/report/result_dir.h"
#include "tests/support/matchers.h"

namespace heddle::report::run_difference_test {

using wire::Json;

PathValues values_of(const std::string& yaml) {
  return values_by_path(parse_yaml(yaml, "s.yaml").value());
}

/// Returns the run of ResultDir. Its scenario.yaml is `yaml`.
ComparedRun run(const std::string& name, const std::string& yaml = "seed: 1\n") {
  const ResultDir dir;
  RunHistory history = dir.history();
  return {name, history.scenario, values_of(yaml), history.summary, history.attempts};
}

TEST(RunDifference, MembersOfListsHaveTheirNamesInPaths) {
  EXPECT_THAT(values_of("name: x\n"
                        "jobs:\n"
                        "- {name: wc, after: [a, b], phases: [{cpu: 1s}, {cpu: 2s}]}\n"
                        "- {name: s, submit: 3s, user: }\n"),
              ElementsAre(Pair("jobs.s.name", "s"), Pair("jobs.s.submit", "3s"),
                          Pair("jobs.s.user", ""), Pair("jobs.wc.after", "[a, b]"),
                          Pair("jobs.wc.name", "wc"), Pair("jobs.wc.phases.0.cpu", "1s"),
                          Pair("jobs.wc.phases.1.cpu", "2s"), Pair("name", "x")));
  // Names that repeat cannot distinguish members.
  EXPECT_THAT(values_of("l: [{name: a}, {name: a}]\n"),
              ElementsAre(Pair("l.0.name", "a"), Pair("l.1.name", "a")));
  EXPECT_THAT(values_by_path(Json::parse(R"({"a": {"b": 1.5, "c": null}, "d": [true, "x"]})")),
              ElementsAre(Pair("a.b", "1.5"), Pair("a.c", ""), Pair("d", "[true, x]")));
}

TEST(RunDifference, RowsOfATableOfJobsAreValues) {
  EXPECT_THAT(values_of_scenario("name: x\n...\njob,cpu\na,1s\n", "s.yaml").value(),
              ElementsAre(Pair("name", "x"), Pair("row 1 of the jobs", "job,cpu"),
                          Pair("row 2 of the jobs", "a,1s")));
  EXPECT_THAT(values_of_scenario("name: [\n", "s.yaml").error().text, StartsWith("s.yaml:"));
}

TEST(RunDifference, PathsThatOneDocumentLacksDiffer) {
  const PathValues first = {{"a", "1"}, {"b", "2"}, {"d", "4"}};
  const PathValues second = {{"b", "3"}, {"c", "3"}, {"d", "4"}};
  EXPECT_THAT(differing_paths(first, second),
              ElementsAre(PathDifference{"a", "1", std::nullopt}, PathDifference{"b", "2", "3"},
                          PathDifference{"c", std::nullopt, "3"}));
  EXPECT_THAT(differing_paths(first, first), IsEmpty());
}

TEST(RunDifference, NothingDiffersBetweenARunAndItself) {
  const Json json = run_difference(run("a"), run("b"));
  EXPECT_EQ(json.at("same"), true) << json.dump(1);
  EXPECT_EQ(format_run_difference(json), "the same\n");
}

TEST(RunDifference, EachPartIsCompared) {
  ComparedRun second = run("results/b", "seed: 2\npolicy: drf\njobs: [{name: wc, cpu: 4s}]\n");
  second.summary["seed"] = 4;
  second.summary["mode"] = "simulated";
  second.summary["policy"]["preset"] = "drf";
  second.summary["host"]["kernel"] = "6.1";
  second.summary["utilisation"]["cpu"] = 0.5;
  second.summary["overhead"]["wall_s"] = 1000;
  ComparedRun first = run("results/a", "seed: 1\npolicy: fifo\njobs: [{name: wc, cpu: 3s}]\n");
  first.summary["seed"] = 3;
  first.summary["policy"]["preset"] = "fifo";
  first.summary["host"]["kernel"] = "6.0";
  first.summary["utilisation"]["cpu"] = 0.4;
  second.attempts->back().node = NodeId{1 - second.attempts->back().node.value};
  const Json json = run_difference(std::move(first), std::move(second));
  EXPECT_EQ(json.at("same"), false);
  EXPECT_EQ(json.at("run"), Json::parse(R"([
    {"key": "host.kernel", "first": "6.0", "second": "6.1"},
    {"key": "mode", "first": "real", "second": "simulated"},
    {"key": "seed", "first": "3", "second": "4"}])"));
  EXPECT_EQ(json.at("policy"),
            Json::parse(R"([{"key": "preset", "first": "fifo", "second": "drf"}])"));
  EXPECT_EQ(json.at("scenario"),
            Json::parse(R"([{"key": "jobs.wc.cpu", "first": "3s", "second": "4s"}])"))
      << "policy and seed have lists of their own";
  EXPECT_EQ(json.at("figures"), Json::parse(R"([
    {"key": "utilisation.cpu", "title": "CPU used", "unit": "share", "first": 0.4, "second": 0.5,
     "difference": 0.1, "relative": 0.25}])"));
  EXPECT_TRUE(json.at("first_difference").is_object());
  const std::string text = format_run_difference(json);
  EXPECT_THAT(text, StartsWith("first:  results/a\nsecond: results/b\n\nrun"));
  EXPECT_THAT(text, HasSubstr("\njobs.wc.cpu  3s     4s\n"));
  EXPECT_THAT(text, HasSubstr("\nCPU used, %     40      50          10  +25.0 %\n"));
  EXPECT_THAT(text, HasSubstr("\nfirst decision that differs: launch "));
}

TEST(RunDifference, WithoutAJournalNoDecisionsAreCompared) {
  ComparedRun second = run("b");
  second.attempts.reset();
  const Json json = run_difference(run("a"), std::move(second));
  EXPECT_EQ(json.at("launches_compared"), false);
  EXPECT_EQ(format_run_difference(json),
            "the same\ndecisions were not compared, because a run has no journal\n");
}

TEST(RunDifference, OfManyLinesTheFirstAreShown) {
  std::string jobs = "jobs:\n";
  for (int i = 100; i < 150; ++i) jobs += "- {name: j" + std::to_string(i) + ", cpu: 1s}\n";
  // 50 jobs with two keys each.
  const std::string text = format_run_difference(run_difference(run("a"), run("b", jobs)));
  EXPECT_THAT(text, HasSubstr("\n… and 60 more (--json has all)\n"));
  EXPECT_THAT(text, HasSubstr("all decisions to launch are the same\n"));
}

}  // namespace heddle::report::run_difference_test
