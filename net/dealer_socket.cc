#include "net/dealer_socket.h"

#include <zmq.h>

#include "wire/codec.h"

namespace heddle::net {

Result<std::unique_ptr<Socket>> Socket::connect(const std::string& endpoint,
                                                const std::optional<CurveClient>& curve) {
  HEDDLE_TRY(check_endpoint("--connect", endpoint, curve.has_value()));
  try {
    std::unique_ptr<Socket> made(new Socket);
    zmq::socket_t& socket = made->socket_;
    socket.set(zmq::sockopt::linger, 500);
    // Do not queue messages while there is no connection. The protocol repeats lost messages.
    socket.set(zmq::sockopt::immediate, true);
    socket.set(zmq::sockopt::reconnect_ivl, 20);
    socket.set(zmq::sockopt::reconnect_ivl_max, 200);
    socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(wire::kMaxMessage));
    if (endpoint.starts_with("tcp://")) {
      // If nothing arrives on a connection, make a new connection at once. TCP itself would wait
      // longer and longer between its retries.
      socket.set(zmq::sockopt::connect_timeout, 2000);
      socket.set(zmq::sockopt::heartbeat_ivl, 500);
      socket.set(zmq::sockopt::heartbeat_timeout, 2000);
      // The master closes the connection if nothing arrives for this time.
      socket.set(zmq::sockopt::heartbeat_ttl, 2000);
      made->secure(*curve);
    }
    socket.connect(endpoint);
    return made;
  } catch (const zmq::error_t& error) {
    return aborted_error("connect to " + endpoint + ": " + error.what());
  }
}

void Socket::secure(const CurveClient& curve) {
  net::secure(socket_, curve);
  events_.emplace(context_, socket_,
                  ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                      ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_SUCCEEDED);
}

Socket::Handshake Socket::handshake() {
  while (std::optional<int> event = events_ ? events_->take() : std::nullopt)
    handshake_ = *event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED     ? Handshake::kGood
                 : *event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH ? Handshake::kRefused
                                                             : Handshake::kCutOff;
  return handshake_;
}

int Socket::fd() const { return static_cast<int>(socket_.get(zmq::sockopt::fd)); }

bool Socket::send(const std::string& text) {
  try {
    return socket_.send(zmq::buffer(text), zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t&) {
    return false;  // treat errors such as EINTR like a missing connection
  }
}

std::optional<std::string> Socket::receive() {
  try {
    zmq::message_t message;
    if (!socket_.recv(message, zmq::recv_flags::dontwait)) return std::nullopt;
    zmq::message_t rest;
    for (bool more = message.more(); more; more = rest.more())
      if (!socket_.recv(rest, zmq::recv_flags::dontwait)) break;
    return message.to_string();
  } catch (const zmq::error_t& error) {
    if (error.num() == EINTR) return receive();
    return std::nullopt;
  }
}

}  // namespace heddle::net
