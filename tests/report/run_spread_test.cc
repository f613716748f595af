#include "report/agreement/run_spread.h"

#include "tests/support/matchers.h"

namespace heddle::report::run_spread_test {

using wire::Json;

Json time(double predicted, const Json& measured) {
  return {{"predicted", predicted}, {"measured", measured}};
}

/// Returns an agreement with the keys that matter here.
Json agreement(const Json& waiting, const Json& completion, double makespan) {
  return {{"scenario", "s"},
          {"policy", "fair"},
          {"mean_waiting_s", time(2, waiting)},
          {"mean_completion_s", time(30, completion)},
          {"makespan_s", time(60, makespan)},
          {"oom_kills", {{"container", time(1, 2)}, {"node", time(0, 3)}, {"other", time(0, 0)}}},
          {"nearly_full_s", time(0, 1.5)}};
}

/// The third run has not completed all its jobs.
const std::vector<Json> kRuns = {agreement(1.0, 25.0, 58.0), agreement(2.5, 20.0, 57.0),
                                 agreement(4.0, nullptr, 56.0)};

TEST(RunSpread, ErrorsAreJudgedByTheSpreadOfTheRuns) {
  const Json json = run_spread(kRuns);
  EXPECT_THAT(json, HasMembers(R"({"scenario":"s","policy":"fair"})"));
  EXPECT_EQ(json["runs"].size(), 3U);
  EXPECT_EQ(json["mean_waiting_s"].dump(),
            R"({"predicted":2.0,"measured":{"median":2.5,"min":1.0,"max":4.0},"error":-0.2,)"
            R"("spread":1.2,"cause":"chance"})");
  EXPECT_EQ(json["makespan_s"].dump(),
            R"({"predicted":60.0,"measured":{"median":57.0,"min":56.0,"max":58.0},)"
            R"("error":0.052632,"spread":0.035088,"cause":"model"})");
  EXPECT_EQ(json["mean_completion_s"].dump(),
            R"({"predicted":30.0,"measured":{"median":null,"min":null,"max":null},"error":null,)"
            R"("spread":null,"cause":null})");
}

TEST(RunSpread, AnErrorAsLargeAsTheSpreadCanBeChance) {
  const Json json = run_spread({agreement(1, 1, 57.0), agreement(1, 1, 59.0)});
  EXPECT_EQ(json["makespan_s"]["cause"], "chance") << "60 is 2 more than 58";
}

TEST(RunSpread, NothingIsDividedByATimeOf0) {
  const Json json = run_spread({agreement(0, 1, 1), agreement(0, 1, 1)});
  EXPECT_EQ(json["mean_waiting_s"].dump(),
            R"({"predicted":2.0,"measured":{"median":0.0,"min":0.0,"max":0.0},"error":null,)"
            R"("spread":null,"cause":null})");
}

TEST(RunSpread, TableForPeople) {
  EXPECT_EQ(format_run_spread(run_spread(kRuns), {"a", "b", "c"}),
            "run        mean waiting s  mean completion s  makespan s  oom kills  nearly full s\n"
            "a                     1.0               25.0        58.0          5            1.5\n"
            "b                     2.5               20.0        57.0          5            1.5\n"
            "c                     4.0                  -        56.0          5            1.5\n"
            "simulated             2.0               30.0        60.0          1            0.0\n"
            "\n"
            "mean waiting: the simulation is -20.0 % off the median of 3 runs, which differ by "
            "120.0 % themselves: chance explains it\n"
            "mean completion: not known in all runs\n"
            "makespan: the simulation is +5.3 % off the median of 3 runs, which differ by 3.5 % "
            "themselves: chance does not explain it\n");
}

}  // namespace heddle::report::run_spread_test
