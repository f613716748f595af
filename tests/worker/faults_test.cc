#include "worker/faults.h"

#include "tests/support/matchers.h"

namespace heddle::worker::faults_test {

using namespace std::chrono_literals;

constexpr real::Time kT0{100s};

TEST(WorkerFaults, HeartbeatsAreCountedFromWhenTheRulesCame) {
  const std::vector<BeatRule> rules = {{FaultKind::kLoseHeartbeats, 0.5, EmuTime(0), 3}};
  Faults faults;
  EXPECT_EQ(faults.next_fate(), BeatFate{});
  for (int round = 0; round < 2; ++round) {
    faults.set(rules);
    for (int number = 1; number <= 20; ++number)
      EXPECT_EQ(faults.next_fate(), fate_of(rules, number));
  }
}

TEST(WorkerFaults, WhatIsHeldGoesAtItsTime) {
  Faults faults;
  EXPECT_EQ(faults.next_due(), real::Time::max());
  faults.hold("late", kT0 + 3s);
  faults.hold("later", kT0 + 4s);
  faults.hold("soon", kT0 + 1s);
  EXPECT_EQ(faults.next_due(), kT0 + 1s);
  EXPECT_THAT(faults.take_held(kT0), IsEmpty());
  EXPECT_THAT(faults.take_held(kT0 + 3s), ElementsAre("late", "soon"));
  EXPECT_EQ(faults.next_due(), kT0 + 4s);
}

TEST(WorkerFaults, WhatIsHeldIsBounded) {
  Faults faults;
  faults.hold(std::string(40 << 20, 'a'), kT0 + 1s);
  faults.hold(std::string(25 << 20, 'b'), kT0 + 2s);  // 65 MiB in all
  faults.hold(std::string(24 << 20, 'c'), kT0 + 3s);
  EXPECT_THAT(faults.take_held(kT0 + 2s), ElementsAre(SizeIs(40 << 20)));
  faults.hold(std::string(40 << 20, 'd'), kT0 + 3s);
  EXPECT_THAT(faults.take_held(kT0 + 3s), ElementsAre(StartsWith("cc"), StartsWith("dd")));
}

TEST(WorkerFaults, APartitionEndsOnce) {
  Faults faults;
  EXPECT_FALSE(faults.is_cut_off(kT0));
  faults.cut_off(kT0 + 2s);
  EXPECT_TRUE(faults.is_cut_off(kT0 + 1s));
  EXPECT_EQ(faults.next_due(), kT0 + 2s);
  EXPECT_FALSE(faults.take_reconnected(kT0 + 1s));
  EXPECT_FALSE(faults.is_cut_off(kT0 + 2s));
  EXPECT_TRUE(faults.take_reconnected(kT0 + 2s));
  EXPECT_FALSE(faults.take_reconnected(kT0 + 2s));
  EXPECT_EQ(faults.next_due(), real::Time::max());
}

}  // namespace heddle::worker::faults_test
