#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/result.h"
#include "net/curve.h"
#include "net/socket_events.h"

namespace heddle::net {

/// A DEALER socket that connects to the master. Blocks only when it is destroyed: messages that
/// were sent then have a moment to leave.
///
/// fd() is edge-triggered, as always with ZeroMQ: any call may use up its event. So the last call
/// before waiting on it must be a receive that found nothing.
class Socket {
 public:
  /// Connects to the master; without keys only by ipc. The master gives each connection an id, so
  /// the master takes a second connection for a new peer.
  static Result<std::unique_ptr<Socket>> connect(const std::string& endpoint,
                                                 const std::optional<CurveClient>& curve = {});
  /// Result of the last handshake. kRefused: the master does not list the key, and refuses it for
  /// good. kCutOff: the handshake failed, for example because the other end is not the master; the
  /// socket tries again.
  enum class Handshake { kNone, kGood, kRefused, kCutOff };
  Handshake handshake();

  int fd() const;
  /// Sends a text. Returns false if it was not sent because there is no connection, or because too
  /// many earlier texts wait to be sent.
  bool send(const std::string& text);
  /// Returns the text of a message, or nothing if there is none. The protocol has no messages of
  /// several frames: of such a message, the first frame is returned and the rest is dropped.
  std::optional<std::string> receive();

 private:
  Socket() : socket_(context_, zmq::socket_type::dealer) {}
  void secure(const CurveClient& curve);

  zmq::context_t context_{1};
  zmq::socket_t socket_;
  std::optional<SocketEvents> events_;  ///< over TCP
  Handshake handshake_ = Handshake::kNone;
};

}  // namespace heddle::net
