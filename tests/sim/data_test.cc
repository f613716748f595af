// Data that moves in virtual time, and the tasks that read and write it. The expected values are
// computed by hand. Disks move 100 bytes per second, networks 50 in each direction.
#include <cstdio>
#include <functional>
#include <map>

#include "sim/worker_model.h"
#include "tests/support/matchers.h"
#include "wire/record.h"

namespace heddle::sim::data_test {

constexpr std::int64_t kMiB = 1LL << 20;

std::vector<NodeSpec> nodes(int count) {
  NodeSpec node;
  node.disk_bytes_per_s = 100;
  node.network_bits_per_s = 400;
  return std::vector<NodeSpec>(count, node);
}

// The data model alone --------------------------------------------------------------------------

/// Tests transfers of containers.
class DataModelTest : public ::testing::Test {
 protected:
  /// Returns a line such as "2 at 3.500000" for each container whose transfer ends.
  std::vector<std::string> run() {
    std::vector<std::string> ends;
    while (data_.next_time() != kNever) {
      const EmuTime now = data_.next_time();
      data_.advance(now);
      data_.settle();
      for (const DataModel::Moved& moved : data_.take_moved()) {
        char text[64];
        std::snprintf(text, sizeof text, "%lld at %.6f",
                      static_cast<long long>(moved.container.value), to_seconds(now));
        ends.emplace_back(text);
      }
    }
    return ends;
  }
  DataModel::Ticket read(std::int64_t node, std::int64_t container, std::int64_t source,
                         std::int64_t size) {
    return data_.read(NodeId{node}, ContainerId{container}, NodeId{source}, EmuBytes(size));
  }
  DataModel::Ticket write(std::int64_t node, std::int64_t container, std::int64_t size) {
    return data_.write(NodeId{node}, ContainerId{container}, EmuBytes(size));
  }
  DataModel::Ticket copy(std::int64_t node, std::int64_t container, std::int64_t target,
                         std::int64_t size) {
    return data_.copy(NodeId{node}, ContainerId{container}, NodeId{target}, EmuBytes(size));
  }
  DataModel data_{nodes(6)};
};

TEST_F(DataModelTest, AloneItTakesBytesByRate) {
  read(0, 0, 0, 1000);  // limited by the disk
  read(1, 1, 2, 1000);  // limited by the network
  write(3, 2, 1000);    // limited by the disk
  copy(4, 3, 5, 1000);  // limited by the network
  data_.settle();
  EXPECT_THAT(run(),
              ElementsAre("0 at 10.000000", "2 at 10.000000", "1 at 20.000000", "3 at 20.000000"));
}

TEST_F(DataModelTest, TwoThroughOneCardTakeTwiceAsLong) {
  read(0, 0, 1, 1000);
  read(0, 1, 2, 1000);
  data_.settle();
  EXPECT_THAT(run(), ElementsAre("0 at 40.000000", "1 at 40.000000"));
}

TEST_F(DataModelTest, CardsAreOfTwoWays) {
  read(0, 0, 1, 1000);
  read(1, 1, 0, 1000);
  data_.settle();
  EXPECT_THAT(run(), ElementsAre("0 at 20.000000", "1 at 20.000000"));
}

// Node 0's disk moves 100 bytes per second. Nodes 1 and 2 get 25 each through its card, so the
// local read has 50 until it ends at 8.
TEST_F(DataModelTest, LocalReadersGetWhatTheNetworkCantTake) {
  read(1, 1, 0, 500);
  read(2, 2, 0, 500);
  read(0, 0, 0, 400);
  data_.settle();
  EXPECT_THAT(run(), ElementsAre("0 at 8.000000", "1 at 20.000000", "2 at 20.000000"));
}

// The first read moves 250 bytes at 50, then 250 at 25 while the other moves its 250. Both end at
// 15.
TEST_F(DataModelTest, OneThatComesSlowsTheOtherDown) {
  read(0, 0, 1, 500);
  data_.settle();
  data_.advance(emu_seconds(5));
  read(0, 1, 2, 250);
  data_.settle();
  EXPECT_THAT(run(), ElementsAre("0 at 15.000000", "1 at 15.000000"));
}

TEST_F(DataModelTest, OneThatIsCancelledLeavesItsShare) {
  read(0, 0, 1, 500);
  const DataModel::Ticket other = read(0, 1, 2, 500);
  data_.settle();
  data_.advance(emu_seconds(10));  // 250 bytes of each
  data_.cancel(other);
  data_.cancel(other);
  data_.settle();
  EXPECT_EQ(data_.count(), 1);
  EXPECT_THAT(run(), ElementsAre("0 at 15.000000"));
}

TEST_F(DataModelTest, NothingTakesNoTimeAndNoShare) {
  data_.advance(emu_seconds(3));
  read(0, 0, 1, 100);
  read(0, 1, 1, 0);
  const DataModel::Ticket gone = write(0, 2, 0);
  data_.cancel(gone);
  data_.settle();
  EXPECT_EQ(data_.next_time(), emu_seconds(3));
  EXPECT_THAT(run(), ElementsAre("1 at 3.000000", "0 at 5.000000"));
}

TEST_F(DataModelTest, EndsAreRoundedUp) {
  for (std::int64_t i = 0; i < 3; ++i) read(0, i, i + 1, 100);  // 50 / 3 bytes per second
  read(4, 3, 4, 1);
  data_.settle();
  EXPECT_THAT(run(),
              ElementsAre("3 at 0.010000", "0 at 6.000000", "1 at 6.000000", "2 at 6.000000"));
  read(0, 0, 1, 1);
  read(0, 1, 2, 1);
  read(0, 2, 3, 1);
  data_.settle();
  data_.advance(emu_seconds(6) + EmuTime(1));
  write(5, 4, 7);  // takes 0.07 s
  read(0, 5, 1, 1);
  data_.settle();
  // 1 byte moves at 16.666667 for 1 us and the rest at 12.5, which takes 0.079999667 s in all. The
  // last read takes 0.08 s.
  EXPECT_THAT(run(), ElementsAre("4 at 6.070001", "0 at 6.080000", "1 at 6.080000", "2 at 6.080000",
                                 "5 at 6.080001"));
}

// Workers ---------------------------------------------------------------------------------------

DataRead block(std::int64_t size, std::int64_t from) {
  return {1, EmuBytes(0), EmuBytes(size), {NodeId{from}}, -1};
}
DataRead output(int source, std::int64_t size, std::int64_t from) {
  return {1ULL << 63 | static_cast<std::uint64_t>(source),
          EmuBytes(0),
          EmuBytes(size),
          {NodeId{from}},
          source};
}
DataWrite kept(std::int64_t size) { return {1ULL << 63, EmuBytes(size), true, {}}; }
DataWrite file(std::int64_t size, std::vector<NodeId> copies) {
  return {1ULL << 63, EmuBytes(size), false, std::move(copies)};
}

/// Some workers of 4 cores each, which start containers in no time. The test sends the commands.
class Site {
 public:
  explicit Site(int count, EmuTime launch_delay = EmuTime(0)) : data_(nodes(count)) {
    NodeModel::Spec spec;
    spec.cores = Millicores(4000);
    spec.memory = EmuBytes(8LL << 30);
    for (std::int64_t i = 0; i < count; ++i)
      workers_.emplace_back(NodeModel(spec, NodeId{i}, data_), launch_delay);
  }

