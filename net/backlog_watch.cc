#include "net/backlog_watch.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <zmq.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "common/host_clock.h"
#include "net/curve.h"

namespace heddle::net {
namespace {

using namespace std::chrono_literals;

constexpr real::Duration kPause = 100ms;
/// Looking at thousands of connections takes a while, so the pause grows until looking takes at
/// most 2 % of the time.
constexpr int kShare = 50;

/// Returns the kernel's number of a socket, or nullopt if the descriptor is no socket.
std::optional<std::uint64_t> cookie_of(int fd) {
  std::uint64_t cookie = 0;
  socklen_t size = sizeof cookie;
  if (::getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) != 0) return std::nullopt;
  return cookie;
}

std::uint64_t received_by(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_received;
}

struct Address {
  std::string host, port;
};
/// Returns one end of an IPv4 connection, or nullopt if the socket is none. `get` is getsockname or
/// getpeername.
std::optional<Address> address_by(int (*get)(int, sockaddr*, socklen_t*), int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  char host[INET_ADDRSTRLEN] = "";
  if (get(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 || address.sin_family != AF_INET ||
      !::inet_ntop(AF_INET, &address.sin_addr, host, sizeof host))
    return std::nullopt;
  return Address{host, std::to_string(ntohs(address.sin_port))};
}

std::uint64_t found_in(const std::map<std::string, std::uint64_t>& limits, const std::string& key) {
  const auto found = limits.find(key);
  return found == limits.end() ? 0 : found->second;
}

/// Returns the bytes of a part of a message on the wire: the frame's header (RFC 37), what CURVE
/// adds, and the content.
std::uint64_t wire_bytes(std::size_t content) {
  const std::uint64_t body = content + static_cast<std::uint64_t>(kCurveBytes);
  return body + (body > 255 ? 9 : 2);
}

std::vector<int> open_descriptors() {
  std::vector<int> all;
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    all.push_back(std::atoi(entry->path().filename().c_str()));
  return all;
}

}  // namespace

BacklogWatch::BacklogWatch() {
  // Other threads handle the signals.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

BacklogWatch::~BacklogWatch() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void BacklogWatch::prepare(zmq::socket_t& socket) { socket.set(zmq::sockopt::rcvhwm, 0); }

void BacklogWatch::bound(const std::string& endpoint, std::uint64_t most) {
  std::lock_guard lock(mutex_);
  ports_[endpoint.substr(endpoint.rfind(':') + 1)] = most;
}

void BacklogWatch::connected(const std::string& endpoint, std::uint64_t most) {
  std::lock_guard lock(mutex_);
  peers_[endpoint.substr(endpoint.rfind('/') + 1)] = most;
}

void BacklogWatch::took(zmq::message_t& part) {
  const int fd = ::zmq_msg_get(part.handle(), ZMQ_SRCFD);
  // If libzmq has closed the connection, the descriptor can belong to a later one, which is then
  // allowed to have this much more waiting.
  const std::optional<std::uint64_t> cookie = fd < 0 ? std::nullopt : cookie_of(fd);
  if (!cookie) return;
  std::lock_guard lock(mutex_);
  taken_[*cookie] += wire_bytes(part.size());
}

std::vector<std::string> BacklogWatch::ended() {
  std::lock_guard lock(mutex_);
  return std::exchange(ended_, {});
}

std::uint64_t BacklogWatch::most_of(int fd) const {
  const std::optional<Address> own = address_by(::getsockname, fd);
  const std::optional<Address> other = address_by(::getpeername, fd);
  if (!own || !other) return 0;
  std::lock_guard lock(mutex_);
  return std::max(found_in(ports_, own->port), found_in(peers_, other->host + ":" + other->port));
}

void BacklogWatch::look() {
  std::map<std::uint64_t, std::uint64_t> taken;
  {
    std::lock_guard lock(mutex_);
    taken = taken_;
  }
  std::vector<int> fds;
  std::vector<Backlogs::Seen> seen;
  std::map<std::uint64_t, std::uint64_t> limits;  // of the connections that are still open
  for (const int fd : open_descriptors()) {
    const std::optional<std::uint64_t> cookie = cookie_of(fd);
    if (!cookie) continue;
    const auto known = limits_.find(*cookie);
    const std::uint64_t most = known == limits_.end() ? most_of(fd) : known->second;
    if (most == 0) continue;
    limits.emplace(*cookie, most);
    fds.push_back(fd);
    seen.push_back({*cookie, received_by(fd), taken[*cookie], most});
  }
  limits_ = std::move(limits);
  std::vector<std::string> ended;
  for (const std::size_t i : backlogs_.over(seen, real::now())) {
    const std::optional<Address> peer = address_by(::getpeername, fds[i]);
    // libzmq then reads the end of the stream, and closes the connection.
    if (peer && cookie_of(fds[i]) == seen[i].cookie && ::shutdown(fds[i], SHUT_RDWR) == 0)
      ended.push_back(peer->host);
  }
  std::lock_guard lock(mutex_);
  std::move(ended.begin(), ended.end(), std::back_inserter(ended_));
  for (const auto& [cookie, bytes] : taken)
    if (!limits_.contains(cookie)) taken_.erase(cookie);
}

void BacklogWatch::run() {
  std::unique_lock lock(mutex_);
  real::Duration pause = kPause;
  while (!wake_.wait_for(lock, pause, [this] { return stop_; })) {
    lock.unlock();
    const real::Time begin = real::now();
    look();
    pause = std::max<real::Duration>(kPause, kShare * (real::now() - begin));
    lock.lock();
  }
}

}  // namespace heddle::net
