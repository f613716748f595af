#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <zmq.hpp>

#include "common/result.h"

namespace heddle::external {

/// Returns the error of a program that has not replied in time.
Error no_reply(std::chrono::nanoseconds limit);

/// The connection to the program of an external policy: a REQ socket that connects to the program's
/// REP socket. A request is sent only after the reply to the one before it has come.
class Link {
 public:
  /// Connects to ipc:// or tcp://. The program can begin to listen later. Error (kUsage): the
  /// endpoint is at another machine.
  static Result<std::unique_ptr<Link>> connect(const std::string& endpoint);

  /// Sends a request. Returns false if it could not be sent.
  bool send(const std::string& request);
  /// Returns the reply, or nullopt if there is none yet.
  std::optional<std::string> receive();
  /// For zmq::poll().
  void* handle() { return socket_.handle(); }

  /// Sends a request and waits for its reply. Every 100 ms and when `wake_fd` is readable, calls
  /// `given_up`, and ends with the error that it returns. Errors (kAborted): there is no reply
  /// within the limit, or `given_up` returned one.
  Result<std::string> exchange(const std::string& request, std::chrono::nanoseconds limit,
                               int wake_fd, const std::function<std::optional<Error>()>& given_up);

 private:
  Link() : socket_(context_, zmq::socket_type::req) {}
  zmq::context_t context_{1};
  zmq::socket_t socket_;
};

}  // namespace heddle::external
