#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "net/backlog.h"

namespace heddle::net {

/// Bounds the memory for messages that peers send over TCP faster than this process takes them.
///
/// The watched sockets have no receive high-water mark. With one, libzmq stops reading a connection
/// whose queue is full. If the peer then ends the connection abruptly, libzmq 4.3.4 notes the error
/// and keeps the connection's object until the queue is read. If its timer for pings expires in the
/// meantime, or if the rest of its buffer has a ping, libzmq aborts the process (assertion
/// !_io_error, issue 4364 of libzmq). A peer could thus end this process. While the socket itself
/// closes, libzmq stops reading as well, so a socket that binds does not send pings either.
///
/// Instead, a thread looks at the connections every 100 ms, and shuts those down of which more
/// bytes wait than is allowed. A peer can connect again. In 100 ms, libzmq's thread reads some ten
/// MiB, by which all peers together can exceed their limits.
///
/// All functions can be called from any thread.
class BacklogWatch {
 public:
  BacklogWatch();
  ~BacklogWatch();

  /// Removes the receive high-water mark of a socket. Call it before the socket binds or connects.
  static void prepare(zmq::socket_t& socket);
  /// Watches the connections that this process accepts at an endpoint tcp://ADDRESS:PORT. `most`:
  /// bytes of a connection that can wait.
  void bound(const std::string& endpoint, std::uint64_t most);
  /// Watches the connections of this process to an endpoint, whose address is in numbers.
  void connected(const std::string& endpoint, std::uint64_t most);
  /// Notes that a part of a message was taken from a watched socket.
  void took(zmq::message_t& part);
  /// Returns the addresses of the peers whose connections were shut down since the last call.
  std::vector<std::string> ended();

 private:
  void run();
  void look();
  /// Returns how many bytes of this connection can wait; 0 if the connection is not watched.
  std::uint64_t most_of(int fd) const;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, std::uint64_t> ports_;    ///< limits, by port
  std::map<std::string, std::uint64_t> peers_;    ///< limits, by ADDRESS:PORT
  std::map<std::uint64_t, std::uint64_t> taken_;  ///< bytes, by cookie
  std::vector<std::string> ended_;
  bool stop_ = false;
  // The following members belong to the thread.
  Backlogs backlogs_;
  std::map<std::uint64_t, std::uint64_t> limits_;  ///< of watched connections, by cookie
  std::thread thread_;
};

}  // namespace heddle::net
