#include "sim/worker_model.h"

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"
#include "wire/record.h"

namespace heddle::sim::worker_model_test {

/// Tests a worker of 4 cores that takes 10 s to start a container.
class WorkerModelTest : public ::testing::Test {
 protected:
  static NodeModel::Spec spec() {
    NodeModel::Spec spec;
    spec.cores = Millicores(4000);
    spec.memory = EmuBytes(1LL << 40);
    return spec;
  }
  static Launch launch(std::int64_t id, double cpu_s = 100) {
    Launch launch;
    launch.container = {id};
    launch.resources = {Millicores(1000), EmuBytes(1LL << 30)};
    launch.work.cpu = core_seconds(cpu_s);
    return launch;
  }
  template <class... Commands>
  void at(double s, const Commands&... commands) {
    go_to(emu_seconds(s));
    worker_.advance(emu_seconds(s));
    (worker_.command(commands), ...);
    settle();
  }
  /// Returns a line such as "12 started 3" or "13 refused kill container 4: …" for each event until
  /// then.
  std::vector<std::string> told_by(double s) {
    go_to(emu_seconds(s));
    return std::exchange(told_, {});
  }
  WorkerModel::Beat beat(double s) {
    worker_.beat(emu_seconds(s));
    return worker_.take_beat();
  }
  DataModel no_data_{{}};
  WorkerModel worker_{NodeModel(spec(), NodeId{0}, no_data_), emu_seconds(10)};

