#include "core/model/phase_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace heddle::phase_detector_test {

EmuTime at(double seconds) { return emu_seconds(seconds); }

/// Tests a detector with pw = 10 s and t_s = t_e = 5. Task keys count up.
class PhaseDetection : public testing::Test {
 protected:
  void start(std::initializer_list<double> times, std::int64_t size = 1) {
    for (double time : times) detector.started(at(time), next_++, size);
  }
  /// Ends the tasks from `first` on.
  void end(std::int64_t first, std::initializer_list<double> times) {
    for (double time : times) detector.ended(at(time), first++);
  }
  const DetectedPhase& phase(std::size_t index) const { return detector.phases().at(index); }

  PhaseDetector detector{PhaseOptions{}};

 private:
  std::int64_t next_ = 0;
};

TEST_F(PhaseDetection, BeginWithMoreStartsThanTheThresholdInTheWindow) {
  detector.asked(20);
  start({0, 1, 2, 3, 4});
  EXPECT_FALSE(phase(0).begun);
  start({5});
  EXPECT_TRUE(phase(0).begun);
  EXPECT_EQ(phase(0).first_start, at(0));
}

TEST_F(PhaseDetection, StartsThatAreTooFarApartBeginNone) {
  detector.asked(20);
  start({0, 3, 6, 9, 12, 15, 18, 21});  // at most four in (t - 10, t]
  EXPECT_FALSE(phase(0).begun);
  // The phase's first start is that of its first task, although the window has moved on.
  start({22, 22, 22});
  EXPECT_TRUE(phase(0).begun);
  EXPECT_EQ(phase(0).first_start, at(0));
}

TEST_F(PhaseDetection, CloseAfterAWindowWithoutAStart) {
  detector.asked(12);
  start({0, 1, 1, 2, 3, 5});
  detector.advance(at(14.999));
  EXPECT_FALSE(phase(0).closed);
  detector.advance(at(15));
  EXPECT_TRUE(phase(0).closed);
  EXPECT_EQ(phase(0).last_start, at(5));
  EXPECT_EQ(phase(0).spread(), at(5));
  ASSERT_EQ(detector.phases().size(), 2U);
  EXPECT_EQ(phase(1).asked, 6);  // tasks that have not started
  start({16});
  EXPECT_EQ(phase(1).tasks, 1);
  EXPECT_EQ(phase(0).tasks, 6);
}

TEST_F(PhaseDetection, AStartJustAWindowLaterIsStillOfThePhase) {
  detector.asked(12);
  start({0, 0, 0, 0, 0, 0, 10});
  EXPECT_EQ(detector.phases().size(), 1U);
  start({20.001});
  EXPECT_EQ(detector.phases().size(), 2U);
  EXPECT_EQ(phase(0).spread(), at(10));
}

// The number is min(t_s, ceil(n / 2) - 1), so that phases of few tasks are detected too.
TEST_F(PhaseDetection, SmallOnesBeginWithHalfOfTheirTasks) {
  for (auto [tasks, needed] : {std::pair{1, 1},
                               {2, 1},
                               {3, 2},
                               {4, 2},
                               {5, 3},
                               {7, 4},
                               {10, 5},
                               {11, 6},
                               {12, 6},
                               {100, 6}}) {
    PhaseDetector small{PhaseOptions{}};
    small.asked(tasks);
    for (int i = 1; i <= needed; ++i) {
      EXPECT_FALSE(small.phases()[0].begun) << tasks << " tasks, " << i - 1 << " started";
      small.started(at(0), i, 1);
    }
    EXPECT_TRUE(small.phases()[0].begun) << tasks;
  }
}

TEST_F(PhaseDetection, TheSizeIsThatOfTheFirstRequestsIfThereWereNoneAtFirst) {
  EXPECT_EQ(phase(0).asked, 0);
  detector.asked(0);
  detector.asked(3);
  detector.asked(50);
  EXPECT_EQ(phase(0).asked, 3);
}

