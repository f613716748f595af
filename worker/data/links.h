#pragma once

#include <deque>
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
#include "net/curve.h"
#include "net/poller.h"
#include "net/refusal_log.h"
#include "net/zap.h"
#include "worker/data/message.h"

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

  /// `self` marks ZeroMQ's thread among those of other services in this process. `keys`: what
  /// tcp:// takes; then only those are let in whom peers() names. `listening`: as in DataOptions.
  static Result<std::unique_ptr<Links>> open(NodeId self, const std::string& bind,
                                             const std::optional<net::CurveServer>& keys,
                                             net::Poller* poller, int listening = -1);
  ~Links();

  /// What is bound, with the port that the system has chosen.
  const std::string& endpoint() const { return endpoint_; }
  /// Where the others are, and their public keys. Returns those whose connection has ended by that.
  std::vector<NodeId> peers(const std::vector<std::string>& endpoints,
                            const std::vector<std::string>& keys);
  /// To another's service; connects if need be. What is sent to one who is gone waits for him.
  Result<void> send(NodeId peer, const DataMessage& message);
  /// What became of an answer. kFull: the asker has not read those before; the message is as it
  /// was. kGone: the asker is.
  enum class Sent { kSent, kFull, kGone };
  Sent answer(const std::string& asker, zmq::message_t& message);

  struct Received {
    std::optional<NodeId> peer;  ///< who answers; nothing: somebody asks
    std::string asker;           ///< what answer() takes
    std::optional<NodeId> node;  ///< whose key the asker has, over TCP
    zmq::message_t message;
  };
  /// The poller has reported the tag.
  void readable(std::uint64_t tag) { unread_.insert(tag); }
  std::optional<Received> receive();
  /// Lines about those who were not let in. A peer that was told of us before we were of it is let
  /// in as soon as we are; before a second has passed nobody is said to be refused.
  std::vector<std::string> take_refusals(real::Time now);
  /// Adds a line about one who was let in and asks for what it may not have, unless it had one
  /// lately.
  void refused(const std::string& who, const std::string& why, real::Time now);
  /// When to look for such lines, if there will be any.
  std::optional<real::Time> refusals_due() const;

  /// A fault: nothing comes or goes while it is cut off, and nobody is told.
  void cut_off(bool cut) { cut_ = cut; }

  /// Real CPU time of ZeroMQ's own thread so far. From any thread.
  double cpu_s() const;

 private:
  struct Peer {
    std::string endpoint, key;
    friend bool operator==(const Peer&, const Peer&) = default;
  };

  Links(NodeId self, const std::string& bind, const std::optional<net::CurveServer>& keys,
        net::Poller* poller, int listening);
  Result<zmq::socket_t*> peer(NodeId node);
  void answer_the_door();
  bool let_in(const net::ZapHandler::Question& question);
  Result<void> watch(zmq::socket_t& socket, std::uint64_t tag);
  void close(NodeId node);

  NodeId self_;
  bool cut_ = false;
  net::Poller* poller_;
  zmq::context_t context_{1};
  std::optional<net::CurveServer> keys_;
  std::optional<net::ZapHandler> door_;  ///< before the socket: without it libzmq lets every key in
  net::AllowList allow_list_;
  struct Waiting {
    net::ZapHandler::Question question;
    real::Time since;
  };
  std::deque<Waiting> waiting_;  ///< not listed, or not yet
  void refuse(const Waiting& one);
  net::RefusalLog log_;
  std::vector<std::string> refusals_;
  zmq::socket_t server_;
  std::string endpoint_;
  std::vector<Peer> named_;  ///< by node
  std::map<NodeId, zmq::socket_t> peers_;
  std::set<std::uint64_t> unread_;  ///< tags of sockets that may have something
};

}  // namespace heddle::worker
