#pragma once

#include <gtest/gtest.h>
#include <zmq.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "net/curve.h"
#include "net/socket_events.h"

namespace heddle::net {

/// A peer that tries to connect to an endpoint, with or without keys.
class Stranger {
 public:
  enum class End { kIn, kCutOff, kRefused, kNothing };

  Stranger(const std::string& endpoint, zmq::socket_type type,
           const std::optional<net::CurveClient>& keys, const std::string& plain_user = "",
           int patience_ms = 10'000)
      : socket_(context_, type),
        events_(context_, socket_,
                ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                    ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 5000);
    socket_.set(zmq::sockopt::reconnect_ivl, 20);
    if (type == zmq::socket_type::sub) socket_.set(zmq::sockopt::subscribe, "");
    if (keys) net::secure(socket_, *keys);
    if (!plain_user.empty()) {
      socket_.set(zmq::sockopt::plain_username, plain_user);
      socket_.set(zmq::sockopt::plain_password, "secret");
    }
    socket_.set(zmq::sockopt::handshake_ivl, patience_ms);
    socket_.connect(endpoint);
  }

  /// Returns how the next handshake ends, or kNothing if it does not end within 10 s.
  End end() {
    zmq::pollitem_t item{events_.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::seconds(10));
    const std::optional<int> event = events_.take();
    if (!event) return End::kNothing;
    if (*event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) return End::kIn;
    return *event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH ? End::kRefused : End::kCutOff;
  }

  void send(const std::string& text) { socket_.send(zmq::buffer(text), zmq::send_flags::dontwait); }
  void subscribe(const std::string& topic) { socket_.set(zmq::sockopt::subscribe, topic); }
  /// Returns the next message, or "" if no message arrives within 5 s.
  std::string receive() {
    zmq::message_t message;
    return socket_.recv(message) ? message.to_string() : "";
  }
  /// Returns whether a message has already arrived, and removes it.
  bool heard() {
    zmq::message_t message;
    return socket_.recv(message, zmq::recv_flags::dontwait).has_value();
  }

 private:
  zmq::context_t context_{1};
  zmq::socket_t socket_;
  net::SocketEvents events_;
};

/// A peer that must not be admitted: the name of the case, and the keys or the user name that the
/// peer sends.
struct Intruder {
  std::string name;
  std::optional<net::CurveClient> keys;
  std::string plain_user;
};
inline std::vector<Intruder> intruders(const std::string& server, const net::KeyPair& admitted) {
  return {{"no keys", std::nullopt, ""},
          {"a password", std::nullopt, "admin"},
          {"a key that is not listed", net::CurveClient{*net::make_key_pair(), server}, ""},
          {"the key of another master",
           net::CurveClient{admitted, net::make_key_pair()->public_key}, ""},
          {"a listed public key without its secret",
           net::CurveClient{{admitted.public_key, net::make_key_pair()->secret_key}, server}, ""}};
}

}  // namespace heddle::net
