#include "report/archive/reproduction.h"

#include "report/summary.h"
#include "tests/report/result_dir.h"
#include "tests/support/matchers.h"

namespace heddle::report::reproduction_test {

using wire::Json;
using Values = std::vector<std::optional<double>>;

ResultFigure figure(const std::string& series, const std::string& key, Values values,
                    bool headline = true) {
  return {series, key, key, "s", headline, std::move(values)};
}

std::vector<Reproduced> verdicts(const PartVerdict& part) {
  std::vector<Reproduced> all;
  for (const FigureVerdict& one : part.figures) all.push_back(one.verdict);
  return all;
}

TEST(Reproduction, FiguresOfAComparison) {
  const Json comparison = Json::parse(R"({"kind": "compare", "metrics": [
    {"key": "makespan_s", "title": "makespan", "unit": "s", "headline": true,
     "group": {"kind": "all", "name": ""},
     "policies": [{"name": "fifo", "values": [1, null]}, {"name": "drf", "values": [2, 3]}]},
    {"key": "mean_waiting_s", "title": "mean waiting", "unit": "s", "headline": true,
     "group": {"kind": "class", "name": "small"},
     "policies": [{"name": "fifo", "values": [4]}]},
    {"key": "decision_us_p99", "title": "decision", "unit": "us", "headline": false,
     "group": {"kind": "all", "name": ""}, "policies": [{"name": "fifo", "values": [5]}]}]})");
  EXPECT_THAT(
      figures_of_batch(comparison).value(),
      ElementsAre(ResultFigure{"fifo", "makespan_s", "makespan", "s", true, {1, std::nullopt}},
                  ResultFigure{"drf", "makespan_s", "makespan", "s", true, {2, 3}},
                  ResultFigure{"fifo",
                               "mean_waiting_s of class small",
                               "mean waiting of class small",
                               "s",
                               false,
                               {4}}))
      << "durations of decisions differ between equal simulations, so they are left out";
}

TEST(Reproduction, FiguresOfASweep) {
  const Json sweep = Json::parse(R"({"kind": "sweep", "over": [{"key": "seed"}, {"key": "policy"}],
    "points": [{"values": ["1", "fifo"], "metrics": {
      "makespan_s": {"title": "makespan", "unit": "s", "headline": true, "values": [1]},
      "user.ann.makespan_s": {"title": "ann", "unit": "s", "headline": true, "values": [2]}}}]})");
  EXPECT_THAT(
      figures_of_batch(sweep).value(),
      ElementsAre(
          ResultFigure{"seed=1, policy=fifo", "makespan_s", "makespan", "s", true, {1}},
          ResultFigure{"seed=1, policy=fifo", "user.ann.makespan_s", "ann", "s", false, {2}}));
}

TEST(Reproduction, ADamagedFileIsAnError) {
  for (const char* text : {"{}", R"({"kind": "sweep"})", R"({"kind": "compare", "metrics": [1]})",
                           R"({"kind": "compare", "metrics": [{"key": 3}]})"})
    EXPECT_THAT(figures_of_batch(Json::parse(text)).error().text,
                StartsWith("expected a compare.json or sweep.json ("))
        << text;
  EXPECT_THAT(figures_of_run(Json::parse(R"({"jobs": {}})")).error().text,
              StartsWith("expected a summary.json ("));
}

TEST(Reproduction, FiguresOfARunAreThoseOfItsSummary) {
  const ResultDir dir;
  const Json summary = dir.history().summary;
  const std::vector<ResultFigure> figures = figures_of_run(summary).value();
  const auto waiting = std::ranges::find(figures, "mean_waiting_s", &ResultFigure::key);
  ASSERT_NE(waiting, figures.end());
  EXPECT_TRUE(waiting->headline);
  EXPECT_EQ(waiting->values[0], summary.at("mean_waiting_s").get<double>());
  for (const ResultFigure& one : figures) EXPECT_FALSE(one.key.starts_with("overhead")) << one.key;
}

TEST(Reproduction, SimulationsMustBeEqualInEachRepeat) {
  const std::vector<ResultFigure> archived = {figure("fifo", "a", {1, 2}), figure("fifo", "b", {3}),
                                              figure("fifo", "c", {std::nullopt}),
                                              figure("drf", "a", {5})};
  EXPECT_EQ(judge_simulated(archived, archived).verdict, Reproduced::kEqual);
  const PartVerdict part =
      judge_simulated(archived, {figure("fifo", "a", {1, 2.0000001}), figure("fifo", "b", {3}),
                                 figure("fifo", "c", {0}), figure("fifo", "d", {9})});
  using enum Reproduced;
  EXPECT_THAT(verdicts(part), ElementsAre(kDiffers, kEqual, kDiffers, kNotMade));
  EXPECT_EQ(part.verdict, kNotMade);
}

