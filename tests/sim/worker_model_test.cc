#include "sim/worker_model.h"

#include "tests/support/cluster.h"
#include "tests/support/matchers.h"

namespace heddle::sim::worker_model_test {

/// Tests the heartbeats of a worker of 4 cores that takes 10 s to start a container.
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
    go_to(s);
    worker_.advance(emu_seconds(s));
    (worker_.command(commands), ...);
    worker_.settle();
  }
  WorkerModel::Beat beat(double s) {
    worker_.beat(emu_seconds(s));
    return worker_.take_beat();
  }
  DataModel no_data_{{}};
  WorkerModel worker_{NodeModel(spec(), NodeId{0}, no_data_),
                      StartDelays(emu_seconds(10), {}, NodeId{0})};

  void go_to(double s) {
    while (worker_.next_time() < emu_seconds(s)) {
      worker_.advance(worker_.next_time());
      worker_.settle();
    }
  }
};

TEST_F(WorkerModelTest, HeartbeatsListWhatIsBeingStarted) {
  at(0, launch(1), launch(0));
  go_to(11);
  EXPECT_THAT(beat(11).heartbeat.containers,
              ElementsAre(ContainerUse{{0}, {}, {}, 0},
                          ContainerUse{{1}, core_seconds(1), EmuBytes(0), 0.01}));
}

// From 25 s on, a load of 2 cores and 3 GiB runs beside the one task. The two heartbeats are 10 s
// apart.
TEST_F(WorkerModelTest, MeasuresItsLoadWithTheNodeAlone) {
  at(0, launch(0));
  go_to(20);
  const NodeUse first = beat(20).heartbeat.use;
  EXPECT_EQ(first.containers, (Resources{Millicores(500), EmuBytes(0)}));
  EXPECT_EQ(first.node, first.containers);
  at(25, ExternalLoad{NodeId{0}, {Millicores(2000), EmuBytes(3LL << 30)}});
  go_to(30);
  const WorkerModel::Beat second = beat(30);
  EXPECT_EQ(second.heartbeat.use.containers, (Resources{Millicores(1000), EmuBytes(0)}));
  EXPECT_EQ(second.heartbeat.use.node, (Resources{Millicores(2000), EmuBytes(3LL << 30)}));
  EXPECT_EQ(second.cpu, core_seconds(30));
  EXPECT_EQ(second.memory, EmuBytes(3LL << 30));
  at(30, ExternalLoad{NodeId{0}, {}});
  go_to(40);
  EXPECT_EQ(beat(40).heartbeat.use.node, (Resources{Millicores(1000), EmuBytes(0)}));
}

TEST_F(WorkerModelTest, AHeartbeatSaysWhatWasSoWhenItLeft) {
  at(0, launch(0));
  go_to(20);
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
  go_to(20);
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
  WorkerModel worker(NodeModel(spec(), NodeId{0}, data),
                     StartDelays(emu_seconds(10), {}, NodeId{0}));
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