  Site& launch(double s, std::int64_t node, std::int64_t id, const TaskWork& work) {
    Launch launch;
    launch.container = {id};
    launch.resources = {Millicores(1000), EmuBytes(1LL << 30)};
    launch.work = work;
    return command(s, node, launch);
  }
  Site& at(double s, std::function<void()> deed) {
    deeds_.emplace(emu_seconds(s), std::move(deed));
    return *this;
  }
  template <class Command>
  Site& command(double s, std::int64_t node, const Command& command) {
    return at(s, [=, this] { workers_[node].command(command); });
  }
  std::vector<ContainerUse> uses(std::int64_t node, double s) {
    workers_[node].beat(emu_seconds(s));
    return workers_[node].take_beat().heartbeat.containers;
  }
  /// Adds the container's memory (MiB) and progress at that time to the result: "100.0 MiB,
  /// progress 0.500".
  Site& look(double s, std::int64_t node, std::int64_t id) {
    return at(s, [=, this] {
      for (const ContainerUse& use : uses(node, s))
        if (use.container.value == id)
          say("%.1f MiB, progress %.3f", static_cast<double>(use.memory.count()) / kMiB,
              use.progress);
    });
  }
  /// Adds the bytes that the container has moved by that time to the result.
  Site& look_at_data(double s, std::int64_t node, std::int64_t id) {
    return at(s, [=, this] {
      for (const ContainerUse& use : uses(node, s))
        if (use.container.value == id)
          say("disk %d, network %d", static_cast<int>(use.disk.count()),
              static_cast<int>(use.network.count()));
    });
  }

