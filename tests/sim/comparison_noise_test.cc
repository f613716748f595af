// A policy that is compared with itself on other seeds differs by noise only, so no difference may
// be reported.
#include <gtest/gtest.h>

#include "core/resolve.h"
#include "report/comparison/comparison.h"
#include "report/simulated.h"
#include "workloads/scenario_file.h"

namespace heddle::sim::comparison_noise_test {

using wire::Json;

constexpr const char* kScenario = R"(
heddle: 1
name: noise
cluster: {nodes: [{name: n, count: 3, cores: 4, memory: 8GiB}]}
policy: fair
jobs:
  - name: a
    count: 4
    submit: {poisson: 20s}
    phases:
      - {name: map, kind: map, tasks: 8, request: {cores: 1, memory: 1GiB}, cpu: {dist: lognormal, mean: 10s, cv: 0.5}}
      - {name: reduce, kind: reduce, after: [map], tasks: 2, request: {cores: 1, memory: 2GiB}, cpu: {dist: lognormal, mean: 15s, cv: 0.5}}
  - name: b
    count: 3
    submit: {start: 5s, poisson: 30s}
    phases:
      - {name: map, tasks: 5, request: {cores: 2, memory: 1GiB}, cpu: {dist: lognormal, mean: 30s, cv: 1}}
)";

Json summary_of(std::uint64_t seed) {
  Overrides overrides;
  overrides.seed = seed;
  auto read = workloads::read_scenario_text(kScenario, "noise.yaml", overrides);
  if (!read) throw std::runtime_error(read.error().text);
  Json summary = report::simulated_summary(resolve_simulated(read->scenario)).value();
  EXPECT_EQ(summary["status"], "done") << seed;
  return summary;
}

TEST(ComparisonNoise, APolicyOnOtherSeedsDoesNotDifferFromItself) {
  // If each comparison finds a difference with a chance of 5 %, 200 comparisons find at most 15
  // with probability .956.
  constexpr int kTrials = 200, kMostFalse = 15, kRepeats = 5;
  std::uint64_t seed = 1;
  int different = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<report::ComparedPolicy> policies = {{"fair", {}, {}}, {"fair#2", {}, {}}};
    for (report::ComparedPolicy& policy : policies)
      for (int i = 0; i < kRepeats; ++i) policy.summaries.emplace_back(summary_of(seed++));
    const Json json = report::compare(policies);
    bool any = false;
    for (const Json& metric : json["metrics"])
      any |= metric["headline"] == true && (metric["against"][0]["verdict"] == "less" ||
                                            metric["against"][0]["verdict"] == "more");
    different += any ? 1 : 0;
  }
  EXPECT_LE(different, kMostFalse);
}

}  // namespace heddle::sim::comparison_noise_test
