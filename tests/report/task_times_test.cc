#include "report/task_times.h"

#include "tests/support/matchers.h"

namespace heddle::report::task_times_test {

constexpr NodeId kA{0}, kB{1};

/// Returns two nodes whose disks move 100 bytes per second, and their networks 50.
std::vector<NodeSpec> nodes() {
  NodeSpec node;
  node.disk_bytes_per_s = 100;
  node.network_bits_per_s = 400;
  return {node, node};
}

Transferred read(NodeId node, NodeId from, double begun, double took, bool done = true) {
  return {node,
          emu_seconds(begun),
          {false, EmuBytes(100), {from}, emu_seconds(begun), emu_seconds(took), done}};
}

Transferred write(NodeId node, std::vector<NodeId> copies, double begun) {
  return {node,
          emu_seconds(begun),
          {true, EmuBytes(100), std::move(copies), emu_seconds(begun), emu_seconds(9), true}};
}

std::vector<double> ends_of(const std::vector<Transferred>& transfers) {
  std::vector<double> ends;
  for (EmuTime end : ideal_ends(nodes(), transfers)) ends.push_back(to_seconds(end));
  return ends;
}

TEST(IdealEnds, TransfersShareADisk) {
  // Until 0.5 s, the first read moves 50 bytes. Both then move 50 bytes per second until the first
  // ends at 1.5 s. The second has 50 bytes left, which take half a second.
  EXPECT_THAT(ends_of({read(kA, kA, 0, 1.5), read(kA, kA, 0.5, 1.5)}), ElementsAre(1.5, 2.0));
}

TEST(IdealEnds, TheNetworkLimitsAReadFromAnotherNode) {
  EXPECT_THAT(ends_of({read(kB, kA, 1, 2), read(kA, kA, 9, 1)}), ElementsAre(3.0, 10.0));
}

TEST(IdealEnds, CopiesOfAWriteBeginWhenTheNodeHasWrittenItsData) {
  // The node's disk takes a second, and the network then takes two. A node makes no copy for
  // itself.
  EXPECT_THAT(ends_of({write(kA, {kB}, 1), write(kA, {kA}, 9)}), ElementsAre(4.0, 10.0));
}

TEST(IdealEnds, ACancelledTransferTakesRoomUntilThen) {
  // Until 0.5 s both move 25 bytes. The second has 75 bytes left.
  EXPECT_THAT(ends_of({read(kA, kA, 0, 0.5, false), read(kA, kA, 0, 1.25)})[1], 1.25);
}

class TaskTimesTest : public testing::Test {
 protected:
  TaskTimesTest() { scenario_.cluster.nodes = nodes(); }
  void add(AttemptUsage usage, bool compare = true) {
    ContainerEnded event;
    event.usage = std::move(usage);
    times_.add(kA, emu_seconds(10), event, compare);
  }
  static AttemptUsage worked(double ideal, double took) {
    AttemptUsage usage;
    usage.work = {{emu_seconds(ideal), emu_seconds(took)}};
    return usage;
  }
  static AttemptUsage moved(double begun, double took) {
    AttemptUsage usage;
    usage.transfers = {read(kA, kA, begun, took).time};
    return usage;
  }
  Scenario scenario_;
  TaskTimes times_{scenario_};
};

TEST_F(TaskTimesTest, NothingMeasuredIsNull) {
  add({});
  EXPECT_TRUE(times_.work_json().is_null());
  EXPECT_TRUE(times_.transfers_json().is_null());
}

TEST_F(TaskTimesTest, ErrorsOfWork) {
  add(worked(4, 4));
  add(worked(2, 2.5));
  add(worked(2, 1.75));
  add(worked(2, 9), false);
  EXPECT_EQ(times_.work_json().dump(), R"({"median_error":0.125,"p99_error":0.25,"parts":3})");
}

TEST_F(TaskTimesTest, ErrorsOfTransfers) {
  // The ideal times are 1.5 s, 1.5 s and 1 s, as above. The third is not compared.
  add(moved(0, 1.5));
  add(moved(0.5, 1.875));
  add(moved(5, 7), false);
  EXPECT_EQ(times_.transfers_json().dump(),
            R"({"median_error":0.0,"p99_error":0.25,"transfers":2})");
}

TEST_F(TaskTimesTest, WithoutSomeTransfersNoneIsJudged) {
  add(moved(0, 1));
  times_.lose_transfers();
  EXPECT_TRUE(times_.transfers_json().is_null());
}

TEST_F(TaskTimesTest, AListThatIsFullMayLackTransfers) {
  AttemptUsage usage = moved(0, 1);
  usage.transfers.resize(kMaxTimes, usage.transfers[0]);
  add(usage);
  EXPECT_TRUE(times_.transfers_json().is_null());
}

}  // namespace heddle::report::task_times_test
