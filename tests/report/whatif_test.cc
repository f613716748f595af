#include "report/comparison/whatif.h"

#include <cmath>
#include <sstream>

#include "report/comparison/whatif_text.h"
#include "tests/support/matchers.h"

namespace heddle::report::whatif_test {

using wire::Json;

// On a cluster of 4 cores, ann has two jobs of 2 cores and 100 s, which ran one after the other,
// and ben has one of 4 cores and 50 s, which waited for 150 s.
const std::vector<LoggedJob> kLog = {{"a1", "ann", "q", "", 2, 0, 0, 0, 100},
                                     {"a2", "ann", "q", "", 2, 0, 0, 100, 200},
                                     {"b1", "ben", "q", "", 4, 40, 50, 200, 250}};
constexpr double kCores = 4;

/// A job that is eligible at `from_s`, starts after `wait_s` and runs for `run_s`.
ReplayedJob job(double from_s, double wait_s, double run_s) {
  return {from_s + wait_s, from_s + wait_s + run_s, wait_s, wait_s + run_s, "", 1};
}

// The jobs of ann run at once, so the job of ben starts at 100.
const Replay kCalibrated{
    "easy", {{"a1", job(0, 0, 100)}, {"a2", job(0, 0, 100)}, {"b1", job(50, 50, 50)}}, 150, 1, {},
    {}};

const JobGroup kAll{"all", ""}, kAnn{"user", "ann"}, kBen{"user", "ben"};

TEST(WhatIf, CalibrationHasTheErrorsOfAllAndOfEachUser) {
  const Calibration calibration = calibrate(kLog, kCalibrated, kCores);
  EXPECT_EQ(calibration.rules, "easy");
  ASSERT_EQ(calibration.groups.size(), 3U) << "one queue and no account are no groups";
  const WaitError& all = calibration.groups[0];
  EXPECT_EQ(all.group, kAll);
  EXPECT_EQ(all.jobs, 3);
  EXPECT_DOUBLE_EQ(all.log_mean_s, 250.0 / 3) << "0, 100 and 150";
  EXPECT_EQ(all.log_median_s, 100);
  EXPECT_DOUBLE_EQ(all.mean_s, 50.0 / 3) << "0, 0 and 50";
  EXPECT_EQ(all.median_s, 0);
  EXPECT_DOUBLE_EQ(all.error_s(), -200.0 / 3);
  EXPECT_DOUBLE_EQ(all.error().value(), -0.8);
  EXPECT_DOUBLE_EQ(all.distance, 2.0 / 3) << "up to 50: one of three waits against all";
  const WaitError* ann = calibration.find(kAnn);
  ASSERT_TRUE(ann);
  EXPECT_EQ(ann->jobs, 2);
  EXPECT_EQ(ann->error_s(), -50);
  EXPECT_EQ(ann->error(), -1);
  EXPECT_EQ(ann->distance, 0.5);
  const WaitError* ben = calibration.find(kBen);
  ASSERT_TRUE(ben);
  EXPECT_EQ(ben->log_mean_s, 150);
  EXPECT_EQ(ben->error_s(), -100);
  EXPECT_EQ(ben->distance, 1);
  EXPECT_FALSE(calibration.find({"user", "eve"}));
  EXPECT_DOUBLE_EQ(calibration.user_error_s, 200.0 / 3) << "50 for two jobs, and 100 for one";
}

TEST(WhatIf, CalibrationComparesTheUseOfTheCores) {
  const Calibration calibration = calibrate(kLog, kCalibrated, kCores);
  // In the log, 2 of 4 cores for 200 s and 4 for 50 s. In the simulation, 4 for 150 s.
  EXPECT_DOUBLE_EQ(calibration.log.mean, 0.6);
  EXPECT_EQ(calibration.log.median, 0.5);
  EXPECT_EQ(calibration.simulated.mean, 1);
  EXPECT_EQ(calibration.simulated.median, 1);
  EXPECT_DOUBLE_EQ(calibration.usage_distance, 0.8);
  EXPECT_EQ(calibration.log.peak, 1);
  // Nothing runs for the first 100 s of 200 s.
  const std::vector<LoggedJob> late = {{"l", "u", "q", "", 2, 0, 0, 100, 200}};
  EXPECT_EQ(calibrate(late, {}, kCores).log.mean, 0.25);
}

TEST(WhatIf, ThePeakIsExceededForAtMostAHundredthOfTheTime) {
  // Two jobs of 2 of 4 cores, for 1000 s each. A third one overlaps with both for 1 s or for 21 s.
  const auto peak_with = [](double start_s) {
    const std::vector<LoggedJob> log = {{"a", "u", "q", "", 2, 0, 0, 0, 1000},
                                        {"b", "u", "q", "", 2, 0, 0, 0, 1000},
                                        {"c", "u", "q", "", 4, 0, 0, start_s, 2000}};
    return calibrate(log, {}, kCores).log.peak;
  };
  EXPECT_EQ(peak_with(999), 1);
  EXPECT_EQ(peak_with(979), 2);
}

TEST(WhatIf, JobsThatDoNotStartInTheSimulationDoNotCount) {
  Replay replay = kCalibrated;
  replay.jobs["b1"] = {};
  replay.jobs.erase("a2");
  const Calibration calibration = calibrate(kLog, replay, kCores);
  EXPECT_EQ(calibration.not_started, 2);
  ASSERT_EQ(calibration.groups.size(), 2U);
  EXPECT_EQ(calibration.groups[0].jobs, 1);
  EXPECT_EQ(calibration.groups[0].error(), std::nullopt) << "a1 has not waited in the log";
  EXPECT_FALSE(calibration.find(kBen));
  EXPECT_TRUE(calibrate(kLog, {}, kCores).groups.empty());
}

TEST(WhatIf, QueuesAndAccountsAreGroupsIfThereAreSeveral) {
  std::vector<LoggedJob> log = kLog;
  log[0].account = "physics";
  log[1].account = "maths";
  log[2].queue = "long";
  log[0].partition = "main";
  log[2].partition = "short";
  std::vector<std::string> names;
  for (const WaitError& one : calibrate(log, kCalibrated, kCores).groups)
    names.push_back(one.group.kind + " " + one.group.name);
  EXPECT_THAT(names,
              ElementsAre("all ", "user ann", "user ben", "queue long", "queue q", "account maths",
                          "account physics", "partition main", "partition short"));
}

TEST(WhatIf, TheNearestRulesAreThoseWithTheSmallestErrorOfUsers) {
  std::vector<Calibration> calibrations(3);
  calibrations[0].user_error_s = 7;
  calibrations[1].user_error_s = calibrations[2].user_error_s = 5;
  EXPECT_EQ(nearest(calibrations), 1U);
}

// Perturbed, ann waits for 10 s less or as long, and ben for 20 s more.
TEST(WhatIf, ErrorsHaveTheRangeOfPerturbedSimulations) {
  Replay replay = kCalibrated;
  EXPECT_EQ(calibrate(kLog, replay, kCores).groups[0].range, std::nullopt);
  replay.jobs["a2"] = job(0, 20, 100);
  replay.perturbed = {{0, 0, 50}, {0, 20, 70}};
  const Calibration calibration = calibrate(kLog, replay, kCores);
  const WaitError *ann = calibration.find(kAnn), *ben = calibration.find(kBen);
  EXPECT_EQ(ann->error_s(), -40);
  EXPECT_EQ(ann->range->least, -50);
  EXPECT_EQ(ann->range->most, -40);
  EXPECT_EQ(ben->range->least, -100);
  EXPECT_EQ(ben->range->most, -80);
}

// Only jobs that start in both simulations of a pair count. For ann, these are both jobs, one of
// which waits for 20 s more, and then only a1, whose wait does not change.
TEST(WhatIf, DifferencesOfPerturbedSimulationsArePairs) {
  Replay calibrated = kCalibrated, variant = kCalibrated;
  const double none = std::nan("");
  calibrated.perturbed = {{0, 0, 50}, {0, none, 90}};
  variant.perturbed = {{0, 20, 30}, {0, 5, 100}};
  variant.jobs["b1"] = job(50, 260, 50);
  const std::vector<Impact> all =
      impacts(kLog, calibrate(kLog, calibrated, kCores), calibrated, variant);
  EXPECT_EQ(all[1].range->least, 0);
  EXPECT_EQ(all[1].range->most, 10);
  EXPECT_EQ(all[2].difference_s, 210);
  EXPECT_EQ(all[2].range->least, -20);
  EXPECT_EQ(all[2].range->most, 10);
  EXPECT_EQ(all[2].verdict, Verdict::kByChance) << "one of two differences is below 0";
}

TEST(WhatIf, ADifferenceWithinTheErrorSaysNothing) {
  EXPECT_EQ(verdict_of_wait(-10, 5), Verdict::kWins);
  EXPECT_EQ(verdict_of_wait(10, -5), Verdict::kLoses);
  EXPECT_EQ(verdict_of_wait(5, -5), Verdict::kWithinError);
  EXPECT_EQ(verdict_of_wait(-4, 5), Verdict::kWithinError);
  EXPECT_EQ(verdict_of_wait(0, 0), Verdict::kSame);
  EXPECT_EQ(verdict_of_wait(1e-7, 0), Verdict::kSame) << "below the resolution of times";
  EXPECT_EQ(verdict_of_wait(1, 0), Verdict::kLoses);
  EXPECT_EQ(verdict_of_wait(10, 5, Range{1, 12}), Verdict::kLoses);
  EXPECT_EQ(verdict_of_wait(10, 5, Range{-1, 12}), Verdict::kByChance);
  EXPECT_EQ(verdict_of_wait(-10, 5, Range{-12, 0}), Verdict::kByChance);
  EXPECT_EQ(verdict_of_wait(5, 5, Range{-1, 12}), Verdict::kWithinError);
}

/// In this variant, a2 waits for 20 s, and b1 for 180 s instead of 50 s.
const Replay kVariant{
    "small", {{"a1", job(0, 0, 100)}, {"a2", job(0, 20, 100)}, {"b1", job(50, 180, 50)}},
    280,     0.5,
    {},      {}};

TEST(WhatIf, ImpactsSayWhoWinsAndWhoLoses) {
  const Calibration calibration = calibrate(kLog, kCalibrated, kCores);
  const std::vector<Impact> all = impacts(kLog, calibration, kCalibrated, kVariant);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_DOUBLE_EQ(all[0].mean_s, 200.0 / 3);
  EXPECT_DOUBLE_EQ(all[0].difference_s, 50);
  EXPECT_DOUBLE_EQ(all[0].change.value(), 3) << "200 s in all instead of 50 s";
  EXPECT_EQ(all[0].verdict, Verdict::kWithinError) << "the error is 66.7 s";
  EXPECT_EQ(all[0].gain, 0);
  EXPECT_EQ(all[0].lose, 2);
  EXPECT_EQ(all[0].worst, "b1");
  EXPECT_EQ(all[0].worst_s, 130);
  EXPECT_EQ(all[1].group, kAnn);
  EXPECT_EQ(all[1].difference_s, 10);
  EXPECT_EQ(all[1].change, std::nullopt) << "ann waited for 0 s";
  EXPECT_EQ(all[1].error_s, -50);
  EXPECT_EQ(all[1].verdict, Verdict::kWithinError);
  EXPECT_EQ(all[1].worst, "a2");
  EXPECT_EQ(all[2].group, kBen);
  EXPECT_EQ(all[2].difference_s, 130);
  EXPECT_DOUBLE_EQ(all[2].change.value(), 2.6);
  EXPECT_EQ(all[2].verdict, Verdict::kLoses) << "130 s are more than the error of 100 s";
}

// ben loses 130 s. The error is 100 s, or up to 140 s in a perturbed simulation.
TEST(WhatIf, TheErrorOfAnySimulationCounts) {
  Calibration calibration = calibrate(kLog, kCalibrated, kCores);
  EXPECT_EQ(calibration.find(kBen)->most_error_s(), 100);
  EXPECT_EQ(impacts(kLog, calibration, kCalibrated, kVariant)[2].verdict, Verdict::kLoses);
  calibration.groups[2].range = Range{-140, 20};
  EXPECT_EQ(calibration.find(kBen)->most_error_s(), 140);
  EXPECT_EQ(impacts(kLog, calibration, kCalibrated, kVariant)[2].verdict, Verdict::kWithinError);
}

TEST(WhatIf, OnlyJobsThatStartInBothSimulationsAreCompared) {
  Replay variant = kVariant;
  variant.jobs["b1"] = {};
  const std::vector<Impact> all =
      impacts(kLog, calibrate(kLog, kCalibrated, kCores), kCalibrated, variant);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].jobs, 2);
  EXPECT_EQ(all[0].difference_s, 10);
}