  /// Runs until nothing happens by itself. Returns lines such as "3.5 completed 1".
  std::vector<std::string> run() {
    for (;;) {
      now_ = data_.next_time();
      if (!deeds_.empty()) now_ = std::min(now_, deeds_.begin()->first);
      for (const WorkerModel& worker : workers_) now_ = std::min(now_, worker.next_time());
      if (now_ == kNever) return std::exchange(said_, {});
      data_.advance(now_);
      for (WorkerModel& worker : workers_) worker.advance(now_);
      for (const DataModel::Moved& moved : data_.take_moved())
        workers_[moved.node.value].moved(moved.container, moved.ticket);
      for (; !deeds_.empty() && deeds_.begin()->first == now_; deeds_.erase(deeds_.begin()))
        deeds_.begin()->second();
      for (WorkerModel& worker : workers_)
        for (const Event& event : worker.settle())
          std::visit([this](const auto& what) { tell(what); }, event.what);
      data_.settle();
    }
  }
  bool at_rest(std::int64_t node, std::int64_t id) const {
    return workers_[node].at_rest(ContainerId{id});
  }
  const DataModel& data() const { return data_; }

  std::map<std::int64_t, AttemptUsage> usage;

 private:
  void tell(const ContainerStarted&) {}
  void tell(const ContainerEnded& e) {
    say("%s %d", std::string(wire::name_of(e.outcome)).c_str(), number(e.container));
    usage[e.container.value] = e.usage;
  }
  void tell(const InputsRead& e) { say("read %d", number(e.container)); }
  void tell(const PartDone& e) { say("part %d of %d", e.part, number(e.container)); }
  void tell(const ActionRefused& e) { say("%s", e.reason.c_str()); }
  void tell(const auto&) {}

  static int number(ContainerId id) { return static_cast<int>(id.value); }
  void say(const char* format, auto... values) {
    char what[200], line[256];
    std::snprintf(what, sizeof what, format, values...);
    std::snprintf(line, sizeof line, "%.6g %s", to_seconds(now_), what);
    said_.emplace_back(line);
  }