TEST_F(PhaseDetection, HeadingTasksAreNoRelease) {
  detector.asked(12);
  start({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  end(0, {20, 25, 40, 41, 42, 43});
  EXPECT_FALSE(phase(0).release);
  end(6, {44});
  EXPECT_FALSE(phase(0).release);
  end(7, {45});
  // Six tasks end in (35, 45]; the ends at 20 and 25 s come before.
  EXPECT_EQ(phase(0).release, at(40));
  end(8, {46});
  EXPECT_EQ(phase(0).release, at(40));
}

TEST_F(PhaseDetection, AReleaseThatIsSlowFromTheStartHasItsFirstEndInTheWindow) {
  detector.asked(4);  // two ends in a window are enough
  start({0, 0, 0, 0});
  end(0, {20});
  EXPECT_FALSE(phase(0).release);
  end(1, {30});  // (20, 30]
  EXPECT_FALSE(phase(0).release);
  end(2, {39.999});
  EXPECT_EQ(phase(0).release, at(30));
}

TEST_F(PhaseDetection, TrailingTasksAreCarriedIntoTheNext) {
  detector.asked(12);
  start({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 2);
  end(0, {30, 30, 31, 31, 32, 32, 32, 33, 33, 33});
  detector.advance(at(42.9));
  EXPECT_EQ(phase(0).running, 2);
  detector.advance(at(43));
  EXPECT_EQ(phase(0).running, 0);
  EXPECT_EQ(phase(0).size, 24);
  EXPECT_EQ(phase(1).trailing, 2);
  EXPECT_EQ(phase(1).running, 2);
  EXPECT_EQ(phase(1).size, 4);
  // The trailing tasks count as tasks of the phase that began without requests: one end of two is
  // enough.
  EXPECT_EQ(detector.ended(at(50), 10), 2);
  EXPECT_EQ(phase(1).release, at(50));
  EXPECT_EQ(detector.ended(at(52), 11), 2);
}

TEST_F(PhaseDetection, NothingIsCarriedWhileThePhaseStillStartsTasks) {
  detector.asked(20);
  start({0, 0, 0, 0, 0, 0});
  end(0, {3, 3, 3, 3, 3});
  start({8, 14});
  detector.advance(at(15));  // the last end was 12 s ago, the last start 1 s ago
  EXPECT_EQ(detector.phases().size(), 1U);
  EXPECT_EQ(phase(0).running, 3);
}

TEST_F(PhaseDetection, ExpectedFollowsTheSpreadOfTheStarts) {
  detector.asked(10);  // five ends make a release
  start({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 9);
  EXPECT_EQ(detector.expected(at(99), at(5)), 0);
  end(0, {100, 101, 102, 103});
  EXPECT_EQ(detector.expected(at(103), at(5)), 0);
  end(4, {104});
  EXPECT_EQ(phase(0).release, at(100));
  // With c = 90 and dps = 9 s, G(t) is 10 (t - 100).
  EXPECT_EQ(detector.expected(at(104), at(1)), 10);
  EXPECT_EQ(detector.expected(at(104), at(2)), 20);
  // The value never exceeds the running tasks: 5 tasks of 9, though G still has 90 - 40 left.
  EXPECT_EQ(detector.expected(at(104), at(50)), 45);
  EXPECT_EQ(detector.expected(at(108.5), at(5)), 5);
  EXPECT_EQ(detector.expected(at(109), at(5)), 0);
}

// With c = 10 and dps = 9 s, G(104) = 4.44, G(105) = 5.56 and G(108) = 8.89 count as 4, 5 and 8.
TEST_F(PhaseDetection, WhatIsReleasedIsRoundedDown) {
  detector.asked(10);
  start({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  end(0, {100, 101, 102, 103, 104});
  EXPECT_EQ(phase(0).released_by(at(104)), 4);
  EXPECT_EQ(detector.expected(at(104), at(1)), 1);
  EXPECT_EQ(detector.expected(at(104), at(4)), 4);
}

TEST_F(PhaseDetection, WithoutASpreadAllAreReleasedAtOnce) {
  detector.asked(12);
  start({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 3);
  end(0, {20, 20, 20, 20, 20, 20});
  EXPECT_EQ(phase(0).spread(), at(0));
  EXPECT_EQ(phase(0).released_by(at(19.999)), 0);
  EXPECT_EQ(phase(0).released_by(at(20)), 36);
  EXPECT_EQ(detector.expected(at(20), at(1)), 0);  // it was to be over by then
}

TEST_F(PhaseDetection, SeveralAtOnceAddUp) {
  detector.asked(10);
  start({0, 2, 4, 6, 8, 10, 12, 14, 16, 18}, 18);
  detector.asked(10);
  detector.advance(at(28));
  start({30, 31, 32, 33, 34, 35, 36, 37, 38, 39}, 18);
  detector.advance(at(50));
  EXPECT_EQ(detector.phases().size(), 3U);
  end(10, {60, 60.5, 61, 61.5, 62});
  end(0, {62, 62, 62, 62, 62});
  EXPECT_EQ(phase(0).release, at(62));
  EXPECT_EQ(phase(1).release, at(60));
  // The rates are 180 over 18 s and 180 over 9 s.
  EXPECT_EQ(detector.expected(at(63), at(1)), 10 + 20);
}

TEST_F(PhaseDetection, AnUnknownEndIsNone) {
  start({0});
  EXPECT_EQ(detector.ended(at(1), 7), 0);
  EXPECT_EQ(detector.ended(at(1), 0), 1);
  EXPECT_EQ(detector.ended(at(2), 0), 0);
}

// Phases depend on the events only, not on the times of queries.
TEST(PhaseDetector, DoesNotDependOnWhenItIsAsked) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    PhaseDetector watched{PhaseOptions{}}, alone{PhaseOptions{}};
    const int tasks = 1 + below(30);
    watched.asked(tasks);
    alone.asked(tasks);
    double now = 0;
    std::vector<std::int64_t> running;
    for (std::int64_t next = 0; next < tasks || !running.empty();) {
      const double gap = below(4) == 0 ? below(25) : below(3);
      for (double t = now; t < now + gap; t += 0.5) watched.advance(at(t));
      now += gap;
      if (next < tasks && (running.empty() || below(2) == 0)) {
        for (PhaseDetector* each : {&watched, &alone}) each->started(at(now), next, 1);
        running.push_back(next++);
      } else {
        const auto which = running.begin() + below(static_cast<unsigned>(running.size()));
        for (PhaseDetector* each : {&watched, &alone}) each->ended(at(now), *which);
        running.erase(which);
      }
    }
    watched.advance(at(now + 100));
    alone.advance(at(now + 100));
    ASSERT_EQ(watched.phases().size(), alone.phases().size()) << seed;
    for (std::size_t i = 0; i < alone.phases().size(); ++i) {
      EXPECT_EQ(watched.phases()[i].tasks, alone.phases()[i].tasks) << seed;
      EXPECT_EQ(watched.phases()[i].trailing, alone.phases()[i].trailing) << seed;
      EXPECT_EQ(watched.phases()[i].release, alone.phases()[i].release) << seed;
      EXPECT_EQ(watched.phases()[i].spread(), alone.phases()[i].spread()) << seed;
    }
  }
}

}  // namespace heddle::phase_detector_test
