#pragma once

#include <optional>
#include <zmq.hpp>

namespace heddle::net {

/// Reports libzmq's events about a socket's connections (man zmq_socket_monitor). Belongs to the
/// socket's thread, and must be destroyed before the socket.
class SocketEvents {
 public:
  /// `mask` says which events (ZMQ_EVENT_…) to report. REQUIRES: the socket isn't bound or
  /// connected yet.
  SocketEvents(zmq::context_t& context, zmq::socket_t& watched, int mask);

  /// Returns a socket that is readable when there is an event.
  void* handle() { return events_.handle(); }
  /// Returns the next event (ZMQ_EVENT_…), or nullopt if there is none.
  std::optional<int> take();

 private:
  zmq::socket_t events_;
};

}  // namespace heddle::net