 private:
  void go_to(EmuTime now) {
    while (worker_.next_time() < now) {
      worker_.advance(worker_.next_time());
      settle();
    }
  }
  void settle() {
    for (const Event& event : worker_.settle()) {
      std::string line = std::to_string(event.at.count() / 1'000'000) + " ";
      if (const auto* e = std::get_if<ContainerStarted>(&event.what))
        line += "started " + std::to_string(e->container.value);
      if (const auto* e = std::get_if<ContainerSuspended>(&event.what))
        line += "suspended " + std::to_string(e->container.value);
      if (const auto* e = std::get_if<ContainerResumed>(&event.what))
        line += "resumed " + std::to_string(e->container.value);
      if (const auto* e = std::get_if<ContainerEnded>(&event.what))
        line += std::string(wire::name_of(e->outcome)) + " " + std::to_string(e->container.value);
      if (const auto* e = std::get_if<ActionRefused>(&event.what)) line += "refused " + e->reason;
      told_.push_back(line);
    }
  }
  std::vector<std::string> told_;
};

TEST_F(WorkerModelTest, StartsOneAtATimeAndSharesTheWait) {
  at(0, launch(0), launch(1), launch(2));
  at(13, launch(3));  // joins the queue of starts
  EXPECT_THAT(told_by(50),
              ElementsAre("10 started 0", "12 started 1", "14 started 2", "16 started 3"));
  at(60, launch(4));
  EXPECT_THAT(told_by(80), ElementsAre("70 started 4"));
}

TEST_F(WorkerModelTest, EndsAreTold) {
  at(0, launch(0, 5), launch(1, 7));
  EXPECT_THAT(told_by(100),
              ElementsAre("10 started 0", "12 started 1", "15 completed 0", "19 completed 1"));
}

TEST_F(WorkerModelTest, KillWhereverItIs) {
  at(0, launch(0), launch(1), launch(2));
  at(5, Kill{{2}}, Kill{{0}});  // container 2 is waiting to be started, 0 is being started
  at(20, Kill{{1}});            // running
  at(25, Kill{{1}});            // gone
  EXPECT_THAT(told_by(100),
              ElementsAre("5 killed 2", "10 started 0", "10 killed 0", "12 started 1",
                          "20 killed 1", "25 refused kill container 1: not alive on this node"));
  EXPECT_EQ(worker_.next_time(), kNever);
}

TEST_F(WorkerModelTest, SuspendAndResume) {
  at(0, launch(0, 20));
  at(15, Suspend{{0}});
  at(16, Suspend{{0}});
  at(40, Resume{{0}});
  EXPECT_THAT(told_by(100), ElementsAre("10 started 0", "15 suspended 0", "16 suspended 0",
                                        "40 resumed 0", "55 completed 0"));
  at(100, Suspend{{0}}, Resume{{0}}, InputsReady{{0}});
  EXPECT_THAT(
      told_by(101),
      ElementsAre("100 refused suspend container 0: not alive on this node",
                  "100 refused resume container 0: not alive on this node",
                  "100 refused report inputs ready to container 0: not alive on this node"));
}

TEST_F(WorkerModelTest, InputsMayBeReadyBeforeTheStart) {
  Launch early = launch(0, 20), late = launch(1, 20);
  early.work.waits = late.work.waits = true;
  at(0, early, late);
  at(5, InputsReady{{0}});
  at(50, InputsReady{{1}});
  EXPECT_THAT(told_by(100),
              ElementsAre("10 started 0", "12 started 1", "30 completed 0", "70 completed 1"));
}

TEST_F(WorkerModelTest, HeartbeatsListWhatIsBeingStarted) {
  at(0, launch(1), launch(0));
  told_by(11);
  EXPECT_THAT(beat(11).heartbeat.containers,
              ElementsAre(ContainerUse{{0}, {}, {}, 0},
                          ContainerUse{{1}, core_seconds(1), EmuBytes(0), 0.01}));
}

// From 25 s on, a load of 2 cores and 3 GiB runs beside the one task. The two heartbeats are 10 s
// apart.
TEST_F(WorkerModelTest, MeasuresItsLoadWithTheNodeAlone) {
  at(0, launch(0));
  told_by(20);
  const NodeUse first = beat(20).heartbeat.use;
  EXPECT_EQ(first.containers, (Resources{Millicores(500), EmuBytes(0)}));
  EXPECT_EQ(first.node, first.containers);
  at(25, ExternalLoad{NodeId{0}, {Millicores(2000), EmuBytes(3LL << 30)}});
  told_by(30);
  const WorkerModel::Beat second = beat(30);
  EXPECT_EQ(second.heartbeat.use.containers, (Resources{Millicores(1000), EmuBytes(0)}));
  EXPECT_EQ(second.heartbeat.use.node, (Resources{Millicores(2000), EmuBytes(3LL << 30)}));
  EXPECT_EQ(second.cpu, core_seconds(30));
  EXPECT_EQ(second.memory, EmuBytes(3LL << 30));
  at(30, ExternalLoad{NodeId{0}, {}});
  told_by(40);
  EXPECT_EQ(beat(40).heartbeat.use.node, (Resources{Millicores(1000), EmuBytes(0)}));
}

TEST_F(WorkerModelTest, AHeartbeatSaysWhatWasSoWhenItLeft) {
  at(0, launch(0));
  told_by(20);
  worker_.beat(emu_seconds(20));
  at(25, Kill{{0}}, ExternalLoad{NodeId{0}, {Millicores(2000), EmuBytes(3LL << 30)}});
  const WorkerModel::Beat beat = worker_.take_beat();
  EXPECT_THAT(beat.heartbeat.containers,
              ElementsAre(ContainerUse{{0}, core_seconds(10), EmuBytes(0), 0.1}));
  EXPECT_EQ(beat.heartbeat.use.node, (Resources{Millicores(500), EmuBytes(0)}));
  EXPECT_EQ(beat.memory, EmuBytes(0));
}

// An average covers the time since the last heartbeat that was sent, even if that one was dropped.
TEST_F(WorkerModelTest, AHeartbeatThatIsDroppedWasOneAllTheSame) {
  at(0, launch(0));
  told_by(20);
  worker_.beat(emu_seconds(20));
  worker_.drop_beat();
  EXPECT_EQ(beat(30).heartbeat.use.containers.cores, Millicores(1000));
  worker_.beat(emu_seconds(40));
  worker_.drop_beat();
  at(45, Kill{{0}});
  EXPECT_EQ(beat(50).heartbeat.use.containers.cores, Millicores(500));
}

// The kill of a container that was being started ends with the worker. The next container runs.
TEST_F(WorkerModelTest, ClearingForgetsKills) {
  DataModel data({node_of("n1", {spec().cores, spec().memory})});
  WorkerModel worker(NodeModel(spec(), NodeId{0}, data), emu_seconds(10));
  worker.command(launch(0));
  worker.command(Kill{ContainerId{0}});
  worker.clear();
  worker.command(launch(1));
  worker.advance(emu_seconds(10));
  const std::vector<Event> events = worker.settle();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<ContainerStarted>(events[0].what).container, ContainerId{1});
}

}  // namespace heddle::sim::worker_model_test
