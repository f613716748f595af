#include "bench/io_nodes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "bench/failed.h"
#include "common/file.h"
#include "worker/data/data_port.h"
#include "worker/data/message.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A rate far above that of any machine.
constexpr double kUnpaced = 1e12;
constexpr std::uint64_t kBlock = 1, kFile = 1ULL << 63 | 1;
constexpr const char* kBroken = "the baseline's socket broke";
/// Ids of the two nodes.
constexpr NodeId kHolder{0}, kAsker{1};

void await(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::sleep_for(1ms);
}

std::unique_ptr<worker::DataService> start(const worker::DataOptions& options,
                                           const IoNodes& nodes) {
  auto service = need(worker::DataService::start(options));
  std::vector<std::string> keys;
  for (const worker::DataOptions* node : {&nodes.holder, &nodes.asker})
    if (node->curve) keys.push_back(node->curve->own.public_key);
  service->peers({nodes.holder.bind, nodes.asker.bind}, keys);
  return service;
}

/// Waits until transfers have ended, and returns how many.
std::int64_t await_done(worker::DataService& service) {
  for (;;) {
    pollfd item{service.fd(), POLLIN, 0};
    ::poll(&item, 1, -1);
    const std::vector<worker::DataDone> done = service.take();
    for (const worker::DataDone& one : done)
      if (!one.error.empty()) throw Failed(one.error);
    if (!done.empty()) return std::ssize(done);
  }
}

/// Calls `play`, the part of a process. An error ends the measurement.
void play(IoPage& page, const std::function<void()>& part) {
  try {
    part();
  } catch (const Failed& failed) {
    page.fail(failed.error.text);
  }
  for (;;) ::pause();
}

void finish(IoPage& page, Clock::time_point begin) {
  page.taken_ns = (Clock::now() - begin).count();
  page.done = true;
}

void note(IoPage& page, Clock::time_point begin) {
  const auto index = static_cast<std::size_t>(page.times.load());
  if (index == IoPage::kMostTimes) return;
  page.piece_ns[index] = (Clock::now() - begin).count();
  page.times = static_cast<int>(index) + 1;
}

}  // namespace

void IoPage::fail(const std::string& text) {
  const std::size_t size = std::min(text.size(), error.size() - 1);
  std::copy_n(text.begin(), size, error.begin());
  done = true;
}

IoNodes::IoNodes(const IoCase& one, const std::string& directory) {
  for (NodeId id : {kHolder, kAsker}) {
    worker::DataOptions& options = id == kHolder ? holder : asker;
    const std::string name = "node-" + std::to_string(id.value);
    options.node = id;
    options.bind = "ipc://" + directory + "/" + name + ".sock";
    options.scratch = directory + "/" + name;
    std::filesystem::create_directory(options.scratch);
    options.network_bytes_per_s = one.bytes_per_s > 0 ? one.bytes_per_s : kUnpaced;
    // Only the network limits the rate.
    options.disk_bytes_per_s = 10 * options.network_bytes_per_s;
    if (!one.tcp) continue;
    options.curve = net::CurveServer{need(net::make_key_pair())};
    worker::DataPort port = need(worker::open_data_port("127.0.0.1"));
    options.bind = port.endpoint;
    options.listening = port.socket.get();
    (id == kHolder ? holder_port : asker_port) = std::move(port.socket);
  }
}

void play_holder(const IoCase& one, const IoNodes& nodes, IoPage& page) {
  std::unique_ptr<worker::DataService> service;
  play(page, [&] {
    service = start(nodes.holder, nodes);
    if (one.what == IoCase::What::kFile) {
      service->store({1, kFile, one.total, true, {}});
      await_done(*service);
    }
    page.holder_ready = true;
  });
}

void play_asker(const IoCase& one, const IoNodes& nodes, IoPage& page) {
  std::unique_ptr<worker::DataService> service;
  play(page, [&] {
    await(page.holder_ready);
    service = start(nodes.asker, nodes);
    const std::uint64_t object = one.what == IoCase::What::kFile ? kFile : kBlock;
    auto fetch = [&](std::int64_t size, std::int64_t index) {
      service->fetch(
          {static_cast<std::uint64_t>(index) + 1, object, index * size, size, {kHolder}});
    };
    // A fetch of one byte opens the connection before the measurement.
    fetch(1, 0);
    await_done(*service);
    page.asker_ready = true;
    await(page.go);
    const auto begin = Clock::now();
    std::int64_t asked = 0, in = 0;
    while (asked < std::min<std::int64_t>(one.at_once, one.pieces())) fetch(one.piece, asked++);
    while (in < one.pieces())
      for (std::int64_t done = await_done(*service); done > 0; --done) {
        note(page, begin);
        if (++in; asked < one.pieces()) fetch(one.piece, asked++);
      }
    finish(page, begin);
  });
}

void play_sender(const IoCase& one, int socket, IoPage& page) {
  play(page, [&] {
    page.holder_ready = true;
    const std::vector<char> chunk(worker::kMaxChunk, 'x');
    await(page.go);
    const auto begin = Clock::now();
    for (std::int64_t sent = 0; sent < one.total; sent += std::ssize(chunk)) {
      const std::size_t size = std::min<std::size_t>(chunk.size(), one.total - sent);
      if (!write_all(socket, {chunk.data(), size}, "the socket")) throw Failed(kBroken);
      if (one.bytes_per_s > 0)
        std::this_thread::sleep_until(
            begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                        static_cast<double>(sent + std::ssize(chunk)) / one.bytes_per_s)));
    }
  });
}

void play_receiver(const IoCase& one, int socket, IoPage& page) {
  play(page, [&] {
    std::vector<char> chunk(worker::kMaxChunk);
    page.asker_ready = true;
    await(page.go);
    const auto begin = Clock::now();
    for (std::int64_t in = 0; in < one.total;) {
      const ssize_t n = ::recv(socket, chunk.data(), chunk.size(), 0);
      if (n == 0 || (n < 0 && errno != EINTR)) throw Failed(kBroken);
      in += std::max<ssize_t>(n, 0);
    }
    finish(page, begin);
  });
}

std::array<Fd, 2> connected_sockets(bool tcp) {
  int ends[2];
  if (!tcp) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
      throw Failed(system_error("make a pair of sockets", errno));
    return {Fd(ends[0]), Fd(ends[1])};
  }
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Fd out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* address = reinterpret_cast<sockaddr*>(&at);
  if (!listener || !out || ::bind(listener.get(), address, size) < 0 ||
      ::listen(listener.get(), 1) < 0 || ::getsockname(listener.get(), address, &size) < 0 ||
      ::connect(out.get(), address, size) < 0)
    throw Failed(system_error("connect over loopback", errno));
  Fd in(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!in) throw Failed(system_error("connect over loopback", errno));
  return {std::move(out), std::move(in)};
}

}  // namespace heddle::bench