  DataModel data_;
  std::vector<WorkerModel> workers_;
  std::multimap<EmuTime, std::function<void()>> deeds_;
  std::vector<std::string> said_;
  EmuTime now_;
};

TaskWork burn(double core_s) {
  TaskWork work;
  work.cpu = core_seconds(core_s);
  return work;
}
TaskWork reading(double core_s, std::vector<DataRead> reads) {
  TaskWork work = burn(core_s);
  work.reads = std::move(reads);
  return work;
}

TEST(Data, MapReadsBurnsAndWrites) {
  TaskWork local = reading(5, {block(1000, 0)}), remote = reading(5, {block(1000, 0)});
  local.writes = remote.writes = {kept(300)};
  Site site(2);
  site.launch(0, 0, 0, local);
  // The card takes half of the disk's 100 bytes per second, so the two reads take 20 s each.
  site.launch(0, 1, 1, remote);
  site.launch(50, 0, 2, local);  // alone: 10 s
  EXPECT_THAT(site.run(), ElementsAre("20 read 0", "20 read 1", "28 completed 0", "28 completed 1",
                                      "60 read 2", "68 completed 2"));
  EXPECT_EQ(site.usage[0].read_local, EmuBytes(1000));
  EXPECT_EQ(site.usage[0].read_remote, EmuBytes(0));
  EXPECT_EQ(site.usage[0].written, EmuBytes(300));
  EXPECT_EQ(site.usage[1].read_local, EmuBytes(0));
  EXPECT_EQ(site.usage[1].read_remote, EmuBytes(1000));
  EXPECT_EQ(site.usage[1].cpu, core_seconds(5));
}

// Disk bytes are those that the container itself read from and wrote to its node's disk. Network
// bytes are those from other nodes. Copies do not count.
TEST(Data, CountsAsItGoesWhatItMoves) {
  TaskWork work = reading(1, {block(100, 0), block(50, 1)});  // reads end at 1, CPU at 2
  work.writes = {file(100, {NodeId{1}})};                     // until 3, the copy until 5
  Site site(2);
  site.launch(0, 0, 0, work);
  site.look_at_data(0.5, 0, 0).look_at_data(1.5, 0, 0).look_at_data(4, 0, 0);
  EXPECT_THAT(site.run(),
              ElementsAre("0.5 disk 0, network 0", "1 read 0", "1.5 disk 100, network 50",
                          "4 disk 200, network 50", "5 completed 0"));
}

TEST(Data, SleepComesAfterReading) {
  TaskWork work = reading(1, {block(100, 0)});
  work.sleep = emu_seconds(3);
  Site site(1);
  site.launch(0, 0, 0, work);
  EXPECT_THAT(site.run(), ElementsAre("1 read 0", "5 completed 0"));
}

// Five reads run at once. The sixth begins when they end at 5.
TEST(Data, SomeReadsAtOnce) {
  Site site(1);
  site.launch(0, 0, 0, reading(0, std::vector<DataRead>(6, block(100, 0))));
  EXPECT_THAT(site.run(), ElementsAre("6 read 0", "6 completed 0"));
}

TEST(Data, ReadingNothingIsReadingToo) {
  Site site(2);
  site.launch(2, 0, 0, reading(1, {block(0, 1), block(0, 0)}));
  EXPECT_THAT(site.run(), ElementsAre("2 read 0", "3 completed 0"));
}

TEST(Data, ReduceWaitsForItsSources) {
  TaskWork work = reading(4, {output(0, 100, 1)});
  work.sources = 2;
  work.memory = {{0, EmuBytes(100 * kMiB)}, {1, EmuBytes(200 * kMiB)}};
  Site site(3);
  site.launch(0, 0, 0, work);  // the first source has been read by 2
  site.look(8, 0, 0);
  site.command(10, 0, Fetch{{0}, {output(1, 50, 2)}});
  site.command(10, 0, Fetch{{0}, {output(0, 50, 2)}});  // already read
  EXPECT_THAT(site.run(),
              ElementsAre("8 100.0 MiB, progress 0.000", "11 read 0", "15 completed 0"));
  EXPECT_EQ(site.usage[0].read_remote, EmuBytes(150));
  EXPECT_EQ(site.usage[0].cpu, core_seconds(4));
  EXPECT_FALSE(site.usage[0].contended);
}

TEST(Data, ReduceWhoseSourcesNeverComeRests) {
  TaskWork work = reading(4, {output(0, 100, 1)});
  work.sources = 2;
  Site site(2);
  site.launch(0, 0, 0, work);
  site.command(1, 0, Suspend{{0}});
  EXPECT_THAT(site.run(), ElementsAre());
  EXPECT_EQ(site.data().count(), 0);
  EXPECT_TRUE(site.at_rest(0, 0));
}

TEST(Data, StoppedItRestsOnceAllHasCome) {
  Site site(2);
  site.launch(0, 0, 0, reading(4, {block(100, 1)}));
  site.command(1, 0, Suspend{{0}});
  bool rests = true;
  site.at(1.5, [&] { rests = site.at_rest(0, 0); });
  EXPECT_THAT(site.run(), ElementsAre("2 read 0"));
  EXPECT_FALSE(rests);
  EXPECT_TRUE(site.at_rest(0, 0));
}

TEST(Data, WritesWithCopies) {
  TaskWork work = burn(1);
  work.writes = {file(100, {NodeId{1}, NodeId{2}}), kept(50)};
  work.memory = {{0, EmuBytes(0)}, {1, EmuBytes(100 * kMiB)}};
  Site site(3);
  site.launch(0, 0, 0, work);
  // Both writes get 50 bytes per second of the disk. The smaller ends at 2, the file at 2.5. Then
  // each copy gets half of the card, 25 bytes per second.
  site.look(4.5, 0, 0);
  EXPECT_THAT(site.run(), ElementsAre("4.5 100.0 MiB, progress 1.000", "6.5 completed 0"));
  EXPECT_EQ(site.usage[0].written, EmuBytes(150));
  EXPECT_EQ(site.usage[0].peak_memory, EmuBytes(100 * kMiB));
  // The mean is 50 MiB for 1 s, then 100 MiB for 5.5 s.
  EXPECT_DOUBLE_EQ(site.usage[0].memory_byte_seconds, 600.0 * kMiB);
}

TEST(Data, PausesAtEvenDistances) {
  TaskWork work = burn(6);
  work.pauses = 2;
  work.pause = emu_seconds(3);
  work.memory = {{0, EmuBytes(0)}, {1, EmuBytes(120 * kMiB)}};
  Site site(1);
  site.launch(0, 0, 0, work);  // CPU for 2 s, pause for 3, then 2, 3, 2
  site.look(2, 0, 0).look(5, 0, 0).look(6, 0, 0).look(8.5, 0, 0).look(11, 0, 0);
  EXPECT_THAT(site.run(), ElementsAre("2 20.0 MiB, progress 0.167", "5 50.0 MiB, progress 0.417",
                                      "6 60.0 MiB, progress 0.500", "8.5 85.0 MiB, progress 0.708",
                                      "11 110.0 MiB, progress 0.917", "12 completed 0"));
  EXPECT_EQ(site.usage[0].ideal, emu_seconds(12));
  EXPECT_EQ(site.usage[0].cpu, core_seconds(6));
  EXPECT_FALSE(site.usage[0].contended);
}

TEST(Data, PausesGoOnWhileSuspended) {
  TaskWork work = burn(2);
  work.pauses = 1;
  work.pause = emu_seconds(3);
  work.sleep = emu_seconds(1);
  Site site(1);
  site.launch(0, 0, 0, work);  // sleep until 1, CPU until 2, pause until 5, CPU
  site.command(3, 0, Suspend{{0}});
  site.command(10, 0, Resume{{0}});
  site.launch(0, 0, 1, work);
  site.command(3, 0, Suspend{{1}});
  site.command(4, 0, Resume{{1}});
  EXPECT_THAT(site.run(), ElementsAre("6 completed 1", "11 completed 0"));
}

TEST(Data, PausesWithoutCpu) {
  TaskWork work;
  work.pauses = 2;
  work.pause = emu_seconds(2);
  Site site(1);
  site.launch(0, 0, 0, work).look(3, 0, 0);
  EXPECT_THAT(site.run(), ElementsAre("3 0.0 MiB, progress 0.750", "4 completed 0"));
}

TaskWork executor() {
  TaskWork work;
  work.executor = true;
  work.memory = {{0, EmuBytes(100 * kMiB)}, {0.5, EmuBytes(200 * kMiB)}, {1, EmuBytes(0)}};
  return work;
}
RunPart part(int number, double core_s, double progress) {
  RunPart run{{0}, {}};
  run.part.number = number;
  run.part.cpu = core_seconds(core_s);
  run.part.progress = progress;
  return run;
}

TEST(Data, ExecutorDoesItsPartsAndFollowsItsProfile) {
  RunPart first = part(1, 4, 0.5), second = part(2, 4, 0.75);
  first.part.reads = {block(100, 0)};
  second.part.reads = {output(3, 50, 1), output(4, 0, 0)};
  second.part.writes = {kept(200)};
  second.part.threads = 2;  // no faster, as the executor has one core
  Site site(2);
  site.launch(0, 0, 0, executor());
  site.command(1, 0, first);  // reads until 2, works until 6
  site.look(1.5, 0, 0).look(4, 0, 0).look(7, 0, 0);
  site.command(10, 0, second);  // reads until 11, works until 15, writes until 17
  site.look(13, 0, 0).look(16, 0, 0);
  site.command(20, 0, Finish{{0}});
  EXPECT_THAT(
      site.run(),
      ElementsAre("1.5 100.0 MiB, progress 0.000", "2 read 0", "4 150.0 MiB, progress 0.250",
                  "6 part 1 of 0", "7 200.0 MiB, progress 0.500", "11 read 0",
                  "13 150.0 MiB, progress 0.625", "16 100.0 MiB, progress 0.750", "17 part 2 of 0",
                  "20 completed 0"));
  EXPECT_EQ(site.usage[0].cpu, core_seconds(8));
  EXPECT_EQ(site.usage[0].read_local, EmuBytes(100));
  EXPECT_EQ(site.usage[0].read_remote, EmuBytes(50));
  EXPECT_EQ(site.usage[0].written, EmuBytes(200));
  EXPECT_EQ(site.usage[0].peak_memory, EmuBytes(200 * kMiB));
}

TEST(Data, ExecutorRestsBetweenParts) {
  Site site(1);
  site.launch(0, 0, 0, executor());
  site.command(1, 0, part(1, 2, 0.5));
  EXPECT_THAT(site.run(), ElementsAre("1 read 0", "3 part 1 of 0"));
  EXPECT_TRUE(site.at_rest(0, 0));
}

TEST(Data, PartOfNothingIsDoneAtOnce) {
  Site site(1);
  site.launch(0, 0, 0, executor());
  site.command(1, 0, part(1, 0, 0.5)).command(2, 0, part(2, 0, 1));
  site.look(1.5, 0, 0).look(2.5, 0, 0);
  site.command(3, 0, Finish{{0}});
  EXPECT_THAT(site.run(),
              ElementsAre("1 read 0", "1 part 1 of 0", "1.5 200.0 MiB, progress 0.500", "2 read 0",
                          "2 part 2 of 0", "2.5 0.0 MiB, progress 1.000", "3 completed 0"));
}

TEST(Data, CommandsWaitForTheStart) {
  Site site(2, emu_seconds(10));
  TaskWork reduce = burn(1);
  reduce.sources = 1;
  TaskWork spark = executor();
  site.launch(0, 0, 0, spark).launch(0, 0, 1, reduce).launch(0, 0, 2, spark);
  site.command(2, 0, part(1, 3, 1));
  site.command(3, 0, Fetch{{1}, {output(0, 100, 0)}});
  site.command(4, 0, Finish{{2}});
  EXPECT_THAT(site.run(), ElementsAre("10 read 0", "13 part 1 of 0", "13 read 1", "14 completed 1",
                                      "14 completed 2"));
  site.command(20, 0, Finish{{2}}).command(20, 0, Fetch{{1}, {}}).command(20, 0, Kill{{0}});
  site.command(21, 0, part(2, 1, 1));
  EXPECT_THAT(site.run(),
              ElementsAre("20 finish container 2: not alive on this node",
                          "20 fetch for container 1: not alive on this node", "20 killed 0",
                          "21 run part 2 in container 0: not alive on this node"));
}

TEST(Data, InputsThatWaitForTheMasterComeFirst) {
  TaskWork work = reading(1, {block(100, 0)});
  work.waits = true;
  Site site(1);
  site.launch(0, 0, 0, work).command(5, 0, InputsReady{{0}});
  EXPECT_THAT(site.run(), ElementsAre("6 read 0", "7 completed 0"));
}

// Both reads go through one card at 25 bytes per second. When the first is killed at 2, the other
// has 50 bytes left and gets 50 per second.
TEST(Data, KilledWhileItReads) {
  Site site(3);
  site.launch(0, 0, 0, reading(1, {block(100, 1)})).launch(0, 0, 1, reading(1, {block(100, 2)}));
  site.command(2, 0, Kill{{0}});
  EXPECT_THAT(site.run(), ElementsAre("2 killed 0", "3 read 1", "4 completed 1"));
  EXPECT_EQ(site.usage[0].read_remote, EmuBytes(0));
}

TEST(Data, KilledWhileItWrites) {
  TaskWork work = burn(1);
  work.writes = {file(100, {NodeId{1}})};
  Site site(2);
  site.launch(0, 0, 0, work);  // writes until 2, copies until 4
  site.command(1.5, 0, Kill{{0}});
  site.launch(10, 0, 1, work);
  site.command(12.5, 0, Kill{{1}});
  EXPECT_THAT(site.run(), ElementsAre("1.5 killed 0", "12.5 killed 1"));
  EXPECT_EQ(site.usage[0].written, EmuBytes(0));
  EXPECT_EQ(site.usage[1].written, EmuBytes(100));
  EXPECT_EQ(site.data().count(), 0);
}

TEST(Data, SuspendedWhatItReadsComesButItDoesNotWork) {
  Site site(1);
  site.launch(0, 0, 0, reading(2, {block(300, 0)}));
  site.command(1, 0, Suspend{{0}}).command(7, 0, Resume{{0}});
  EXPECT_THAT(site.run(), ElementsAre("3 read 0", "9 completed 0"));
}

// Each of the six reads would take a second alone. Five share the disk for 5 s. The sixth begins
// only at 8 s.
TEST(Data, SuspendedItBeginsNoRead) {
  Site site(1);
  std::vector<DataRead> reads;
  for (std::uint64_t object = 1; object <= 6; ++object) {
    reads.push_back(block(100, 0));
    reads.back().object = object;
  }
  site.launch(0, 0, 0, reading(2, reads));
  site.command(1, 0, Suspend{{0}}).command(8, 0, Resume{{0}});
  EXPECT_THAT(site.run(), ElementsAre("9 read 0", "11 completed 0"));
}

TEST(Data, SuspendedItsSleepDoesNotBegin) {
  TaskWork read = reading(2, {block(300, 0)}), wait = burn(2);
  read.sleep = wait.sleep = emu_seconds(2);
  wait.waits = true;
  Site site(1);
  site.launch(0, 0, 0, read).launch(0, 0, 1, wait);
  site.command(1, 0, Suspend{{0}}).command(1, 0, Suspend{{1}});
  site.command(3, 0, InputsReady{{1}});
  site.look(6, 0, 0);
  site.command(7, 0, Resume{{0}}).command(8, 0, Resume{{1}});
  EXPECT_THAT(site.run(), ElementsAre("3 read 0", "6 0.0 MiB, progress 0.000", "11 completed 0",
                                      "12 completed 1"));
}

TEST(Data, SuspendedItWritesOnButDoesNotEnd) {
  TaskWork work = burn(1);
  work.writes = {kept(200)};
  Site site(1);
  site.launch(0, 0, 0, work);
  site.command(2, 0, Suspend{{0}}).command(7, 0, Resume{{0}});
  // The task is stopped before its work is done, so it has nothing to write.
  site.launch(10, 0, 1, work);
  site.command(10.5, 0, Suspend{{1}}).command(20, 0, Resume{{1}});
  EXPECT_THAT(site.run(), ElementsAre("7 completed 0", "22.5 completed 1"));
}

TEST(Data, SuspendedExecutorsSayWhatIsWritten) {
  RunPart run = part(1, 1, 1);
  run.part.writes = {kept(200)};
  Site site(1);
  site.launch(0, 0, 0, executor()).command(0, 0, run);
  site.command(2, 0, Suspend{{0}});
  site.command(4, 0, Finish{{0}});
  site.command(7, 0, Resume{{0}});
  EXPECT_THAT(site.run(), ElementsAre("0 read 0", "3 part 1 of 0", "7 completed 0"));
}

}  // namespace heddle::sim::data_test
