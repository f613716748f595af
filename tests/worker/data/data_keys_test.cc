#include <thread>

#include "tests/net/stranger.h"
#include "tests/support/matchers.h"
#include "tests/worker/data/data_cluster.h"
#include "worker/data/links.h"

namespace heddle::worker::data_keys_test {

constexpr Rates kFast{1e9, 1e9};
constexpr std::int64_t kMiB = 1 << 20;

/// A service that gets the endpoints and keys of its peers from the test.
struct Keyed {
  Keyed(int node, const DataCluster& places, double silence_s = 3) : keys{*net::make_key_pair()} {
    DataOptions options;
    options.node = NodeId{node};
    options.bind = "tcp://127.0.0.1:*";
    options.scratch = places.scratch(100 + node);
    options.silence_s = silence_s;
    std::filesystem::create_directory(options.scratch);
    options.disk_bytes_per_s = options.network_bytes_per_s = 1e9;
    options.curve = keys;
    auto started = DataService::start(options);
    if (started)
      service = *std::move(started);
    else
      ADD_FAILURE() << started.error().text;
  }
  net::CurveServer keys;
  std::unique_ptr<DataService> service;
};

DataFetch fetch_of(std::int64_t size) {
  DataFetch fetch;
  fetch.ticket = 5;
  fetch.object = 77;
  fetch.size = size;
  fetch.from = {NodeId{0}};
  return fetch;
}

std::string ask_for_a_block() {
  DataMessage ask;
  ask.object = 77;
  ask.size = 1000;
  ask.stream = 1;
  return to_wire(ask).to_string();
}

TEST(DataKeys, OnlyTheNamedComeIn) {
  DataCluster places({kFast});
  Keyed here(0, places);
  const net::KeyPair peer = *net::make_key_pair();
  here.service->peers({here.service->endpoint(), "tcp://127.0.0.1:1"},
                      {here.keys.own.public_key, peer.public_key});
  const std::string server = here.keys.own.public_key;
  net::Stranger named(here.service->endpoint(), zmq::socket_type::dealer,
                      net::CurveClient{peer, server});
  EXPECT_EQ(named.end(), net::Stranger::End::kIn);
  named.send(ask_for_a_block());
  EXPECT_GT(named.receive().size(), kHeader);
  for (const net::Intruder& intruder : intruders(server, peer)) {
    net::Stranger stranger(here.service->endpoint(), zmq::socket_type::dealer, intruder.keys,
                           intruder.plain_user, 100);
    stranger.send(ask_for_a_block());
    EXPECT_EQ(stranger.end(), net::Stranger::End::kCutOff) << intruder.name;
    EXPECT_FALSE(stranger.heard()) << intruder.name;
  }
  std::vector<std::string> lines;
  while (lines.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    lines = here.service->take_refusals();
  }
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("refused 127.0.0.1 (data): its key is not listed: "));
  // The peer's key is not in the list any more.
  here.service->peers({here.service->endpoint(), ""}, {here.keys.own.public_key, ""});
  net::Stranger former(here.service->endpoint(), zmq::socket_type::dealer,
                       net::CurveClient{peer, server}, "", 100);
  EXPECT_EQ(former.end(), net::Stranger::End::kCutOff);
}

TEST(DataKeys, OneWhoIsNamedLaterComesInThen) {
  DataCluster places({kFast});
  Keyed first(0, places), second(1, places);
  const std::vector<std::string> endpoints = {first.service->endpoint(),
                                              second.service->endpoint()};
  const std::vector<std::string> keys = {first.keys.own.public_key, second.keys.own.public_key};
  second.service->peers(endpoints, keys);
  second.service->fetch(fetch_of(kMiB));
  // The first service has time to refuse the second. The result is the same if this is too short.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  first.service->peers(endpoints, keys);
  pollfd item{second.service->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&item, 1, 20'000), 1);
  const std::vector<DataDone> done = second.service->take();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].error, "");
}

TEST(DataKeys, NobodyIsTalkedToWithoutOrWithAWrongKey) {
  DataCluster places({kFast});
  Keyed first(0, places), second(1, places, 0.2);
  const std::vector<std::string> endpoints = {first.service->endpoint(),
                                              second.service->endpoint()};
  second.service->peers(endpoints, {"", second.keys.own.public_key});
  second.service->fetch(fetch_of(1000));
  pollfd item{second.service->fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&item, 1, 20'000), 1);
  EXPECT_THAT(second.service->take().at(0).error, HasSubstr("its public key is missing"));
  second.service->peers(endpoints, {net::make_key_pair()->public_key, second.keys.own.public_key});
  second.service->fetch(fetch_of(1000));
  ASSERT_EQ(::poll(&item, 1, 20'000), 1);  // the first service is silent
  EXPECT_NE(second.service->take().at(0).error, "");
}

// The sockets of a service that reads nothing, as when its disk is slow.
TEST(DataKeys, WhoSendsMoreThanIsReadIsCutOff) {
  auto poller = net::Poller::create();
  ASSERT_TRUE(poller);
  const net::CurveServer keys{*net::make_key_pair()};
  const net::KeyPair peer = *net::make_key_pair();
  auto links = Links::open(NodeId{0}, "tcp://127.0.0.1:*", keys, &*poller);
  ASSERT_TRUE(links) << links.error().text;
  (*links)->peers({(*links)->endpoint(), "tcp://127.0.0.1:1"},
                  {keys.own.public_key, peer.public_key});
  net::Stranger stranger((*links)->endpoint(), zmq::socket_type::dealer,
                         net::CurveClient{peer, keys.own.public_key});
  stranger.send(ask_for_a_block());
  // Admits the peer.
  while (!(*links)->receive()) {
    (*links)->readable(Links::kFirstTag);
    (*links)->readable(Links::kFirstTag + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::vector<std::string> lines;
  for (int i = 0; i < 1000 && lines.empty(); ++i) {
    for (int j = 0; j < 500; ++j) stranger.send(std::string(1000, 'x'));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    lines = (*links)->take_refusals(std::chrono::steady_clock::now());
  }
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0],
              HasSubstr("refused 127.0.0.1 (data): it sent more than this service reads"));
}

}  // namespace heddle::worker::data_keys_test
