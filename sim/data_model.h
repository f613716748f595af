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

/// Models all transfers of data in a cluster in virtual time, as the data services of real workers
/// make them. A transfer uses the disk that it reads from and the disk that it writes to. Between
/// two nodes, it also uses the outgoing network of the sender and the incoming network of the
/// receiver. Transfers that use the same disk or network share it (core/model/flow_share.h). Rates
/// change only when a transfer begins or ends. Then only the transfers change that share a disk or
/// network with it, directly or through other transfers. The cost of a change is proportional to
/// the number of these transfers.
///
/// Use: call advance() with a time that is not after next_time(), then take_moved(). Begin and
/// cancel transfers, and then call settle(). Pure.
class DataModel {
 public:
  /// Identifies a transfer. A transfer that begins later has a larger number.
  using Ticket = std::int64_t;
  /// kLost: the node that should send or receive the data is gone, or does not answer. kFull: the
  /// disk to write to is full.
  enum class Outcome { kDone, kLost, kFull };
  struct Moved {
    NodeId node;  ///< node that began the transfer
    ContainerId container;
    Ticket ticket = 0;
    Outcome outcome = Outcome::kDone;
  };

  explicit DataModel(const std::vector<NodeSpec>& nodes);

  void advance(EmuTime now);
  /// Returns the transfers that have ended since the last call, in the order of their end, then of
  /// tickets.
  std::vector<Moved> take_moved() { return std::exchange(moved_, {}); }

  // The next functions act at the time of the last advance(). A transfer of 0 bytes ends at this
  // time, and next_time() is then this time.
  /// Reads data from `source` for a container on `node`. `source` can be the same node. If `object`
  /// is 0, the data is a block.
  Ticket read(NodeId node, ContainerId container, NodeId source, EmuBytes size,
              std::uint64_t object = 0);
  /// Writes data to the disk of `node`, for a container on that node.
  Ticket write(NodeId node, ContainerId container, EmuBytes size);
  /// Copies data from `node` to the disk of another node, `target`, for a container on `node`.
  Ticket copy(NodeId node, ContainerId container, NodeId target, EmuBytes size);
  /// Cancels a transfer. Does nothing if the transfer has ended.
  void cancel(Ticket ticket);

  // The next functions apply faults at the time of the last advance().
  /// Sets whether the node's disk and the node's network move any data. If not, their transfers
  /// wait.
  void set_passing(NodeId node, bool disk, bool network);
  /// Lets the transfers between this node and other nodes fail that began at `begun` or earlier.
  void fail_with(NodeId node, EmuTime begun);
  /// Sets whether the other nodes know that the node is gone. If so, new transfers that other nodes
  /// begin with this node fail at once.
  void set_gone(NodeId node, bool gone) { faults_[node.value].gone = gone; }
  /// Makes the data unavailable that containers with ids below `before` have written on the node.
  void forget(NodeId node, ContainerId before) { faults_[node.value].forgotten = before; }
  /// Sets whether the node's disk is full. If so, transfers that write to the disk fail, also those
  /// that have begun.
  void set_full(NodeId node, bool full);

  /// Divides disks and networks again among their transfers, after changes.
  void settle();

  /// Returns the time at which the next transfer ends. Returns kNever if there is no transfer that
  /// can end. REQUIRES: settle() was called after the last change.
  EmuTime next_time() const { return due_.empty() ? kNever : due_.begin()->first; }
  /// Returns how many transfers have begun and have not ended.
  std::int64_t count() const { return std::ssize(transfers_); }

 private:
  struct Transfer {
    NodeId node;
    ContainerId container;
    FlowPath path;
    NodeId other;                ///< the node at the other end; can be `node`
    std::optional<NodeId> into;  ///< node on whose disk the data is written
    EmuTime begun = {};
    Outcome outcome = Outcome::kDone;
    // The bytes that are left decrease in a straight line. Their number at `since`:
    double left = 0;  ///< bytes
    double rate = 0;  ///< bytes a microsecond
    EmuTime since = {};
    EmuTime due = kNever;
    std::int64_t seen = 0;  ///< number of the last division that included it
  };
  using Entry = std::pair<const Ticket, Transfer>;
  /// A disk, or one direction of a network card.
  struct Resource {
    double capacity = 0;  ///< bytes a microsecond
    std::vector<Entry*> passing;
    std::int64_t seen = 0;
    int index = 0;  ///< index in the present division
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
  /// Ends the transfer now, with the given outcome.
  void end(Entry& transfer, Outcome outcome);
  /// Returns how a transfer that begins now will end if no other fault happens.
  Outcome outlook(const Transfer& transfer, std::uint64_t object) const;
  template <class Which>
  void end_all(Outcome outcome, Which which);
  void leave(Entry& transfer);
  /// Adds the resource to the present division.
  void see(int resource);
  void set_rate(Entry& transfer, double rate);
  void set_due(Entry& transfer, EmuTime due);

  std::vector<Resource> resources_;  ///< three per node
  std::vector<double> capacities_;   ///< capacities without faults
  std::vector<NodeFaults> faults_;   ///< by node
  std::unordered_map<Ticket, Transfer> transfers_;
  std::set<std::pair<EmuTime, Ticket>> due_;
  std::vector<int> changed_;  ///< resources that must be divided again
  std::vector<Moved> moved_;
  EmuTime now_;
  Ticket next_ = 0;
  // The present division: resources, those searched first, then the transfers over them.
  std::int64_t divisions_ = 0;
  std::vector<int> found_;
  std::vector<Entry*> sharing_;
  std::vector<double> shared_;  ///< capacities of found_
  std::vector<FlowPath> paths_;
  FlowShares shares_;
};

}  // namespace heddle::sim
