#include "worker/data/links.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "common/file.h"
#include "common/number.h"
#include "net/data_address.h"

namespace heddle::worker {
namespace {

/// Length of the queue for requests. It is much larger than the windows of all transfers between
/// two nodes together.
constexpr int kQueued = 8192;
/// Number of chunks that a socket queues, at most 32 MiB. Chunks are queued for a peer that does
/// not read, or over ipc from a peer that sends faster than we read. Further chunks stay with their
/// sender.
constexpr int kQueuedChunks = 128;
/// Over TCP: bytes from a peer that can wait here. If more wait, the connection is closed. 128
/// transfers with the largest window request as many bytes of chunks at once.
constexpr std::uint64_t kQueuedRequestBytes = 8 << 20, kQueuedChunkBytes = 512 << 20;
/// Largest size of a message without a chunk.
constexpr std::int64_t kShort = static_cast<std::int64_t>(kHeader + kMaxText);
constexpr std::uint64_t kDoorTag = Links::kFirstTag;
constexpr std::uint64_t kServerTag = kDoorTag + 1;
constexpr const char* kDomain = "data";
/// Peers can connect before the master has named them. kEarly is how long such a peer waits before
/// it counts as refused. kMostWaiting is how many peers can wait.
constexpr real::Duration kEarly = std::chrono::seconds(1);
constexpr std::size_t kMostWaiting = 64;

std::uint64_t tag_of(NodeId node) {
  return kServerTag + 1 + static_cast<std::uint64_t>(node.value);
}

int descriptor(zmq::socket_t& socket) { return static_cast<int>(socket.get(zmq::sockopt::fd)); }

/// Prepares a socket that asks: it sends requests and receives chunks.
void prepare_to_ask(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::maxmsgsize,
             static_cast<std::int64_t>(kHeader) + kMaxChunk + net::kCurveBytes);
  socket.set(zmq::sockopt::sndhwm, kQueued);
  socket.set(zmq::sockopt::rcvhwm, kQueuedChunks);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.set(zmq::sockopt::reconnect_ivl_max, 200);
}

/// Prepares a socket that serves.
void prepare_to_serve(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::maxmsgsize, kShort + net::kCurveBytes);
  socket.set(zmq::sockopt::sndhwm, kQueuedChunks);
  socket.set(zmq::sockopt::rcvhwm, kQueued);
  // If an asker's queue is full, fail instead of losing the message.
  socket.set(zmq::sockopt::router_mandatory, true);
}

/// Convert between a node and its name in the allow-list.
std::string guest_of(std::size_t node) { return "node " + std::to_string(node); }
std::optional<NodeId> node_of(const std::string& guest) {
  const std::string_view word = "node ";
  if (!guest.starts_with(word)) return std::nullopt;
  const auto node = read_number<std::int64_t>(std::string_view(guest).substr(word.size()));
  return node ? std::optional(NodeId{*node}) : std::nullopt;
}

/// Sets the prefix of the names of ZeroMQ's threads. Call it before the first socket is made,
/// because the threads start then.
zmq::context_t& named(zmq::context_t& context, NodeId self) {
  zmq_ctx_set(context.handle(), ZMQ_THREAD_NAME_PREFIX, static_cast<int>(self.value));
  return context;
}

}  // namespace

zmq::message_t to_wire(const DataMessage& message, std::string_view body) {
  zmq::message_t made(kHeader + body.size());
  encode(message, made.data<char>());
  std::copy(body.begin(), body.end(), made.data<char>() + kHeader);
  return made;
}

Links::Links(NodeId self, const std::string& bind, const std::optional<net::CurveServer>& keys,
             net::Poller* poller, int listening)
    : self_(self),
      poller_(poller),
      keys_(keys),
      server_(named(context_, self), zmq::socket_type::router) {
  prepare_to_serve(server_);
  if (bind.starts_with("tcp://")) {
    door_.emplace(context_);
    net::secure(server_, *keys_, kDomain);
    net::BacklogWatch::prepare(server_);
  }
  // Pass a copy, since ZeroMQ closes the descriptor.
  if (listening >= 0) server_.set(zmq::sockopt::use_fd, ::fcntl(listening, F_DUPFD_CLOEXEC, 0));
  server_.bind(bind);
  endpoint_ = server_.get(zmq::sockopt::last_endpoint);
  if (!door_) return;
  backlog_.emplace();
  backlog_->bound(endpoint_, kQueuedRequestBytes);
}

