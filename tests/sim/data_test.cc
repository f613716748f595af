// Transfers in virtual time, computed by hand. Disks move 100 bytes per second, networks 50 in each
// direction. workers.yaml has the tasks that read and write.
#include <cstdio>

#include "sim/data_model.h"
#include "tests/support/matchers.h"

namespace heddle::sim::data_test {

std::vector<NodeSpec> nodes(int count) {
  NodeSpec node;
  node.disk_bytes_per_s = 100;
  node.network_bits_per_s = 400;
  return std::vector<NodeSpec>(count, node);
}

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

}  // namespace heddle::sim::data_test
