#include "worker/transfers.h"

#include <utility>

#include "tests/support/matchers.h"

namespace heddle::worker::transfers_test {

constexpr NodeId kHere{1};
constexpr ContainerId kA{7};
constexpr ContainerId kB{8};
/// An emulated byte is a quarter of a real byte.
constexpr Scale kScale{0.1, 0.05, 1.0 / 64, 0.25};

real::Time at(int ms) { return real::Time(std::chrono::milliseconds(ms)); }

/// Records the requests, and returns the results that the test has set.
class FakeService : public DataService {
 public:
  std::string endpoint() const override { return ""; }
  void peers(const std::vector<std::string>&, const std::vector<std::string>&) override {}
  std::vector<std::string> take_refusals() override { return {}; }
  void fetch(const DataFetch& fetch) override { fetches.push_back(fetch); }
  void store(const DataStore& store) override { stores.push_back(store); }
  void expect(const DataExpect& copy) override { expected.push_back(copy); }
  void cancel(std::uint64_t ticket) override { cancelled.push_back(ticket); }
  void drop(std::uint64_t object) override { dropped.push_back(object); }
  void cut_off(bool) override {}
  void disk_full(bool) override {}
  int fd() const override { return -1; }
  std::vector<DataDone> take() override { return std::exchange(done, {}); }
  double cpu_s() const override { return 0; }

  std::vector<DataFetch> fetches;
  std::vector<DataStore> stores;
  std::vector<DataExpect> expected;
  std::vector<std::uint64_t> cancelled, dropped;
  std::vector<DataDone> done;
};

class TransfersTest : public testing::Test {
 protected:
  static DataRead stretch(std::int64_t offset, std::int64_t size) {
    return {5, EmuBytes(offset), EmuBytes(size), {NodeId{2}, kHere}, -1};
  }
  FakeService service_;
  Transfers transfers_{service_, kHere, kScale};
};

TEST_F(TransfersTest, NeighbouringStretchesMeet) {
  // Real ends are 0.5, 1, 1.5 and 2.5 bytes, rounded away from 0.
  for (auto [offset, size] : {std::pair{0, 2}, {2, 2}, {4, 2}, {6, 4}})
    transfers_.begin(BeginRead{kA, stretch(offset, size)}, at(0));
  ASSERT_THAT(service_.fetches, SizeIs(4));
  std::int64_t end = 0;
  for (const DataFetch& fetch : service_.fetches) {
    EXPECT_EQ(fetch.object, 5U);
    EXPECT_EQ(fetch.offset, end);
    EXPECT_THAT(fetch.from, ElementsAre(NodeId{2}, kHere));
    end = fetch.offset + fetch.size;
  }
  EXPECT_EQ(end, 3);
}

TEST_F(TransfersTest, CountsWhatWasMovedByWhereItCameFrom) {
  transfers_.begin(BeginRead{kA, stretch(0, 100)}, at(0));
  transfers_.begin(BeginRead{kA, stretch(100, 60)}, at(0));
  transfers_.begin(BeginRead{kA, stretch(160, 8)}, at(0));
  transfers_.begin(BeginWrite{kA, {9, EmuBytes(40), false, {NodeId{2}}}}, "j", at(0));
  ASSERT_THAT(service_.stores, SizeIs(1));
  EXPECT_EQ(service_.stores[0].object, 9U);
  EXPECT_EQ(service_.stores[0].size, 10);
  EXPECT_FALSE(service_.stores[0].kept);
  EXPECT_THAT(service_.stores[0].copies, ElementsAre(NodeId{2}));
  service_.done = {{service_.fetches[0].ticket, "", kHere},
                   {service_.fetches[1].ticket, "", NodeId{2}},
                   {service_.fetches[2].ticket, "silent", NodeId{2}},
                   {service_.stores[0].ticket, "", kHere}};
  std::vector<Transfers::Ended> ended = transfers_.take(at(0));
  ASSERT_THAT(ended, SizeIs(4));
  EXPECT_EQ(ended[0].container, kA);
  EXPECT_EQ(std::get<DataRead>(ended[1].what), stretch(100, 60));
  EXPECT_EQ(ended[1].error, "");
  EXPECT_EQ(ended[2].error, "silent");
  EXPECT_EQ(std::get<DataWrite>(ended[3].what).object, 9U);
  EXPECT_EQ(transfers_.moved(kA).read_local, EmuBytes(100));
  EXPECT_EQ(transfers_.moved(kA).read_remote, EmuBytes(60));
  EXPECT_EQ(transfers_.moved(kA).written, EmuBytes(40));
  EXPECT_EQ(transfers_.moved(kB).read_local, EmuBytes(0));
}

// The size is converted as the writer's is, because both must be equal.
TEST_F(TransfersTest, CopiesAreAnnouncedInRealBytes) {
  transfers_.begin(BeginWrite{kA, {9, EmuBytes(42), false, {NodeId{2}}}}, "j", at(0));
  transfers_.expect({9, EmuBytes(42), false, NodeId{2}});
  EXPECT_THAT(service_.expected, ElementsAre(DataExpect{9, 11, false, NodeId{2}}));
  EXPECT_EQ(service_.stores.at(0).size, 11);  // 10.5, rounded away from 0
}

TEST_F(TransfersTest, WhatWasDroppedComesNoMore) {
  transfers_.begin(BeginRead{kA, stretch(0, 100)}, at(0));
  transfers_.begin(BeginRead{kB, stretch(0, 100)}, at(0));
  transfers_.begin(BeginWrite{kA, {9, EmuBytes(40), true, {}}}, "j", at(0));
  const std::uint64_t of_a = service_.fetches[0].ticket, of_b = service_.fetches[1].ticket;
  transfers_.drop(kA);
  EXPECT_THAT(service_.cancelled, ElementsAre(of_a, service_.stores[0].ticket));
  service_.done = {{of_a, "", kHere}, {of_b, "", kHere}};
  std::vector<Transfers::Ended> ended = transfers_.take(at(0));
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].container, kB);
  EXPECT_EQ(transfers_.moved(kA).read_local, EmuBytes(0));
  EXPECT_THAT(transfers_.take(at(0)), IsEmpty());
}

