#include "cgroup/oom.h"

#include <gtest/gtest.h>

namespace heddle::cgroup::oom_test {

TEST(Attribute, ByWhoseLimitWasHit) {
  struct Case {
    OomEvidence evidence;
    OomCause cause;
  };
  const Case cases[] = {
      {{0, 0, 0}, OomCause::kNone},
      {{0, 1, 1}, OomCause::kNone},  // events, but no victim in this container
      {{1, 1, 0}, OomCause::kContainer},
      {{3, 1, 0}, OomCause::kContainer},
      {{1, 0, 1}, OomCause::kNode},
      {{1, 1, 1}, OomCause::kContainer},  // the node's event was for another container
      {{1, 0, 0}, OomCause::kOther},
  };
  for (const Case& one : cases)
    EXPECT_EQ(attribute(one.evidence), one.cause)
        << one.evidence.killed << " " << one.evidence.container << " " << one.evidence.node;
}

TEST(Firings, OfV1ContainThoseOfTheGroupsAbove) {
  struct Case {
    const char* what;
    std::int64_t container, node, run;
    OomCause cause;
  };
  const Case cases[] = {
      {"own limit", 1, 0, 0, OomCause::kContainer},
      {"the node's", 1, 1, 0, OomCause::kNode},
      {"the node's twice, first for a neighbour", 2, 2, 0, OomCause::kNode},
      {"the node's for a neighbour, then its own", 2, 1, 0, OomCause::kContainer},
      {"an ancestor's", 1, 1, 1, OomCause::kOther},
      {"an ancestor's for a neighbour, then the node's", 2, 2, 1, OomCause::kNode},
      {"the whole host's", 0, 0, 0, OomCause::kOther},
      {"the node's, not yet told to the container", 0, 1, 0, OomCause::kNode},
  };
  for (const Case& one : cases)
    EXPECT_EQ(attribute(from_v1_firings(1, one.container, one.node, one.run)), one.cause)
        << one.what;
}

}  // namespace heddle::cgroup::oom_test
