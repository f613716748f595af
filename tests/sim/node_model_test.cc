#include "sim/node_model.h"

#include <cstdio>
#include <functional>
#include <map>
#include <random>

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "wire/record.h"

namespace heddle::sim::node_model_test {

constexpr std::int64_t kMiB = 1LL << 20;

EmuBytes mib(double n) { return EmuBytes(static_cast<std::int64_t>(n * kMiB)); }
Resources held(std::int64_t millicores, double memory_mib = 1024) {
  return {Millicores(millicores), mib(memory_mib)};
}

TaskWork burn(double core_s, int threads = 1) {
  TaskWork work;
  work.cpu = core_seconds(core_s);
  work.threads = threads;
  return work;
}
TaskWork sleeping(double sleep_s, double core_s = 0) {
  TaskWork work = burn(core_s);
  work.sleep = emu_seconds(sleep_s);
  return work;
}
TaskWork with_memory(TaskWork work, const std::vector<std::pair<double, double>>& corners) {
  for (auto [progress, use] : corners) work.memory.push_back({progress, mib(use)});
  return work;
}

NodeModel::Spec node(std::int64_t millicores, double memory_mib = 8192) {
  NodeModel::Spec spec;
  spec.cores = Millicores(millicores);
  spec.memory = mib(memory_mib);
  return spec;
}

/// Runs a node with actions at given times until nothing more happens.
class Play {
 public:
  explicit Play(const NodeModel::Spec& spec) : model(spec, NodeId{0}, no_data) {}

  Play& at(double s, std::function<void(NodeModel&)> deed) {
    deeds_.emplace(emu_seconds(s), std::move(deed));
    return *this;
  }
  Play& start(double s, std::int64_t id, const Resources& resources, const TaskWork& work) {
    return at(s, [=](NodeModel& m) { m.start(ContainerId{id}, resources, work); });
  }
  Play& suspend(double s, std::int64_t id) {
    return at(s, [=](NodeModel& m) { m.suspend(ContainerId{id}); });
  }
  Play& resume(double s, std::int64_t id) {
    return at(s, [=](NodeModel& m) { m.resume(ContainerId{id}); });
  }

  /// Returns a line such as "0 completed 10.000000" for each container that ended, in order.
  std::vector<std::string> run() {
    std::vector<std::string> lines;
    for (;;) {
      EmuTime now = model.next_time();
      if (!deeds_.empty()) now = std::min(now, deeds_.begin()->first);
      if (now == kNever) return lines;
      model.advance(now);
      for (; !deeds_.empty() && deeds_.begin()->first == now; deeds_.erase(deeds_.begin()))
        deeds_.begin()->second(model);
      for (const NodeModel::Event& event : model.settle()) {
        const auto& end = std::get<ContainerEnded>(event);
        std::string what(end.oom == OomCause::kNone ? wire::name_of(end.outcome)
                                                    : wire::name_of(end.oom));
        char text[64];
        std::snprintf(text, sizeof text, "%lld %s %.6f",
                      static_cast<long long>(end.container.value), what.c_str(), to_seconds(now));
        lines.emplace_back(text);
        usage[end.container.value] = end.usage;
      }
    }
  }

  DataModel no_data{{}};
  NodeModel model;
  std::map<std::int64_t, AttemptUsage> usage;

