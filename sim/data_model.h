#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/flow_share.h"
#include "core/scenario/scenario.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// Models all data that moves in a cluster in virtual time, as the data services of real workers
/// move it. A transfer passes the disks that hold or get the data and, between two nodes, the
/// network out of the one and into the other. Transfers that pass the same disk or network share it
/// (core/model/flow_share.h). Rates change only when a transfer begins or ends, and then only for
/// transfers that share something with it, directly or through others. The cost of a change is
/// proportional to these transfers, not to the cluster.
///
/// Use: advance to a time not beyond next_time(), take what has moved, begin and cancel, settle.
/// Pure.
class DataModel {
 public:
  /// Identifies a transfer; ascending in the order in which transfers begin.
  using Ticket = std::int64_t;
  /// kLost: the node that was to send or to take the data is gone, or silent. kFull: a disk had no
  /// room for it.
  enum class Outcome { kDone, kLost, kFull };
  struct Moved {
    NodeId node;  ///< that began it
    ContainerId container;
    Ticket ticket = 0;
    Outcome outcome = Outcome::kDone;
  };

  explicit DataModel(const std::vector<NodeSpec>& nodes);

  void advance(EmuTime now);
  /// Returns the transfers that have ended since the last call, in the order of time, then of
  /// tickets.
  std::vector<Moved> take_moved() { return std::exchange(moved_, {}); }

  // At the time advanced to. A transfer of no bytes ends at once: next_time() is now.
  /// Brings data from `source`, which may be the same node, to a container on `node`. `object` 0: a
  /// block.
  Ticket read(NodeId node, ContainerId container, NodeId source, EmuBytes size,
              std::uint64_t object = 0);
  /// Writes to the disk of `node`, for a container there.
  Ticket write(NodeId node, ContainerId container, EmuBytes size);
  /// Copies data on `node` to the disk of `target`, another node, for a container on `node`.
  Ticket copy(NodeId node, ContainerId container, NodeId target, EmuBytes size);
  /// Cancels a transfer for which nobody waits any more. Does nothing if it has ended.
  void cancel(Ticket ticket);

  // Faults, at the time advanced to.
  /// Sets whether anything passes the node's disk, and its network. Transfers under way wait.
  void set_passing(NodeId node, bool disk, bool network);
  /// Fails the transfers between this node and others that began no later than `begun`.
  void fail_with(NodeId node, EmuTime begun);
  /// Sets whether the other nodes know that the node is gone; then they don't try it.
  void set_gone(NodeId node, bool gone) { faults_[node.value].gone = gone; }
  /// Makes unavailable what containers with ids below `before` have written on the node.
  void forget(NodeId node, ContainerId before) { faults_[node.value].forgotten = before; }
  /// Sets whether the node's disk is full. Then nothing can be written there, and what is being
  /// written fails.
  void set_full(NodeId node, bool full);

  /// Divides disks and networks again among the transfers that share them.
  void settle();

  /// Returns when the next transfer ends; kNever if none is under way. REQUIRES: settled.
  EmuTime next_time() const { return due_.empty() ? kNever : due_.begin()->first; }
  /// Returns how many transfers are under way.
  std::int64_t count() const { return std::ssize(transfers_); }

 private:
  struct Transfer {
    NodeId node;
    ContainerId container;
    FlowPath path;
    NodeId other;                ///< the other end; may be `node`
    std::optional<NodeId> into;  ///< on whose disk the data is written
    EmuTime begun = {};
    Outcome outcome = Outcome::kDone;
    // The straight line: what is left as of `since`.
    double left = 0;  ///< bytes
    double rate = 0;  ///< bytes a microsecond
    EmuTime since = {};
    EmuTime due = kNever;
    std::int64_t seen = 0;  ///< number of the last division with it
  };
  using Entry = std::pair<const Ticket, Transfer>;
  /// A disk, or one direction of a network card.
  struct Resource {
    double capacity = 0;  ///< bytes a microsecond
    std::vector<Entry*> passing;
    std::int64_t seen = 0;
    int index = 0;  ///< in the present division
  };

  static int disk(NodeId node) { return static_cast<int>(node.value) * 3; }
  static int network_out(NodeId node) { return disk(node) + 1; }
  static int network_in(NodeId node) { return disk(node) + 2; }

  struct NodeFaults {
    bool gone = false;
    bool full = false;
    ContainerId forgotten{0};
  };

  Ticket begin(const Transfer& transfer, EmuBytes size, std::uint64_t object = 0);
  /// Ends the transfer now, with that outcome.
  void end(Entry& transfer, Outcome outcome);
  /// Returns the outcome to expect of a transfer that begins.
  Outcome outlook(const Transfer& transfer, std::uint64_t object) const;
  template <class Which>
  void end_all(Outcome outcome, Which which);
  void leave(Entry& transfer);
  void see(int resource, std::vector<int>& found);
  void set_rate(Entry& transfer, double rate);
  void set_due(Entry& transfer, EmuTime due);

  std::vector<Resource> resources_;  ///< three per node
  std::vector<double> capacities_;   ///< capacities without faults
  std::vector<NodeFaults> faults_;   ///< by node
  std::unordered_map<Ticket, Transfer> transfers_;
  std::set<std::pair<EmuTime, Ticket>> due_;
  std::vector<int> changed_;  ///< resources, to be divided again
  std::vector<Moved> moved_;
  EmuTime now_;
  Ticket next_ = 0;
  std::int64_t divisions_ = 0;
};

}  // namespace heddle::sim
