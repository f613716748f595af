#include "worker/socket.h"

#include "common/wire/codec.h"

namespace heddle::worker {

Result<std::unique_ptr<Socket>> Socket::connect(const std::string& endpoint,
                                                const std::string& identity) {
  try {
    std::unique_ptr<Socket> made(new Socket);
    zmq::socket_t& socket = made->socket_;
    socket.set(zmq::sockopt::routing_id, identity);
    socket.set(zmq::sockopt::linger, 500);
    // Nothing is queued for a master that isn't there: what is lost so is repeated by the protocol.
    socket.set(zmq::sockopt::immediate, true);
    socket.set(zmq::sockopt::reconnect_ivl, 20);
    socket.set(zmq::sockopt::reconnect_ivl_max, 200);
    socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(wire::kMaxMessage));
    socket.connect(endpoint);
    return made;
  } catch (const zmq::error_t& error) {
    return aborted_error("connect to " + endpoint + ": " + error.what());
  }
}

int Socket::fd() const { return static_cast<int>(socket_.get(zmq::sockopt::fd)); }

bool Socket::send(const std::string& text) {
  try {
    return socket_.send(zmq::buffer(text), zmq::send_flags::dontwait).has_value();
  } catch (const zmq::error_t&) {
    return false;  // EINTR and the like: as good as no connection
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

}  // namespace heddle::worker
