#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/policy/base/part.h"
#include "core/policy/base/round.h"

namespace heddle {

class Preemption;

/// How a scheduler places the containers of gangs that it places itself.
struct GangPlaces {
  /// Returns the nodes in the order in which they are to be filled (`node_order`). Empty: in the
  /// given order.
  std::function<std::vector<NodeId>(const Request&, std::vector<NodeId>)> best_first;
  /// Returns whether a limit beside the scheduler's lets the job start.
  std::function<bool(JobId)> may_start;
  /// Launches one container.
  std::function<void(const Request&, NodeId, std::string reason)> launch;
};

/// Decides which request is next. A scheduler is the part of a policy that defines the order of
/// requests. It keeps this order from step to step. refresh() takes in what changed since the last
/// step, and launched() takes in what the current draft has launched.
class Scheduler {
 public:
  struct Traits {
    /// Each node has a different order of requests. A round over all nodes then does not show the
    /// order in which requests are placed.
    bool by_node = false;
    bool strict = false;  ///< placement stops at the first request that cannot be placed
    /// A request that comes later can go first. The reservations of others then end, because they
    /// would get their containers before it.
    bool reorders = false;
  };
  virtual ~Scheduler() = default;
  bool by_node() const { return traits_.by_node; }
  bool strict() const { return traits_.strict; }
  bool reorders() const { return traits_.reorders; }

  /// Takes in what changed since the last step (changed_jobs and container_changes of
  /// draft.view()). Called before all other functions, with an empty draft. Makes no decisions, but
  /// can call the draft's wake_at(), remember() and note().
  virtual void refresh(Draft& draft) = 0;

  /// Returns false to end the round.
  using Visit = std::function<bool(const Request&)>;
  /// Calls `visit` with each request in the scheduler's order, until `visit` returns false. After a
  /// launch, the caller starts a new round. The scheduler can leave out requests that its gate()
  /// refuses, requests that are not useful in the round (Round::useful), and requests that have
  /// nothing pending in the draft. The scheduler remembers only the last visit of a
  /// round, for reason() and launched(). Therefore a caller can also visit requests without
  /// launching any.
  virtual void in_order(const Round& round, const Visit& visit) = 0;
  /// Returns in a few words why the request of the last visit is next. The launch gets this text as
  /// its reason.
  virtual std::string reason(const Request&) const { return "fits"; }
  /// Takes in that the draft has launched one container of the request.
  virtual void launched(const Draft& draft, const Request& request) = 0;

  /// Takes in that the draft has reserved a node for the request.
  virtual void reserved(const Draft& /*draft*/, const Request& /*request*/) {}
  /// Returns true if the request is allowed to reserve one more node.
  virtual bool may_reserve(const Draft& /*draft*/, const Request& /*request*/) const {
    return true;
  }

  /// The scheduler's gate (core/policy/gate.h). Returns why the request gets no container now, for
  /// example a limit of its queue or user. Returns nullopt if the scheduler lets it pass.
  virtual std::optional<Refusal> gate(const Draft&, const Request&) const { return std::nullopt; }
  bool allows(const Draft& draft, const Request& request) const { return !gate(draft, request); }
  /// Returns the share of the whole that a part is, for the limit on application masters.
  virtual double master_share(const Resources& part, const Resources& whole) const {
    return dominant_share(part, whole);
  }
  /// Returns the priority of a job that waits, as of the last refresh(). Returns nullopt if the
  /// scheduler computes none.
  virtual std::optional<JobPriority> priority_of(JobId) const { return std::nullopt; }
  /// Returns what kills containers for requests that have waited too long. Returns nullptr if
  /// nothing does.
  virtual Preemption* preemption() { return nullptr; }
  /// Launches gangs on nodes of the scheduler's choice, and returns them. Called once per step,
  /// after all other requests had their turn. A scheduler that does so leaves gangs out of
  /// in_order(), and its gate() tells what it plans for them.
  virtual std::vector<const Request*> place_gangs(Draft&, const GangPlaces&) { return {}; }
  /// Returns true if the scheduler has to be given its next order before anything more is placed.
  virtual bool paused() const { return false; }
  /// Returns true if preferred() can return nodes.
  virtual bool prefers_nodes() const { return false; }
  /// Returns the nodes that the request's next container goes to if it may, best first. REQUIRES:
  /// the request was visited in the present order.
  virtual std::span<const NodeId> preferred(const Request&) const { return {}; }
  /// Returns the time before which refresh and the preemption do nothing if nothing changes.
  /// Returning 0 is always correct.
  virtual EmuTime passes_until() const { return EmuTime(0); }

 protected:
  Scheduler() = default;
  explicit Scheduler(const Traits& traits) : traits_(traits) {}

 private:
  Traits traits_;
};

using SchedulerPart = Part<Scheduler>;

}  // namespace heddle
