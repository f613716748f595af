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

/// All data that moves in a cluster in virtual time: what real workers' data services do. A
/// transfer passes the disk of a node that has the data or is to have it, and between two nodes the
/// network out of the one and into the other; what passes there at the same time shares it
/// (core/model/flow_share.h). Rates change only when a transfer begins or ends, and then only of
/// those that share something with it, directly or through others: what a change costs is in
/// proportion to these, not to the cluster.
///
/// Use: advance to a time not beyond next_time(), take what has moved, begin and cancel, settle.
/// Pure.
class DataModel {
 public:
  /// Names a transfer; ascending in the order in which they begin.
  using Ticket = std::int64_t;
  /// kLost: who was to send or to take it is gone, or silent. kFull: a disk had no room for it.
  enum class Outcome { kDone, kLost, kFull };
  struct Moved {
    NodeId node;  ///< that began it
    ContainerId container;
    Ticket ticket = 0;
    Outcome outcome = Outcome::kDone;
  };

  explicit DataModel(const std::vector<NodeSpec>& nodes);

  void advance(EmuTime now);
  /// Transfers that have ended since the last call, in the order of time; at the same time, of
  /// tickets.
  std::vector<Moved> take_moved() { return std::exchange(moved_, {}); }

  // At the time advanced to. One of no bytes ends at once: next_time() is now.
  /// For a container on `node`: brings what lies on `source`, which may be the same. 0: a block.
  Ticket read(NodeId node, ContainerId container, NodeId source, EmuBytes size,
              std::uint64_t object = 0);
  /// For a container on `node`: writes to its disk.
  Ticket write(NodeId node, ContainerId container, EmuBytes size);
  /// For a container on `node`: copies what lies there to the disk of `target`, another node.
  Ticket copy(NodeId node, ContainerId container, NodeId target, EmuBytes size);
  /// Nobody waits for it any more. Does nothing if it has ended.
  void cancel(Ticket ticket);

  // Faults, at the time advanced to.
  /// Whether anything passes the node's disk, and its network; what is under way waits.
  void set_passing(NodeId node, bool disk, bool network);
  /// What began between this node and others no later than `begun` fails.
  void fail_with(NodeId node, EmuTime begun);
  /// The others know that the node is gone: they don't try it.
  void set_gone(NodeId node, bool gone) { faults_[node.value].gone = gone; }
  /// What containers before this one have written on the node is there no more.
  void forget(NodeId node, ContainerId before) { faults_[node.value].forgotten = before; }
  /// Nothing can be written on the node; what is being written fails.
  void set_full(NodeId node, bool full);

  /// Divides anew what is shared by those that came and those that are left.
  void settle();

  /// When the next transfer ends; kNever if none is under way. REQUIRES: settled.
  EmuTime next_time() const { return due_.empty() ? kNever : due_.begin()->first; }
  /// Transfers under way.
  std::int64_t count() const { return std::ssize(transfers_); }

 private:
  struct Transfer {
    NodeId node;
    ContainerId container;
    FlowPath path;
    NodeId other;                ///< that sends or takes it; may be `node`
    std::optional<NodeId> into;  ///< on whose disk it is written
    EmuTime begun = {};
    Outcome outcome = Outcome::kDone;
    // The straight line: what is left as of `since`.
    double left = 0;  ///< bytes
    double rate = 0;  ///< bytes a microsecond
    EmuTime since = {};
    EmuTime due = kNever;
    std::int64_t seen = 0;  ///< in this division
  };
  using Entry = std::pair<const Ticket, Transfer>;
  /// A disk, or one direction of a network card.
  struct Resource {
    double capacity = 0;  ///< bytes a microsecond
    std::vector<Entry*> passing;
    std::int64_t seen = 0;
    int index = 0;  ///< in this division
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
  /// It ends now, with that.
  void end(Entry& transfer, Outcome outcome);
  /// Of a transfer that has not begun.
  Outcome outlook(const Transfer& transfer, std::uint64_t object) const;
  template <class Which>
  void end_all(Outcome outcome, Which which);
  void leave(Entry& transfer);
  void see(int resource, std::vector<int>& found);
  void set_rate(Entry& transfer, double rate);
  void set_due(Entry& transfer, EmuTime due);

  std::vector<Resource> resources_;  ///< three of each node
  std::vector<double> capacities_;   ///< theirs, where nothing is wrong
  std::vector<NodeFaults> faults_;   ///< by node
  std::unordered_map<Ticket, Transfer> transfers_;
  std::set<std::pair<EmuTime, Ticket>> due_;
  std::vector<int> changed_;  ///< resources, to be divided anew
  std::vector<Moved> moved_;
  EmuTime now_;
  Ticket next_ = 0;
  std::int64_t divisions_ = 0;
};

}  // namespace heddle::sim
