#include "worker/oom_rank.h"

#include "tests/support/matchers.h"

namespace heddle::worker::oom_rank_test {

OomCandidate candidate(std::int64_t id, int started_s, std::int64_t charge) {
  return {ContainerId{id}, real::Time(std::chrono::seconds(started_s)), real::Bytes(charge)};
}
auto score(std::int64_t id, int adjustment) { return Pair(ContainerId{id}, adjustment); }

const std::vector<OomCandidate> kThree = {candidate(1, 10, 300), candidate(2, 30, 100),
                                          candidate(3, 20, 200)};

TEST(OomScores, KernelMeansItsOwnChoice) {
  EXPECT_THAT(oom_scores(OomPreference::kKernel, kThree),
              ElementsAre(score(1, 0), score(2, 0), score(3, 0)));
}

TEST(OomScores, YoungestIsTheLatestStart) {
  EXPECT_THAT(oom_scores(OomPreference::kYoungest, kThree),
              ElementsAre(score(1, 250), score(2, 1000), score(3, 500)));
}

TEST(OomScores, LargestIsTheLargestCharge) {
  EXPECT_THAT(oom_scores(OomPreference::kLargest, kThree),
              ElementsAre(score(1, 1000), score(2, 250), score(3, 500)));
}

TEST(OomScores, OfEqualOnesTheLowestIdGoesFirst) {
  const std::vector<OomCandidate> equal = {candidate(7, 5, 9), candidate(4, 5, 9)};
  for (OomPreference preference : {OomPreference::kYoungest, OomPreference::kLargest})
    EXPECT_THAT(oom_scores(preference, equal), ElementsAre(score(4, 1000), score(7, 500)));
}

TEST(OomScores, RaisedAboveWhatCantBeProtected) {
  EXPECT_THAT(oom_scores(OomPreference::kKernel, kThree, true),
              ElementsAre(score(1, 1000), score(2, 1000), score(3, 1000)));
  EXPECT_THAT(oom_scores(OomPreference::kYoungest, kThree, true),
              ElementsAre(score(1, 625), score(2, 1000), score(3, 750)));
}

TEST(OomScores, BeyondTenAllAreLast) {
  std::vector<OomCandidate> many;
  for (int i = 0; i < 12; ++i) many.push_back(candidate(i, i, 0));
  EXPECT_THAT(oom_scores(OomPreference::kYoungest, many),
              ElementsAre(score(0, 0), score(1, 0), score(2, 1), score(3, 3), score(4, 7),
                          score(5, 15), score(6, 31), score(7, 62), score(8, 125), score(9, 250),
                          score(10, 500), score(11, 1000)));
  EXPECT_THAT(oom_scores(OomPreference::kLargest, {}), IsEmpty());
}

}  // namespace heddle::worker::oom_rank_test
