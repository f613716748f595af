#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/result.h"
#include "net/curve.h"
#include "net/socket_events.h"

namespace heddle::net {

/// A DEALER socket that connects to the master. Only its destructor blocks: it waits a short time
/// for messages that have not left yet.
///
/// fd() is edge-triggered, as in all of ZeroMQ, and any call on the socket can use up the event.
/// Therefore the last call before waiting for fd() must be a receive() that finds no message.
class Socket {
 public:
  /// Connects to the master. Without keys, only ipc:// is possible. The master gives each
  /// connection an id of its own, and takes a second connection of the same process for another
  /// peer.
  static Result<std::unique_ptr<Socket>> connect(const std::string& endpoint,
                                                 const std::optional<CurveClient>& curve = {});
  /// Result of the last handshake. kRefused: the key is not on the master's list, so trying again
  /// is useless. kCutOff: the handshake failed, for example because the other end is not the
  /// master. The socket tries again.
  enum class Handshake { kNone, kGood, kRefused, kCutOff };
  Handshake handshake();

  int fd() const;
  /// Sends a text. Returns false if it was not sent because there is no connection, or because too
  /// many earlier texts wait to be sent.
  bool send(const std::string& text);
  /// Returns the text of the next message, or nullopt if there is no message. The protocol has no
  /// messages of several frames. If such a message arrives, returns its first frame and drops the
  /// rest.
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
