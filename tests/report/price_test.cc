#include "report/price.h"

#include "tests/support/matchers.h"

namespace heddle::report::price_test {

using wire::Json;

TEST(Price, IsOfCoreHoursOrNodeHours) {
  EXPECT_EQ(parse_price("0.05/core-hour").value(), (Price{0.05, false}));
  EXPECT_EQ(parse_price("1.20/node-hour").value(), (Price{1.2, true}));
  EXPECT_EQ(price_text({0.05, false}), "0.05/core-hour");
  EXPECT_EQ(price_text({1.2, true}), "1.2/node-hour");
  for (const char* text : {"", "0.05", "/core-hour", "x/core-hour", "-1/core-hour", "1/hour",
                           "1/core-hours", "1/core-hour/node-hour"}) {
    const auto price = parse_price(text);
    ASSERT_FALSE(price) << text;
    EXPECT_EQ(price.error().text,
              std::string("expected AMOUNT/core-hour or AMOUNT/node-hour, such as "
                          "0.05/core-hour, got \"") +
                  text + "\"");
  }
}

const Json kHours = {{"node_h", 2},
                     {"core_h", 8},
                     {"allocated_core_h", 6},
                     {"used_core_h", 5},
                     {"wasted_core_h", 0.5}};

TEST(Price, TurnsHoursOfASummaryIntoMoney) {
  Json summary = {{"hours", kHours}};
  add_cost(summary, {0.5, false});
  EXPECT_EQ(summary["cost"], Json::parse(R"({"price": "0.5/core-hour", "cluster": 4.0,
      "allocated": 3.0, "used": 2.5, "wasted": 0.25})"));
  add_cost(summary, {0.5, true});
  EXPECT_EQ(summary["cost"], Json::parse(R"({"price": "0.5/node-hour", "cluster": 1.0})"));
  Json old = Json::object();
  add_cost(old, {0.5, true});
  EXPECT_EQ(old, Json::object()) << "a summary of an earlier version has no hours";
}

TEST(Price, IsAMetricAfterTheHoursOfAComparison) {
  Json comparison = Json::parse(R"({"metrics": [
    {"key": "allocated_core_h", "title": "core-hours allocated", "unit": "core-h",
     "policies": [{"name": "a", "values": [6, null], "median": 6, "low": 6, "high": 6}],
     "against": [{"difference": 2, "interval": [1, 3], "relative": 0.25,
                  "relative_interval": null, "verdict": "more"}]},
    {"key": "makespan_s", "title": "makespan", "unit": "s", "policies": [], "against": []}]})");
  add_costs(comparison, {0.5, false});
  EXPECT_EQ(comparison["price"], "0.5/core-hour");
  ASSERT_EQ(comparison["metrics"].size(), 3U);
  EXPECT_EQ(comparison["metrics"][1], Json::parse(R"(
    {"key": "allocated_cost", "title": "core-hours allocated, cost at 0.5/core-hour", "unit": "",
     "policies": [{"name": "a", "values": [3.0, null], "median": 3.0, "low": 3.0, "high": 3.0}],
     "against": [{"difference": 1.0, "interval": [0.5, 1.5], "relative": 0.25,
                  "relative_interval": null, "verdict": "more"}]})"));
  EXPECT_EQ(comparison["metrics"][2]["key"], "makespan_s");
}

TEST(Price, IsAMetricOfEachPointOfASweep) {
  Json sweep = Json::parse(R"({"points": [{"metrics": {
    "node_h": {"title": "node-hours of the cluster", "unit": "node-h", "values": [2], "median": 2,
               "low": 2, "high": 2},
    "user.x.jobs_core_h": {"title": "user x: core-hours of completed jobs", "unit": "core-h",
                           "values": [4], "median": 4, "low": 4, "high": 4}}}]})");
  Json per_node = sweep;
  add_costs(per_node, {1.5, true});
  EXPECT_EQ(per_node["points"][0]["metrics"]["cluster_cost"], Json::parse(R"(
    {"title": "node-hours of the cluster, cost at 1.5/node-hour", "unit": "", "values": [3.0],
     "median": 3.0, "low": 3.0, "high": 3.0})"));
  EXPECT_EQ(per_node["points"][0]["metrics"].size(), 3U);
  add_costs(sweep, {0.25, false});
  EXPECT_EQ(sweep["points"][0]["metrics"]["user.x.jobs_cost"]["median"], 1.0);
}

}  // namespace heddle::report::price_test
