#include "cli/run_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Time = RunWatch::Time;

constexpr Time kT0 = Time(100s);
constexpr ChildEnd kDone{0, false}, kKilled{9, true};

RunWatch watch() { return RunWatch({"n1", "n2"}); }

RunWatch running() {
  RunWatch w = watch();
  w.on_registered(0);
  w.on_registered(1);
  return w;
}

void end_workers(RunWatch& w, Time now = kT0) {
  w.on_worker_end(0, kDone, now);
  w.on_worker_end(1, kDone, now);
}

TEST(RunWatch, MastersEndIsTheRuns) {
  for (int status : {0, 1, 4}) {
    RunWatch w = running();
    EXPECT_EQ(w.next_time(), std::nullopt);
    auto asked = w.on_master_end({status, false}, kT0);
    EXPECT_THAT(asked.deeds, ElementsAre(Deed::kTerminateWorkers));
    EXPECT_THAT(asked.sentences, IsEmpty());
    EXPECT_FALSE(w.over());
    end_workers(w);
    EXPECT_TRUE(w.over());
    EXPECT_EQ(w.status(), status);
  }
}

TEST(RunWatch, KilledMasterIsStartedAnewOnce) {
  RunWatch w = running();
  auto asked = w.on_master_end(kKilled, kT0);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kRestartMaster));
  EXPECT_THAT(asked.sentences, ElementsAre("the master ended: killed by signal 9 (Killed); it is "
                                           "started anew and goes on from the journal"));
  EXPECT_EQ(w.next_time(), std::nullopt);
  asked = w.on_master_end(kKilled, kT0);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kTerminateWorkers));
  EXPECT_THAT(asked.sentences,
              ElementsAre("the master ended again: killed by signal 9 (Killed); the results reach "
                          "to that moment, heddle resume may go on"));
  end_workers(w);
  EXPECT_EQ(w.status(), 4);
}

TEST(RunWatch, MasterThatGoesOnSettlesTheStatus) {
  // What keeps it from going on is no fault of the scenario's.
  for (const auto& [code, status] : {std::pair{0, 0}, {1, 1}, {2, 4}, {3, 4}, {4, 4}}) {
    RunWatch w = running();
    w.on_master_end(kKilled, kT0);
    EXPECT_THAT(w.on_master_end({code, false}, kT0).deeds, ElementsAre(Deed::kTerminateWorkers));
    end_workers(w);
    EXPECT_EQ(w.status(), status);
  }
}

TEST(RunWatch, MasterThatDiesWhileItLeavesIsNotStartedAnew) {
  RunWatch w = running();
  w.on_signal(kT0);
  EXPECT_THAT(w.on_master_end(kKilled, kT0).deeds, ElementsAre(Deed::kTerminateWorkers));
  end_workers(w);
  EXPECT_EQ(w.status(), 130);
}

TEST(RunWatch, WorkersThatDoNotFollowTheMasterAreKilled) {
  RunWatch w = running();
  w.on_master_end(kDone, kT0);
  EXPECT_EQ(w.next_time(), kT0 + 3s);
  EXPECT_THAT(w.on_time(kT0 + 2999ms).deeds, IsEmpty());
  EXPECT_THAT(w.on_time(kT0 + 3s).deeds, ElementsAre(Deed::kKillAll));
  w.on_worker_end(0, kKilled, kT0 + 3s);
  EXPECT_FALSE(w.over());
  w.on_worker_end(1, kKilled, kT0 + 3s);
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 0);
}

TEST(RunWatch, FirstSignalEndsThroughTheMaster) {
  RunWatch w = running();
  auto asked = w.on_signal(kT0);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kTerminateMaster));
  EXPECT_EQ(w.next_time(), kT0 + 1s);
  EXPECT_THAT(w.on_worker_end(0, kDone, kT0).sentences, IsEmpty());
  w.on_worker_end(1, kDone, kT0);
  EXPECT_THAT(w.on_master_end({130, false}, kT0).sentences, IsEmpty());
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 130);
}

TEST(RunWatch, SignalLeavesOneSecond) {
  RunWatch w = running();
  w.on_signal(kT0);
  w.on_master_end({130, false}, kT0 + 500ms);
  EXPECT_EQ(w.next_time(), kT0 + 1s);  // not three more for the workers
  EXPECT_THAT(w.on_time(kT0 + 1s).deeds, ElementsAre(Deed::kKillAll));
}

TEST(RunWatch, SecondSignalKillsAtOnce) {
  RunWatch w = running();
  w.on_signal(kT0);
  EXPECT_THAT(w.on_signal(kT0 + 1ms).deeds, ElementsAre(Deed::kKillAll));
  EXPECT_THAT(w.on_signal(kT0 + 2ms).deeds, IsEmpty());
  EXPECT_FALSE(w.over());
  EXPECT_EQ(w.status(), 130);
}

