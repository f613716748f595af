#include <gtest/gtest.h>

#include "core/policy/scheduler/fitness.h"
#include "core/policy/scheduler/haste/terms.h"

namespace heddle::haste_terms_test {

constexpr Urgency kForms[] = {Urgency::kDeferred, Urgency::kBalanced};

// The request is <2 of 8 cores, 1 of 16 GiB> and <4, 8> are free: .25 * .5 + .0625 * .5 = .15625.
TEST(Fitness, DotProductOfShares) {
  const Resources total{Millicores(8000), EmuBytes(16)}, free{Millicores(4000), EmuBytes(8)};
  const Resources request{Millicores(2000), EmuBytes(1)};
  EXPECT_FLOAT_EQ((Fitness{{1, 1}, free, total}.of(request)), 0.15625F);
  EXPECT_FLOAT_EQ((Fitness{{2, 0}, free, total}.of(request)), 0.25F);
  EXPECT_FLOAT_EQ((Fitness{{0, 4}, free, total}.of(request)), 0.125F);
}

// <2, 1> and <1, 2> of <3, 3> score 2/3 + 1/3 and 1/3 + 2/3, whatever the binary sums are.
TEST(Fitness, WhatDiffersByRoundingIsEqual) {
  const Resources total{Millicores(3000), EmuBytes(3)};
  for (int i = 1; i < 100; ++i) {
    const Fitness fitness({i / 7.0, i / 7.0}, total, total);
    EXPECT_EQ(fitness.of({Millicores(2000), EmuBytes(1)}),
              fitness.of({Millicores(1000), EmuBytes(2)}));
  }
}

// There are 20 maps, of which 5 have a container or are complete, so p = 1/4. There are 4 reduces
// of .1, of which 2 run, so o = 1/2. 3 maps of .1 run, so reduces hold .2 of .5.
const StageLoad kEarly{20, 5, false, 0.3, 0.2, 0.4};

TEST(Urgency, ByHand) {
  EXPECT_FLOAT_EQ(map_urgency(Urgency::kDeferred, kEarly), 1.375F);       // 1 + 1/4 * 3/2
  EXPECT_FLOAT_EQ(reduce_urgency(Urgency::kDeferred, kEarly), -0.4375F);  // 1/16 - 1/2
  EXPECT_FLOAT_EQ(map_urgency(Urgency::kBalanced, kEarly), 1.375F);
  EXPECT_FLOAT_EQ(reduce_urgency(Urgency::kBalanced, kEarly), 1.225F);  // 1.375 + 1/4 - 2/5
  EXPECT_EQ(map_urgency(Urgency::kNone, kEarly), 0);
  EXPECT_EQ(reduce_urgency(Urgency::kNone, kEarly), 0);
}

TEST(Urgency, ReducesWhoseMapsAreDone) {
  const StageLoad done{20, 20, true, 0, 0.2, 0.4};
  const StageLoad without_maps{0, 0, true, 0, 0, 0.4};
  for (Urgency form : kForms) {
    EXPECT_EQ(reduce_urgency(form, done), kMostUrgent);
    EXPECT_EQ(reduce_urgency(form, without_maps), kMostUrgent);
  }
  EXPECT_EQ(reduce_urgency(Urgency::kNone, done), 0);
}

TEST(Urgency, StagesWithoutReducesAndWithoutSizes) {
  for (Urgency form : kForms) {
    EXPECT_EQ(map_urgency(form, {4, 0, false, 0, 0, 0}), 1);
    EXPECT_EQ(map_urgency(form, {4, 2, false, 0.1, 0, 0}), 1.5);
  }
  EXPECT_EQ(reduce_urgency(Urgency::kDeferred, {4, 2, false, 0, 0, 0.4}), 0.25);
  EXPECT_EQ(reduce_urgency(Urgency::kBalanced, {4, 2, false, 0, 0, 0.4}), 2);
}

/// Returns the load of a job with 20 maps and 10 reduces of .01 each, not all complete. Of the
/// maps, `assigned` have got a container and half of these are complete; `reduces` reduces hold
/// containers.
StageLoad at(int assigned, int reduces) {
  const int complete = assigned / 2;
  return {20, assigned, false, 0.01 * (assigned - complete), 0.01 * reduces, 0.1};
}
template <class Check>
void over_grid(Check check) {
  for (Urgency form : kForms)
    for (int assigned = 0; assigned <= 20; ++assigned)
      for (int reduces = 0; reduces <= 10; ++reduces) {
        SCOPED_TRACE(testing::Message() << "form " << static_cast<int>(form) << ", maps "
                                        << assigned << ", reduces " << reduces);
        check(form, assigned, reduces);
      }
}

// The paper states these properties in its text.
TEST(UrgencyProperty, AMapIsMoreUrgentTheFurtherItsJobsMapsAre) {
  over_grid([](Urgency form, int assigned, int reduces) {
    if (assigned == 20) return;
    EXPECT_LT(map_urgency(form, at(assigned, reduces)),
              map_urgency(form, at(assigned + 1, reduces)));
  });
}

// Reduces start early only after maps have started.
TEST(UrgencyProperty, AMapIsMoreUrgentTheMoreItsJobsReducesHold) {
  over_grid([](Urgency form, int assigned, int reduces) {
    if (assigned == 0 || reduces == 10) return;
    EXPECT_LT(map_urgency(form, at(assigned, reduces)),
              map_urgency(form, at(assigned, reduces + 1)));
  });
}

// Deferred: always. Balanced: while O_r / (O_r + O_m) > p.
TEST(UrgencyProperty, AReduceIsLessUrgentThanAMapWhileReducesHoldMuchAgainstMapProgress) {
  over_grid([](Urgency form, int assigned, int reduces) {
    const StageLoad load = at(assigned, reduces);
    const double held = load.reduces_hold + load.maps_hold;
    const bool much = held > 0 && load.reduces_hold / held > assigned / 20.0 + 1e-6;
    if (form == Urgency::kBalanced && !much) return;
    EXPECT_LT(reduce_urgency(form, load), map_urgency(form, load));
  });
}

TEST(UrgencyProperty, AReduceIsMoreUrgentTheFurtherTheMapsAre) {
  over_grid([](Urgency form, int assigned, int reduces) {
    if (assigned == 20) return;
    StageLoad further = at(assigned, reduces);
    ++further.assigned;
    EXPECT_LT(reduce_urgency(form, at(assigned, reduces)), reduce_urgency(form, further));
  });
}

// Reduces then come before maps of any job and, if deferred, before early reduces. A map has a
// request, so one map is not assigned.
TEST(UrgencyProperty, WithTheMapsDoneReducesComeFirst) {
  over_grid([](Urgency form, int assigned, int reduces) {
    if (assigned == 20) return;
    EXPECT_LT(map_urgency(form, at(assigned, reduces)), kMostUrgent);
    EXPECT_LT(reduce_urgency(Urgency::kDeferred, at(assigned, reduces)), kMostUrgent);
  });
}

// An early reduce overtakes its job's maps once these are far along and it holds little.
TEST(UrgencyProperty, BalancedPutsEarlyReducesBeforeMapsWhileTheyHoldLittle) {
  EXPECT_GT(reduce_urgency(Urgency::kBalanced, at(10, 1)),
            map_urgency(Urgency::kBalanced, at(10, 1)));
  EXPECT_LT(reduce_urgency(Urgency::kBalanced, at(10, 8)),
            map_urgency(Urgency::kBalanced, at(10, 8)));
}

TEST(Alignment, ShareOfStagesWithTheNextOne) {
  EXPECT_EQ(alignment(0, 4), 0.25F);
  EXPECT_EQ(alignment(3, 4), 1);
  EXPECT_EQ(alignment(0, 1), 1);
}

TEST(Spread, FromTheLeastToTheMost) {
  Spread spread;
  for (float x : {2.0F, -1.0F, 5.0F}) spread.add(x);
  EXPECT_EQ(spread.norm(-1), 0);
  EXPECT_EQ(spread.norm(2), 0.5);
  EXPECT_EQ(spread.norm(5), 1);
}

TEST(Spread, AllEqualIsZero) {
  Spread spread;
  spread.add(3);
  spread.add(3);
  EXPECT_EQ(spread.norm(3), 0);
}

}  // namespace heddle::haste_terms_test
