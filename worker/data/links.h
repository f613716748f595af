#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include <zmq.hpp>

#include "common/ids.h"
#include "common/result.h"
#include "worker/data/message.h"
#include "worker/poller.h"

namespace heddle::worker {

/// A message with room for a body behind its header.
zmq::message_t to_wire(const DataMessage& message, std::string_view body = {});

/// The sockets of a data service: one that serves, and one to each other service that was ever
/// asked for something. All calls from one thread; none blocks.
///
/// ZeroMQ's descriptors are edge-triggered, and any call may use up an event. So: before waiting
/// for the poller, receive() until there is nothing.
class Links {
 public:
  /// Tags it may give to the poller's descriptors: this and above.
  static constexpr std::uint64_t kFirstTag = 1'000'000;

  /// `self` marks ZeroMQ's thread among those of other services in this process.
  static Result<std::unique_ptr<Links>> open(NodeId self, const std::string& bind, Poller* poller);
  ~Links();

  /// What is bound, with the port that the system has chosen.
  const std::string& endpoint() const { return endpoint_; }
  /// Where the others are. Returns those whose connection has ended by that.
  std::vector<NodeId> peers(const std::vector<std::string>& endpoints);
  /// To another's service; connects if need be. What is sent to one who is gone waits for him.
  Result<void> send(NodeId peer, const DataMessage& message);
  /// To one who asked. Dropped if he is gone.
  void answer(const std::string& asker, zmq::message_t message);

  struct Received {
    std::optional<NodeId> peer;  ///< who answers; nothing: somebody asks
    std::string asker;           ///< what answer() takes
    zmq::message_t message;
  };
  /// The poller has reported the tag.
  void readable(std::uint64_t tag) { unread_.insert(tag); }
  std::optional<Received> receive();

  /// Real CPU time of ZeroMQ's own thread so far. From any thread.
  double cpu_s() const;

 private:
  Links(NodeId self, const std::string& bind, Poller* poller);
  Result<zmq::socket_t*> peer(NodeId node);
  Result<void> watch(zmq::socket_t& socket, std::uint64_t tag);
  void close(NodeId node);

  NodeId self_;
  Poller* poller_;
  zmq::context_t context_{1};
  zmq::socket_t server_;
  std::string endpoint_;
  std::vector<std::string> endpoints_;
  std::map<NodeId, zmq::socket_t> peers_;
  std::set<std::uint64_t> unread_;  ///< tags of sockets that may have something
};

}  // namespace heddle::worker