TEST(Reproduction, TheFirstPathOfSummariesThatDiffersIsNamed) {
  const Json archived = Json::parse(
      R"({"heddle_version": "1", "overhead": {"wall_s": 1}, "jobs": [{"name": "j", "start_s": 1}],
          "makespan_s": 4})");
  Json here = Json::parse(
      R"({"heddle_version": "2", "overhead": {"wall_s": 2}, "jobs": [{"name": "j", "start_s": 1}],
          "makespan_s": 4, "new_figure": 7})");
  EXPECT_EQ(difference_of_simulations(archived, here), "");
  here["jobs"][0]["start_s"] = 2;
  EXPECT_EQ(difference_of_simulations(archived, here),
            "jobs.j.start_s is 2 here and 1 in the archive");
  here.erase("jobs");
  EXPECT_EQ(difference_of_simulations(archived, here),
            "jobs.j.name is not there here and j in the archive");
}

// Archived makespans of 90, 100 and 120 s have the median 100 s, so 80 to 130 s are expected.
TEST(Reproduction, RealFiguresAreExpectedInTheRangeOfRepeatsAndATenth) {
  const std::vector<ResultFigure> archived = {figure("fifo", "makespan_s", {120, 90, 100}),
                                              figure("fifo", "no_headline", {1}, false)};
  using enum Reproduced;
  const std::pair<double, Reproduced> cases[] = {
      {79.9, kDiffers}, {80, kInRange}, {130, kInRange}, {130.1, kDiffers}};
  for (const auto& [value, verdict] : cases) {
    const PartVerdict part =
        judge_real(archived, {figure("fifo", "makespan_s", {value})}, {}, false);
    EXPECT_EQ(part.verdict, verdict) << value;
    ASSERT_THAT(part.figures, SizeIs(1));
    EXPECT_EQ(part.figures[0].range, (ExpectedRange{80, 130}));
  }
  // The median of the repeats here counts.
  EXPECT_EQ(judge_real(archived, {figure("fifo", "makespan_s", {1, 100, 999})}, {}, false).verdict,
            kInRange);
}

TEST(Reproduction, TheRangeOfSimulationsExtendsThatOfASingleRun) {
  const std::vector<ResultFigure> archived = {figure("", "makespan_s", {100})};
  const std::map<std::string, ExpectedRange> ranges = {{"makespan_s", {70, 95}}};
  const PartVerdict part = judge_real(archived, {figure("", "makespan_s", {61})}, ranges, false);
  EXPECT_EQ(part.figures[0].range, (ExpectedRange{60, 110}));
  EXPECT_EQ(part.verdict, Reproduced::kInRange);
}

// A wait of 0.5 s can double by chance; the mean completion of 50 s allows 5 s more or less.
TEST(Reproduction, WaitingTimesHaveTheSlackOfCompletionTimes) {
  const std::vector<ResultFigure> archived = {figure("", "mean_waiting_s", {0.5}),
                                              figure("", "mean_completion_s", {50})};
  const PartVerdict part = judge_real(
      archived, {figure("", "mean_waiting_s", {1}), figure("", "mean_completion_s", {51})}, {},
      false);
  EXPECT_EQ(part.figures[0].range, (ExpectedRange{0, 5.5}));
  EXPECT_EQ(part.verdict, Reproduced::kInRange);
}

TEST(Reproduction, RunsThatOtherProgramsAffectedAreNotJudged) {
  const std::vector<ResultFigure> archived = {figure("fifo", "makespan_s", {100})};
  using enum Reproduced;
  EXPECT_EQ(judge_real(archived, {figure("fifo", "makespan_s", {200})}, {}, true).verdict,
            kAffected);
  EXPECT_EQ(judge_real(archived, {figure("fifo", "makespan_s", {std::nullopt})}, {}, true).verdict,
            kAffected);
  EXPECT_EQ(judge_real(archived, {figure("fifo", "makespan_s", {std::nullopt})}, {}, false).verdict,
            kNotMade);
  // Several runs, of which one is affected and not counted.
  EXPECT_EQ(
      judge_real(archived, {figure("fifo", "makespan_s", {std::nullopt, 101})}, {}, true).verdict,
      kInRange);
}

}  // namespace heddle::report::reproduction_test
