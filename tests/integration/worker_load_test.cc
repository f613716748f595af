// Tests external load on a node, and which container the OOM killer picks when memory runs out.

#include <csignal>

#include "common/file.h"
#include "tests/integration/worker_bench.h"
#include "tests/support/clock.h"
#include "tests/support/matchers.h"
#include "worker/node_meter.h"

namespace heddle::worker_load_test {

int oom_score(pid_t pid) {
  Result<std::string> text = read_file("/proc/" + std::to_string(pid) + "/oom_score_adj");
  return text ? std::stoi(*text) : -1;
}
double mib(EmuBytes bytes) { return static_cast<double>(bytes.count()) / (1 << 20); }

class LoadTest : public WorkerTest {
 protected:
  void load(std::int64_t millicores, std::int64_t memory_mib) {
    command(ExternalLoad{NodeId{0}, {Millicores(millicores), emu_mib(memory_mib)}});
  }
  /// Returns the launch of a task that sleeps and holds so much memory.
  wire::LaunchCommand holder(std::int64_t container, std::int64_t memory_mib) {
    wire::LaunchCommand launch = sleeper(container);
    launch.work.memory = {{0, emu_mib(memory_mib)}};
    return launch;
  }
  /// Waits until the node uses more than this.
  void await_memory(std::int64_t memory_mib) {
    serve_until([&] { return use().node.memory > emu_mib(memory_mib); }, "memory");
  }
  /// Applies a load and waits for its process.
  pid_t start_load() {
    load(500, 300);
    serve_until([&] { return task_pids().size() == 1; }, "the load");
    return task_pids().at(0);
  }
  const NodeUse& use() const { return heartbeats_.back().use; }
  /// Returns the containers that were killed for lack of node memory, in the order of their
  /// reports.
  std::vector<std::int64_t> killed_for_the_node() const {
    std::vector<std::int64_t> ids;
    for (const wire::Report& report : reports_)
      if (const auto* ended = std::get_if<ContainerEnded>(&report.what);
          ended && ended->oom == OomCause::kNode)
        ids.push_back(ended->container.value);
    return ids;
  }
};

TEST_F(LoadTest, TakesTheNodeAndNotTheContainers) {
  welcome_.max_containers = 5;
  join();
  start(holder(1, 500));
  load(1000, 700);
  await_memory(1100);
  beats(3);
  EXPECT_NEAR(mib(use().containers.memory), 500, 64);
  EXPECT_NEAR(mib(use().node.memory), 1200, 96);
  EXPECT_LT(use().containers.cores, Millicores(300));
  EXPECT_GT(use().node.cores, use().containers.cores + Millicores(300));
  EXPECT_NEAR(mib(heartbeats_.back().node_memory), 1200, 96);
  // The load is in no container list and in no report.
  EXPECT_THAT(heartbeats_.back().containers, SizeIs(1));
  EXPECT_THAT(reports_, SizeIs(1));
  EXPECT_THAT(task_pids(), SizeIs(2));
}

TEST_F(LoadTest, ChangesAndEnds) {
  join();
  load(0, 300);
  await_memory(250);
  const std::vector<pid_t> first = task_pids();
  ASSERT_THAT(first, SizeIs(1));
  load(500, 600);
  await_memory(550);
  const std::vector<pid_t> second = task_pids();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_NE(second, first);
  EXPECT_TRUE(is_gone(first[0]));
  load(0, 0);
  serve_until([&] { return task_pids().empty(); }, "the load's end");
  beats(3);
  EXPECT_LT(use().node.memory, emu_mib(100));
  EXPECT_EQ(use().containers.cores, Millicores(0));
  // Changes come in quick succession; the last one counts.
  for (int i = 1; i <= 5; ++i) load(100 * i, 100 * i);
  await_memory(450);
  EXPECT_THAT(task_pids(), SizeIs(1));
  EXPECT_THAT(reports_, IsEmpty());
}

TEST_F(LoadTest, ThatEndedByItselfComesBackAtTheNextChange) {
  join();
  load(0, 300);
  await_memory(250);
  send_signal(task_pids().at(0), SIGKILL);
  serve_until([&] { return task_pids().empty(); }, "its end");
  beats(3);
  EXPECT_THAT(task_pids(), IsEmpty());
  EXPECT_THAT(reports_, IsEmpty());
  load(0, 400);
  await_memory(350);
}

TEST_F(LoadTest, EndsWithTheRun) {
  join();
  const pid_t pid = start_load();
  leave();
  EXPECT_TRUE(is_gone(pid));
  EXPECT_THAT(goodbyes_, SizeIs(1));
}

TEST_F(LoadTest, DiesWithItsWorker) {
  join();
  const pid_t pid = start_load();
  kill_worker();
  expect_gone({pid});
  join();  // removes what the dead worker left
  EXPECT_THAT(task_pids(), IsEmpty());
}

TEST_F(LoadTest, GoesWhenTheWorkerIsToRejoin) {
  join();
  const pid_t pid = start_load();
  const std::size_t before = hellos_.size();
  send(wire::Rejoin{"given up"});
  serve_until([&] { return hellos_.size() > before; }, "a hello");
  EXPECT_TRUE(is_gone(pid));
}

// The load is by far the largest, but a container is killed.
TEST_F(LoadTest, IsNotWhatTheKernelKills) {
  welcome_.spec.capacity.memory = emu_mib(2048);
  welcome_.max_containers = 3;
  join();
  load(0, 1500);
  await_memory(1400);
  const pid_t pid = task_pids().at(0);
  for (int i = 1; i <= 2; ++i) command(holder(i, 500));
  serve_until([&] { return !killed_for_the_node().empty(); }, "a kill");
  EXPECT_FALSE(is_gone(pid));
  EXPECT_THAT(killed_for_the_node(), SizeIs(1));
}

class PreferenceTest : public LoadTest {
 protected:
  /// Starts three containers that hold 400, 800 and 600 MiB, in this order.
  void fill() {
    welcome_.spec.capacity.memory = emu_mib(2048);
    welcome_.max_containers = 4;
    join();
    start(holder(1, 400));
    start(holder(2, 800));
    start(holder(3, 600));
    await_memory(1700);
    beats(2);
  }
  void overfill() {
    command(holder(4, 700));
    serve_until([&] { return !killed_for_the_node().empty(); }, "a kill");
    EXPECT_THAT(killed_for_the_node(), SizeIs(1));
  }
};

TEST_F(PreferenceTest, Youngest) {
  welcome_.oom_preference = OomPreference::kYoungest;
  fill();
  overfill();
  EXPECT_THAT(killed_for_the_node(), ElementsAre(4));
}

TEST_F(PreferenceTest, LargestByTheLastMeasurement) {
  welcome_.oom_preference = OomPreference::kLargest;
  fill();
  overfill();
  EXPECT_THAT(killed_for_the_node(), ElementsAre(2));
}

TEST_F(PreferenceTest, KernelIsLeftAlone) {
  fill();
  for (pid_t pid : task_pids()) EXPECT_EQ(oom_score(pid), 0);
  overfill();
  EXPECT_THAT(killed_for_the_node(), ElementsAre(2));
}

TEST_F(LoadTest, HostTellsOfTheWholeMachine) {
  welcome_.node_use = NodeUseFrom::kHost;
  join();
  beats(3);
  // In emulated units, at 1/64: more than the empty node has.
  EXPECT_GT(use().node.memory, emu_mib(2048));
  EXPECT_LT(use().containers.memory, emu_mib(100));
  command(task(1, core_seconds(20)));
  // The host counts its CPU time in ticks of 10 ms, so there may be none between two heartbeats.
  serve_until([&] { return use().node.cores > Millicores(0); }, "the host's CPU");
}

// By 2 s and by 4 s, the load has used 2 and 5 s of CPU, and the node 3 and 7 s.
TEST(NodeMeter, MeasuresSinceTheLastHeartbeat) {
  using namespace std::chrono_literals;
  const wire::Welcome welcome;
  worker::NodeMeter meter(welcome, at(0s));
  wire::Heartbeat beat;
  meter.measure({3s, {}, {}}, {2s, {}}, at(2s), beat);
  EXPECT_EQ(beat.use.containers.cores, Millicores(500));
  EXPECT_EQ(beat.use.node.cores, Millicores(1500));
  meter.measure({7s, {}, {}}, {5s, {}}, at(4s), beat);
  EXPECT_EQ(beat.use.containers.cores, Millicores(500));
  EXPECT_EQ(beat.use.node.cores, Millicores(2000));
}

}  // namespace heddle::worker_load_test
