#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/result.h"
#include "net/curve.h"
#include "net/socket_events.h"

namespace heddle::net {

/// A DEALER to the master. Never blocks but when destroyed: then what was sent has a moment to
/// leave.
///
/// fd() is edge-triggered in ZeroMQ's way: any call may use up its event. So the last call before
/// waiting on it must be a receive that found nothing.
class Socket {
 public:
  /// Without keys only ipc. The master tells connections apart by ids of its own; one that is made
  /// anew is new to it.
  static Result<std::unique_ptr<Socket>> connect(const std::string& endpoint,
                                                 const std::optional<CurveClient>& curve = {});
  /// How the last try to show each other the keys went. The master refuses for good who isn't
  /// listed; who takes another for the master is cut off and tries again.
  enum class Handshake { kNone, kGood, kRefused, kCutOff };
  Handshake handshake();

  int fd() const;
  /// False if it could not be taken: no connection now, or too much under way.
  bool send(const std::string& text);
  /// A message's text, or nothing if there is none now. Messages of several frames are no texts of
  /// ours: their first is returned, the rest dropped.
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
