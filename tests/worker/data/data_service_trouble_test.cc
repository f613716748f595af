#include <sys/resource.h>

#include <csignal>
#include <thread>
#include <zmq.hpp>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/worker/data/data_cluster.h"
#include "worker/data/links.h"

namespace heddle::worker::data_service_trouble_test {

using namespace std::chrono_literals;

constexpr Rates kFast{1e9, 1e9};
constexpr std::int64_t kMiB = 1 << 20;

void damage(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(70'000);
  file.put('x').put('y').put('z');
}

/// A ROUTER that answers every message with the result of `answer`.
class FalseSource {
 public:
  explicit FalseSource(const std::function<std::string(DataMessage)>& answer) {
    // The path is absolute, as those of services are.
    router_.bind("ipc://" + (directory_ / "socket"));
    endpoint = router_.get(zmq::sockopt::last_endpoint);
    router_.set(zmq::sockopt::rcvtimeo, 20);
    router_.set(zmq::sockopt::linger, 0);
    thread_ = std::thread([this, answer] {
      zmq::message_t asker, message;
      while (!stop_) {
        if (!router_.recv(asker) || !router_.recv(message)) continue;
        std::string text = answer(*decode(message.to_string_view()));
        if (text.empty()) continue;
        router_.send(asker, zmq::send_flags::sndmore);
        router_.send(zmq::buffer(text), zmq::send_flags::none);
      }
    });
  }
  ~FalseSource() {
    stop_ = true;
    thread_.join();
  }
  std::string endpoint;

 private:
  tests::TemporaryDirectory directory_;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(DataTrouble, TheNextSourceStepsInForOneThatDies) {
  DataCluster cluster({{4e6, 1e9}, kFast, kFast}, 0.4);
  cluster.fetch(1, 1, 77, kMiB, {0, 2});  // 0.26 s
  EXPECT_FALSE(cluster.readable(1, 100));
  cluster.end(0);
  auto done = cluster.wait(1);
  EXPECT_EQ(done[1].error, "");
  EXPECT_EQ(done[1].from, NodeId{2});
}

TEST(DataTrouble, OrIsSaidToBeGone) {
  DataCluster cluster({{1e4, 1e9}, kFast, kFast}, 1000);
  cluster.fetch(1, 1, 77, kMiB, {0, 2});
  cluster.fetch(1, 2, 78, kMiB, {0});
  EXPECT_FALSE(cluster.readable(1, 50));
  cluster.tell(0, "");
  auto done = cluster.wait(1, 2);
  EXPECT_EQ(done[1].from, NodeId{2});
  EXPECT_EQ(done[2].error, "object 000000000000004e cannot be read: node 0: is gone");
  cluster.fetch(1, 3, 77, kMiB, {0});
  EXPECT_EQ(cluster.wait(1)[3].error,
            "object 000000000000004d cannot be read: node 0: has no data service");
}

TEST(DataTrouble, SlowIsNotSilent) {
  DataCluster cluster({{2e4, 1e9}, kFast}, 0.3);
  cluster.fetch(1, 1, 77, 12'000, {0});  // one chunk, 0.6 s
  EXPECT_EQ(cluster.wait(1)[1].error, "");
}

TEST(DataTrouble, ADamagedFileIsHadOfAnother) {
  DataCluster cluster({kFast, kFast, kFast});
  cluster.store(0, 1, kFile, 200'000, true, {2});
  EXPECT_EQ(cluster.wait(0)[1].error, "");
  damage(cluster.file(0, kFile));
  cluster.fetch(1, 2, kFile, 200'000, {0, 2});
  auto done = cluster.wait(1);
  EXPECT_EQ(done[2].error, "");
  EXPECT_EQ(done[2].from, NodeId{2});
  // The holder of the damaged file takes the other copy too.
  cluster.fetch(0, 3, kFile, 200'000, {0, 2});
  EXPECT_EQ(cluster.wait(0)[3].from, NodeId{2});
  cluster.fetch(0, 4, kFile, 200'000, {0});
  EXPECT_EQ(cluster.wait(0)[4].error,
            "object 8000000000000000 cannot be read: node 0: its copy of the data is damaged");
}

TEST(DataTrouble, AllWhoFailedAreNamed) {
  DataCluster cluster({kFast, kFast, kFast}, 0.2);
  cluster.end(2);
  cluster.fetch(1, 1, kFile, 1000, {1, 0, 2, 3});
  EXPECT_EQ(cluster.wait(1)[1].error,
            "object 8000000000000000 cannot be read: node 1: open " + cluster.file(1, kFile) +
                ": No such file or directory; node 0: open " + cluster.file(0, kFile) +
                ": No such file or directory; node 2: is silent; node 3: has no data service");
}

TEST(DataTrouble, NoRoomOnTheDiskIsSaid) {
  DataCluster cluster({kFast, kFast});
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  auto* handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit small{100'000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  cluster.store(0, 1, kFile, 300'000, true, {1});
  auto done = cluster.wait(0);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(done[1].error, "write " + cluster.file(0, kFile) +
                               ": File too large: limit of this process (ulimit -f)");
  EXPECT_EQ(cluster.files(0), 0u);
  EXPECT_EQ(cluster.files(1), 0u);
}

TEST(DataTrouble, ACopyThatCanNotBeWrittenIsNamedWithItsNode) {
  DataCluster cluster({kFast, kFast});
  std::filesystem::create_directory(cluster.file(1, kFile));
  cluster.store(0, 1, kFile, 300'000, true, {1});
  EXPECT_EQ(cluster.wait(0)[1].error, "node 1: create " + cluster.file(1, kFile) + ": File exists");
}

// The last part alone would be a question.
TEST(DataTrouble, AMessageOfSeveralPartsIsRefused) {
  DataCluster cluster({kFast});
  zmq::context_t context;
  zmq::socket_t asker(context, zmq::socket_type::dealer);
  asker.set(zmq::sockopt::linger, 0);
  asker.set(zmq::sockopt::rcvtimeo, 5000);
  asker.connect(cluster[0].endpoint());
  const auto ping = [](std::uint64_t stream) {
    DataMessage message;
    message.kind = DataMessage::Kind::kPing;
    message.stream = stream;
    return to_wire(message);
  };
  asker.send(zmq::str_buffer("x"), zmq::send_flags::sndmore);
  asker.send(ping(1), zmq::send_flags::none);
  asker.send(ping(2), zmq::send_flags::none);
  zmq::message_t refusal, pong;
  ASSERT_TRUE(asker.recv(refusal) && asker.recv(pong));
  EXPECT_EQ(decode(refusal.to_string_view())->kind, DataMessage::Kind::kRefused);
  EXPECT_EQ(decode(pong.to_string_view())->stream, 2U);
}

TEST(DataTrouble, ALostNodeHasNoCopyAndThatIsAll) {
  DataCluster cluster({kFast, kFast, kFast, kFast}, 0.3);
  cluster.tell(1, "");
  cluster.end(2);
  cluster.store(0, 1, kFile, 300'000, true, {1, 2, 3});
  EXPECT_EQ(cluster.wait(0)[1].error, "");
  EXPECT_EQ(cluster.files(0), 1u);
  EXPECT_EQ(cluster.files(3), 1u);
}

TEST(DataTrouble, CancelledIsForgotten) {
  DataCluster cluster({{1e5, 1e9}, kFast});
  cluster.fetch(1, 1, 77, kMiB, {0});
  cluster.store(0, 2, kFile, kMiB, true);
  EXPECT_FALSE(cluster.readable(1, 50));
  EXPECT_EQ(cluster.files(0), 1u);
  cluster[1].cancel(1);
  cluster[0].cancel(2);
  cluster.fetch(1, 3, 78, 1000, {1});
  EXPECT_EQ(cluster.wait(1).count(3), 1u);
  EXPECT_FALSE(cluster.readable(1, 300));
  EXPECT_FALSE(cluster.readable(0, 0));
  EXPECT_EQ(cluster.files(0), 0u);
}

TEST(DataTrouble, ASourceThatSendsSomethingElseIsGivenUp) {
  // The checksum is that of `checked`.
  const auto chunk = [](DataMessage m, const std::string& body, const std::string& checked) {
    m.kind = DataMessage::Kind::kChunk;
    m.checksum = checksum(checked.data(), checked.size());
    return to_wire(m, body).to_string();
  };
  const auto content = [](const DataMessage& m) {
    std::string body(static_cast<std::size_t>(m.size), '\0');
    fill_content(m.object, m.offset, body.data(), body.size());
    return body;
  };
  auto lies = [&](const DataMessage& m) {
    const std::string body(static_cast<std::size_t>(m.size), 'x');
    return chunk(m, body, body);
  };
  auto breaks = [&](const DataMessage& m) {
    std::string body = content(m);
    body.back() = static_cast<char>(body.back() ^ 1);
    return chunk(m, body, content(m));
  };
  auto skips = [&](DataMessage m) {
    m.offset += 1;
    return chunk(m, content(m), content(m));
  };
  auto forgets = [](DataMessage m) {
    if (m.kind != DataMessage::Kind::kPing) return std::string();
    m.kind = DataMessage::Kind::kPong;
    return to_wire(m).to_string();
  };
  std::vector<std::pair<std::function<std::string(DataMessage)>, std::string>> table = {
      {lies, "its copy of the data is damaged"},
      {breaks, "its data was damaged on the way"},
      {skips, "sent data that was not requested"},
      {forgets, "has lost the request"},
      {[](const DataMessage&) { return "nonsense"; }, "a message of the data service is too short"},
  };
  for (const auto& [answer, error] : table) {
    DataCluster cluster({kFast, kFast, kFast}, 0.6);
    FalseSource source(answer);
    cluster.tell(0, source.endpoint);
    cluster.fetch(1, 1, 77, 100'000, {0, 2});
    EXPECT_EQ(cluster.wait(1)[1].from, NodeId{2});
    cluster.fetch(1, 2, 77, 100'000, {0});
    EXPECT_EQ(cluster.wait(1)[2].error, "object 000000000000004d cannot be read: node 0: " + error);
  }
}

TEST(DataTrouble, NonsenseIsRefusedAndDoesNoHarm) {
  DataCluster cluster({kFast, kFast}, 30);
  zmq::context_t context;
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  dealer.set(zmq::sockopt::rcvtimeo, 10'000);
  dealer.set(zmq::sockopt::linger, 0);
  dealer.connect(cluster[0].endpoint());
  auto refusal = [&]() -> std::string {
    zmq::message_t answer;
    if (!dealer.recv(answer)) return "no answer";
    auto message = decode(answer.to_string_view());
    if (!message || message->kind != DataMessage::Kind::kRefused) return "no refusal";
    return answer.to_string().substr(kHeader);
  };
  dealer.send(zmq::str_buffer("nonsense"), zmq::send_flags::none);
  EXPECT_THAT(refusal(), HasSubstr("too short"));
  dealer.send(zmq::message_t(), zmq::send_flags::none);
  EXPECT_THAT(refusal(), HasSubstr("too short"));
  DataMessage ask;
  ask.size = 10;
  ask.object = 77;
  dealer.send(to_wire(ask), zmq::send_flags::sndmore);
  dealer.send(zmq::str_buffer("and more"), zmq::send_flags::none);
  EXPECT_THAT(refusal(), HasSubstr("too short"));
  ask.kind = DataMessage::Kind::kPong;
  dealer.send(to_wire(ask), zmq::send_flags::none);
  EXPECT_THAT(refusal(), HasSubstr("that this node did not send"));
  dealer.send(zmq::buffer(std::string(1 << 20, 'x')), zmq::send_flags::none);  // disconnects
  cluster.fetch(1, 1, 77, 1000, {0});
  EXPECT_EQ(cluster.wait(1)[1].error, "");
}

TEST(DataTrouble, ABlockCanNotBeWritten) {
  DataCluster cluster({kFast});
  cluster.store(0, 1, 77, 1000, true);
  EXPECT_EQ(cluster.wait(0)[1].error, "a block can't be written");
  EXPECT_EQ(cluster.files(0), 0u);
}

TEST(DataTrouble, StartSaysWhatCanNotBeUsed) {
  DataCluster cluster({kFast});
  auto error = [&](const std::string& bind, const std::string& scratch, double rate) {
    DataOptions options;
    options.node = NodeId{7};
    options.bind = bind;
    options.scratch = scratch;
    options.disk_bytes_per_s = options.network_bytes_per_s = rate;
    auto service = DataService::start(options);
    return service ? "" : service.error().text;
  };
  EXPECT_THAT(error("ipc://*", "/nowhere/at/all", 1e6),
              "start the data service of node 7: open /nowhere/at/all: No such file or directory");
  EXPECT_THAT(error("ipc:///nowhere/at/all", cluster.scratch(0), 1e6),
              HasSubstr("start the data service of node 7: serve data on ipc:///nowhere/at/all: "));
  EXPECT_THAT(error("ipc://*", cluster.scratch(0), 0),
              HasSubstr("expected disk, network and silence greater than 0"));
  EXPECT_THAT(error("tcp://127.0.0.1:*", cluster.scratch(0), 1e6), HasSubstr("TCP needs keys"));
}

}  // namespace heddle::worker::data_service_trouble_test