TEST(WhatIf, AReplayHasTheMeansOfItsRepeats) {
  const Json one = Json::parse(R"({"makespan_s": 100, "allocation": {"cpu": 0.5},
      "hours": {"node_h": 2, "core_h": 8},
      "jobs": [{"name": "a", "start_s": 10, "finish_s": 20, "waiting_s": 10, "completion_s": 20},
               {"name": "b", "start_s": null, "waiting_s": null, "completion_s": null}]})");
  Json other = one;
  other["makespan_s"] = 200;
  other["jobs"][0]["waiting_s"] = 30;
  const Replay replay = replay_of("easy", {one, other}, Price{0.5, false});
  EXPECT_EQ(replay.makespan_s, 150);
  EXPECT_EQ(replay.utilisation, 0.5);
  EXPECT_EQ(replay.node_h, 2);
  EXPECT_EQ(replay.cost, 4) << "8 core-hours";
  EXPECT_EQ(replay.jobs.at("a").waiting_s, 20);
  EXPECT_EQ(replay.jobs.at("a").start_s, 10);
  EXPECT_EQ(replay.jobs.at("b").waiting_s, std::nullopt);
  EXPECT_EQ(replay_of("easy", {one}).cost, std::nullopt);
}

WhatIf answer() {
  WhatIf answer;
  answer.scenario = "site";
  answer.files = {"site.txt"};
  answer.begin = "2026-01-05 10:00:00";
  answer.log = kLog;
  answer.calibrated = kCalibrated;
  answer.calibration = calibrate(kLog, kCalibrated, kCores);
  answer.tried = {answer.calibration};
  answer.variants = {kVariant};
  return answer;
}

