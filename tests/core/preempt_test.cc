#include "core/policy/scheduler/backfill/preempt.h"

#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::backfill::preempt_test {

Preemptible running(std::int64_t job, std::int64_t priority, double started,
                    std::vector<std::pair<std::size_t, Resources>> holds) {
  return {JobId{job}, priority, emu_seconds(started), std::move(holds)};
}

// Node 0 is full and node 1 has one core free.
const std::vector<PreemptionNode> kNodes{{size_of(0, 0), true}, {size_of(1, 1), true}};

TEST(ToPreempt, NothingIfTheTasksFit) {
  EXPECT_THAT(to_preempt(1, size_of(1, 1), kNodes, {}), testing::Optional(IsEmpty()));
}

TEST(ToPreempt, TheLowestPriorityThenTheYoungest) {
  const std::vector<Preemptible> all{running(1, 5, 30, {{0, size_of(1, 1)}}),
                                     running(2, 0, 10, {{0, size_of(1, 1)}}),
                                     running(3, 0, 20, {{0, size_of(1, 1)}})};
  EXPECT_THAT(to_preempt(2, size_of(1, 1), kNodes, all), testing::Optional(ElementsAre(JobId{3})));
  EXPECT_THAT(to_preempt(3, size_of(1, 1), kNodes, all),
              testing::Optional(ElementsAre(JobId{3}, JobId{2})));
  EXPECT_THAT(to_preempt(4, size_of(1, 1), kNodes, all),
              testing::Optional(ElementsAre(JobId{3}, JobId{2}, JobId{1})));
  EXPECT_EQ(to_preempt(5, size_of(1, 1), kNodes, all), std::nullopt);
}

TEST(ToPreempt, AJobOnFewNodesBeforeAYoungerOneOnMore) {
  const std::vector<Preemptible> all{running(1, 0, 30, {{0, size_of(1, 1)}, {1, size_of(1, 1)}}),
                                     running(2, 0, 10, {{0, size_of(1, 1)}, {0, size_of(1, 1)}})};
  EXPECT_THAT(to_preempt(2, size_of(1, 1), kNodes, all), testing::Optional(ElementsAre(JobId{2})));
}

// The youngest job is on a node that the waiting job may not use, and the next one is too small.
TEST(ToPreempt, OnlyWhatIsNeeded) {
  std::vector<PreemptionNode> nodes = kNodes;
  nodes.push_back({size_of(0, 0), false});
  EXPECT_THAT(
      to_preempt(1, size_of(2, 2), nodes,
                 {running(1, 0, 30, {{2, size_of(4, 4)}}), running(2, 0, 20, {{0, size_of(1, 1)}}),
                  running(3, 0, 10, {{1, size_of(1, 1)}})}),
      testing::Optional(ElementsAre(JobId{3})));
}

}  // namespace heddle::backfill::preempt_test
