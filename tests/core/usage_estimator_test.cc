// Estimates of a node's usage: the cases of usage_estimator.yaml, by hand from the paper's
// equations.
#include "core/model/usage_estimator.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/cluster.h"
#include "tests/support/compact_scenario.h"

namespace heddle::usage_estimator_test {

void expect_near(const UsageEstimate& estimate, double cores, double gib) {
  EXPECT_NEAR(estimate.cores, cores, 1e-9);
  EXPECT_NEAR(estimate.memory / (1LL << 30), gib, 1e-9);
}

/// Does what a line says (usage_estimator.yaml).
void follow(const std::string& line, UsageEstimator& estimator) {
  std::istringstream in(line);
  std::string verb;
  double a = 0, b = 0, c = 0, d = 0;
  in >> verb >> a >> b >> c >> d;
  const ContainerId id{static_cast<std::int64_t>(a)};
  if (verb == "allocate")
    estimator.allocated(id, size_of(b, c));
  else if (verb == "end")
    estimator.ended(id);
  else if (verb == "suspend")
    estimator.suspended(id);
  else if (verb == "resume")
    estimator.resumed(id);
  else if (verb == "beat")
    estimator.heartbeat({size_of(a, b), size_of(a + c, b + d)});
  else if (verb == "containers")
    expect_near(estimator.estimate().containers, a, b);
  else if (verb == "node")
    expect_near(estimator.estimate().node, a, b);
  else
    ADD_FAILURE() << "unknown: " << verb;
}

class UsageEstimation : public testing::TestWithParam<tests::Case> {};

TEST_P(UsageEstimation, FollowsTheEquations) {
  const YAML::Node& it = GetParam().node;
  UsageEstimator estimator({it["damping"][0].as<double>(), it["damping"][1].as<double>()});
  for (const YAML::Node& line : it["do"]) {
    SCOPED_TRACE(GetParam().place + ": " + line.as<std::string>());
    follow(line.as<std::string>(), estimator);
  }
}

INSTANTIATE_TEST_SUITE_P(Core, UsageEstimation,
                         testing::ValuesIn(tests::cases_of("core/usage_estimator.yaml")),
                         [](const auto& test) { return test.param.name; });

}  // namespace heddle::usage_estimator_test