TEST(WhatIf, PerturbedSimulationsGiveMeans) {
  Replay replay = kCalibrated;
  Replay two = kVariant, three = kVariant;
  three.jobs["a2"] = job(0, 40, 100);
  three.jobs["b1"] = {{}, {}, 20, {}, "killed", 0};
  two.jobs["b1"] = {{}, {}, {}, {}, "killed", 0};
  take_perturbed(
      replay, kLog,
      {perturbed_run(kVariant, kLog), perturbed_run(two, kLog), perturbed_run(three, kLog)});
  EXPECT_EQ(replay.makespan_s, 280);
  EXPECT_DOUBLE_EQ(replay.jobs["a2"].waiting_s.value(), 80.0 / 3) << "20, 20 and 40";
  EXPECT_DOUBLE_EQ(replay.jobs["a2"].completion_s.value(), 380.0 / 3);
  EXPECT_EQ(replay.jobs["b1"].waiting_s, 100) << "180 and 20";
  EXPECT_EQ(replay.jobs["b1"].completion_s, std::nullopt) << "only in one of three";
  EXPECT_EQ(replay.jobs["b1"].end, "killed");
  EXPECT_DOUBLE_EQ(replay.jobs["b1"].completes, 1.0 / 3);
  ASSERT_EQ(replay.perturbed.size(), 3U);
  EXPECT_EQ(replay.perturbed[2][1], 40);
  // The median of 0, 20, 180; 0, 20; and 0, 40, 20.
  EXPECT_EQ(calibrate(kLog, replay, kCores).groups[0].median_s, 20);
}

