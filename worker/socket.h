#pragma once

#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/result.h"

namespace heddle::worker {

/// A DEALER to the master. Never blocks but when destroyed: then what was sent has a moment to
/// leave.
///
/// fd() is edge-triggered in ZeroMQ's way: any call may use up its event. So the last call before
/// waiting on it must be a receive that found nothing.
class Socket {
 public:
  /// `identity` stays that of this worker when the connection is made anew.
  static Result<std::unique_ptr<Socket>> connect(const std::string& endpoint,
                                                 const std::string& identity);
  int fd() const;
  /// False if it could not be taken: no connection now, or too much under way.
  bool send(const std::string& text);
  /// A message's text, or nothing if there is none now. Messages of several frames are no texts of
  /// ours: their first is returned, the rest dropped.
  std::optional<std::string> receive();

 private:
  Socket() : socket_(context_, zmq::socket_type::dealer) {}
  zmq::context_t context_{1};
  zmq::socket_t socket_;
};

}  // namespace heddle::worker
