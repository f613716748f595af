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
#include "net/backlog_watch.h"
#include "net/curve.h"
#include "net/poller.h"
#include "net/refusal_log.h"
#include "net/zap.h"
#include "worker/data/message.h"

namespace heddle::worker {

/// Returns a ZeroMQ message with the header of `message` and the body.
zmq::message_t to_wire(const DataMessage& message, std::string_view body = {});

/// The sockets of a data service. One socket serves other services. For each other service that
/// this service has sent a request to, there is one more socket. All calls must come from one
/// thread. No call blocks.
///
/// ZeroMQ's descriptors are edge-triggered, and any call can use up an event. Therefore, before
/// waiting for the poller, call receive() until it returns nothing.
class Links {
 public:
  /// Smallest tag for the descriptors that this class adds to the poller.
  static constexpr std::uint64_t kFirstTag = 1'000'000;

  /// Opens the sockets. `self` becomes a part of the name of ZeroMQ's thread, because there can be
  /// other services in this process. `keys` are required for tcp://, where only peers that peers()
  /// has named are admitted. `listening` is as in DataOptions.
  static Result<std::unique_ptr<Links>> open(NodeId self, const std::string& bind,
                                             const std::optional<net::CurveServer>& keys,
                                             net::Poller* poller, int listening = -1);
  ~Links();

  /// Returns the endpoint to which the socket is bound, with the port that the system has chosen.
  const std::string& endpoint() const { return endpoint_; }
  /// Sets the endpoints and public keys of the other services. Closes the connections to services
  /// that have gone or changed, and returns their nodes.
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
    std::optional<NodeId> peer;  ///< the node that answers; nullopt: a request
    std::string asker;           ///< name of the asker, for answer()
    std::optional<NodeId> node;  ///< over TCP: the node whose key the asker has
    zmq::message_t message;
  };
  /// Notes that the poller has reported the tag.
  void readable(std::uint64_t tag) { unread_.insert(tag); }
  std::optional<Received> receive();
  /// Returns log lines about peers that were refused. A peer can connect before the master has
  /// named it to us. We admit the peer when the master names it. Therefore a peer counts as refused
  /// only after it has waited for one second.
  std::vector<std::string> take_refusals(real::Time now);
  /// Adds a line about an admitted peer whose request is not allowed. Adds at most one line per
  /// peer and minute (net/refusal_log.h).
  void refused(const std::string& who, const std::string& why, real::Time now);
  /// Returns when to call take_refusals, or nullopt if no peer waits to be admitted.
  std::optional<real::Time> refusals_due() const;

  /// Applies a fault. While `cut` is true, all messages in both directions are dropped without an
  /// error.
  void cut_off(bool cut) { cut_ = cut; }

  /// Returns the real CPU time of ZeroMQ's thread so far. Can be called from any thread.
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
  std::optional<net::ZapHandler>
      door_;  ///< made before the socket binds; otherwise libzmq admits every key
  net::AllowList allow_list_;
  struct Waiting {
    net::ZapHandler::Question question;
    real::Time since;
  };
  std::deque<Waiting> waiting_;  ///< peers that are not in the list, at least not yet
  void refuse(const Waiting& one);
  net::RefusalLog log_;
  std::vector<std::string> refusals_;
  zmq::socket_t server_;
  std::string endpoint_;
  std::vector<Peer> named_;  ///< endpoints and keys from peers(), by node
  std::map<NodeId, zmq::socket_t> peers_;
  std::optional<net::BacklogWatch> backlog_;  ///< of the sockets at tcp://
  std::set<std::uint64_t> unread_;            ///< tags of sockets that can have a message
};

}  // namespace heddle::worker