TEST(WhatIf, JobsThatDoNotCompleteAreNamed) {
  Replay variant = kVariant;
  variant.jobs["b1"].completion_s.reset();
  variant.jobs["b1"].end = "killed";
  variant.jobs["b1"].completes = 0.25;
  WhatIf asked = answer();
  asked.variants = {variant};
  const Json json = whatif_json(asked);
  EXPECT_EQ(json["calibrated"]["not_completed"], 0);
  EXPECT_EQ(json["variants"][0]["not_completed"], 1);
  EXPECT_EQ(json["variants"][0]["not_started"], 0) << "it started, and its wait counts";
  EXPECT_EQ(json["variants"][0]["lost_jobs"], Json::array({"b1"}));
  EXPECT_EQ(json["variants"][0]["impacts"][0]["jobs"], 3);
  EXPECT_EQ(json["variants"][0]["impacts"][0]["not_completed"], 1);
  EXPECT_EQ(json["variants"][0]["impacts"][1]["not_completed"], 0) << "ann";
  EXPECT_THAT(
      format_whatif(json, BatchFormat::kText),
      HasSubstr("small: 1 job is lost, which completes with the rules of the log and not here "
                "(1 killed): b1.\n"));
}

TEST(WhatIf, Json) {
  const Json json = whatif_json(answer());
  EXPECT_EQ(json["log"], Json::parse(R"({"files": ["site.txt"], "renamed_nodes": "",
      "begin": "2026-01-05 10:00:00", "jobs": 3, "without_start": 0, "makespan_s": 250.0})"));
  EXPECT_EQ(json["calibration"]["groups"][2], Json::parse(R"({
      "group": {"kind": "user", "name": "ben"}, "jobs": 1,
      "log": {"mean_s": 150.0, "median_s": 150.0}, "simulated": {"mean_s": 50.0, "median_s": 50.0},
      "error_s": -100.0, "error_range": null, "error": -0.666667, "ks_distance": 1.0})"));
  EXPECT_EQ(json["variants"][0]["impacts"][2], Json::parse(R"({
      "group": {"kind": "user", "name": "ben"}, "jobs": 1, "mean_s": 180.0, "difference_s": 130.0,
      "difference_range": null, "change": 2.6, "calibration_error_s": -100.0, "gain": 0, "lose": 1,
      "worst": {"job": "b1", "by_s": 130.0}, "not_completed": 0, "verdict": "loses"})"));
  EXPECT_EQ(json["variants"][0]["not_started"], 0);
  EXPECT_FALSE(json.contains("price"));
  EXPECT_FALSE(json["calibrated"].contains("cost"));
}