 private:
  std::multimap<EmuTime, std::function<void(NodeModel&)>> deeds_;
};

TEST(NodeModel, LoneTaskTakesItsIdealTime) {
  Play play(node(4000));
  play.start(2, 0, held(1000), burn(10));
  EXPECT_THAT(play.run(), ElementsAre("0 completed 12.000000"));
  EXPECT_EQ(play.usage[0].cpu, core_seconds(10));
  EXPECT_EQ(play.usage[0].ideal, emu_seconds(10));
  EXPECT_FALSE(play.usage[0].contended);
}

TEST(NodeModel, SpeedAndThreads) {
  NodeModel::Spec spec = node(4000);
  spec.speed = 0.5;
  Play play(spec);
  play.start(0, 0, held(1000), burn(10));     // one core of half speed
  play.start(0, 1, held(2000), burn(10, 4));  // four threads on the two cores that they may use
  EXPECT_THAT(play.run(), ElementsAre("1 completed 10.000000", "0 completed 20.000000"));
  EXPECT_FALSE(play.usage[0].contended);
  EXPECT_FALSE(play.usage[1].contended);
}

// Two tasks share one core. When the second comes, the first has done 4 of its 10 s. Then both get
// half a core, so the first ends at 4 + 6 / 0.5 = 16. The second has 6 of its 10 s left then, gets
// the core to itself and ends at 20.
TEST(NodeModel, TwoTasksShareACore) {
  Play play(node(1000));
  play.start(0, 0, held(1000), burn(10)).start(4, 1, held(1000), burn(10));
  EXPECT_THAT(play.run(), ElementsAre("0 completed 16.000000", "1 completed 20.000000"));
  EXPECT_TRUE(play.usage[0].contended);
  EXPECT_TRUE(play.usage[1].contended);
}

TEST(NodeModel, ThirdsOfACoreEndOnTheMicrosecond) {
  Play play(node(1000));
  for (int i = 0; i < 3; ++i) play.start(0, i, held(1000), burn(1));
  EXPECT_THAT(play.run(),
              ElementsAre("0 completed 3.000000", "1 completed 3.000000", "2 completed 3.000000"));
}

// The shares of the core are 1 : 3 while both work. By 10 s they have had 2.5 s and 7.5 s of CPU,
// and the heavier is done. The lighter then does its remaining 5 - 2.5 s alone.
TEST(NodeModel, WeightsUnderShares) {
  NodeModel::Spec spec = node(1000);
  spec.cpu_limit = CpuLimit::kShares;
  Play play(spec);
  play.start(0, 0, held(500), burn(5)).start(0, 1, held(1500), burn(7.5));
  EXPECT_THAT(play.run(), ElementsAre("1 completed 10.000000", "0 completed 12.500000"));
}

// The end is rounded up to a whole microsecond: 1 s of CPU at 3/7 of a core takes 2.3333… s.
TEST(NodeModel, EndsAreRoundedUp) {
  Play play(node(1000));
  play.start(0, 0, held(300), burn(1)).start(0, 1, held(400), burn(100));
  EXPECT_THAT(play.run()[0], "0 completed 3.333334");
}

TEST(NodeModel, SleepIsNotHungry) {
  Play play(node(1000));
  play.start(0, 0, held(1000), sleeping(5, 5)).start(0, 1, held(1000), burn(5));
  EXPECT_THAT(play.run(), ElementsAre("1 completed 5.000000", "0 completed 10.000000"));
  EXPECT_FALSE(play.usage[0].contended);
  EXPECT_FALSE(play.usage[1].contended);
}

TEST(NodeModel, NothingToDoEndsAtOnce) {
  Play play(node(1000));
  play.start(3, 0, held(1000), burn(0));
  EXPECT_THAT(play.run(), ElementsAre("0 completed 3.000000"));
}

TEST(NodeModel, WaitingTaskIsIdleUntilItsInputsAreReady) {
  TaskWork work = sleeping(2, 3);
  work.waits = true;
  Play play(node(1000));
  play.start(0, 0, held(1000), work).start(0, 1, held(1000), burn(6));
  play.at(6, [](NodeModel& m) {
    EXPECT_EQ(m.use(emu_seconds(6)).containers[0].progress, 0);
    m.inputs_ready(ContainerId{0});
  });
  EXPECT_THAT(play.run(), ElementsAre("1 completed 6.000000", "0 completed 11.000000"));
  EXPECT_FALSE(play.usage[1].contended);
}

TEST(NodeModel, InputsThatNeverComeEndNothing) {
  TaskWork work = burn(3);
  work.waits = true;
  Play play(node(1000));
  play.start(0, 0, held(1000), work);
  EXPECT_THAT(play.run(), ElementsAre());
  EXPECT_TRUE(play.model.has(ContainerId{0}));
}

TEST(NodeModel, SuspensionStopsCpuAndKeepsMemory) {
  Play play(node(1000));
  play.start(0, 0, held(1000), with_memory(burn(10), {{0, 0}, {1, 1000}}));
  play.suspend(4, 0).resume(7, 0);
  play.at(6, [](NodeModel& m) {
    EXPECT_TRUE(m.suspended(ContainerId{0}));
    EXPECT_THAT(m.use(emu_seconds(6)).containers,
                ElementsAre(ContainerUse{ContainerId{0}, core_seconds(4), mib(400), 0.4}));
  });
  EXPECT_THAT(play.run(), ElementsAre("0 completed 13.000000"));
  EXPECT_TRUE(play.usage[0].contended);
  EXPECT_EQ(play.usage[0].cpu, core_seconds(10));
  // Memory is (0 + 1000) / 2 MiB over 10 s, and 400 MiB for 3 s.
  EXPECT_DOUBLE_EQ(play.usage[0].memory_byte_seconds, (5000.0 + 1200.0) * kMiB);
}

TEST(NodeModel, SuspensionFreesTheCoreForOthers) {
  Play play(node(1000));
  play.start(0, 0, held(1000), burn(10)).suspend(2, 0).resume(6, 0);
  play.start(2, 1, held(1000), burn(4));
  EXPECT_THAT(play.run(), ElementsAre("1 completed 6.000000", "0 completed 14.000000"));
  EXPECT_FALSE(play.usage[1].contended);
}

// When the task is suspended at 4, 4 s of its 10 s of work are done. It works again 2.7 s after 7.
TEST(NodeModel, ResumingCostsCpu) {
  NodeModel::Spec spec = node(1000);
  spec.suspend_cost = emu_seconds(2.7);
  Play play(spec);
  play.start(0, 0, held(1000), burn(10)).suspend(4, 0).resume(7, 0);
  play.at(9, [](NodeModel& m) {
    EXPECT_FALSE(m.suspended(ContainerId{0}));
    EXPECT_FALSE(m.at_rest(ContainerId{0}));
    EXPECT_EQ(m.cpu(emu_seconds(9)), core_seconds(4));
  });
  EXPECT_THAT(play.run(), ElementsAre("0 completed 15.700000"));
  EXPECT_TRUE(play.usage[0].contended);
}

// The first task is suspended again at 8, before it worked again, and resumed at 20. It has 6 s of
// work left from 22.7 on. The other task shares the core until 4 and has it alone from 4 to 22.7,
// when it ends: 2 + 18.7 = 20.7 s of work.
TEST(NodeModel, SuspendedAgainItPaysAgain) {
  NodeModel::Spec spec = node(1000);
  spec.suspend_cost = emu_seconds(2.7);
  Play play(spec);
  play.start(0, 0, held(1000), burn(8)).suspend(4, 0).resume(7, 0).suspend(8, 0).resume(20, 0);
  play.start(0, 1, held(1000), burn(20.7));
  EXPECT_THAT(play.run(), ElementsAre("1 completed 22.700000", "0 completed 28.700000"));
}

TEST(NodeModel, SleepGoesOnWhileSuspended) {
  Play within(node(1000));
  within.start(0, 0, held(1000), sleeping(10)).suspend(2, 0).resume(5, 0);
  EXPECT_THAT(within.run(), ElementsAre("0 completed 10.000000"));
  // A stopped process can neither end nor begin to work.
  Play beyond(node(1000));
  beyond.start(0, 0, held(1000), sleeping(10)).suspend(8, 0).resume(15, 0);
  beyond.start(0, 1, held(1000), sleeping(10, 5)).suspend(8, 1).resume(15, 1);
  EXPECT_THAT(beyond.run(), ElementsAre("0 completed 15.000000", "1 completed 20.000000"));
}

// On resume, memory jumps to the value that the profile reached during the sleep.
TEST(NodeModel, SleepingTaskJumpsOnResume) {
  Play play(node(1000));
  play.start(0, 0, held(1000, 400), with_memory(sleeping(10), {{0, 0}, {1, 1000}}));
  play.suspend(2, 0).resume(6, 0);
  EXPECT_THAT(play.run(), ElementsAre("0 container 6.000000"));
}

TEST(NodeModel, ProgressIsSharedBetweenSleepAndCpuByIdealTime) {
  Play play(node(4000));
  play.start(0, 0, held(2000), sleeping(5, 15));  // one thread: 15 s
  for (double s : {2.0, 5.0, 8.0, 20.0}) {
    play.at(s, [s](NodeModel& m) {
      if (s < 20) {
        EXPECT_DOUBLE_EQ(m.use(emu_seconds(s)).containers[0].progress, s / 20);
      }
    });
  }
  EXPECT_THAT(play.run(), ElementsAre("0 completed 20.000000"));
}

TEST(NodeModel, MemoryFollowsTheProfile) {
  Play play(node(4000));
  play.start(0, 0, held(1000),
             with_memory(burn(10), {{0.1, 100}, {0.5, 500}, {0.5, 200}, {0.9, 200}}));
  std::map<double, double> expected = {{0, 100}, {1, 100}, {3, 300},
                                       {5, 200}, {7, 200}, {9.5, 200}};
  for (auto [s, use] : expected) {
    play.at(s, [s = s, use = use](NodeModel& m) {
      EXPECT_EQ(m.use(emu_seconds(s)).containers.at(0).memory, mib(use)) << s;
      EXPECT_EQ(m.use(emu_seconds(s)).memory, mib(use)) << s;
    });
  }
  EXPECT_THAT(play.run(), ElementsAre("0 completed 10.000000"));
  EXPECT_EQ(play.usage[0].peak_memory, mib(500));
  // Memory is 100 MiB for 1 s, goes from 100 to 500 for 4 s, and is 200 for 5 s.
  EXPECT_DOUBLE_EQ(play.usage[0].memory_byte_seconds, (100.0 + 1200.0 + 1000.0) * kMiB);
}

// The values are those of scenarios/faults/container-overrun.yaml. 256 MiB + 2560 MiB x progress
// passes 1024 + 64 MiB at progress 0.325.
TEST(NodeModel, ContainerOverItsLimitIsKilled) {
  NodeModel::Spec spec = node(4000);
  spec.overhead = mib(64);
  Play play(spec);
  play.start(0, 0, held(1000), with_memory(burn(10), {{0, 256}, {0.5, 1536}, {1, 1536}}));
  EXPECT_THAT(play.run(), ElementsAre("0 container 3.250001"));
  EXPECT_EQ(play.usage[0].peak_memory, mib(1088));
  EXPECT_EQ(play.usage[0].cpu, CoreTime(3250001));
}

TEST(NodeModel, LimitItselfIsAllowed) {
  Play play(node(4000));
  play.start(0, 0, held(1000), with_memory(burn(10), {{0, 256}, {0.5, 1024}, {1, 1024}}));
  EXPECT_THAT(play.run(), ElementsAre("0 completed 10.000000"));
  EXPECT_EQ(play.usage[0].peak_memory, mib(1024));
}

TEST(NodeModel, FirstByteTooManyKillsAtOnce) {
  Play play(node(4000));
  play.start(1, 0, held(1000), with_memory(burn(10), {{0, 1025}}));
  EXPECT_THAT(play.run(), ElementsAre("0 container 1.000000"));
  EXPECT_EQ(play.usage[0].peak_memory, mib(1024));
}

TEST(NodeModel, AloneItHitsItsOwnLimitAndNotTheNodes) {
  Play play(node(4000, 1000));
  play.start(0, 0, held(1000, 2000), with_memory(burn(10), {{0, 0}, {1, 2000}}));
  EXPECT_THAT(play.run(), ElementsAre("0 container 5.000000"));
}

// The values are those of scenarios/faults/memory-saturation.yaml without its overheads. From 7.5 s
// on, each of the four tasks rises by 1500 MiB in 4.5 s. Together they reach 4096 MiB when each has
// 1024, after 824 / 333.3 = 2.472 s. Of four equal tasks, the lowest id is killed. The remaining
// three reach the limit when each has 1365.3 MiB, after 3.496 s. The last two never reach it.
TEST(NodeModel, NodeOverItsMemoryLosesTheLargestThenTheLowestId) {
  Play play(node(4000, 4096));
  for (int i = 0; i < 4; ++i)
    play.start(0, i, held(1000, 2048),
               with_memory(burn(15), {{0, 200}, {0.5, 200}, {0.8, 1700}, {1, 1700}}));
  EXPECT_THAT(play.run(), ElementsAre("0 node 9.972001", "1 node 10.996001",
                                      "2 completed 15.000000", "3 completed 15.000000"));
}

TEST(NodeModel, NewcomerCostsTheLargest) {
  Play play(node(4000, 4096));
  play.start(0, 0, held(1000, 2048), with_memory(burn(10), {{0, 1000}}));
  play.start(0, 1, held(1000, 2048), with_memory(burn(10), {{0, 2000}}));
  play.start(5, 2, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  EXPECT_THAT(play.run(),
              ElementsAre("1 node 5.000000", "0 completed 10.000000", "2 completed 15.000000"));
}

// Three tasks fill the node at 5 s. The largest is the second, the youngest the last.
TEST(NodeModel, WhomItLosesCanBeSteered) {
  for (auto [preference, first] : {std::pair(OomPreference::kKernel, "1 node 5.000000"),
                                   std::pair(OomPreference::kLargest, "1 node 5.000000"),
                                   std::pair(OomPreference::kYoungest, "2 node 5.000000")}) {
    NodeModel::Spec spec = node(4000, 4096);
    spec.preference = preference;
    Play play(spec);
    play.start(0, 0, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
    play.start(1, 1, held(1000, 2048), with_memory(burn(10), {{0, 2000}}));
    play.start(5, 2, held(1000, 2048), with_memory(burn(10), {{0, 1000}}));
    EXPECT_EQ(play.run().front(), first);
  }
}

// The noise is the id times the golden ratio, modulo 1: 0.618 for 1, 0.236 for 2, 0.854 for 3.
TEST(NodeModel, WhichOfAlikeOnesIsTheLargestIsNoMatterOfAge) {
  NodeModel::Spec spec = node(4000, 4096);
  spec.noise = mib(10);
  Play play(spec);
  play.start(0, 1, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  play.start(0, 2, held(1000, 2048), with_memory(burn(10), {{0, 1503}}));
  play.start(5, 3, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  EXPECT_EQ(play.run().front(), "3 node 5.000000");
  Play larger(spec);
  larger.start(0, 1, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  larger.start(0, 2, held(1000, 2048), with_memory(burn(10), {{0, 1511}}));
  larger.start(5, 3, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  EXPECT_EQ(larger.run().front(), "2 node 5.000000");
}

TEST(NodeModel, OfTwoYoungestTheLowestIdGoes) {
  NodeModel::Spec spec = node(4000, 4096);
  spec.preference = OomPreference::kYoungest;
  Play play(spec);
  play.start(0, 3, held(1000, 2048), with_memory(burn(10), {{0, 2000}}));
  play.start(5, 2, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  play.start(5, 1, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  EXPECT_THAT(play.run(),
              ElementsAre("1 node 5.000000", "3 completed 10.000000", "2 completed 15.000000"));
}

// External load ----------------------------------------------------------------------------------

// Two tasks have a core each of the node's 3. From 4 s to 8 s they share with a load of 2 cores.
TEST(NodeModel, LoadTakesItsShareOfTheCpu) {
  Play play(node(3000));
  play.start(0, 0, held(1000), burn(10)).start(0, 1, held(1000), burn(10));
  play.at(4, [](NodeModel& m) { m.set_load(held(2000, 0)); });
  // Three claims of 1, 1 and 2 cores on 3 get 0.75, 0.75 and 1.5 cores. By 8 s, 4 + 3 of 10 s are
  // done.
  play.at(8, [](NodeModel& m) {
    EXPECT_EQ(m.load_cpu(emu_seconds(8)), core_seconds(6));
    m.set_load({});
  });
  EXPECT_THAT(play.run(), ElementsAre("0 completed 11.000000", "1 completed 11.000000"));
  EXPECT_EQ(play.model.load_cpu(emu_seconds(11)), core_seconds(6));
  EXPECT_EQ(play.model.use(emu_seconds(11)).cpu, core_seconds(20));
}

TEST(NodeModel, LoadIsCappedUnderSharesToo) {
  NodeModel::Spec spec = node(4000);
  spec.cpu_limit = CpuLimit::kShares;
  Play play(spec);
  play.at(0, [](NodeModel& m) { m.set_load(held(1500, 0)); });
  play.start(0, 0, held(1000), burn(10, 4));  // 2.5 cores are left for four threads
  EXPECT_THAT(play.run(), ElementsAre("0 completed 4.000000"));
  EXPECT_EQ(play.model.load_cpu(emu_seconds(4)), core_seconds(6));
}

// The load takes 2000 MiB, which leaves 2096 for the two tasks. Each has 1048 after 5.24 s. A task
// alone stays below the limit.
TEST(NodeModel, LoadsMemoryCountsAndIsNeverTheVictim) {
  Play play(node(4000, 4096));
  for (int i = 0; i < 2; ++i)
    play.start(0, i, held(1000, 2048), with_memory(burn(10), {{0, 0}, {1, 2000}}));
  play.at(1, [](NodeModel& m) { m.set_load(held(0, 2000)); });
  EXPECT_THAT(play.run(), ElementsAre("0 node 5.240001", "1 completed 10.000000"));
  EXPECT_EQ(play.model.load().memory, mib(2000));
  EXPECT_EQ(play.model.use(emu_seconds(10)).memory, EmuBytes(0));
}

TEST(NodeModel, LoadThatComesKillsAtOnce) {
  Play play(node(4000, 4096));
  play.start(0, 0, held(1000, 2048), with_memory(burn(10), {{0, 1500}}));
  play.start(0, 1, held(1000, 2048), with_memory(burn(10), {{0, 1600}}));
  play.at(3, [](NodeModel& m) { m.set_load(held(0, 2000)); });
  EXPECT_THAT(play.run(), ElementsAre("1 node 3.000000", "0 completed 10.000000"));
}

TEST(NodeModel, SaturationAllKillsWhoDemands) {
  NodeModel::Spec spec = node(6000, 4096);
  spec.saturation = Saturation::kAll;
  Play play(spec);
  TaskWork rising = with_memory(burn(10), {{0, 0}, {1, 1000}});
  play.start(0, 0, held(1000, 2048), with_memory(burn(10), {{0, 1596}}));  // constant
  play.start(0, 1, held(1000, 2048), rising);
  play.start(0, 2, held(1000, 2048), rising);
  play.start(0, 3, held(1000, 2048), rising).suspend(5, 3);  // stays at 500 MiB
  play.start(5, 4, held(1000, 2048), with_memory(burn(10), {{0, 500}, {1, 400}}));  // shrinks
  // Memory is 1596 + 2 x 500 + 500 + 500 = 3596 MiB at 5 s. Two tasks rise by 100 MiB/s each and
  // one shrinks by 10, so the limit is passed at 5 + 500 / 190 s.
  EXPECT_THAT(play.run(), ElementsAre("1 node 7.631579", "2 node 7.631579", "0 completed 10.000000",
                                      "4 completed 15.000000"));
  EXPECT_TRUE(play.model.has(ContainerId{3}));
}

TEST(NodeModel, SaturationAllKillsTheNewcomer) {
  NodeModel::Spec spec = node(4000, 4096);
  spec.saturation = Saturation::kAll;
  Play play(spec);
  play.start(0, 0, held(1000, 4000), with_memory(burn(10), {{0, 3000}}));
  play.start(5, 1, held(1000, 4000), with_memory(burn(10), {{0, 1500}}));
  EXPECT_THAT(play.run(), ElementsAre("1 node 5.000000", "0 completed 10.000000"));
}

TEST(NodeModel, KillEndsWithWhatWasUsed) {
  Play play(node(4000));
  play.start(0, 0, held(1000), with_memory(burn(10), {{0, 100}}));
  play.at(4, [](NodeModel& m) { m.kill(ContainerId{0}); });
  EXPECT_THAT(play.run(), ElementsAre("0 killed 4.000000"));
  EXPECT_EQ(play.usage[0].cpu, core_seconds(4));
  EXPECT_EQ(play.model.use(emu_seconds(4)).cpu, core_seconds(4));
  EXPECT_EQ(play.model.use(emu_seconds(4)).memory, EmuBytes(0));
}

TEST(NodeModel, IsSetUpAsAWorkerWould) {
  Scenario scenario;
  scenario.emulation.time_scale = scenario.emulation.core_fraction = 0.1;
  scenario.emulation.memory_scale = 1.0 / 64;
  NodeSpec machine;
  machine.capacity = {Millicores(8000), mib(16384)};
  machine.system = {Millicores(500), mib(1024)};
  machine.allowance = {Millicores(4000), mib(8192)};
  machine.speed = 1.5;
  scenario.cluster.nodes = {machine};
  JobSpec job;
  PhaseSpec phase;
  phase.tasks = 10;
  phase.request = {Millicores(1000), mib(1024)};
  job.phases = {phase};
  scenario.jobs = {job};
  scenario.emulation.oom_preference = OomPreference::kYoungest;
  NodeModel::Spec spec = NodeModel::spec_of(scenario, ContainerBounds(scenario), machine);
  EXPECT_EQ(spec.cores, Millicores(7500));
  EXPECT_EQ(spec.speed, 1.5);
  EXPECT_EQ(spec.overhead, mib(64));
  EXPECT_EQ(spec.memory, mib(15360 + 4 * 64));  // four containers at most
  EXPECT_EQ(spec.preference, OomPreference::kYoungest);
  // The load adds a program outside of the containers.
  scenario.external_load = {{{NodeId{0}}, EmuTime(0), std::nullopt, held(1000, 1)}};
  EXPECT_EQ(NodeModel::spec_of(scenario, ContainerBounds(scenario), machine).memory,
            mib(15360 + 5 * 64));
}

// In random runs, the node gives out no more CPU than it has, memory stays within limits, and every
// task that can end does. Looking at the node or settling it in between changes nothing.
TEST(NodeModel, RandomLives) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<std::string> lines[2];
    for (int look = 0; look < 2; ++look) {
      std::mt19937 random(seed);
      auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
      NodeModel::Spec spec = node(1000 + up_to(4) * 500, 2000 + up_to(4000));
      spec.cpu_limit = up_to(2) ? CpuLimit::kStrict : CpuLimit::kShares;
      spec.saturation = up_to(2) ? Saturation::kKernel : Saturation::kAll;
      Play play(spec);
      int tasks = 2 + up_to(6);
      for (int i = 0; i < tasks; ++i) {
        TaskWork work = sleeping(up_to(3) * 1.7, up_to(5) * 3.1);
        work.threads = 1 + up_to(3);
        work = with_memory(work, {{0, up_to(900)}, {0.3, up_to(900)}, {0.8, up_to(1100)}});
        double begin = up_to(10);
        play.start(begin, i, held(500 + 500 * up_to(3), 1000), work);
        if (up_to(3) > 0) continue;
        auto if_there = [i](auto deed) {
          return [=](NodeModel& m) {
            if (m.has(ContainerId{i})) (m.*deed)(ContainerId{i});
          };
        };
        double stop = begin + 0.3 * up_to(20);
        play.at(stop, if_there(&NodeModel::suspend));
        play.at(stop + 0.7 * up_to(20), if_there(&NodeModel::resume));
      }
      for (int s = 0; look == 1 && s < 60; ++s) {
        play.at(s * 0.77, [&, s](NodeModel& m) {
          EmuTime now = emu_seconds(s * 0.77);
          EXPECT_LE(m.use(now).memory, spec.memory + EmuBytes(1) * (1100 * kMiB));
          EXPECT_LE(to_core_seconds(m.use(now).cpu),
                    to_seconds(now) * static_cast<double>(spec.cores.count()) / 1e3 + 1e-5);
        });
      }
      lines[look] = play.run();
      EXPECT_EQ(std::ssize(lines[look]), tasks) << seed;
    }
    EXPECT_EQ(lines[0], lines[1]) << seed;
  }
}

// The program that plays the load ends with its worker. It has had the only core for 4 s.
TEST(NodeModel, ClearingEndsTheLoadToo) {
  DataModel data({node_of("n1", held(1000))});
  NodeModel model(node(1000), NodeId{0}, data);
  model.set_load(held(1000, 3000));
  model.settle();
  model.advance(emu_seconds(4));
  model.clear();
  model.settle();
  EXPECT_EQ(model.load().memory, EmuBytes(0));
  EXPECT_EQ(model.load_cpu(emu_seconds(10)), core_seconds(4));
}

}  // namespace heddle::sim::node_model_test
