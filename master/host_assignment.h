#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "wire/messages.h"

namespace heddle::master {

/// Host resources that an emulated node needs on the machine whose worker plays the node.
struct NodeNeed {
  real::Cpus cpus;
  real::Bytes memory;
};
/// Returns what a node needs, computed with the scenario's scales. REQUIRES: the scenario is
/// resolved, so that no scale is `auto`.
NodeNeed need_of(const Scenario& scenario, const NodeSpec& node);

/// Decides which host's worker plays which node. The nodes of a host must fit into the CPUs and
/// memory that Heddle can use on the host, minus the control reserve (Scenario::emulation). Pure.
class HostAssignment {
 public:
  /// `scenario` must outlive the assignment.
  explicit HostAssignment(const Scenario& scenario);

  /// Returns whether a new worker can get the node.
  using Free = std::function<bool(NodeId)>;

  /// Chooses a node for a worker that does not name a node. Considers the free nodes that fit on
  /// the host and are not assigned to another host. Prefers, in this order:
  /// - a node that this host played before
  /// - a node that the scenario assigns to this host
  /// - the node that takes the largest share of the host
  /// - the node that comes first in the scenario
  ///
  /// Error (kMachine): why there is no such node.
  Result<NodeId> choose(const wire::Hello& hello, const Free& free) const;
  /// Checks whether the worker can play the node that it names. Error (kMachine): the node is
  /// assigned to another host, or does not fit on this host. A worker that names no host is on the
  /// master's host. Its node is not checked here, because all nodes of that host were checked
  /// before the run.
  Result<void> check(NodeId node, const wire::Hello& hello, const Free& free) const;
  /// Notes that the worker plays the node from this time on.
  void take(NodeId node, const wire::Hello& hello);
  /// Returns the host of the node's latest worker, or "" if there was no worker or the worker named
  /// no host.
  std::string host(NodeId node) const;
  bool on_host_of(NodeId node, const wire::Hello& hello) const;

 private:
  /// Identifies a host. Two hosts can have the same name, but each host has its own clock.
  struct Key {
    std::string name, clock;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static std::optional<Key> key_of(const wire::Hello& hello);
  /// Returns the resources that are left on the host. Subtracts the control reserve and the needs
  /// of the host's nodes that are not free. Does not count the node `without`.
  NodeNeed left(const wire::Hello& hello, const Free& free, NodeId without) const;
  /// Returns the largest resources that the host has reported so far. Later reports can be smaller,
  /// because the nodes on the host use part of its resources.
  wire::HostFacts facts(const wire::Hello& hello) const;
  std::string no_room(const wire::Hello& hello, const Free& free, NodeId node) const;
  std::string names(const std::vector<NodeId>& nodes) const;

  const Scenario& scenario_;
  std::vector<NodeNeed> needs_;
  std::vector<std::optional<Key>> at_;
  std::map<Key, wire::HostFacts> hosts_;
};

}  // namespace heddle::master
