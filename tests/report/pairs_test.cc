// Comparisons of every two policies, and tables of chosen metrics.
#include "report/comparison/pairs.h"

#include "report/comparison/chosen.h"
#include "report/comparison/comparison.h"
#include "report/comparison/csv.h"
#include "report/comparison/text.h"
#include "tests/support/matchers.h"

namespace heddle::report::pairs_test {

using wire::Json;

/// Returns the summary of a run with one job, which waits and then runs.
Json summary(double waiting, double makespan) {
  return {{"status", "done"},
          {"makespan_s", makespan},
          {"jobs",
           {{{"name", "j"},
             {"class", nullptr},
             {"queue", "default"},
             {"user", "ann"},
             {"submit_s", 0},
             {"start_s", waiting},
             {"finish_s", makespan},
             {"waiting_s", waiting},
             {"completion_s", makespan},
             {"state", "completed"}}}},
          {"utilisation", {{"cpu", 0.5}, {"memory", nullptr}}},
          {"locality", {{"local", 3}, {"rack", 0}, {"remote", 1}}},
          {"suspensions", {{"count", 0}, {"total_s", 0}}}};
}

/// Returns the compare.json of policies whose runs have these makespans.
Json comparison(const std::vector<std::pair<std::string, std::vector<double>>>& policies,
                bool exact = false) {
  std::vector<ComparedPolicy> compared;
  Json entries = Json::array();
  std::size_t repeats = 0;
  for (const auto& [name, makespans] : policies) {
    compared.push_back({name, {}, {}});
    compared.back().exact = exact;
    Json runs = Json::array();
    for (const double makespan : makespans) {
      compared.back().summaries.emplace_back(summary(10, makespan));
      runs.push_back({{"status", "done"}});
    }
    repeats = makespans.size();
    entries.push_back({{"name", name}, {"runs", runs}});
    if (exact) entries.back()["exact"] = true;
  }
  Json json = {{"kind", "compare"}, {"scenario", "s"}, {"mode", "simulated"}, {"repeat", repeats}};
  json["policies"] = std::move(entries);
  json.update(compare(compared));
  return json;
}

Json pair_of(const Json& pairs, const std::string& policy, const std::string& baseline) {
  for (const Json& pair : pairs.at("metrics").at(0).at("pairs"))
    if (pair.at("policy") == policy && pair.at("baseline") == baseline) return pair;
  return nullptr;
}

// Ratios of 1.1 and 1.3 have the geometric mean sqrt(1.43) = 1.195826, whose inverse is 0.836242.
// Differences of 10 and 30 have the mean 20 and its standard error 10. Student's t for 1 degree of
// freedom at level 1 - 0.04/3 is 1 / tan(0.04/3 * pi/2) = 47.739, so the interval is from the least
// possible, -100, to 497.39.
TEST(Pairs, OfTwoAreTheSameInBothDirections) {
  const Json pairs = every_pair(comparison({{"a", {100, 100}}, {"b", {110, 130}}}));
  EXPECT_NEAR(pairs.at("level").get<double>(), 1 - 0.04 / 3, 1e-12);
  EXPECT_EQ(pairs.at("metrics").at(0).at("key"), "makespan_s");
  const Json there = pair_of(pairs, "b", "a"), back = pair_of(pairs, "a", "b");
  EXPECT_NEAR(there.at("relative").get<double>(), 0.195826, 1e-6);
  EXPECT_NEAR(back.at("relative").get<double>(), -0.163758, 1e-6);
  EXPECT_EQ(there.at("difference"), 20.0);
  EXPECT_EQ(back.at("difference"), -20.0);
  EXPECT_EQ(there.at("verdict"), "no difference");
  EXPECT_EQ(there.at("interval").at(0), -100.0);
  EXPECT_NEAR(there.at("interval").at(1).get<double>(), 497.39, 0.01);
}

// Three policies are three pairs, so 9 intervals share the 4 %.
TEST(Pairs, OfThreeHaveAMatrix) {
  Json json = comparison({{"a", {100}}, {"b", {110}}, {"c", {121}}}, true);
  json["pairs"] = every_pair(json);
  EXPECT_NEAR(json.at("pairs").at("level").get<double>(), 1 - 0.04 / 9, 1e-12);
  const std::vector<PairsTable> tables = pairs_tables(json);
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(tables[0].title, "makespan, s");
  EXPECT_EQ(tables[0].rows,
            (std::vector<std::vector<std::string>>{{"a", "", "-9.1 %", "-17.4 %"},
                                                   {"b", "+10.0 %", "", "-9.1 %"},
                                                   {"c", "+21.0 %", "+10.0 %", ""}}));
  EXPECT_EQ(tables[1].rows[0], (std::vector<std::string>{"a", "", "equal", "equal"}));
  for (const std::string& text : {format_comparison(json), markdown_comparison(json)}) {
    EXPECT_THAT(text, HasSubstr("very two policies: makespan, s\n"));
    EXPECT_THAT(text, HasSubstr("Each row is compared with each column."));
  }
  // Readers of the paper see the metric and the note, as they are no comments.
  const std::string latex = latex_comparison(json);
  EXPECT_THAT(latex, HasSubstr("% every two policies\n\\begin{tabular}{@{}lrrr@{}}\n\\toprule\n"
                               "makespan, s & a & b & c \\\\\n"));
  EXPECT_THAT(latex,
              HasSubstr("\\end{tabular}\n\\par\\smallskip{\\footnotesize Each row is compared "
                        "with each column."));
  EXPECT_THAT(latex, Not(HasSubstr("% Each row")));
  EXPECT_THAT(comparison_csv(json),
              AllOf(StartsWith("metric,group_kind,group_name,unit,better,policy,baseline,"),
                    HasSubstr("makespan_s,all,\"\",s,less,c,b,11.0,,,0.1,,,more\n"),
                    HasSubstr("makespan_s,all,\"\",s,less,b,c,-11.0,,,-0.090909,,,less\n")));
}

TEST(Pairs, WhatIsNotShownStandsInBrackets) {
  Json json = comparison({{"a", {100, 100}}, {"b", {110, 130}}});
  json["pairs"] = every_pair(json);
  EXPECT_EQ(pairs_tables(json)[0].rows[1], (std::vector<std::string>{"b", "(+19.6 %)", ""}));
  EXPECT_TRUE(pairs_tables(comparison({{"a", {1}}, {"b", {2}}})).empty());
  EXPECT_EQ(pairs_note(comparison({{"a", {1}}, {"b", {2}}})), "");
}

TEST(Pairs, AffectedRunsGetNoChange) {
  Json json = comparison({{"a", {100, 100}}, {"b", {110, 130}}});
  for (Json& metric : json["metrics"]) metric["policies"][1]["values"] = {nullptr, nullptr};
  json["pairs"] = every_pair(json);
  EXPECT_EQ(pairs_tables(json)[0].rows[0], (std::vector<std::string>{"a", "", "affected"}));
}

TEST(ChosenMetrics, AreParsed) {
  const auto choices = parse_metrics("makespan_s,user.mean_slowdown,user.a.b.mean_waiting_s");
  ASSERT_TRUE(choices) << choices.error().text;
  EXPECT_THAT(*choices, ElementsAre(MetricChoice{"all", "", "makespan_s"},
                                    MetricChoice{"user", std::nullopt, "mean_slowdown"},
                                    MetricChoice{"user", "a.b", "mean_waiting_s"}));
  EXPECT_THAT(parse_metrics("makespam_s").error().text, HasSubstr("did you mean \"makespan_s\"?"));
  EXPECT_THAT(parse_metrics("usr.makespan_s").error().text, HasSubstr("did you mean \"user\"?"));
  EXPECT_THAT(parse_metrics("makespan_s,").value().size(), 1U);
  EXPECT_THAT(parse_metrics(",makespan_s").error().text, HasSubstr("'' is no metric"));
}

TEST(ChosenMetrics, AreTheOnlyOnesInTables) {
  Json json = comparison({{"a", {100}}, {"b", {110}}}, true);
  EXPECT_THAT(keep_chosen(json, parse_metrics("locality,makespan_s,locality").value()), IsEmpty());
  ASSERT_EQ(json.at("metrics").size(), 2U);
  EXPECT_EQ(json.at("metrics").at(0).at("key"), "locality");
  const std::string text = format_comparison(json);
  EXPECT_THAT(text, HasSubstr("makespan"));
  EXPECT_THAT(text, HasSubstr("beside their data")) << "although both have the same value";
  EXPECT_THAT(text, Not(HasSubstr("mean waiting, s")));
  EXPECT_EQ(every_pair(json).at("metrics").size(), 2U);
  Json all = comparison({{"a", {100}}, {"b", {110}}}, true);
  const Json before = all;
  keep_chosen(all, {});
  EXPECT_EQ(all, before);
}

// Both policies wait for 10 s. a takes 100 s and b 110 s, which is 1.1 times as long.
TEST(ChosenMetrics, HaveNoSentencesAboutOthers) {
  Json json = comparison({{"a", {100}}, {"b", {110}}}, true);
  json["in_words"].push_back("b has own rules.");
  json["slowdown"] = "Slowdown is a quotient.";
  json["left_out"] = {{{"repeat", 1}, {"job", "j"}, {"policies", {"b"}}}};
  const auto said = [&](const char* metrics) {
    Json kept = json;
    keep_chosen(kept, parse_metrics(metrics).value());
    return format_comparison(kept);
  };
  const std::string makespan = said("makespan_s");
  EXPECT_THAT(makespan, HasSubstr("\nb takes 1.10 times as long as a [exact].\n"));
  EXPECT_THAT(makespan, HasSubstr("b has own rules."));
  for (const char* other : {"to complete", "wait exactly", "Slowdown", "left out"})
    EXPECT_THAT(makespan, Not(HasSubstr(other)));
  const std::string waiting = said("mean_waiting_s,mean_slowdown");
  EXPECT_THAT(waiting, HasSubstr("Against a, jobs under b wait exactly as long."));
  EXPECT_THAT(waiting, HasSubstr("Slowdown is a quotient."));
  EXPECT_THAT(waiting, HasSubstr("left out of the times"));
  EXPECT_THAT(waiting, Not(HasSubstr("to complete")));
  EXPECT_THAT(said("locality"), Not(HasSubstr("Against a")));
}

TEST(ChosenMetrics, OfSweeps) {
  const Json spread = {{"title", "t"}, {"unit", ""}, {"headline", false},
                       {"median", 1},  {"low", 1},   {"high", 1}};
  Json sweep = {{"kind", "sweep"},
                {"points",
                 {{{"metrics",
                    {{"makespan_s", spread},
                     {"user.a.b.mean_slowdown", spread},
                     {"user.c.mean_slowdown", spread},
                     {"queue.prod.mean_slowdown", spread}}}}}}};
  const char* wanted =
      "user.mean_slowdown,makespan_s,queue.prd.mean_slowdown,class.makespan_s,user.locality,"
      "locality";
  EXPECT_THAT(keep_chosen(sweep, parse_metrics(wanted).value()),
              ElementsAre("--metrics: these runs have no queue 'prd'; did you mean \"prod\"?",
                          "--metrics: these runs have no figures of each class",
                          "--metrics: these runs have no locality of each user",
                          "--metrics: these runs have no locality"));
  std::vector<std::string> keys;
  for (const auto& [key, metric] : sweep.at("points").at(0).at("metrics").items()) {
    keys.push_back(key);
    EXPECT_TRUE(metric.at("chosen").get<bool>());
  }
  EXPECT_THAT(keys, ElementsAre("user.a.b.mean_slowdown", "user.c.mean_slowdown", "makespan_s"));
}

// 1.5 has three decimals alone and 304 has none, but below each other they have the same number.
TEST(ComparisonText, ValuesOfAMetricHaveTheSameDecimals) {
  Json sweep = {{"kind", "sweep"},
                {"scenario", "s"},
                {"mode", "simulated"},
                {"repeat", 1},
                {"over", {{{"key", "k"}, {"values", {"1", "2"}}}}},
                {"points", Json::array()}};
  for (const double value : {1.5, 304.0}) {
    const Json metric = {{"title", "t"},    {"unit", ""},   {"headline", true},
                         {"median", value}, {"low", value}, {"high", value}};
    sweep["points"].push_back(
        {{"values", {"1"}}, {"runs", Json::array()}, {"metrics", {{"m", metric}}}});
  }
  EXPECT_THAT(format_sweep(sweep), AllOf(HasSubstr("  1.5\n"), HasSubstr("304.0\n")));
}

}  // namespace heddle::report::pairs_test
