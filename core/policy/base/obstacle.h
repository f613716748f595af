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

// Facts about what keeps a phase of a job from its next container; report/why/text.h turns them
// into prose. In this file, "the request" is the phase's request for containers. Shares are of the
// cluster, 0..1. Lists are short: they hold the entries that matter most.

/// A job and what its containers hold somewhere.
struct JobShare {
  JobId job;
  Resources held;
  friend bool operator==(const JobShare&, const JobShare&) = default;
};
/// A node and the phase for which it is reserved.
struct HeldNode {
  NodeId node;
  PhaseId phase;
  friend bool operator==(const HeldNode&, const HeldNode&) = default;
};
/// Other jobs before the request in the scheduler's order: how many, and the first of them.
struct Ahead {
  int jobs = 0;
  std::vector<JobId> first;
  friend bool operator==(const Ahead&, const Ahead&) = default;
};

namespace obstacle {

struct NotSubmitted {
  friend bool operator==(const NotSubmitted&, const NotSubmitted&) = default;
};
/// The container was decided; its process does not exist yet.
struct Starting {
  NodeId node;
  EmuTime decided;
  friend bool operator==(const Starting&, const Starting&) = default;
};
/// Tasks of the phase are suspended: how many.
struct Suspended {
  int tasks = 0;
  friend bool operator==(const Suspended&, const Suspended&) = default;
};
/// Phases of the job that have to be complete first.
struct Inputs {
  std::vector<int> phases;
  friend bool operator==(const Inputs&, const Inputs&) = default;
};
/// `completed` of the job's maps are complete; `needed` have to be before reduces may be asked for.
struct SlowStart {
  int completed = 0, needed = 0, maps = 0;
  friend bool operator==(const SlowStart&, const SlowStart&) = default;
};
/// Early reduces may hold no more while maps wait for containers.
struct Ramp {
  int completed = 0, maps = 0;
  friend bool operator==(const Ramp&, const Ramp&) = default;
};
/// The phase asks for its next task only at that time (start_spread).
struct Later {
  EmuTime at;
  friend bool operator==(const Later&, const Later&) = default;
};
/// Another job with `deploy: yarn-client` is active; only one is active at a time.
struct OtherClient {
  JobId job;
  friend bool operator==(const OtherClient&, const OtherClient&) = default;
};

/// No live node could ever hold the container. The nodes in `gone` could, but are lost or not there
/// yet.
struct NoNode {
  std::vector<NodeId> gone;
  friend bool operator==(const NoNode&, const NoNode&) = default;
};
/// No node that the request may use has room.
struct NoRoom {
  NodeId node;  ///< where the least is missing; if the request holds nodes, one of them
  Resources free;
  std::vector<JobShare> held;  ///< jobs that hold what is missing there, most first
  std::vector<NodeId> own;     ///< nodes that are reserved for the request
  Ahead ahead;
  friend bool operator==(const NoRoom&, const NoRoom&) = default;
};
/// Nodes are reserved for others: all that could hold the container, or, with `room`, some that
/// have room for it while no other node has.
struct Reserved {
  bool room = false;
  int count = 0;                ///< number of such nodes
  std::vector<HeldNode> nodes;  ///< the first of them
  friend bool operator==(const Reserved&, const Reserved&) = default;
};
/// Requests leave room on the node, but the estimated usage does not.
struct Estimated {
  NodeId node;
  Resources free, by_requests;
  friend bool operator==(const Estimated&, const Estimated&) = default;
};
/// All containers of a gang are placed at once or not at all; `places` of `tasks` fit.
struct Gang {
  int places = 0, tasks = 0;
  Ahead ahead;
  friend bool operator==(const Gang&, const Gang&) = default;
};

/// A limit of the scheduler: `used` is held, or would be with one more container, and is more than
/// there may be (`most`).
struct Limit {
  enum class Of {
    kQueue,         ///< with one more, the queue would hold more than its max_capacity
    kQueueMasters,  ///< with one more, the queue's application masters would hold more than
                    ///< max_am_share of that
    kUser,          ///< the user holds all of the user's part of the queue
    kPool,          ///< the pool (of a category of jobs) holds its share
    kReserve,       ///< what is free is reserved for pools of smaller demand
  };
  Of of = Of::kQueue;
  int index = 0;  ///< index of the queue in the scenario, or of the pool, smallest demand first
  double used = 0, most = 0;  ///< shares; kReserve: what is free, and how much of it is reserved
  friend bool operator==(const Limit&, const Limit&) = default;
};
/// With one more, application masters would hold more than max_am_share (`most`); they hold `used`.
struct MasterShare {
  double used = 0, most = 0;
  friend bool operator==(const MasterShare&, const MasterShare&) = default;
};

/// A node has room, but the request waits for a node nearer to its data: it has let `passed` of at
/// most `of` opportunities pass.
struct LocalityDelay {
  NodeId node;
  int passed = 0, of = 0;
  friend bool operator==(const LocalityDelay&, const LocalityDelay&) = default;
};
/// A node has room, but the order is strict, and a request before it can't be placed.
struct StrictOrder {
  PhaseId behind;
  friend bool operator==(const StrictOrder&, const StrictOrder&) = default;
};
/// A node has room, but the jobs ahead would take it.
struct Order {
  NodeId node;
  Ahead ahead;
  friend bool operator==(const Order&, const Order&) = default;
};
/// Nothing is in the way. The request's turn comes with the node's next report or, if decisions do
/// not wait for reports, with the next event.
struct NextReport {
  NodeId node;
  friend bool operator==(const NextReport&, const NextReport&) = default;
};

/// The obstacle is unknown (a journal that can't be replayed).
struct Untold {
  friend bool operator==(const Untold&, const Untold&) = default;
};

}  // namespace obstacle

/// The obstacle between a phase of a job and its next container.
struct Obstacle {
  using What =
      std::variant<obstacle::NotSubmitted, obstacle::Starting, obstacle::Suspended,
                   obstacle::Inputs, obstacle::SlowStart, obstacle::Ramp, obstacle::Later,
                   obstacle::OtherClient, obstacle::NoNode, obstacle::NoRoom, obstacle::Reserved,
                   obstacle::Estimated, obstacle::Gang, obstacle::Limit, obstacle::MasterShare,
                   obstacle::LocalityDelay, obstacle::StrictOrder, obstacle::Order,
                   obstacle::NextReport, obstacle::Untold>;
  PhaseId phase;    ///< a `phase` of -1 means the job as a whole
  Resources asked;  ///< by one container of the phase
  What what;
  friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

/// Returns the obstacles of a job that is not over as the state alone shows them: tasks that are
/// starting, then the job's requests (`of_request`), suspended tasks, and phases that ask for
/// nothing yet, each by phase.
std::vector<Obstacle> obstacles_of(const View& view, JobId job,
                                   const std::function<Obstacle::What(const Request&)>& of_request);

/// The nodes on which a request has room: those reserved for it and those that nobody holds. If
/// there are none, `none` says why; a NoRoom there has no `ahead`.
struct Room {
  std::vector<NodeId> own, open;
  Obstacle::What none;  ///< if both lists are empty
};
/// Returns the room for the request. `fits` says whether it would fit on a live node, whoever holds
/// that.
Room room_for(const View& view, const Request& request, const std::function<bool(NodeId)>& fits);

/// Collects the jobs ahead one by one.
class AheadOf {
 public:
  /// Does nothing if the job was added before.
  void add(JobId job);
  const Ahead& all() const { return ahead_; }

 private:
  Ahead ahead_;
  std::set<JobId> seen_;
};

}  // namespace heddle
