#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::master {

/// What a node takes of the machine whose worker plays it.
struct NodeNeed {
  real::Cpus cpus;
  real::Bytes memory;
};
/// By the factors of a resolved scenario. REQUIRES: none is left to be chosen.
NodeNeed need_of(const Scenario& scenario, const NodeSpec& node);

/// Which host's worker plays which node. A host has room for nodes as far as their real CPUs and
/// memory fit into what it may use, less the control reserve (Scenario::emulation). Pure.
class HostAssignment {
 public:
  /// `scenario` must outlive the book.
  explicit HostAssignment(const Scenario& scenario);

  /// Whether a node may be given to a new worker.
  using Free = std::function<bool(NodeId)>;

  /// A node for a worker that asks for none by name: of the free ones that fit, one that this host
  /// played before, else one that is meant for this host, else the one that takes the largest share
  /// of it; of equals the first. Error (kMachine): why there is none.
  Result<NodeId> choose(const wire::Hello& hello, const Free& free) const;
  /// Whether the worker may play that very node. Error (kMachine): it is meant for another host, or
  /// does not fit. Workers that tell of no host are on the master's, where all was looked at
  /// before.
  Result<void> check(NodeId node, const wire::Hello& hello, const Free& free) const;
  /// The worker plays the node from now on.
  void take(NodeId node, const wire::Hello& hello);
  /// The host of the node's latest worker; "" without one, or where it told of none.
  std::string host(NodeId node) const;
  bool on_host_of(NodeId node, const wire::Hello& hello) const;

 private:
  /// Hosts of one name, each with a clock of its own, are two.
  struct Key {
    std::string name, clock;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static std::optional<Key> key_of(const wire::Hello& hello);
  /// What a host may use, less what nodes that are not free take of it.
  NodeNeed left(const wire::Hello& hello, const Free& free, NodeId without) const;
  /// The most that the host ever told: what is free there falls when its nodes begin to work.
  wire::HostFacts facts(const wire::Hello& hello) const;
  std::string no_room(const wire::Hello& hello, const Free& free, NodeId node) const;
  std::string names(const std::vector<NodeId>& nodes) const;

  const Scenario& scenario_;
  std::vector<NodeNeed> needs_;
  std::vector<std::optional<Key>> at_;
  std::map<Key, wire::HostFacts> hosts_;
};

}  // namespace heddle::master
