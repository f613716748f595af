#include "report/comparison/fault_cost.h"

#include "report/comparison/csv.h"
#include "report/comparison/text.h"
#include "tests/support/matchers.h"

namespace heddle::report::fault_cost_test {

using wire::Json;

/// Returns a run of the jobs a and b. Job b did not complete if `b` is negative.
std::optional<Json> run(double makespan, double waiting, double a, double b) {
  return Json{{"makespan_s", makespan},
              {"mean_waiting_s", waiting},
              {"mean_completion_s", nullptr},
              {"jobs",
               {{{"name", "a"}, {"completion_s", a}},
                {{"name", "b"}, {"completion_s", b < 0 ? Json() : Json(b)}}}}};
}

// Two repeats. The third repeat has no run with faults.
const FaultRuns kMeasured = {{run(56, 2, 40, 30), run(60, 4, 44, -1), std::nullopt},
                             {run(44, 0, 40, 20), run(46, 0, 40, 20), run(99, 9, 99, 99)}};
const FaultRuns kPredicted = {{run(54, 1, 41, 30)}, {run(44, 0, 40, 20)}};

TEST(FaultCost, IsTheMedianOfTheDifferencesWithinRepeats) {
  const Json cost = fault_cost("fifo", "fifo without faults", kMeasured, kPredicted);
  EXPECT_THAT(cost, HasMembers(R"({"policy":"fifo","baseline":"fifo without faults"})"));
  const Json& figures = cost["figures"];
  ASSERT_EQ(figures.size(), 5U);
  EXPECT_EQ(figures[0]["figure"], "makespan_s");
  // Differences 12 and 14; without faults 44 and 46.
  EXPECT_THAT(figures[0]["measured"], HasMembers(R"({"without":45.0,"with":58.0,"cost_s":13.0})"));
  EXPECT_DOUBLE_EQ(figures[0]["measured"]["relative"].get<double>(), 13.0 / 45);
  EXPECT_EQ(figures[0]["predicted"]["cost_s"], 10.0);
  EXPECT_EQ(figures[0]["error_s"], 3.0);
  // No waiting without faults, so the relative cost is not known.
  EXPECT_THAT(figures[1]["measured"], HasMembers(R"({"cost_s":3.0,"relative":null})"));
  EXPECT_TRUE(figures[2]["measured"].is_null()) << "no run has a mean completion";
  EXPECT_EQ(figures[4]["job"], "b");
  EXPECT_EQ(figures[4]["measured"]["cost_s"], 10.0) << "b completed with faults only once";
}

TEST(FaultCost, OfSimulationsHasNoPrediction) {
  const Json cost = fault_cost("fifo", "fifo without faults", kMeasured, {});
  for (const Json& figure : cost["figures"]) {
    EXPECT_THAT(figure, HasMembers(R"({"predicted":null,"error_s":null})"));
  }
}

TEST(FaultCost, HasWords) {
  EXPECT_EQ(cost_text({{"cost_s", 12.14}, {"relative", 0.274}}), "+12.1 s, 27 %");
  EXPECT_EQ(cost_text({{"cost_s", -1.0}, {"relative", nullptr}}), "-1.0 s");
  EXPECT_EQ(cost_text(nullptr), "-");
  EXPECT_EQ(cost_in_words(fault_cost("fifo", "fifo without faults", kMeasured, kPredicted)),
            "The faults cost fifo: makespan +13.0 s, 29 %; mean waiting +3.0 s; mean completion -. "
            "The simulation predicts: makespan +10.0 s, 23 %; mean waiting +1.0 s.");
}

/// Returns a comparison without metrics.
Json comparison() {
  return {{"scenario", "s"},
          {"mode", "real"},
          {"repeat", 2},
          {"level", 0.95},
          {"policies", {{{"name", "fifo without faults"}, {"runs", Json::array()}}}},
          {"metrics", Json::array()},
          {"fault_costs", {fault_cost("fifo", "fifo without faults", kMeasured, kPredicted)}}};
}

TEST(FaultCost, IsPartOfTheCsv) {
  const std::string csv = comparison_csv(comparison());
  EXPECT_NE(csv.find("makespan_s,fault cost,\"\",s,less,fifo,58.0,,,fifo without faults,13.0,,,"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("completion_s,simulated fault cost,a,s,less,fifo,41.0,,,fifo without "
                     "faults,1.0,,,0.025,,,,,,,,\n"),
            std::string::npos)
      << csv;
}

TEST(FaultCost, IsPartOfTheMarkdown) {
  const std::string text = markdown_comparison(comparison());
  EXPECT_NE(text.find("| fifo | makespan | 45.0 | 58.0 | +13.0 s, 29 % | +10.0 s, 23 % | +3.0 |"),
            std::string::npos)
      << text;
  // The job with the highest cost comes first: b (+10), then a (+2).
  EXPECT_LT(text.find("job b: completion"), text.find("job a: completion"));
}

}  // namespace heddle::report::fault_cost_test
