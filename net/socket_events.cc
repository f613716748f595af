#include "net/socket_events.h"

#include <zmq.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace heddle::net {

SocketEvents::SocketEvents(zmq::context_t& context, zmq::socket_t& watched, int mask)
    : events_(context, zmq::socket_type::pair) {
  const std::string endpoint =
      "inproc://events-" + std::to_string(reinterpret_cast<std::uintptr_t>(watched.handle()));
  if (::zmq_socket_monitor(watched.handle(), endpoint.c_str(), mask) != 0) throw zmq::error_t();
  events_.set(zmq::sockopt::linger, 0);
  // Set no limit, because libzmq's own thread writes to this socket and would wait if it were full.
  events_.set(zmq::sockopt::rcvhwm, 0);
  events_.connect(endpoint);
}

std::optional<int> SocketEvents::take() {
  zmq::message_t frame;
  if (!events_.recv(frame, zmq::recv_flags::dontwait)) return std::nullopt;
  // The first frame contains the event (16 bits) and a value (32 bits). The second frame contains
  // the socket's own address.
  std::uint16_t event = 0;
  if (frame.size() >= sizeof event) std::memcpy(&event, frame.data(), sizeof event);
  while (frame.more() && events_.recv(frame, zmq::recv_flags::dontwait)) {
  }
  return event;
}

}  // namespace heddle::net
