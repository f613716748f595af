#include "report/comparison/missing.h"

#include "report/comparison/csv.h"
#include "report/comparison/text.h"
#include "tests/support/matchers.h"

namespace heddle::report::missing_test {

using wire::Json;

constexpr const char* kTraceback =
    "policy exec:/d/srw.py: request 31 at 12.5s: the program ended: exit status 1:\n"
    "  File \"/d/srw.py\", line 11, in decide\n"
    "    raise KeyError(53)\n"
    "KeyError: 53\n";

TEST(WithoutTraceback, KeepsItsLastLine) {
  EXPECT_EQ(without_traceback("request 1: the program failed:\nTraceback (most recent call last):\n"
                              "  File \"p.py\", line 2, in key\n    raise KeyError(53)\n"
                              "KeyError: 53\n"),
            "request 1: the program failed:\nKeyError: 53");
  EXPECT_EQ(without_traceback("exit status 3:\nno luck\n"), "exit status 3:\nno luck\n");
}

TEST(Cause, IsTheLastLineWithoutTheRequest) {
  EXPECT_EQ(cause_of(kTraceback), "KeyError: 53");
  EXPECT_EQ(cause_of("policy exec:/d/p: request 4 at 0s: no reply within 10 s"),
            "no reply within 10 s");
  EXPECT_EQ(cause_of("write journal.jsonl: No space left on device"),
            "write journal.jsonl: No space left on device");
  EXPECT_EQ(cause_of("policy exec:/d/p: request 4"), "policy exec:/d/p: request 4");
  EXPECT_EQ(cause_of(""), "");
}

TEST(MissingRuns, AreGroupedByVariantAndCause) {
  MissingRuns missing;
  EXPECT_TRUE(missing.empty());
  for (const int repeat : {4, 6, 7, 8}) missing.add_ended("srw", repeat, 6 + repeat, kTraceback);
  missing.add_ended("srw", 9, 15, "KeyError: 9");
  missing.add_ended("sjf", 2, 8, kTraceback);
  EXPECT_EQ(missing.json(30, true).at("text"),
            "6 of 30 runs are missing: srw ended at seeds 10, 12-14 (KeyError: 53); srw ended at "
            "seed 15 (KeyError: 9); sjf ended at seed 8 (KeyError: 53)");
  const Json group = missing.json(30, true).at("groups").at(0);
  EXPECT_EQ(group.at("variant"), "srw");
  EXPECT_EQ(group.at("cause"), "KeyError: 53");
  EXPECT_EQ(group.at("reason"), kTraceback);
  EXPECT_EQ(group.at("repeats"), Json::array({4, 6, 7, 8}));
  EXPECT_EQ(group.at("seeds"), Json::array({10, 12, 13, 14}));
}

TEST(MissingRuns, OfOneSeedAreNamedByRepeat) {
  MissingRuns missing;
  missing.add_ended("srw", 2, 7, kTraceback);
  missing.add_ended("srw", 5, 7, kTraceback);
  EXPECT_EQ(missing.json(10, false).at("text"),
            "2 of 10 runs are missing: srw ended in repeats 2, 5 (KeyError: 53)");
}

TEST(MissingRuns, ThatWereNotMadeAreCounted) {
  MissingRuns missing;
  missing.add_open();
  EXPECT_EQ(missing.json(4, true).at("text"), "1 of 4 runs is missing: 1 was not made");
  for (int repeat = 1; repeat < 6; ++repeat)
    missing.add_ended("srw", repeat, repeat, "KeyError: " + std::to_string(repeat));
  missing.add_open();
  EXPECT_EQ(missing.json(9, true).at("text"),
            "7 of 9 runs are missing: srw ended at seed 1 (KeyError: 1); srw ended at seed 2 "
            "(KeyError: 2); srw ended at seed 3 (KeyError: 3); 2 more causes; 2 were not made");
}

Json runs(int done, int all) {
  Json list = Json::array();
  for (int i = 0; i < all; ++i) list.push_back({{"status", i < done ? Json("done") : Json()}});
  return list;
}

/// A batch with a variant that lacks a run, one of a single run, and one that has all three.
Json batch() {
  MissingRuns missing;
  missing.add_ended("a", 2, 8, "E: \"x\"");
  return {{"scenario", "s"},
          {"mode", "simulated"},
          {"repeat", 3},
          {"variants", {"a", "b", "c"}},
          {"missing", missing.json(7, true)}};
}

TEST(MissingRuns, AreInTheRowsOfAComparison) {
  Json json = batch();
  json["level"] = 0.95;
  Json policies = Json::array(), spreads = Json::array();
  const std::vector<int> all = {3, 1, 3};
  for (std::size_t i = 0; i < all.size(); ++i) {
    policies.push_back({{"name", json["variants"][i]}, {"runs", runs(i == 0 ? 2 : 3, all[i])}});
    spreads.push_back({{"name", json["variants"][i]}, {"median", 5}, {"low", 5}, {"high", 5}});
  }
  const Json against = {{"baseline", "a"}, {"difference", 0},    {"interval", nullptr},
                        {"relative", 0.0}, {"verdict", "equal"}, {"relative_interval", nullptr}};
  json["policies"] = policies;
  json["metrics"] = {{{"key", "makespan_s"},
                      {"title", "makespan"},
                      {"unit", "s"},
                      {"better", "less"},
                      {"headline", true},
                      {"group", {{"kind", "all"}, {"name", ""}}},
                      {"policies", spreads},
                      {"against", {against, against}}}};
  const std::string first = "1 of 7 runs is missing: a ended at seed 8 (E: \"x\")\n\n";
  EXPECT_THAT(format_comparison(json), StartsWith(first + "s, simulated, 3 repeats\n"));
  EXPECT_THAT(format_comparison(json), HasSubstr("\n  a (2 of 3 runs) "));
  EXPECT_THAT(format_comparison(json), HasSubstr("\n  b (1 run) "));
  EXPECT_THAT(format_comparison(json), HasSubstr("\n  c     "));
  EXPECT_THAT(markdown_comparison(json), StartsWith(first + "## s, simulated, 3 repeats\n"));
  EXPECT_THAT(markdown_comparison(json), HasSubstr("| a (2 of 3 runs) |"));
  EXPECT_THAT(comparison_csv(json),
              HasSubstr(",verdict,runs,missing_runs,missing_because,affected_runs,exact\n"));
  EXPECT_THAT(comparison_csv(json), HasSubstr(",2,1,\"E: \"\"x\"\"\",0,false\n"));
  EXPECT_THAT(comparison_csv(json), HasSubstr(",equal,1,0,,0,false\n"));
}

TEST(MissingRuns, AreInTheRowsOfASweep) {
  Json json = batch();
  json["over"] = {{{"key", "k"}, {"values", {"a", "b", "c"}}}};
  const Json metrics = {{"makespan_s",
                         {{"title", "makespan"},
                          {"unit", "s"},
                          {"better", "less"},
                          {"headline", true},
                          {"median", 5},
                          {"low", 5},
                          {"high", 5}}}};
  for (const char* value : {"a", "c"})
    json["points"].push_back(
        {{"values", {value}}, {"runs", runs(*value == 'a' ? 2 : 3, 3)}, {"metrics", metrics}});
  EXPECT_EQ(markdown_sweep(json),
            "1 of 7 runs is missing: a ended at seed 8 (E: \"x\")\n\n"
            "## s, simulated, 3 repeats\n\n"
            "| k | runs | makespan, s |\n|---:|---:|---:|\n| a | 2 of 3 | 5.0 |\n"
            "| c | 3 of 3 | 5.0 |\n");
  EXPECT_THAT(format_sweep(json), StartsWith("1 of 7 runs is missing"));
  EXPECT_EQ(sweep_csv(json),
            "k,metric,unit,better,median,min,max,runs,missing_runs,missing_because,affected_runs,"
            "exact\n"
            "a,makespan_s,s,less,5,5,5,2,1,\"E: \"\"x\"\"\",0,false\n"
            "c,makespan_s,s,less,5,5,5,3,0,,0,false\n");
}

}  // namespace heddle::report::missing_test
