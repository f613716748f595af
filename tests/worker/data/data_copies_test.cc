// Tests requests from other nodes that a data service must refuse or limit.

#include <sys/resource.h>

#include <thread>
#include <zmq.hpp>

#include "common/file.h"
#include "tests/support/matchers.h"
#include "tests/worker/data/data_cluster.h"
#include "worker/data/links.h"
#include "worker/data/serving.h"

namespace heddle::worker::data_copies_test {

using namespace std::chrono_literals;
using Kind = DataMessage::Kind;

constexpr Rates kFast{1e9, 1e9};

/// A peer that sends arbitrary messages to a data service.
class Asker {
 public:
  explicit Asker(const std::string& endpoint, int unread = 1000) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 20'000);
    socket_.set(zmq::sockopt::rcvhwm, unread);
    socket_.connect(endpoint);
  }
  void send(const DataMessage& message) { socket_.send(to_wire(message), zmq::send_flags::none); }
  /// Returns "copied: ERROR" or "refused: REASON"; "" if there is no answer.
  std::string answer() {
    zmq::message_t data;
    if (!socket_.recv(data)) return "";
    const auto message = decode(data.to_string_view());
    if (!message) return message.error().text;
    const std::string body(data.to_string_view().substr(kHeader));
    if (message->kind == Kind::kCopied) return "copied: " + body;
    if (message->kind == Kind::kRefused) return "refused: " + body;
    return "another answer";
  }
  std::optional<DataMessage> receive() {
    zmq::message_t data;
    if (!socket_.recv(data)) return std::nullopt;
    const auto message = decode(data.to_string_view());
    return message ? std::optional(*message) : std::nullopt;
  }

 private:
  zmq::context_t context_{1};
  zmq::socket_t socket_{context_, zmq::socket_type::dealer};
};

DataMessage copy_from(int node, std::uint64_t object, std::int64_t size, bool kept = true) {
  DataMessage copy;
  copy.kind = Kind::kCopy;
  copy.node = NodeId{node};
  copy.stream = 77;
  copy.object = object;
  copy.size = size;
  copy.kept = kept;
  return copy;
}