TEST(WhatIf, TextHasTheErrorBesideEachAnswer) {
  WhatIf asked = answer();
  asked.policy = "easy+order=sjf";
  asked.calibrated.perturbed = {{0, 0, 50}};
  asked.variants[0].perturbed = {{0, 20, 120}};
  asked.price = "0.5/core-hour";
  asked.variants[0].cost = 12.5;
  const std::string text = format_whatif(whatif_json(asked), BatchFormat::kText);
  EXPECT_THAT(text, StartsWith("site.txt: 3 jobs that started; time 0, the first submission, is "
                               "2026-01-05 10:00:00\nrules: easy, easy+order=sjf\n\n"));
  EXPECT_THAT(text,
              HasSubstr("\ncores in use: log 60.0 % (median 50.0 %), simulated 100.0 % (median "
                        "100.0 %); K-S distance of the shares over time 0.800\n"));
  EXPECT_THAT(text, HasSubstr("Within the error: a difference is at most"));
  EXPECT_THAT(text, Not(HasSubstr("One simulation only")));
  asked.variants[0].perturbed.clear();
  EXPECT_THAT(format_whatif(whatif_json(asked), BatchFormat::kText),
              HasSubstr("One simulation only, so any difference can be chance: small.\n"));
  EXPECT_THAT(text,
              HasSubstr("small against simulated: 0 of 3 jobs gain more than 5 % in completion, "
                        "2 lose more than 5 %; worst: b1, +130.0 s."));
  /// Returns the words of the first line that begins so.
  const auto words = [&text](const std::string& begin) {
    const std::size_t at = text.find("\n" + begin) + 1;
    std::istringstream line(text.substr(at, text.find('\n', at) - at));
    std::string all;
    for (std::string word; line >> word;) all += (all.empty() ? "" : " ") + word;
    return all;
  };
  EXPECT_EQ(words("user ben  "), "user ben 1 150.0 150.0 50.0 50.0 -100.0 -66.7 % 1.000");
  EXPECT_EQ(words("  simulated  "), "simulated 16.7 -66.7 -80.0 %");
  EXPECT_EQ(words("  small  "), "small 66.7 +50.0 +300.0 % +30.0 to +30.0 0 2 within the error");
  EXPECT_EQ(words("simulated  "), "simulated 150.0 100.0 % - - 0 0");
  EXPECT_EQ(words("small  "), "small 280.0 50.0 % - 12.50 0 0");
  EXPECT_THAT(text, HasSubstr("Values are means of 1 simulation in which"));
  EXPECT_THAT(text, HasSubstr("cost at 0.5/core-hour"));
}

