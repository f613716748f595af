#pragma once

#include <optional>
#include <zmq.hpp>

namespace heddle::net {

/// What libzmq tells of a socket's connections (man zmq_socket_monitor). Belongs to the socket's
/// thread, and goes before it.
class SocketEvents {
 public:
  /// `mask`: ZMQ_EVENT_… of interest. REQUIRES: the socket isn't bound or connected yet.
  SocketEvents(zmq::context_t& context, zmq::socket_t& watched, int mask);

  /// Readable when there is one.
  void* handle() { return events_.handle(); }
  /// The next event's ZMQ_EVENT_…, if one is there.
  std::optional<int> take();

 private:
  zmq::socket_t events_;
};

}  // namespace heddle::net
