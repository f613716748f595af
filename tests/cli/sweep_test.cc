#include "cli/batch/sweep.h"

#include "cli/batch/collect.h"
#include "report/comparison/text.h"
#include "tests/support/matchers.h"

namespace heddle::cli::sweep_test {

using wire::Json;
using Texts = std::vector<std::string>;

TEST(SweptKeys, AreReadWithTheirValuesInOrder) {
  auto key = parse_over("policy.damping=0, 0.05,1");
  ASSERT_TRUE(key);
  EXPECT_EQ(key->key, "policy.damping");
  EXPECT_THAT(key->values, ElementsAre("0", "0.05", "1"));
  EXPECT_THAT(parse_over("policy.categories=[1,2],[3]")->values, ElementsAre("[1,2]", "[3]"));
  for (const char* bad : {"policy.damping", "=1,2", "a=", "a=1,,2", ""})
    EXPECT_FALSE(parse_over(bad)) << bad;
}

TEST(SweptKeys, PointsOfAGrid) {
  EXPECT_THAT(points_of({{"a", {"1", "2"}}}), ElementsAre(Texts{"1"}, Texts{"2"}));
  EXPECT_THAT(points_of({{"a", {"1", "2"}}, {"b", {"x", "y"}}}),
              ElementsAre(Texts{"1", "x"}, Texts{"1", "y"}, Texts{"2", "x"}, Texts{"2", "y"}));
}

TEST(SweptKeys, PointsAreVariants) {
  EXPECT_EQ(
      variant_of_point({{"policy.damping", {}}, {"jobs.a.submit", {}}}, {"0.5", "3s"}),
      (Variant{"damping=0.5,submit=3s", std::nullopt, {"policy.damping=0.5", "jobs.a.submit=3s"}}));
  EXPECT_EQ(variant_of_point({{"policy", {}}}, {"fifo"}), (Variant{"policy=fifo", "fifo", {}}));
}

Json summary(double makespan, const std::string& state) {
  const Json null;
  const bool good = state == "completed";
  return {{"status", good ? "done" : "failed"},
          {"makespan_s", makespan},
          {"crash_fraction", 0.25},
          {"jobs",
           {{{"name", "a-1"},
             {"class", nullptr},
             {"queue", "default"},
             {"start_s", 1},
             {"finish_s", 11},
             {"waiting_s", 1},
             {"completion_s", good ? Json(11) : null},
             {"state", state}},
            {{"name", "b-1"},
             {"class", nullptr},
             {"queue", "default"},
             {"start_s", 0},
             {"finish_s", 20},
             {"waiting_s", 0},
             {"completion_s", 20},
             {"state", "completed"}}}}};
}

TEST(Sweeps, HaveEachPointsOwnFigures) {
  BatchPlan plan;
  plan.kind = "sweep";
  plan.simulate = true;
  plan.repeat = 2;
  plan.seed = 7;
  plan.over = {{"policy.x", {"1", "2"}}};
  plan.variants = {{"x=1", {}, {}}, {"x=2", {}, {}}};
  const std::unique_ptr<Collector> collector = make_collector(plan);
  const auto record = [&](std::size_t point, int repeat, double makespan, const char* state) {
    return record_of(plan, {point, repeat}, summary(makespan, state), {});
  };
  collector->add({record(0, 0, 100, "completed"), record(1, 0, 90, "failed")});
  collector->add({record(0, 1, 120, "completed"), std::nullopt});
  Json json = {
      {"schema", 1}, {"kind", "sweep"}, {"scenario", "s"}, {"mode", "simulated"}, {"repeat", 2}};
  json.update(collector->json(
      {{{"x=1-1", 7, "done"}, {"x=1-2", 8, "done"}}, {{"x=2-1", 7, "failed"}, {"x=2-2", 8, ""}}}));
  EXPECT_EQ(json["over"][0]["key"], "policy.x");
  const Json &first = json["points"][0], &second = json["points"][1];
  EXPECT_EQ(first["values"][0], "1");
  EXPECT_EQ(first["runs"][1]["seed"], 8);
  EXPECT_THAT(first["metrics"]["makespan_s"], HasMembers(R"({"median":110,"headline":true})"));
  EXPECT_EQ(first["metrics"]["workload.a.mean_completion_s"]["title"], "a: mean completion");
  EXPECT_EQ(second["metrics"]["mean_completion_s"]["values"][0], 20);
  EXPECT_TRUE(second["metrics"]["mean_completion_s"]["values"][1].is_null());
  EXPECT_FALSE(second["metrics"].contains("workload.a.mean_completion_s"));
  EXPECT_EQ(second["runs"][0]["status"], "failed");
  EXPECT_TRUE(second["runs"][1]["status"].is_null());
  const std::string text = report::format_sweep(json);
  EXPECT_THAT(text, HasSubstr("110.0 [100.0-120.0]"));
  constexpr const char* kBrackets =
      "Values are medians of the repeats, with the least and the greatest in brackets.";
  EXPECT_THAT(text, HasSubstr(kBrackets));
  const std::string latex = report::latex_sweep(json);
  EXPECT_THAT(latex, HasSubstr(std::string("{\\footnotesize ") + kBrackets));
  EXPECT_THAT(text, HasSubstr("attempts out of memory"));
  EXPECT_THAT(text, HasSubstr("policy.x"));
}

}  // namespace heddle::cli::sweep_test
