#include "worker/data/data_service.h"

#include <gtest/gtest.h>

#include "tests/worker/data/data_cluster.h"

namespace heddle::worker::data_service_test {

constexpr double kFast = 1e9;
constexpr std::int64_t kKiB = 1024;

/// Checks that a transfer takes as long as its rate says: hardly less, and not many times more. The
/// benchmark `io` measures how exact it is, which depends on what else the host does.
void expect_about(double seconds, double ideal) {
  EXPECT_GT(seconds, 0.97 * ideal);
  EXPECT_LT(seconds, 3 * ideal + 1);
}

class Transports : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(DataService, Transports, testing::Bool(), [](const auto& tcp) {
  return tcp.param ? std::string("Tcp") : std::string("Ipc");
});

TEST_P(Transports, ATransferAloneTakesBytesOverTheSlowestRate) {
  for (auto [source, receiver] : {std::pair<Rates, Rates>{{4e6, kFast}, {kFast, kFast}},
                                  {{kFast, 4e6}, {kFast, kFast}},
                                  {{kFast, kFast}, {kFast, 4e6}},
                                  {{4e6, 4e6}, {4e6, 4e6}}}) {
    DataCluster cluster({source, receiver}, 30, GetParam());
    Stopwatch time;
    cluster.fetch(1, 5, 77, 800 * kKiB, {0});
    auto done = cluster.wait(1);
    expect_about(time.seconds(), 800 * kKiB / 4e6);
    EXPECT_EQ(done[5].error, "");
    EXPECT_EQ(done[5].from, NodeId{0});
  }
}

TEST_P(Transports, FilesAndTheirCopiesAreWrittenAndRead) {
  DataCluster cluster({{kFast, kFast}, {kFast, kFast}, {kFast, kFast}}, 30, GetParam());
  cluster.store(0, 1, kFile + 9, 100'001, true, {1});
  EXPECT_EQ(cluster.wait(0)[1].error, "");
  std::string content(100'001, '\0');
  fill_content(kFile + 9, 0, content.data(), content.size());
  for (int node : {0, 1}) {
    std::ifstream in(cluster.file(node, kFile + 9), std::ios::binary);
    EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(in), {}) == content);
  }
  DataFetch part{2, kFile + 9, 50'000, 50'001, {NodeId{1}}};
  cluster[2].fetch(part);
  EXPECT_EQ(cluster.wait(2)[2].error, "");
  part.size = 50'002;
  cluster[2].fetch(part);
  EXPECT_EQ(cluster.wait(2)[2].error, "object 8000000000000009 cannot be read: node 1: " +
                                          cluster.file(1, kFile + 9) + " is too short");
}

TEST(DataService, SharesANetworkCardFairly) {
  const double alone = 128 * kKiB / 4e6;
  for (int n : {2, 4, 8}) {
    DataCluster cluster({{kFast, kFast}, {kFast, 4e6}, {kFast, kFast}});
    Stopwatch time;
    for (int i = 0; i < n; ++i) cluster.fetch(1, i, 77, 128 * kKiB, {2 * (i % 2)});
    cluster.wait(1, n);
    expect_about(time.seconds(), n * alone);
  }
}

TEST(DataService, ReceiversGetEqualSharesOfASourceOrWhatTheyCanTake) {
  // The source can send 4 MB/s: the slow receiver takes 1 MB/s, the fast one gets the rest.
  DataCluster cluster({{kFast, 4e6}, {kFast, 1e6}, {kFast, kFast}});
  Stopwatch time;
  cluster.fetch(1, 1, 77, 512 * kKiB, {0});
  cluster.fetch(2, 2, 77, 1536 * kKiB, {0});
  cluster.wait(2);
  double fast = time.seconds();
  cluster.wait(1);
  double slow = time.seconds();
  EXPECT_GT(fast, 0.97 * 1536 * kKiB / 4e6);
  EXPECT_LT(fast, 3 * 1536 * kKiB / 3e6 + 1);
  expect_about(slow, 512 * kKiB / 1e6);
}

TEST(DataService, WhatIsReadWhereItIsNeedsNoNetwork) {
  DataCluster cluster({{4e6, 1e5}});
  Stopwatch time;
  cluster.fetch(0, 1, 77, 400 * kKiB, {0});
  EXPECT_EQ(cluster.wait(0)[1].error, "");
  expect_about(time.seconds(), 400 * kKiB / 4e6);  // over the network: 4 s
}

TEST(DataService, WritesAreAtTheDisksPace) {
  DataCluster cluster({{4e6, kFast}, {kFast, kFast}, {kFast, kFast}});
  Stopwatch time;
  cluster.store(0, 1, kFile, 400 * kKiB, true);
  cluster.wait(0);
  expect_about(time.seconds(), 400 * kKiB / 4e6);
  // The output is written once and read twice.
  Stopwatch with_copies;
  cluster.store(0, 1, kFile, 400 * kKiB, true, {1, 2});
  cluster.wait(0);
  expect_about(with_copies.seconds(), 3 * 400 * kKiB / 4e6);
}

TEST(DataService, WhatIsNotKeptLeavesNoFile) {
  DataCluster cluster({{kFast, kFast}, {kFast, kFast}, {kFast, kFast}});
  cluster.store(0, 1, kFile, 300 * kKiB, false, {0, 1, 2});
  EXPECT_EQ(cluster.wait(0)[1].error, "");
  for (int node : {0, 1, 2}) EXPECT_EQ(cluster.files(node), 0u);
  cluster.store(0, 2, kFile, 300 * kKiB, true, {0, 1});
  EXPECT_EQ(cluster.wait(0)[2].error, "");
  EXPECT_EQ(cluster.files(0), 1u);
  EXPECT_EQ(cluster.files(1), 1u);
  EXPECT_EQ(cluster.files(2), 0u);
}

TEST(DataService, WhatIsDroppedIsGone) {
  DataCluster cluster({{kFast, kFast}});
  for (std::uint64_t i : {0, 1}) cluster.store(0, i, kFile + i, 300 * kKiB, true);
  cluster.wait(0, 2);
  EXPECT_EQ(cluster.files(0), 2u);
  cluster[0].drop(kFile);
  cluster[0].drop(kFile + 9);  // never written
  cluster.fetch(0, 2, kFile, 1, {0});
  EXPECT_NE(cluster.wait(0)[2].error, "");
  EXPECT_EQ(cluster.files(0), 1u);
}

TEST(DataService, NothingIsQuick) {
  DataCluster cluster({{1e3, 1e3}, {1e3, 1e3}});
  cluster.fetch(1, 1, 77, 0, {0});
  EXPECT_EQ(cluster.wait(1)[1].error, "");
  cluster.store(1, 2, kFile, 0, true, {0});
  EXPECT_EQ(cluster.wait(1)[2].error, "");
  EXPECT_EQ(cluster.files(0), 1u);
}

TEST(DataService, CountsItsCpuTime) {
  DataCluster cluster({{kFast, kFast}, {kFast, kFast}});
  cluster.fetch(1, 1, 77, 8 << 20, {0});
  cluster.wait(1);
  for (int node : {0, 1}) {
    EXPECT_GT(cluster[node].cpu_s(), 0);
    EXPECT_LT(cluster[node].cpu_s(), 10);
  }
}

}  // namespace heddle::worker::data_service_test