TEST_F(TransfersTest, TimesOfTransfersCountFromTheStartOfTheirContainer) {
  transfers_.begin(BeginRead{kA, stretch(0, 100)}, at(110));
  transfers_.begin(BeginRead{kA, stretch(100, 60)}, at(110));
  transfers_.begin(BeginWrite{kA, {9, EmuBytes(40), false, {NodeId{3}}}}, "j", at(200));
  transfers_.begin(BeginRead{kA, stretch(160, 0)}, at(200));  // nothing moves
  transfers_.begin(BeginRead{kA, stretch(160, 8)}, at(210));
  service_.done = {{service_.fetches[1].ticket, "", kHere},
                   {service_.fetches[0].ticket, "silent", kHere},
                   {service_.fetches[2].ticket, "", kHere}};
  transfers_.take(at(150));
  service_.done = {{service_.stores[0].ticket, "", kHere}};
  transfers_.take(at(205));
  const auto times = [&] { return transfers_.times(kA, at(100), at(300)); };
  // An emulated second takes 0.1 s.
  EXPECT_THAT(
      times(),
      ElementsAre(
          TransferTime{false, EmuBytes(60), {kHere}, emu_seconds(0.1), emu_seconds(0.4), true},
          TransferTime{
              false, EmuBytes(100), {NodeId{2}}, emu_seconds(0.1), emu_seconds(0.4), false},
          TransferTime{true, EmuBytes(40), {NodeId{3}}, emu_seconds(1), emu_seconds(0.05), true},
          TransferTime{
              false, EmuBytes(8), {NodeId{2}}, emu_seconds(1.1), emu_seconds(0.9), false}));
  EXPECT_THAT(transfers_.times(kB, at(100), at(300)), IsEmpty());
  transfers_.drop(kA);
  EXPECT_THAT(times(), IsEmpty());
}

TEST_F(TransfersTest, WhatAJobHandedOverGoesWhenItIsOver) {
  transfers_.begin(BeginWrite{kA, {8, EmuBytes(40), true, {}}}, "j", at(0));
  transfers_.begin(BeginWrite{kB, {9, EmuBytes(40), true, {}}}, "other", at(0));
  transfers_.begin(BeginWrite{kA, {10, EmuBytes(40), false, {NodeId{2}}}}, "j", at(0));
  transfers_.begin(BeginWrite{kB, {11, EmuBytes(40), true, {}}}, "j", at(0));
  transfers_.drop(kA);  // containers end before their jobs do
  transfers_.forget("j");
  EXPECT_THAT(service_.dropped, ElementsAre(8, 11));
  transfers_.forget("j");
  transfers_.forget("never heard of");
  EXPECT_THAT(service_.dropped, SizeIs(2));
}

TEST(DataOptionsOf, NodesRatesAreConverted) {
  wire::Welcome welcome;
  welcome.node = kHere;
  welcome.scale = kScale;
  welcome.spec.disk_bytes_per_s = 200e6;
  welcome.spec.network_bits_per_s = 1e9;
  DataOptions options = data_options(welcome, "ipc:///x/data-1", "/x/scratch");
  EXPECT_EQ(options.node, kHere);
  EXPECT_EQ(options.bind, "ipc:///x/data-1");
  EXPECT_EQ(options.scratch, "/x/scratch");
  // A quarter of the bytes move in a tenth of the time.
  EXPECT_DOUBLE_EQ(options.disk_bytes_per_s, 500e6);
  EXPECT_DOUBLE_EQ(options.network_bytes_per_s, 1e9 / 8 * 2.5);
}

}  // namespace heddle::worker::transfers_test
