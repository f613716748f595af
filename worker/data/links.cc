#include "worker/data/links.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "common/file.h"

namespace heddle::worker {
namespace {

/// Far more than the windows of all transfers between two nodes.
constexpr int kQueued = 8192;
constexpr std::uint64_t kServerTag = Links::kFirstTag;

std::uint64_t tag_of(NodeId node) {
  return kServerTag + 1 + static_cast<std::uint64_t>(node.value);
}

int descriptor(zmq::socket_t& socket) { return static_cast<int>(socket.get(zmq::sockopt::fd)); }

void prepare(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(kHeader) + kMaxChunk);
  socket.set(zmq::sockopt::sndhwm, kQueued);
  socket.set(zmq::sockopt::rcvhwm, kQueued);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.set(zmq::sockopt::reconnect_ivl_max, 200);
}

/// Threads are started with the first socket.
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

Links::Links(NodeId self, const std::string& bind, Poller* poller)
    : self_(self), poller_(poller), server_(named(context_, self), zmq::socket_type::router) {
  prepare(server_);
  server_.bind(bind);
  endpoint_ = server_.get(zmq::sockopt::last_endpoint);
}

Result<std::unique_ptr<Links>> Links::open(NodeId self, const std::string& bind, Poller* poller) {
  try {
    std::unique_ptr<Links> links(new Links(self, bind, poller));
    HEDDLE_TRY(links->watch(links->server_, kServerTag));
    return links;
  } catch (const zmq::error_t& error) {
    return system_error("serve data on " + bind, error.num());
  }
}

Links::~Links() {
  poller_->forget(descriptor(server_));
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

std::vector<NodeId> Links::peers(const std::vector<std::string>& endpoints) {
  std::vector<NodeId> ended;
  for (std::size_t i = 0; i < endpoints_.size(); ++i) {
    if (endpoints_[i].empty() || (i < endpoints.size() && endpoints[i] == endpoints_[i])) continue;
    ended.push_back(NodeId{static_cast<std::int64_t>(i)});
    close(ended.back());
  }
  endpoints_ = endpoints;
  return ended;
}

Result<zmq::socket_t*> Links::peer(NodeId node) {
  auto found = peers_.find(node);
  if (found != peers_.end()) return &found->second;
  auto index = static_cast<std::size_t>(node.value);
  if (node.value < 0 || index >= endpoints_.size() || endpoints_[index].empty())
    return aborted_error("has no data service");
  zmq::socket_t socket(context_, zmq::socket_type::dealer);
  prepare(socket);
  socket.connect(endpoints_[index]);
  HEDDLE_TRY(watch(socket, tag_of(node)));
  return &peers_.emplace(node, std::move(socket)).first->second;
}

Result<void> Links::send(NodeId node, const DataMessage& message) {
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

void Links::answer(const std::string& asker, zmq::message_t message) {
  try {
    unread_.insert(kServerTag);
    server_.send(zmq::buffer(asker), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
    server_.send(message, zmq::send_flags::dontwait);
  } catch (const zmq::error_t&) {
    // He is gone: he hears of nobody any more.
  }
}

std::optional<Links::Received> Links::receive() {
  while (!unread_.empty()) {
    std::uint64_t tag = *unread_.begin();
    NodeId node{static_cast<std::int64_t>(tag - kServerTag) - 1};
    bool asks = tag == kServerTag;
    zmq::socket_t* socket = asks ? &server_ : &peers_.at(node);
    try {
      Received received;
      if (!socket->recv(received.message, zmq::recv_flags::dontwait)) {
        unread_.erase(tag);
        continue;
      }
      if (asks)
        received.asker = received.message.to_string();
      else
        received.peer = node;
      // A message of ours is one part, behind the asker's name. Of another one nothing is kept, so
      // that it is refused.
      int parts = asks ? 0 : 1;
      while (received.message.more()) {
        (void)socket->recv(received.message, zmq::recv_flags::dontwait);
        ++parts;
      }
      if (parts != 1) received.message.rebuild();
      return received;
    } catch (const zmq::error_t&) {
      unread_.erase(tag);
    }
  }
  return std::nullopt;
}

double Links::cpu_s() const {
  std::string name = std::to_string(self_.value) + "/ZMQbg/IO/0\n";
  std::error_code error;
  std::filesystem::directory_iterator task("/proc/self/task", error);
  for (; !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
    auto comm = read_file(task->path() / "comm");
    if (!comm || *comm != name) continue;
    // Its first number is the time on a CPU in nanoseconds (kernel: Documentation/scheduler).
    auto stat = read_file(task->path() / "schedstat");
    return stat ? std::strtod(stat->c_str(), nullptr) / 1e9 : 0;
  }
  return 0;
}

}  // namespace heddle::worker
