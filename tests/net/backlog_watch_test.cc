#include "net/backlog_watch.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>
#include <string>

#include "common/fd.h"
#include "tests/support/matchers.h"

namespace heddle::net::backlog_watch_test {

using namespace std::chrono_literals;

/// A socket at loopback TCP without keys.
struct Server {
  Server() {
    socket.set(zmq::sockopt::linger, 0);
    BacklogWatch::prepare(socket);
    socket.bind("tcp://127.0.0.1:*");
  }
  std::string endpoint() { return socket.get(zmq::sockopt::last_endpoint); }
  /// Takes messages until none arrives for `wait`. Returns the number of their parts, without the
  /// names of the senders.
  int take(BacklogWatch* watch, std::chrono::milliseconds wait) {
    socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(wait.count()));
    int parts = 0;
    for (zmq::message_t part; socket.recv(part);)
      for (; part.more(); ++parts) {
        (void)socket.recv(part);
        if (watch) watch->took(part);
      }
    return parts;
  }
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::router};
};

struct Client {
  explicit Client(const std::string& endpoint) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::sndtimeo, 10'000);
    socket.connect(endpoint);
  }
  void send(std::size_t bytes, zmq::send_flags flags = zmq::send_flags::none) {
    (void)socket.send(zmq::buffer(std::string(bytes, 'x')), flags);
  }
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::dealer};
};

/// Returns whether a connection is ended within 10 s.
bool ends(BacklogWatch& watch) {
  for (int i = 0; i < 1000; ++i) {
    if (const auto ended = watch.ended(); !ended.empty()) return ended[0] == "127.0.0.1";
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(BacklogWatch, WhoSendsMoreThanIsTakenIsEnded) {
  Server server;
  BacklogWatch watch;
  watch.bound(server.endpoint(), 1 << 20);
  Client client(server.endpoint());
  for (int i = 0; i < 200; ++i) client.send(10'000);
  EXPECT_TRUE(ends(watch));
  EXPECT_GT(server.take(&watch, 100ms), 0);
  // Whoever has connected again is heard, while everything is taken in time.
  Client other(server.endpoint());
  other.send(1);
  EXPECT_EQ(server.take(&watch, 1s), 1);
}

TEST(BacklogWatch, WhoseMessagesAreTakenStays) {
  Server server;
  BacklogWatch watch;
  watch.bound(server.endpoint(), 1 << 20);
  Client client(server.endpoint());
  int taken = 0;
  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < 10; ++j) client.send(10'000);
    while (taken < 10 * (i + 1)) taken += server.take(&watch, 1ms);
    std::this_thread::sleep_for(10ms);  // so that the watch looks in between
  }
  EXPECT_TRUE(watch.ended().empty());
}

TEST(BacklogWatch, PartsOfAMessageThatDoesNotEndCount) {
  Server server;
  BacklogWatch watch;
  watch.bound(server.endpoint(), 1 << 20);
  Client client(server.endpoint());
  for (int i = 0; i < 200; ++i) client.send(10'000, zmq::send_flags::sndmore);
  client.send(10'000);
  EXPECT_TRUE(ends(watch));
}

TEST(BacklogWatch, WatchesConnectionsToOthers) {
  Server server;
  BacklogWatch watch;
  watch.connected(server.endpoint(), 1 << 20);
  Client client(server.endpoint());
  client.send(1);
  zmq::message_t name, body;
  ASSERT_TRUE(server.socket.recv(name));
  ASSERT_TRUE(server.socket.recv(body));
  for (int i = 0; i < 200; ++i) {
    server.socket.send(zmq::buffer(name.to_string()), zmq::send_flags::sndmore);
    server.socket.send(zmq::buffer(std::string(10'000, 'x')), zmq::send_flags::none);
  }
  EXPECT_TRUE(ends(watch));
}

TEST(BacklogWatch, LeavesOtherSocketsAlone) {
  Server server, other;
  BacklogWatch watch;
  watch.bound(other.endpoint(), 1 << 20);
  Client client(server.endpoint());
  for (int i = 0; i < 200; ++i) client.send(10'000);
  int taken = 0;
  while (taken < 200) taken += server.take(nullptr, 10ms);
  std::this_thread::sleep_for(300ms);
  EXPECT_TRUE(watch.ended().empty());
}

/// Connects without libzmq, and sends messages of one byte and a ping (RFC 37) at once. Then ends
/// the connection with a reset.
void flood_and_reset(std::uint16_t port, int messages) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  std::string text("\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL", 16);
  text.resize(64, '\0');
  text += std::string("\x04\x1c\5READY\x0bSocket-Type\0\0\0\6DEALER", 30);
  ASSERT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
  std::string answer;
  for (char byte = 0; answer.find("READY") == answer.npos && ::recv(fd.get(), &byte, 1, 0) == 1;)
    answer += byte;
  text.clear();
  for (int i = 0; i < messages; ++i) text += std::string("\0\1x", 3);
  text += std::string("\x04\7\4PING\0\0", 9);
  ASSERT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL), ssize_t(text.size()));
  std::this_thread::sleep_for(300ms);  // libzmq reads
  const linger none{1, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

TEST(BacklogWatch, APingAndAResetAfterManyMessagesDoNoHarm) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto survives = [] {
    Server server;
    const std::string endpoint = server.endpoint();
    flood_and_reset(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))),
                    2000);
    std::this_thread::sleep_for(300ms);  // libzmq notices the reset
    std::exit(server.take(nullptr, 300ms) == 2000 ? 0 : 3);
  };
  EXPECT_EXIT(survives(), testing::ExitedWithCode(0), "");
}

}  // namespace heddle::net::backlog_watch_test