TEST(WhatIf, TextSaysIfTheClusterIsTooSmallForTheLog) {
  WhatIf asked = answer();
  EXPECT_THAT(format_whatif(whatif_json(asked), BatchFormat::kText), Not(HasSubstr("had more")));
  // The jobs hold 2 cores for 200 s and 4 for 50 s.
  asked.calibration = calibrate(kLog, kCalibrated, 2);
  EXPECT_EQ(asked.calibration.log.peak, 2);
  EXPECT_THAT(
      format_whatif(whatif_json(asked), BatchFormat::kText),
      HasSubstr("\nThe jobs of the log held up to 200 % of the cores at the same time, so the "
                "cluster had more cores; expected --nodes"));
}

TEST(WhatIf, TextSaysWhichRulesAreNearest) {
  WhatIf asked = answer();
  Calibration fifo;
  fifo.rules = "fifo";
  fifo.user_error_s = 99;
  asked.tried.push_back(fifo);
  EXPECT_THAT(format_whatif(whatif_json(asked), BatchFormat::kText),
              HasSubstr("rules: easy\n\nrules  error of users' mean waits, s\n"
                        "easy                            66.7\n"
                        "fifo                            99.0\n\n"));
}

TEST(WhatIf, CalibrationWithoutVariants) {
  WhatIf asked = answer();
  asked.variants.clear();
  const std::string text = format_whatif(whatif_json(asked), BatchFormat::kText);
  EXPECT_THAT(text, Not(HasSubstr("verdict")));
  EXPECT_THAT(text, HasSubstr("makespan, s"));
}

TEST(WhatIf, TextLeavesOutUsersWithFewJobs) {
  WhatIf asked = answer();
  for (int i = 0; i < 12; ++i) {
    const std::string name = "c" + std::to_string(i);
    asked.log.push_back({name, "u" + name, "q", "", 1, 0, 0, 0, 10});
    asked.calibrated.jobs[name] = job(0, 0, 10);
  }
  asked.calibration = calibrate(asked.log, asked.calibrated, kCores);
  const Json json = whatif_json(asked);
  const std::string text = format_whatif(json, BatchFormat::kText);
  EXPECT_THAT(text, HasSubstr("user ann"));
  EXPECT_THAT(text, HasSubstr("not shown: 2 users with fewer jobs; --csv prints all\n"));
  EXPECT_THAT(format_whatif(json, BatchFormat::kCsv), HasSubstr("easy,user,uc9,"));
}

TEST(WhatIf, Csv) {
  const std::string csv = format_whatif(whatif_json(answer()), BatchFormat::kCsv);
  EXPECT_THAT(csv, HasSubstr("\neasy,user,ben,1,150.0,150.0,50.0,50.0,-100.0,-0.666667,1.0,50.0,,,,"
                             ",,,,,,\n"));
  EXPECT_THAT(csv, HasSubstr("\nsmall,user,ben,1,150.0,150.0,50.0,50.0,-100.0,-0.666667,1.0,180.0,"
                             "130.0,2.6,0,1,0,,,b1,130.0,loses\n"));
}

TEST(WhatIf, Markdown) {
  EXPECT_THAT(
      format_whatif(whatif_json(answer()), BatchFormat::kMarkdown),
      HasSubstr("| user ben | 1 | 150.0 | 150.0 | 50.0 | 50.0 | -100.0 |  | -66.7 % | 1.000 |"));
}

TEST(WhatIf, LogAsCsv) {
  EXPECT_THAT(
      log_csv(kLog),
      StartsWith("name,user,queue,account,partition,cores,submit_s,eligible_s,start_s,end_s\n"
                 "a1,ann,q,,,2,0,0,0,100\n"));
  EXPECT_THAT(log_csv(kLog), HasSubstr("\nb1,ben,q,,,4,40,50,200,250\n"));
}

}  // namespace heddle::report::whatif_test
