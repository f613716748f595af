#include "cli/run/run_watch.h"

#include "tests/support/matchers.h"

namespace heddle::cli::run_watch_test {

using namespace std::chrono_literals;
using Time = RunWatch::Time;

constexpr Time kT0 = Time(100s);
constexpr host::ChildEnd kDone{0, false}, kKilled{9, true};

/// Returns a watch whose two workers are starting.
RunWatch watch(std::vector<RunWatch::PlannedKills> kills = {}) {
  RunWatch w({"n1", "n2"}, std::move(kills));
  w.on_started(0);
  w.on_started(1);
  return w;
}

RunWatch running(std::vector<RunWatch::PlannedKills> kills = {}) {
  RunWatch w = watch(std::move(kills));
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
                                           "restarted and resumes from the journal"));
  EXPECT_EQ(w.next_time(), std::nullopt);
  asked = w.on_master_end(kKilled, kT0);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kTerminateWorkers));
  EXPECT_THAT(asked.sentences,
              ElementsAre("the master ended again: killed by signal 9 (Killed); the results cover "
                          "the run up to now; heddle resume may continue it"));
  end_workers(w);
  EXPECT_EQ(w.status(), 4);
}

TEST(RunWatch, MasterThatGoesOnSettlesTheStatus) {
  // If the restarted master cannot continue, the scenario is not at fault: the status is 4.
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
  EXPECT_THAT(asked.sentences,
              ElementsAre("interrupted: ending the run; interrupt again to end it at once"));
  EXPECT_EQ(w.next_time(), kT0 + 1s);
  EXPECT_THAT(w.on_worker_end(0, kDone, kT0).sentences, IsEmpty());
  w.on_worker_end(1, kDone, kT0);
  EXPECT_THAT(w.on_master_end({130, false}, kT0).sentences, IsEmpty());
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 130);
}

TEST(RunWatch, SignalKillsTheWorkersOfManyNodesAtOnce) {
  for (const auto& [nodes, kills] : {std::pair(500, false), {501, true}}) {
    RunWatch w(std::vector<std::string>(static_cast<std::size_t>(nodes), "n"));
    const auto deeds = w.on_signal(kT0).deeds;
    if (kills)
      EXPECT_THAT(deeds, ElementsAre(Deed::kTerminateMaster, Deed::kKillWorkers));
    else
      EXPECT_THAT(deeds, ElementsAre(Deed::kTerminateMaster));
    EXPECT_EQ(w.next_time(), kT0 + 1s);
  }
}

TEST(RunWatch, SignalLeavesOneSecond) {
  RunWatch w = running();
  w.on_signal(kT0);
  w.on_master_end({130, false}, kT0 + 500ms);
  EXPECT_EQ(w.next_time(), kT0 + 1s);  // not three more seconds for the workers
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
  RunWatch w = running({{}, {2s, std::nullopt}});
  auto asked = w.on_worker_end(1, kKilled, kT0);
  EXPECT_THAT(
      asked.sentences,
      ElementsAre(
          "the worker of node n2 was killed by a fault of the scenario; it will be restarted"));
  EXPECT_EQ(w.next_time(), kT0 + 2s);
  EXPECT_THAT(w.on_time(kT0 + 1s).restarts, IsEmpty());
  EXPECT_THAT(w.on_time(kT0 + 2s).restarts, ElementsAre(1U));
  EXPECT_EQ(w.next_time(), std::nullopt);
  // The second kill was planned without a restart, and the third was not planned.
  EXPECT_THAT(w.on_worker_end(1, kKilled, kT0 + 5s).sentences,
              ElementsAre("the worker of node n2 was killed by a fault of the scenario"));
  EXPECT_EQ(w.next_time(), std::nullopt);
  EXPECT_THAT(w.on_worker_end(0, kKilled, kT0 + 6s).sentences,
              ElementsAre("the worker of node n1 ended: killed by signal 9 (Killed)"));
}

TEST(RunWatch, WorkerIsNotStartedAnewOnceTheRunEnds) {
  RunWatch w = running({{}, {2s}});
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

TEST(RunWatch, WorkersThatWereNeverStartedAreNotWaitedFor) {
  RunWatch w({"n1", "n2", "n3"});
  w.on_started(0);
  EXPECT_FALSE(w.ending());
  w.on_signal(kT0);
  EXPECT_TRUE(w.ending());
  w.on_worker_end(0, kDone, kT0);
  w.on_master_end({130, false}, kT0);
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 130);
}

TEST(RunWatch, AMasterThatHangsIsKilledAndStartedAnewOnce) {
  RunWatch w = running();
  auto asked = w.on_hung_master(30s);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kKillMaster));
  EXPECT_THAT(asked.sentences,
              ElementsAre("the master hangs: it has been silent for 30 s and is killed"));
  EXPECT_THAT(w.on_master_end(kKilled, kT0).deeds, ElementsAre(Deed::kRestartMaster));
  EXPECT_THAT(w.on_hung_master(30s).deeds, ElementsAre(Deed::kKillMaster));
  EXPECT_THAT(w.on_master_end(kKilled, kT0).deeds, ElementsAre(Deed::kTerminateWorkers));
  end_workers(w);
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 4);
}

TEST(RunWatch, AMasterThatIsLeavingIsNotTakenForHung) {
  RunWatch w = running();
  w.on_signal(kT0);
  auto asked = w.on_hung_master(30s);
  EXPECT_THAT(asked.deeds, IsEmpty());
  EXPECT_THAT(asked.sentences, IsEmpty());
}

TEST(RunWatch, AllWorkersGoneIsNotWaitedOutForEver) {
  RunWatch w = running();
  EXPECT_FALSE(w.no_workers());
  w.on_worker_end(0, kKilled, kT0);
  EXPECT_FALSE(w.no_workers());
  w.on_worker_end(1, kKilled, kT0);
  EXPECT_TRUE(w.no_workers());
  auto asked = w.on_no_workers(30s, kT0 + 30s);
  EXPECT_THAT(asked.deeds, ElementsAre(Deed::kTerminateMaster));
  EXPECT_THAT(asked.sentences, ElementsAre("every worker has ended, and for 30 s the master has "
                                           "not ended the run"));
  w.on_master_end({130, false}, kT0 + 30s);
  EXPECT_TRUE(w.over());
  EXPECT_EQ(w.status(), 4);
}

TEST(RunWatch, WorkersThatAFaultBringsBackAreNotGone) {
  RunWatch w = running({{}, {60s}});
  w.on_worker_end(0, kKilled, kT0);
  w.on_worker_end(1, kKilled, kT0);
  EXPECT_FALSE(w.no_workers());
  EXPECT_THAT(w.on_time(kT0 + 60s).restarts, ElementsAre(1U));
  EXPECT_FALSE(w.no_workers());
}

TEST(RunWatch, WorkersThatAreStillToBeStartedAreNotGone) {
  RunWatch w({"n1", "n2"});
  w.on_started(0);
  w.on_registered(0);
  w.on_worker_end(0, kKilled, kT0);
  EXPECT_FALSE(w.no_workers());
  EXPECT_FALSE(RunWatch(std::vector<std::string>()).no_workers())
      << "those of other hosts are not this process's";
}

TEST(RunWatch, OfManyWorkersThatEndAFewAreNamed) {
  RunWatch w(std::vector<std::string>(50, "n"));
  int sentences = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    w.on_started(i);
    w.on_registered(i);
    sentences += static_cast<int>(w.on_worker_end(i, kKilled, kT0).sentences.size());
  }
  EXPECT_EQ(sentences, 11) << "ten, and that there are more";
}

}  // namespace heddle::cli::run_watch_test