TEST(RunWatch, LateSignalOnlyHurries) {
  RunWatch w = running();
  w.on_master_end(kDone, kT0);
  EXPECT_THAT(w.on_signal(kT0 + 100ms).deeds, IsEmpty());
  EXPECT_EQ(w.next_time(), kT0 + 1100ms);
  EXPECT_EQ(w.status(), 0);
}

TEST(RunWatch, ProcessThatCannotBeKilledIsGivenUp) {
  RunWatch w = running();
  w.on_signal(kT0);
  w.on_time(kT0 + 1s);
  EXPECT_EQ(w.next_time(), kT0 + 6s);
  auto asked = w.on_time(kT0 + 6s);
  EXPECT_THAT(asked.deeds, IsEmpty());
  EXPECT_THAT(asked.sentences, ElementsAre("a process does not end even when killed"));
  EXPECT_TRUE(w.over());
}

TEST(RunWatch, WorkersDeathInARunIsTheMastersToNotice) {
  RunWatch w = running();
  auto asked = w.on_worker_end(1, kKilled, kT0);
  EXPECT_THAT(asked.deeds, IsEmpty());
  EXPECT_THAT(asked.sentences,
              ElementsAre("the worker of node n2 ended: killed by signal 9 (Killed)"));
  EXPECT_EQ(w.next_time(), std::nullopt);
  EXPECT_FALSE(w.over());
}

TEST(RunWatch, WorkerThatIsKilledAsPlannedIsStartedAnew) {
  RunWatch w({"n1", "n2"}, {{}, {2s, std::nullopt}});
  w.on_registered(0);
  w.on_registered(1);
  auto asked = w.on_worker_end(1, kKilled, kT0);
  EXPECT_THAT(asked.sentences,
              ElementsAre("the worker of node n2 was killed, a fault; it will be started anew"));
  EXPECT_EQ(w.next_time(), kT0 + 2s);
  EXPECT_THAT(w.on_time(kT0 + 1s).restarts, IsEmpty());
  EXPECT_THAT(w.on_time(kT0 + 2s).restarts, ElementsAre(1U));
  EXPECT_EQ(w.next_time(), std::nullopt);
  // The second one is for good, and the third was not planned.
  EXPECT_THAT(w.on_worker_end(1, kKilled, kT0 + 5s).sentences,
              ElementsAre("the worker of node n2 was killed, a fault"));
  EXPECT_EQ(w.next_time(), std::nullopt);
  EXPECT_THAT(w.on_worker_end(0, kKilled, kT0 + 6s).sentences,
              ElementsAre("the worker of node n1 ended: killed by signal 9 (Killed)"));
}

TEST(RunWatch, WorkerIsNotStartedAnewOnceTheRunEnds) {
  RunWatch w({"n1", "n2"}, {{}, {2s}});
  w.on_registered(0);
  w.on_registered(1);
  w.on_worker_end(1, kKilled, kT0);
  w.on_master_end(kDone, kT0 + 1s);
  EXPECT_THAT(w.on_time(kT0 + 2s).restarts, IsEmpty());
  w.on_worker_end(0, kDone, kT0 + 2s);
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 0);
}

TEST(RunWatch, WorkerThatLeavesAsItWasToldIsNoNews) {
  RunWatch w = running();
  EXPECT_THAT(w.on_worker_end(1, kDone, kT0).sentences, IsEmpty());
}

TEST(RunWatch, WorkerThatCannotRunHereEndsTheRun) {
  RunWatch w = running();
  auto asked = w.on_worker_end(0, {3, false}, kT0);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kTerminateMaster));
  EXPECT_THAT(asked.sentences, ElementsAre("the worker of node n1 can't run here"));
  EXPECT_THAT(w.on_worker_end(1, {3, false}, kT0).sentences, IsEmpty());
  w.on_master_end({130, false}, kT0);
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 3);
}

TEST(RunWatch, WorkerThatEndsUnregisteredEndsTheRun) {
  RunWatch w = watch();
  w.on_registered(0);
  EXPECT_THAT(w.on_worker_end(1, kKilled, kT0).deeds, IsEmpty());
  EXPECT_EQ(w.next_time(), kT0 + 600ms);
  auto asked = w.on_time(kT0 + 600ms);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kTerminateMaster));
  EXPECT_THAT(asked.sentences, ElementsAre("the worker of node n2 ended before the run began: "
                                           "killed by signal 9 (Killed)"));
  EXPECT_EQ(w.status(), 4);
}

TEST(RunWatch, NewsOfARegistrationMayComeAfterTheEnd) {
  RunWatch w = watch();
  w.on_worker_end(1, kKilled, kT0);
  w.on_registered(1);
  EXPECT_EQ(w.next_time(), std::nullopt);
  EXPECT_THAT(w.on_time(kT0 + 1s).deeds, IsEmpty());
}

}  // namespace
}  // namespace heddle
