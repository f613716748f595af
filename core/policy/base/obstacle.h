#pragma once

#include <functional>
#include <set>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "core/model/resources.h"

namespace heddle {

struct Request;
struct View;

// What keeps a phase of a job from its next container, as facts; report/why/text.h has the prose.
// Shares are of the cluster, 0..1; lists are short: those that matter most.

/// What a job's containers hold somewhere.
struct JobShare {
  JobId job;
  Resources held;
  friend bool operator==(const JobShare&, const JobShare&) = default;
};
/// A node, and for which phase it is reserved.
struct HeldNode {
  NodeId node;
  PhaseId phase;
  friend bool operator==(const HeldNode&, const HeldNode&) = default;
};
/// Other jobs that stand before it in the scheduler's order: how many, and the first of them.
struct Ahead {
  int jobs = 0;
  std::vector<JobId> first;
  friend bool operator==(const Ahead&, const Ahead&) = default;
};

namespace obstacle {

struct NotSubmitted {
  friend bool operator==(const NotSubmitted&, const NotSubmitted&) = default;
};
/// It has been decided, the process isn't there yet.
struct Starting {
  NodeId node;
  EmuTime decided;
  friend bool operator==(const Starting&, const Starting&) = default;
};
/// All its tasks that would run are suspended.
struct Suspended {
  int tasks = 0;
  friend bool operator==(const Suspended&, const Suspended&) = default;
};
/// Phases of its job that have to be complete first.
struct Inputs {
  std::vector<int> phases;
  friend bool operator==(const Inputs&, const Inputs&) = default;
};
/// So many of its maps are complete, so many have to be before reduces may be asked for.
struct SlowStart {
  int completed = 0, needed = 0, maps = 0;
  friend bool operator==(const SlowStart&, const SlowStart&) = default;
};
/// Reduces may hold no more while maps wait for containers.
struct Ramp {
  int completed = 0, maps = 0;
  friend bool operator==(const Ramp&, const Ramp&) = default;
};
/// Its next task is asked for only then (start_spread).
struct Later {
  EmuTime at;
  friend bool operator==(const Later&, const Later&) = default;
};
/// Of jobs of its kind (deploy: yarn-client) only one is active at a time.
struct OtherClient {
  JobId job;
  friend bool operator==(const OtherClient&, const OtherClient&) = default;
};

/// No live node could ever hold it; `gone` could, and are lost or not there yet.
struct NoNode {
  std::vector<NodeId> gone;
  friend bool operator==(const NoNode&, const NoNode&) = default;
};
/// No node that it may have has room.
struct NoRoom {
  NodeId node;  ///< that where the least is missing; of nodes it holds, if it holds any
  Resources free;
  std::vector<JobShare> held;  ///< there, of what is missing: most first
  std::vector<NodeId> own;     ///< nodes that are reserved for it
  Ahead ahead;
  friend bool operator==(const NoRoom&, const NoRoom&) = default;
};
/// Nodes that are reserved for others: all that could hold it, or (`room`) some that have room for
/// it now, where no other node has.
struct Reserved {
  bool room = false;
  int count = 0;                ///< of such nodes …
  std::vector<HeldNode> nodes;  ///< … and the first of them
  friend bool operator==(const Reserved&, const Reserved&) = default;
};
/// Requests leave room there, the use that is estimated doesn't.
struct Estimated {
  NodeId node;
  Resources free, by_requests;
  friend bool operator==(const Estimated&, const Estimated&) = default;
};
/// All of a gang fit at once, or none; so many of so many do.
struct Gang {
  int places = 0, tasks = 0;
  Ahead ahead;
  friend bool operator==(const Gang&, const Gang&) = default;
};

/// A limit of the scheduler's own: what is held, or would be with one container more, is above the
/// most that there may be.
struct Limit {
  enum class Of {
    kQueue,         ///< with it the queue would hold more than its max_capacity
    kQueueMasters,  ///< with it application masters of the queue more than max_am_share of that
    kUser,          ///< the user holds all that its part of the queue is
    kPool,          ///< the pool (of jobs of a class) holds its share
    kReserve,       ///< what is free is reserved for pools of smaller demand
  };
  Of of = Of::kQueue;
  int index = 0;  ///< of the queue in the scenario; of the pool, the smallest demand first
  double used = 0, most = 0;  ///< shares; kReserve: what is free, and what of it is reserved
  friend bool operator==(const Limit&, const Limit&) = default;
};
/// With it application masters would hold more than max_am_share; what they hold.
struct MasterShare {
  double used = 0, most = 0;
  friend bool operator==(const MasterShare&, const MasterShare&) = default;
};

/// A node has room, and it has let so many opportunities pass of those it lets pass in the hope of
/// one nearer to its data.
struct LocalityDelay {
  NodeId node;
  int passed = 0, of = 0;
  friend bool operator==(const LocalityDelay&, const LocalityDelay&) = default;
};
/// A node has room, but the order is strict, and another that can't be placed stands before it.
struct StrictOrder {
  PhaseId behind;
  friend bool operator==(const StrictOrder&, const StrictOrder&) = default;
};
/// A node has room, but these go before it there and would take it.
struct Order {
  NodeId node;
  Ahead ahead;
  friend bool operator==(const Order&, const Order&) = default;
};
/// Nothing is in its way: with that node's next report (or, if decisions go without, the next
/// event) its turn comes.
struct NextReport {
  NodeId node;
  friend bool operator==(const NextReport&, const NextReport&) = default;
};

/// Nobody can say (a journal that can't be replayed).
struct Untold {
  friend bool operator==(const Untold&, const Untold&) = default;
};

}  // namespace obstacle

/// What stands between a phase of a job and its next container.
struct Obstacle {
  using What =
      std::variant<obstacle::NotSubmitted, obstacle::Starting, obstacle::Suspended,
                   obstacle::Inputs, obstacle::SlowStart, obstacle::Ramp, obstacle::Later,
                   obstacle::OtherClient, obstacle::NoNode, obstacle::NoRoom, obstacle::Reserved,
                   obstacle::Estimated, obstacle::Gang, obstacle::Limit, obstacle::MasterShare,
                   obstacle::LocalityDelay, obstacle::StrictOrder, obstacle::Order,
                   obstacle::NextReport, obstacle::Untold>;
  PhaseId phase;    ///< phase -1: the job as a whole
  Resources asked;  ///< by one container of it
  What what;
  friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

/// What the state alone tells of a job that is not over: tasks that are starting, then each of its
/// requests (`of_request`), suspended tasks, then phases that ask for nothing yet, each by phase.
std::vector<Obstacle> obstacles_of(const View& view, JobId job,
                                   const std::function<Obstacle::What(const Request&)>& of_request);

/// Where a request finds room: on nodes that are reserved for it, on nodes that nobody holds, or
/// why on none. A NoRoom says nothing of those ahead.
struct Room {
  std::vector<NodeId> own, open;
  Obstacle::What none;  ///< if both are empty
};
/// `fits`: it would on that live node, whoever holds it.
Room room_for(const View& view, const Request& request, const std::function<bool(NodeId)>& fits);

/// Jobs ahead, told one by one.
class AheadOf {
 public:
  /// Does nothing if it was told before.
  void add(JobId job);
  const Ahead& all() const { return ahead_; }

 private:
  Ahead ahead_;
  std::set<JobId> seen_;
};

}  // namespace heddle