Result<std::unique_ptr<Links>> Links::open(NodeId self, const std::string& bind,
                                           const std::optional<net::CurveServer>& keys,
                                           net::Poller* poller, int listening) {
  HEDDLE_TRY(net::check_endpoint("--data", bind, keys.has_value()));
  try {
    std::unique_ptr<Links> links(new Links(self, bind, keys, poller, listening));
    HEDDLE_TRY(links->watch(links->server_, kServerTag));
    if (links->door_) HEDDLE_TRY(links->watch(links->door_->socket(), kDoorTag));
    return links;
  } catch (const zmq::error_t& error) {
    return system_error("serve data on " + bind, error.num());
  }
}

Links::~Links() {
  poller_->forget(descriptor(server_));
  if (door_) poller_->forget(descriptor(door_->socket()));
  while (!peers_.empty()) close(peers_.begin()->first);
}

Result<void> Links::watch(zmq::socket_t& socket, std::uint64_t tag) {
  unread_.insert(tag);
  return poller_->watch(descriptor(socket), tag);
}

void Links::close(NodeId node) {
  auto found = peers_.find(node);
  if (found == peers_.end()) return;
  poller_->forget(descriptor(found->second));
  unread_.erase(tag_of(node));
  peers_.erase(found);
}

std::vector<NodeId> Links::peers(const std::vector<std::string>& endpoints,
                                 const std::vector<std::string>& keys) {
  std::vector<Peer> named;
  std::map<std::string, std::string> guests;
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    named.push_back({endpoints[i], i < keys.size() ? keys[i] : ""});
    if (!named[i].endpoint.empty() && !named[i].key.empty())
      guests.emplace(named[i].key, guest_of(i));
  }
  std::vector<NodeId> ended;
  for (std::size_t i = 0; i < named_.size(); ++i) {
    if (named_[i].endpoint.empty() || (i < named.size() && named[i] == named_[i])) continue;
    ended.push_back(NodeId{static_cast<std::int64_t>(i)});
    close(ended.back());
  }
  named_ = std::move(named);
  allow_list_ = {{kDomain, std::move(guests)}};
  std::erase_if(waiting_, [&](const Waiting& one) { return let_in(one.question); });
  return ended;
}

Result<zmq::socket_t*> Links::peer(NodeId node) {
  auto found = peers_.find(node);
  if (found != peers_.end()) return &found->second;
  auto index = static_cast<std::size_t>(node.value);
  if (node.value < 0 || index >= named_.size() || named_[index].endpoint.empty())
    return aborted_error("has no data service");
  const Peer& other = named_[index];
  if (std::string fault =
          net::data_address_fault(other.endpoint, other.key, net::address_in(endpoint_));
      !fault.empty())
    return aborted_error("has the wrong address " + other.endpoint + ": " + fault);
  zmq::socket_t socket(context_, zmq::socket_type::dealer);
  prepare_to_ask(socket);
  if (other.endpoint.starts_with("tcp://")) {
    if (!keys_) return aborted_error("is at tcp://, but this node has no keys");
    net::secure(socket, net::CurveClient{keys_->own, other.key});
    net::BacklogWatch::prepare(socket);
    if (!backlog_) backlog_.emplace();
    backlog_->connected(other.endpoint, kQueuedChunkBytes);
  }
  socket.connect(other.endpoint);
  HEDDLE_TRY(watch(socket, tag_of(node)));
  return &peers_.emplace(node, std::move(socket)).first->second;
}

Result<void> Links::send(NodeId node, const DataMessage& message) {
  if (cut_) return {};
  try {
    auto socket = peer(node);
    if (!socket) return std::move(socket).error();
    unread_.insert(tag_of(node));
    if (!(*socket)->send(to_wire(message), zmq::send_flags::dontwait))
      return aborted_error("takes no more messages");
    return {};
  } catch (const zmq::error_t& error) {
    return system_error("can't be reached", error.num());
  }
}

