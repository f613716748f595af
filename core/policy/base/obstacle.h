#pragma once

#include <boost/container/static_vector.hpp>
#include <functional>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "core/model/job_priority.h"
#include "core/model/resources.h"
#include "core/scenario/advance_reservations.h"
#include "core/scenario/job_spec.h"

namespace heddle {

class ClusterState;
class Draft;
struct Request;
struct View;

// Describes what keeps a phase of a job from its next container. report/why/text.h turns these
// facts into sentences. In this file, "the request" is the phase's request for containers. Shares
// are shares of the cluster, 0..1. Lists are short and hold only the entries that matter most.

/// A job and what its containers hold somewhere.
struct JobShare {
  JobId job;
  Resources held;
  bool kept = false;  ///< the job keeps a part of it, whose tasks have ended, until its end
  friend bool operator==(const JobShare&, const JobShare&) = default;
};
/// A node and the phase for which it is reserved.
struct HeldNode {
  NodeId node;
  PhaseId phase;
  friend bool operator==(const HeldNode&, const HeldNode&) = default;
};
/// Maximum number of entries in a list of facts.
inline constexpr std::size_t kMostNamed = 3;
/// The other jobs that go before the request in the scheduler's order: their number, and the first
/// of them.
struct Ahead {
  int jobs = 0;
  boost::container::static_vector<JobId, kMostNamed> first;
  friend bool operator==(const Ahead&, const Ahead&) = default;
};

namespace obstacle {

struct NotSubmitted {
  friend bool operator==(const NotSubmitted&, const NotSubmitted&) = default;
};
/// Other jobs that have to start or end first. `count`: the number of conditions that do not hold
/// yet. `first`: the first of them.
struct OtherJobs {
  int count = 0;
  boost::container::static_vector<JobCondition, kMostNamed> first;
  friend bool operator==(const OtherJobs&, const OtherJobs&) = default;
};
/// The policy has decided to launch the container, but its process does not exist yet.
struct Starting {
  NodeId node;
  EmuTime decided;
  friend bool operator==(const Starting&, const Starting&) = default;
};
/// Tasks of the phase are suspended. `tasks`: the number of them.
struct Suspended {
  int tasks = 0;
  friend bool operator==(const Suspended&, const Suspended&) = default;
};
/// Phases of the job that have to be complete first.
struct Inputs {
  std::vector<int> phases;
  friend bool operator==(const Inputs&, const Inputs&) = default;
};
/// Too few of the job's maps are complete: `completed` of `maps`. The job requests reduces after
/// `needed` maps are complete.
struct SlowStart {
  int completed = 0, needed = 0, maps = 0;
  friend bool operator==(const SlowStart&, const SlowStart&) = default;
};
/// The job's early reduces are not allowed to hold more while its maps wait for containers.
/// `completed` of `maps` maps are complete.
struct Ramp {
  int completed = 0, maps = 0;
  friend bool operator==(const Ramp&, const Ramp&) = default;
};
/// The phase does not request its next task before `at` (start_spread).
struct Later {
  EmuTime at;
  friend bool operator==(const Later&, const Later&) = default;
};
/// Another job with `deploy: yarn-client` is active. Only one such job is active at a time.
struct OtherClient {
  JobId job;
  friend bool operator==(const OtherClient&, const OtherClient&) = default;
};

/// No live node could hold the container even if it is empty: its labels are not those asked for,
/// or it is too small. The nodes in `gone` could, but they are lost or have not joined yet.
struct NoNode {
  std::vector<NodeId> gone;
  friend bool operator==(const NoNode&, const NoNode&) = default;
};
/// None of the nodes that the request is allowed to use has room.
struct NoRoom {
  /// The node on which the least is missing. If the request has reserved nodes, this is one of
  /// them.
  NodeId node;
  Resources free;
  std::vector<JobShare> held;  ///< jobs that hold what is missing on `node`, most first
  std::vector<NodeId> own;     ///< nodes that are reserved for the request
  Ahead ahead;
  friend bool operator==(const NoRoom&, const NoRoom&) = default;
};
/// Nodes are reserved for other requests. If `room` is false, these are all live nodes that are
/// large enough for the container. If `room` is true, these nodes have room for the container, and
/// no other node has.
struct Reserved {
  bool room = false;
  int count = 0;                ///< number of such nodes
  std::vector<HeldNode> nodes;  ///< the first of them
  friend bool operator==(const Reserved&, const Reserved&) = default;
};
/// The node has no room because its estimated usage is high. By requests alone, the node would have
/// room.
struct Estimated {
  NodeId node;
  Resources free, by_requests;
  friend bool operator==(const Estimated&, const Estimated&) = default;
};
/// Nodes with room are reserved for other jobs by the site (Scenario::reservations), now or before
/// the job would end. `time` is of the first of these nodes.
struct AdvanceReservation {
  int nodes = 0;  ///< number of such nodes
  ReservedTime time;
  friend bool operator==(const AdvanceReservation&, const AdvanceReservation&) = default;
};
/// The containers of a gang must all be placed at once. Only `places` of `tasks` containers fit.
struct Gang {
  int places = 0, tasks = 0;
  Ahead ahead;
  std::vector<JobId> keep = {};  ///< jobs that keep the places of ended tasks until their end
  std::optional<AdvanceReservation> reserved = {};  ///< nodes that it could use otherwise
  std::vector<JobShare> held = {};  ///< jobs that hold most on the nodes that it can use
  friend bool operator==(const Gang&, const Gang&) = default;
};

/// A backfilling scheduler has planned the gang.
struct Backfill {
  std::optional<EmuTime> at;  ///< when the gang is planned to start; nullopt: it has no reservation
  Ahead ahead;  ///< jobs before it that wait for their reservations, which it must not delay
  std::vector<JobId> keep = {};  ///< as in Gang
  /// conservative: the start that the gang was promised when it was first planned, the time at
  /// which it was last moved, and the job whose end moved it.
  std::optional<EmuTime> promised = {}, moved_at = {};
  std::optional<JobId> moved_by = {};
  std::optional<AdvanceReservation> reserved = {};  ///< as in Gang
  std::vector<JobShare> held = {};                  ///< as in Gang
  friend bool operator==(const Backfill&, const Backfill&) = default;
};

/// A limit of the scheduler. `used` is what is held (kUser, kPool), or what would be held with one
/// more container (kQueue, kQueueMasters). `most` is the limit.
struct Limit {
  enum class Of {
    kQueue,         ///< with one more container, the queue would exceed its max_capacity
    kQueueMasters,  ///< with one more, the queue's application masters would exceed max_am_share
                    ///< of the queue's max_capacity
    kUser,          ///< the user holds all that one user is allowed to hold in the queue
    kPool,          ///< the pool (of a category of jobs) holds its whole share
    kReserve,       ///< the free resources are reserved for pools of smaller demand
  };
  Of of = Of::kQueue;
  /// Index of the queue in the scenario, or of the pool. The pool of smallest demand has index 0.
  int index = 0;
  /// Shares. For kReserve, `used` is what is free, and `most` is how much of it is reserved.
  double used = 0, most = 0;
  friend bool operator==(const Limit&, const Limit&) = default;
};
/// The application masters hold `used`. With one more, they would hold more than `most`
/// (max_am_share).
struct MasterShare {
  double used = 0, most = 0;
  friend bool operator==(const MasterShare&, const MasterShare&) = default;
};
/// The job's user has `jobs` jobs of its quality of service that have containers, and may have at
/// most `most` (max_jobs_per_user).
struct JobsOfUser {
  int jobs = 0, most = 0;
  friend bool operator==(const JobsOfUser&, const JobsOfUser&) = default;
};
/// `running` jobs of the job's array have containers, and at most `most` may (array_limit).
struct JobsOfArray {
  int running = 0, most = 0;
  friend bool operator==(const JobsOfArray&, const JobsOfArray&) = default;
};
/// The node has room, but it is not in the best third of the nodes that have (`node_order`).
struct BetterNodes {
  NodeId node;
  friend bool operator==(const BetterNodes&, const BetterNodes&) = default;
};
/// The cluster as a whole has too little left of a resource that it counts. A gang asks for all its
/// containers at once.
struct ClusterWide {
  std::size_t resource = 0;  ///< index in ClusterSpec::resources
  Thousandths asked, free;
  friend bool operator==(const ClusterWide&, const ClusterWide&) = default;
};

/// A node has room, but the request waits for a node nearer to its data. The request has let
/// `passed` opportunities pass, and lets at most `of` pass. If the delay is a time, `until` is when
/// it ends unless the job launches something before, and the numbers are 0.
struct LocalityDelay {
  NodeId node;
  int passed = 0, of = 0;
  std::optional<EmuTime> until = {};
  friend bool operator==(const LocalityDelay&, const LocalityDelay&) = default;
};
/// A node has room, but the order is strict, and the request of phase `behind`, which cannot be
/// placed, goes first. `leaf`: only its queue keeps the order, because the request would exceed the
/// queue's maximum.
struct StrictOrder {
  PhaseId behind;
  bool leaf = false;
  friend bool operator==(const StrictOrder&, const StrictOrder&) = default;
};
/// A node has room, but the jobs in `ahead` would take it first.
struct Order {
  NodeId node;
  Ahead ahead;
  friend bool operator==(const Order&, const Order&) = default;
};
/// There is no obstacle. The request gets its container when the node next reports. If decisions do
/// not wait for reports, the request gets it at the next event.
struct NextReport {
  NodeId node;
  friend bool operator==(const NextReport&, const NextReport&) = default;
};

/// The node has room and was offered, but the external policy did not launch the request there.
struct Declined {
  NodeId node;
  friend bool operator==(const Declined&, const Declined&) = default;
};

/// The obstacle is unknown, because the journal cannot be replayed.
struct Unknown {
  friend bool operator==(const Unknown&, const Unknown&) = default;
};

}  // namespace obstacle

/// Why a node cannot take a container of the request, in the order of the gates.
enum class NotHere {
  kTooSmall,  ///< the labels are not those asked for, or an empty node would be too small
  kLost,      ///< the node takes no containers
  kNoRoom,    ///< too little is free
  kReserved,  ///< the node is reserved for another request
  kAdvance,   ///< the site has reserved the node for other jobs
};
/// Why a gate refuses a request (core/policy/gate.h). A refusal has only numbers, because the gates
/// are asked often. `heddle why` makes the obstacle of it.
using Refusal = std::variant<NotHere, obstacle::Limit, obstacle::Backfill, obstacle::MasterShare,
                             obstacle::JobsOfUser, obstacle::JobsOfArray, obstacle::ClusterWide,
                             obstacle::BetterNodes, obstacle::Ramp, obstacle::Gang,
                             obstacle::LocalityDelay, obstacle::StrictOrder>;

/// Describes what keeps a phase of a job from its next container.
struct Obstacle {
  using What =
      std::variant<obstacle::NotSubmitted, obstacle::OtherJobs, obstacle::Starting,
                   obstacle::Suspended, obstacle::Inputs, obstacle::SlowStart, obstacle::Ramp,
                   obstacle::Later, obstacle::OtherClient, obstacle::NoNode, obstacle::NoRoom,
                   obstacle::Reserved, obstacle::AdvanceReservation, obstacle::Estimated,
                   obstacle::Gang, obstacle::Backfill, obstacle::Limit, obstacle::MasterShare,
                   obstacle::JobsOfUser, obstacle::JobsOfArray, obstacle::ClusterWide,
                   obstacle::BetterNodes, obstacle::LocalityDelay, obstacle::StrictOrder,
                   obstacle::Order, obstacle::NextReport, obstacle::Declined, obstacle::Unknown>;
  PhaseId phase;    ///< a `phase` of -1 means the job as a whole
  Resources asked;  ///< what one container of the phase requests
  What what;
  std::optional<JobPriority> priority = {};  ///< of the job; nullopt: the policy computes none
  friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

/// Returns the obstacles of an unfinished job that the state alone shows. The list has, in this
/// order:
/// - tasks that are starting
/// - the job's requests, each with the result of `of_request`
/// - suspended tasks
/// - phases that request nothing yet
///
/// Each of these groups is ordered by phase.
std::vector<Obstacle> obstacles_of(const View& view, JobId job,
                                   const std::function<Obstacle::What(const Request&)>& of_request);

/// Returns the first jobs, by id, that keep the places of ended tasks (JobHoldings::kept).
std::vector<JobId> jobs_that_keep(const ClusterState& cluster);

/// Asks the gates of nodes why a node cannot take a container of a request.
using NodeGates = std::function<std::optional<NotHere>(NodeId)>;

/// Returns the jobs that hold most of what a gang requests on the nodes that it can use, most
/// first. These are the nodes that have room for one of its containers, or would have it if they
/// were empty. Leaves out the gang's own job.
std::vector<JobShare> holders_for_gang(const Draft& draft, const Request& request,
                                       const NodeGates& refused);

/// The nodes on which a request has room. `own` has the nodes that are reserved for the request,
/// and `open` those that are not reserved. If both lists are empty, `none` says why. A NoRoom in
/// `none` has no `ahead`.
struct Room {
  std::vector<NodeId> own, open;
  Obstacle::What none;  ///< set if both lists are empty
  std::optional<obstacle::AdvanceReservation> reserved = {};
};
/// Returns the nodes with room for the request.
Room room_for(const Draft& draft, const Request& request, const NodeGates& refused);

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
