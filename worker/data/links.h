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

/// Makes a message of the header and a body.
zmq::message_t to_wire(const DataMessage& message, std::string_view body = {});

/// The sockets of a data service: one that serves, and one to each other service that was ever
/// asked for something. All calls must come from one thread; none blocks.
///
/// ZeroMQ's descriptors are edge-triggered, and any call may use up an event. So call receive()
/// until there is nothing before waiting for the poller.
class Links {
 public:
  /// First of the tags that it may give to the poller's descriptors.
  static constexpr std::uint64_t kFirstTag = 1'000'000;

  /// Opens the sockets. `self` marks ZeroMQ's thread among those of other services in this process.
  /// `keys`: required for tcp://; then only peers that peers() names are admitted. `listening`: as
  /// in DataOptions.
  static Result<std::unique_ptr<Links>> open(NodeId self, const std::string& bind,
                                             const std::optional<net::CurveServer>& keys,
                                             net::Poller* poller, int listening = -1);
  ~Links();

  /// Returns the bound endpoint, with the port that the system chose.
  const std::string& endpoint() const { return endpoint_; }
  /// Sets the other services' endpoints and public keys. Returns the nodes whose connection this
  /// ended.
  std::vector<NodeId> peers(const std::vector<std::string>& endpoints,
                            const std::vector<std::string>& keys);
  /// Sends a message to a node's service. Connects first if necessary. If the service is gone, the
  /// message waits until the service is back.
  Result<void> send(NodeId peer, const DataMessage& message);
  /// Result of answer(). kFull: the answer is not sent because the asker has not read earlier
  /// answers, and `message` is unchanged. kGone: the asker is gone.
  enum class Sent { kSent, kFull, kGone };
  Sent answer(const std::string& asker, zmq::message_t& message);

  struct Received {
    std::optional<NodeId> peer;  ///< the node that answers; nothing: this is a request
    std::string asker;           ///< the asker's name for answer()
    std::optional<NodeId> node;  ///< the node whose key the asker has, over TCP
    zmq::message_t message;
  };
  /// Takes note that the poller has reported the tag.
  void readable(std::uint64_t tag) { unread_.insert(tag); }
  std::optional<Received> receive();
  /// Returns log lines about peers that were refused. A peer may know us before the master has
  /// named it to us, and is admitted as soon as it is named. Therefore no peer counts as refused
  /// before a second has passed.
  std::vector<std::string> take_refusals(real::Time now);
  /// Adds a line about an admitted peer that asks for what it may not have, unless the peer had one
  /// lately.
  void refused(const std::string& who, const std::string& why, real::Time now);
  /// Returns when to call take_refusals, if there will be any lines.
  std::optional<real::Time> refusals_due() const;

  /// Applies a fault: while cut off, nothing comes or goes, and no error says so.
  void cut_off(bool cut) { cut_ = cut; }

  /// Returns the real CPU time of ZeroMQ's own thread so far. May be called from any thread.
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
  std::optional<net::ZapHandler> door_;  ///< made first: without it libzmq admits every key
  net::AllowList allow_list_;
  struct Waiting {
    net::ZapHandler::Question question;
    real::Time since;
  };
  std::deque<Waiting> waiting_;  ///< peers that are not listed, or not yet
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
