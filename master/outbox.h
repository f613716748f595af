#pragma once

#include <string>
#include <utility>
#include <vector>

#include "master/effects.h"
#include "master/node_links.h"

namespace heddle::master {

/// Addresses messages to workers and adds them to the effects of the call that is being handled.
class Outbox {
 public:
  /// `links` and `effects` must outlive the outbox.
  Outbox(const NodeLinks& links, Effects& effects) : links_(links), effects_(effects) {}

  /// Sends a message to the connection with this name (net/peer_name.h).
  void to_peer(const std::string& identity, wire::Message message) {
    effects_.send.emplace_back(identity, std::move(message));
  }
  void to_node(NodeId node, wire::Message message) {
    to_peer(links_.link(node).identity, std::move(message));
  }
  /// Sends a message to the workers of all live nodes.
  void to_all(wire::Message message) {
    std::vector<std::string> all;
    for (NodeId node : links_.nodes(NodeLinks::State::kAlive))
      all.push_back(links_.link(node).identity);
    if (!all.empty()) effects_.send.emplace_back(std::move(all), std::move(message));
  }

 private:
  const NodeLinks& links_;
  Effects& effects_;
};

}  // namespace heddle::master
