#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::master {

/// Host resources that a node takes from the machine whose worker plays it.
struct NodeNeed {
  real::Cpus cpus;
  real::Bytes memory;
};
/// Returns the need of a node, by the factors of a resolved scenario. REQUIRES: no factor is left
/// `auto`.
NodeNeed need_of(const Scenario& scenario, const NodeSpec& node);

/// Decides which host's worker plays which node. A host has room for nodes as long as their real
/// CPUs and memory fit into what it may use, minus the control reserve (Scenario::emulation). Pure.
class HostAssignment {
 public:
  /// `scenario` must outlive the assignment.
  explicit HostAssignment(const Scenario& scenario);

  /// Returns whether a node may be given to a new worker.
  using Free = std::function<bool(NodeId)>;

  /// Chooses a node for a worker that asks for none by name. Of the free nodes that fit, the order
  /// is: one that this host played before; one that is meant for this host; the one that takes the
  /// largest share of the host; the first. Error (kMachine): why there is none.
  Result<NodeId> choose(const wire::Hello& hello, const Free& free) const;
  /// Checks whether the worker may play that very node. Error (kMachine): the node is meant for
  /// another host, or does not fit. A worker that names no host is on the master's, where
  /// everything was checked before.
  Result<void> check(NodeId node, const wire::Hello& hello, const Free& free) const;
  /// Notes that the worker plays the node from now on.
  void take(NodeId node, const wire::Hello& hello);
  /// Returns the host of the node's latest worker; "" if there was none or it named no host.
  std::string host(NodeId node) const;
  bool on_host_of(NodeId node, const wire::Hello& hello) const;

 private:
  /// Identifies a host. Two hosts may have the same name, but each has its own clock.
  struct Key {
    std::string name, clock;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static std::optional<Key> key_of(const wire::Hello& hello);
  /// Returns what a host may use, minus the control reserve and what its nodes that are not free
  /// take. Node `without` does not count.
  NodeNeed left(const wire::Hello& hello, const Free& free, NodeId without) const;
  /// Returns the most that the host ever reported, because what is free there falls when its nodes
  /// begin to work.
  wire::HostFacts facts(const wire::Hello& hello) const;
  std::string no_room(const wire::Hello& hello, const Free& free, NodeId node) const;
  std::string names(const std::vector<NodeId>& nodes) const;

  const Scenario& scenario_;
  std::vector<NodeNeed> needs_;
  std::vector<std::optional<Key>> at_;
  std::map<Key, wire::HostFacts> hosts_;
};

}  // namespace heddle::master
