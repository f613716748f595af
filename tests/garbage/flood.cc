// heddle-flood loads a master for measure.py. As an unauthenticated peer it opens connections to a
// port and sends frames of garbage on each. As a worker it sends heartbeats to a master and prints
// how long each reply took.
//   heddle-flood garbage PORT FRAMES-PER-SECOND FRAMES-PER-CONNECTION SECONDS
//   heddle-flood sink SECONDS
//       prints a port that closes every connection: shows the cost of the flood alone
//   heddle-flood probe ENDPOINT KEY-DIRECTORY KEY RUN NODE PERIOD-MS SECONDS
//   heddle-flood messages ENDPOINT KEY-DIRECTORY KEY SECONDS
//       sends messages as fast as it can and reads no reply, until it is killed or SECONDS are over

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "common/fd.h"
#include "net/key_files.h"
#include "wire/codec.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kFrame = 64;
constexpr int kThreads = 4;
constexpr std::size_t kOpen = 50;  ///< connections that each thread keeps open

/// Returns the beginning of a connection, by kind: noise; cleartext; CURVE, then noise; CURVE and a
/// hello of the right size, then noise for keys.
std::string opening(int kind) {
  if (kind == 0) return "";
  std::string text("\xff\0\0\0\0\0\0\0\x01\x7f\x03\0", 12);
  text += kind == 1 ? "NULL" : "CURVE";
  text.resize(64, '\0');
  if (kind == 3) text += "\x04\xc8\x05HELLO";
  return text;
}

struct Sent {
  std::atomic<std::int64_t> frames{0}, connections{0}, failed{0};
};

void send_garbage(std::uint16_t port, double rate, int per_connection, double seconds,
                  unsigned seed, Sent& sent) {
  std::mt19937 random(seed);
  std::string noise(kFrame * static_cast<std::size_t>(per_connection), '\0');
  for (char& c : noise) c = static_cast<char>(random());
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<Fd> open(kOpen);
  const auto begin = Clock::now();
  const auto end = begin + std::chrono::duration<double>(seconds);
  for (std::int64_t i = 0; Clock::now() < end; ++i) {
    const auto due =
        begin + std::chrono::duration<double>(static_cast<double>(i * per_connection) / rate);
    std::this_thread::sleep_until(due);
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const linger none{1, 0};  // no port stays in use
    ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none);
    if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) < 0) {
      ++sent.failed;
      continue;
    }
    const std::string text = opening(static_cast<int>(i % 4)) + noise;
    (void)::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    // The connection stays open until kOpen newer ones are there, as a flood does not wait for the
    // master to close it.
    open[static_cast<std::size_t>(i) % open.size()] = std::move(fd);
    sent.frames += per_connection;
    ++sent.connections;
  }
}

int garbage(char** words) {
  const auto port = static_cast<std::uint16_t>(std::atoi(words[0]));
  const double rate = std::atof(words[1]), seconds = std::atof(words[3]);
  const int per_connection = std::atoi(words[2]);
  Sent sent;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back(
        [&, i] { send_garbage(port, rate / kThreads, per_connection, seconds, i, sent); });
  for (std::thread& thread : threads) thread.join();
  std::printf("%.0f frames/s %.0f connections/s %lld failed\n",
              static_cast<double>(sent.frames) / seconds,
              static_cast<double>(sent.connections) / seconds, static_cast<long long>(sent.failed));
  return 0;
}

int sink(char** words) {
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&at), size) < 0 ||
      ::listen(listener.get(), 100) < 0 ||
      ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size) < 0)
    return 1;
  std::printf("%d\n", ntohs(at.sin_port));
  std::fflush(stdout);
  ::alarm(static_cast<unsigned>(std::atoi(words[0])));
  for (;;) Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

std::int64_t now_ns() { return Clock::now().time_since_epoch().count(); }

int probe(char** words) {
  const auto keys = net::read_client_keys(words[1], net::KeyRole::kWorker, words[2]);
  if (!keys) {
    std::fprintf(stderr, "%s\n", keys.error().text.c_str());
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto period = std::chrono::milliseconds(std::atoi(words[5]));
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  net::secure(socket, keys->curve);
  socket.connect(words[0]);
  wire::Hello hello;
  hello.run = words[3];
  hello.node = words[4];
  hello.incarnation = 1;
  hello.pid = 1;
  hello.version = HEDDLE_VERSION;
  socket.send(zmq::buffer(wire::encode(hello)), zmq::send_flags::none);
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(words[6]));
  std::int64_t sequence = 0, last_command = 0;
  auto due = Clock::now() + period;
  std::int64_t sent_ns = 0;
  while (Clock::now() < end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::max(left, 0ms));
    zmq::message_t text;
    while (socket.recv(text, zmq::recv_flags::dontwait)) {
      const auto message = wire::decode(text.to_string_view());
      if (!message) continue;
      const auto* reply = std::get_if<wire::HeartbeatReply>(&*message);
      if (!reply) continue;
      for (const wire::Command& command : reply->commands) last_command = command.number;
      if (reply->sequence == sequence)
        std::printf("%.6f %.1f\n", static_cast<double>(sent_ns) / 1e9,
                    static_cast<double>(now_ns() - sent_ns) / 1e3);
    }
    if (Clock::now() < due) continue;
    due += period;
    wire::Heartbeat beat;
    beat.incarnation = 1;
    beat.sequence = ++sequence;
    beat.monotonic_ns = sent_ns = now_ns();
    beat.last_command = last_command;
    socket.send(zmq::buffer(wire::encode(beat)), zmq::send_flags::none);
  }
  return 0;
}

int messages(char** words) {
  const auto keys = net::read_client_keys(words[1], net::KeyRole::kWorker, words[2]);
  if (!keys) {
    std::fprintf(stderr, "%s\n", keys.error().text.c_str());
    return 2;
  }
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::linger, 0);
  net::secure(socket, keys->curve);
  socket.connect(words[0]);
  wire::Goodbye goodbye;
  goodbye.reason.assign(1000, '.');
  const std::string text = wire::encode(goodbye);
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(words[3]));
  while (Clock::now() < end) socket.send(zmq::buffer(text), zmq::send_flags::none);
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word == "garbage" && argc == 6) return heddle::garbage(argv + 2);
  if (word == "sink" && argc == 3) return heddle::sink(argv + 2);
  if (word == "probe" && argc == 9) return heddle::probe(argv + 2);
  if (word == "messages" && argc == 6) return heddle::messages(argv + 2);
  std::fprintf(stderr, "heddle-flood: bad arguments; see the comment at the head of flood.cc\n");
  return 2;
}