// A copy under the name of an existing file must neither truncate nor remove that file.
TEST(DataCopies, NobodyTouchesWhatATaskHasHandedOver) {
  DataCluster cluster({kFast, kFast, kFast}, 0.3);
  cluster.store(1, 1, kFile, 100'000, true);
  EXPECT_EQ(cluster.wait(1)[1].error, "");
  Asker asker(cluster[1].endpoint());
  asker.send(copy_from(0, kFile, 10, false));
  EXPECT_EQ(asker.answer(), "refused: the master has not announced it");
  // An announced copy cannot change the file either: the copy fails.
  cluster[1].expect({kFile, 10, false, NodeId{0}});
  asker.send(copy_from(0, kFile, 10, false));
  EXPECT_EQ(asker.answer(), "copied: create " + cluster.file(1, kFile) + ": File exists");
  cluster.fetch(2, 5, kFile, 100'000, {1});
  EXPECT_EQ(cluster.wait(2)[5].error, "");
}

TEST(DataCopies, OnlyWhatWasAnnouncedIsMade) {
  DataCluster cluster({kFast, kFast}, 0.3);
  cluster.store(0, 1, kFile, 1000, true);
  cluster.wait(0);
  Asker asker(cluster[1].endpoint());
  cluster[1].expect({kFile, 1000, true, NodeId{0}});
  for (const DataMessage& other :
       {copy_from(0, kFile + 1, 1000), copy_from(0, kFile, 1LL << 50), copy_from(0, kFile, 999),
        copy_from(0, kFile, 1000, false), copy_from(1, kFile, 1000)}) {
    asker.send(other);
    EXPECT_EQ(asker.answer(), "refused: the master has not announced it");
  }
  EXPECT_EQ(cluster.files(1), 0u);
  asker.send(copy_from(0, kFile, 1000));
  EXPECT_EQ(asker.answer(), "copied: ");
  EXPECT_EQ(cluster.files(1), 1u);
  asker.send(copy_from(0, kFile, 1000));
  EXPECT_EQ(asker.answer(), "refused: the master has not announced it") << "a second time";
  EXPECT_THAT(cluster[1].take_refusals(),
              ElementsAre(StartsWith("refused node 0 (data): a copy of object 8000000000000001 of "
                                     "1000 bytes: the master has not announced it"),
                          StartsWith("refused node 1 (data)")));
}

TEST(DataCopies, WhatTheMasterSaysMayComeALittleLater) {
  DataCluster cluster({kFast, kFast}, 10);
  cluster[0].store({1, kFile, 1000, true, {NodeId{1}}});
  EXPECT_FALSE(cluster.readable(0, 200));
  EXPECT_EQ(cluster.files(1), 0u);
  cluster[1].expect({kFile, 1000, true, NodeId{0}});
  EXPECT_EQ(cluster.wait(0)[1].error, "");
  EXPECT_EQ(cluster.files(1), 1u);
}

TEST(DataCopies, ANodeThatExpectsNoneHasNoCopyAndThatIsAll) {
  DataCluster cluster({kFast, kFast, kFast}, 0.3);
  cluster[2].expect({kFile, 1000, true, NodeId{0}});
  cluster[0].store({1, kFile, 1000, true, {NodeId{1}, NodeId{2}}});
  EXPECT_EQ(cluster.wait(0)[1].error, "");
  EXPECT_EQ(cluster.files(0), 1u);
  EXPECT_EQ(cluster.files(1), 0u);
  EXPECT_EQ(cluster.files(2), 1u);
}

TEST(DataCopies, NobodySpeaksForAnotherNodeOverTcp) {
  DataCluster cluster({kFast, kFast, kFast}, 0.3, true);
  cluster[2].expect({kFile, 1000, true, NodeId{1}});
  // Node 0 asks for the copy that was announced for node 1.
  DataMessage copy = copy_from(1, kFile, 1000);
  EXPECT_THAT(cluster.answer_to(0, 2, to_wire(copy).to_string()),
              HasSubstr("only node 1 may ask for it"));
  EXPECT_EQ(cluster.files(2), 0u);
}

TEST(DataCopies, WaitingOnesAreBounded) {
  DataCluster cluster({kFast, kFast}, 10);
  Asker asker(cluster[1].endpoint());
  for (std::uint64_t i = 0; i <= Serving::kMostUnannouncedEach; ++i)
    asker.send(copy_from(0, kFile + i, 1000));
  EXPECT_EQ(asker.answer(),
            "refused: too many requests for copies that the master has not announced");
  EXPECT_EQ(cluster.files(1), 0u);
}

/// Returns the number of this process's open descriptors.
std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(DataCopies, FewFilesAreOpenAtOnce) {
  // Node 0 sends nothing, so each copy waits with its file open.
  DataCluster cluster({{1, 1}, kFast}, 30);
  const std::size_t before = open_files();
  Asker asker(cluster[1].endpoint());
  constexpr int kCopies = 1000;
  for (int i = 0; i < kCopies; ++i) {
    const std::uint64_t object = kFile + static_cast<std::uint64_t>(i);
    cluster[1].expect({object, 100'000, true, NodeId{0}});
    asker.send(copy_from(0, object, 100'000));
  }
  DataMessage ping;
  ping.kind = Kind::kPing;
  ping.stream = 77;
  std::optional<DataMessage> pong;
  for (int i = 0; i < 500 && (!pong || pong->size < kCopies); ++i) {
    std::this_thread::sleep_for(20ms);
    asker.send(ping);
    pong = asker.receive();
    ASSERT_TRUE(pong);
  }
  EXPECT_EQ(pong->size, kCopies) << "all are owed";
  for (int i = 0; i < 500 && cluster.files(1) < Serving::kMostOpen; ++i)
    std::this_thread::sleep_for(20ms);
  std::this_thread::sleep_for(100ms);  // no others follow
  EXPECT_EQ(cluster.files(1), Serving::kMostOpen);
  EXPECT_LT(open_files(), before + Serving::kMostOpen + 20);
}

// The peer asks for much, and reads nothing or reads slowly.
TEST(DataCopies, WhoDoesNotReadWaitsForHimselfAlone) {
  DataCluster cluster({{1e10, 1e10}, kFast}, 30);
  Asker asker(cluster[0].endpoint(), 10);
  constexpr int kChunks = 2000;
  DataMessage ask;
  ask.object = 77;
  ask.size = kMaxChunk;
  ask.stream = 1;
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  for (int i = 0; i < kChunks; ++i) {
    ask.offset = i * kMaxChunk;
    asker.send(ask);
  }
  for (std::uint64_t ticket = 1; ticket < 20; ++ticket) {
    cluster.fetch(1, ticket, 78, 100'000, {0});
    EXPECT_EQ(cluster.wait(1)[ticket].error, "");
  }
  ::getrusage(RUSAGE_SELF, &after);
  // Half a gigabyte was asked for, but sockets hold only some dozens of MiB. ru_maxrss is in KiB.
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 200 << 10);
  // In the end all chunks arrive, in order.
  for (int i = 0; i < kChunks; ++i) {
    const std::optional<DataMessage> chunk = asker.receive();
    ASSERT_TRUE(chunk) << i;
    ASSERT_EQ(chunk->kind, Kind::kChunk);
    ASSERT_EQ(chunk->offset, i * kMaxChunk);
  }
}

TEST(DataCopies, ChunksThatAreAskedForAreBounded) {
  DataCluster cluster({{1, 1}}, 30);  // no chunk passes
  Asker asker(cluster[0].endpoint());
  DataMessage ask;
  ask.object = 77;
  ask.size = 4096;
  for (ask.stream = 0; ask.stream <= Serving::kMostOwed / 4; ++ask.stream) asker.send(ask);
  EXPECT_EQ(asker.answer(), "refused: too many requests wait for their chunks");
}

TEST(DataCopies, WhoAsksTooOftenIsNotHeard) {
  DataCluster cluster({kFast, kFast}, 30);
  Asker asker(cluster[0].endpoint(), 200'000);
  DataMessage ping;
  ping.kind = Kind::kPing;
  constexpr int kPings = 100'000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kPings; ++i) asker.send(ping);
  cluster.fetch(1, 1, 78, 100'000, {0});
  EXPECT_EQ(cluster.wait(1)[1].error, "");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (taken > 2s) GTEST_SKIP() << "this machine is too slow to ask so often";
  std::vector<std::string> lines;
  for (int i = 0; i < 500 && lines.empty(); ++i) {
    std::this_thread::sleep_for(20ms);
    lines = cluster[0].take_refusals();
  }
  EXPECT_THAT(lines, ElementsAre(HasSubstr("it asks too often")));
}

}  // namespace heddle::worker::data_copies_test