Links::Sent Links::answer(const std::string& asker, zmq::message_t& message) {
  if (cut_) return Sent::kGone;
  try {
    unread_.insert(kServerTag);
    if (!server_.send(zmq::buffer(asker), zmq::send_flags::sndmore | zmq::send_flags::dontwait))
      return Sent::kFull;
    server_.send(message, zmq::send_flags::dontwait);
    return Sent::kSent;
  } catch (const zmq::error_t&) {
    return Sent::kGone;
  }
}

void Links::refused(const std::string& who, const std::string& why, real::Time now) {
  if (auto line = log_.refused(who + " (data)", why, now)) refusals_.push_back(*std::move(line));
}

std::optional<Links::Received> Links::receive() {
  while (!unread_.empty()) {
    std::uint64_t tag = *unread_.begin();
    NodeId node{static_cast<std::int64_t>(tag - kServerTag) - 1};
    if (tag == kDoorTag) {
      answer_the_door();
      continue;
    }
    bool asks = tag == kServerTag;
    zmq::socket_t* socket = asks ? &server_ : &peers_.at(node);
    try {
      Received received;
      if (!socket->recv(received.message, zmq::recv_flags::dontwait)) {
        unread_.erase(tag);
        continue;
      }
      if (asks) {
        received.asker = received.message.to_string();
      } else {
        received.peer = node;
        if (backlog_) backlog_->took(received.message);
      }
      // Our messages have one part after the asker's name. Drop the content of a message with fewer
      // or more parts, so that it is refused.
      int parts = asks ? 0 : 1;
      while (received.message.more()) {
        (void)socket->recv(received.message, zmq::recv_flags::dontwait);
        if (backlog_) backlog_->took(received.message);
        ++parts;
      }
      if (cut_) continue;
      if (asks && door_) received.node = node_of(net::key_name_of(received.message));
      if (parts != 1) received.message.rebuild();
      return received;
    } catch (const zmq::error_t&) {
      unread_.erase(tag);
    }
  }
  return std::nullopt;
}

bool Links::let_in(const net::ZapHandler::Question& question) {
  const net::ZapAnswer answer = net::decide(question.request, allow_list_);
  if (!answer.why.empty()) return false;
  unread_.insert(kDoorTag);
  door_->reply(question, answer);
  return true;
}

void Links::answer_the_door() {
  auto question = door_->take();
  if (!question) {
    unread_.erase(kDoorTag);
    return;
  }
  if (let_in(*question)) return;
  if (waiting_.size() == kMostWaiting) {
    refuse(waiting_.front());
    waiting_.pop_front();
  }
  waiting_.push_back({*std::move(question), std::chrono::steady_clock::now()});
}

void Links::refuse(const Waiting& one) {
  const net::ZapRequest& request = one.question.request;
  refused(request.address, net::decide(request, allow_list_).why, one.since);
}

std::vector<std::string> Links::take_refusals(real::Time now) {
  for (; !waiting_.empty() && now >= waiting_.front().since + kEarly; waiting_.pop_front())
    refuse(waiting_.front());
  if (backlog_)
    for (const std::string& address : backlog_->ended())
      refused(address, "it sent more than this service reads", now);
  for (std::string& line : log_.on_time(now)) refusals_.push_back(std::move(line));
  return std::exchange(refusals_, {});
}

std::optional<real::Time> Links::refusals_due() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.front().since + kEarly;
}

double Links::cpu_s() const {
  std::string name = std::to_string(self_.value) + "/ZMQbg/IO/0\n";
  std::error_code error;
  std::filesystem::directory_iterator task("/proc/self/task", error);
  for (; !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
    auto comm = read_file(task->path() / "comm");
    if (!comm || *comm != name) continue;
    // The first number is the time on a CPU in nanoseconds (kernel: Documentation/scheduler).
    auto stat = read_file(task->path() / "schedstat");
    return stat ? std::strtod(stat->c_str(), nullptr) / 1e9 : 0;
  }
  return 0;
}

}  // namespace heddle::worker
