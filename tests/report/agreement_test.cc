#include "report/agreement/agreement.h"

#include "tests/support/matchers.h"

namespace heddle::report::agreement_test {

using wire::Json;

/// Returns a summary of two jobs with the keys that matter here.
Json summary(const std::string& job_a, const std::string& job_b, const std::string& whole) {
  return Json::parse(R"({"scenario":"s","policy":{"preset":"fair"},"jobs":[{"name":"a",)" + job_a +
                     R"(},{"name":"b",)" + job_b + "}]," + whole + "}");
}

const Json kMeasured =
    summary(R"("state":"completed","waiting_s":2.0,"completion_s":50.0)",
            R"("state":"completed","waiting_s":0.0,"completion_s":10.0)",
            R"("status":"done","mean_waiting_s":1.0,"mean_completion_s":30.0,"makespan_s":60.0,)"
            R"("oom_kills":{"container":2,"node":0,"other":0},"mean_peak_memory":1572864)");
const Json kPredicted =
    summary(R"("state":"completed","waiting_s":2.5,"completion_s":49.0)",
            R"("state":"failed","waiting_s":0.125,"completion_s":null)",
            R"("status":"failed","mean_waiting_s":1.3125,"mean_completion_s":49.0,)"
            R"("makespan_s":60.6,"oom_kills":{"container":3,"node":0,"other":0},)"
            R"("mean_peak_memory":1048576)");

TEST(Agreement, EveryTimePredictedAgainstMeasured) {
  Json json = agreement(kPredicted, kMeasured);
  EXPECT_THAT(json, HasMembers(R"({"scenario":"s","policy":"fair"})"));
  EXPECT_EQ(json["status"].dump(), R"({"predicted":"failed","measured":"done"})");
  EXPECT_EQ(json["jobs"][0].dump(),
            R"({"name":"a","state":{"predicted":"completed","measured":"completed"},)"
            R"("waiting_s":{"predicted":2.5,"measured":2.0,"error_s":0.5,"error":0.25},)"
            R"("completion_s":{"predicted":49.0,"measured":50.0,"error_s":-1.0,"error":-0.02}})");
  EXPECT_EQ(json["jobs"][1].dump(),
            R"({"name":"b","state":{"predicted":"failed","measured":"completed"},)"
            R"("waiting_s":{"predicted":0.125,"measured":0.0,"error_s":0.125,"error":null},)"
            R"("completion_s":{"predicted":null,"measured":10.0,"error_s":null,"error":null}})");
  EXPECT_EQ(json["makespan_s"].dump(),
            R"({"predicted":60.6,"measured":60.0,"error_s":0.6,"error":0.01})");
}

TEST(Agreement, SensitivityIsTheRangeOfPredictions) {
  Json json = agreement(kPredicted, kMeasured);
  Json slower = kPredicted, stuck = kPredicted;
  slower["makespan_s"] = 66.0;
  stuck["makespan_s"] = stuck["mean_completion_s"] = nullptr;
  Json quicker = slower;
  quicker["makespan_s"] = 60.6;
  add_sensitivity(json, {slower, stuck, quicker});
  EXPECT_EQ(json["sensitivity"].dump(),
            R"({"simulations":3,"makespan_s":[60.6,66.0],"mean_completion_s":[49.0,49.0]})");
  EXPECT_THAT(format_agreement(json),
              HasSubstr("\nwith other delays of starts and heartbeats (3 simulations): makespan "
                        "60.6 to 66.0 s, mean completion 49.0 to 49.0 s\n"));
}

TEST(Agreement, TextAboutPeaksAndFullNodes) {
  Json json = agreement(kPredicted, kMeasured);
  json["peak_memory_error"] = {{"median", 0.01}, {"p99", 0.125}, {"tasks", 7}};
  json["nearly_full_s"] = {{"predicted", 12.25}, {"measured", nullptr}};
  EXPECT_THAT(
      format_agreement(json),
      HasSubstr("simulated 1.0 MiB\n"
                "peak memory of 7 tasks: 1.0 % of the request off in the median, 12.5 % at the "
                "99th percentile\n"
                "nodes above 90 % of their memory: - s in all, simulated 12.2 s\n"));
}

TEST(Agreement, TableForPeople) {
  EXPECT_EQ(
      format_agreement(agreement(kPredicted, kMeasured)),
      "job       waiting s  simulated  off s      off  completion s  simulated   off s      "
      "off\n"
      "a               2.0        2.5  +0.50  +25.0 %          50.0       49.0   -1.00   "
      "-2.0 %\n"
      "b               0.0        0.1  +0.12        -          10.0          -       -        "
      "-\n"
      "mean            1.0        1.3  +0.31  +31.2 %          30.0       49.0  +19.00  "
      "+63.3 %\n"
      "makespan                                                60.0       60.6   +0.60   "
      "+1.0 %\n"
      "\n"
      "killed over the limit of a container: 2 in the run, 3 in the simulation\n"
      "mean peak memory of completed containers: 1.5 MiB, simulated 1.0 MiB\n"
      "\n"
      "the whole: done in the run, failed in the simulation\n"
      "b: completed in the run, failed in the simulation\n");
}

}  // namespace heddle::report::agreement_test
