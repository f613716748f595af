#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/policy/base/request_order.h"

namespace heddle {

/// Whether each user has a queue below the queue that their jobs name. nullopt: as in
/// several_users_in_one_queue().
inline constexpr AutoFlagOption kUserQueues(
    {.name = "user_queues",
     .words = {"auto"},
     .by_default = "auto",
     .help = "whether each user has a queue below the queue that jobs name; auto: true if jobs "
             "name several users and all of them are in one queue"});

/// Returns true if the jobs name more than one user, and all of them are in one queue.
bool several_users_in_one_queue(const std::vector<JobSpec>& jobs);
/// Returns true if each user has a queue of their own. REQUIRES: the policy reads kUserQueues.
bool has_user_queues(const Scenario& scenario);

/// A queue of the scenario, a user's queue below such a queue, or the root of all queues, and what
/// it holds now.
struct Queue {
  const QueueSpec* spec = nullptr;  ///< null for the root; for a user's queue, that of all defaults
  std::string user;                 ///< whose queue it is; "" if it is not a user's
  int parent = -1;
  /// In the scenario's order; a leaf has none and holds jobs. Users are in the order in which jobs
  /// name them.
  std::vector<int> children;
  double guaranteed = 1;  ///< share of the cluster: its capacity times the parent's `guaranteed`
  double maximum = 1;     ///< share of the cluster: its max_capacity times the parent's `maximum`
  Resources used;         ///< held by containers of its jobs and of the queues below
  Resources am_used;      ///< the part of `used` that application masters hold
  Resources reserved;     ///< requests of its jobs and below that have reserved nodes
  int asking = 0;         ///< number of jobs in it and below that request something

  // Members for leaves only.
  RequestOrder requests;                     ///< requests of its jobs
  std::map<std::string, Resources> by_user;  ///< what users hold, without users who hold nothing
  std::map<std::string, Resources> reserved_by_user;  ///< likewise, what they have reserved
  std::map<std::string, int> asking_users;  ///< number of jobs that request something, by user

  bool leaf() const { return children.empty(); }
};

/// The queues among which a scheduler shares the cluster, and what each queue holds. The tree is
/// kept from step to step. The cost of an update is proportional to the number of changes.
class QueueTree {
 public:
  /// Returns a job's key in its leaf. `used`: what the job holds. `total`: the cluster's resources.
  /// The job with the smallest key goes first. If the function is nullptr, jobs go first in, first
  /// out.
  using JobKey = std::function<double(const Job&, const Resources& used, const Resources& total)>;
  /// The scenario must outlive the tree. `user_queues`: whether each user has a queue below the
  /// queue that the user's jobs name.
  QueueTree(const Scenario& scenario, JobKey job_key, bool user_queues = false);

  void refresh(const Draft& draft);
  void launched(const Draft& draft, const Request& request);
  /// Takes in that the draft has changed the job's reservations.
  void reserved(const Draft& draft, JobId job);
  /// Returns what the request has reserved: a container for each node or, for a gang, all.
  static Resources reserved_for(const Draft& draft, const Request& request) {
    const int nodes = draft.reserved(request);
    return request.resources * (request.gang && nodes > 0 ? request.pending : nodes);
  }

  const std::vector<Queue>& queues() const { return queues_; }
  /// Returns the index of the leaf that holds the job.
  int queue_of(JobId job) const { return job_queue_[job.value]; }
  const std::string& user_of(JobId job) const { return scenario_.jobs[job.value].user; }
  /// Returns the index in queues() of the scenario's queue that has this name. Returns -1 if there
  /// is none. Tests and journals use this function.
  int index_of(const std::string& name) const;
  /// Returns the queue's name for texts, such as "queue q" or "queue q of user bob".
  std::string name_of(int queue) const;

  /// Visits requests from the root down. At each queue, visits the children that request something
  /// by ascending `key`, on a tie in the order of the scenario. In a leaf, visits the requests of
  /// its jobs, up to the key that `end` returns for the leaf. Calls `visit` until it returns false.
  using QueueKey = std::function<std::pair<int, double>(const Queue&)>;
  using LeafEnd = std::function<std::optional<RequestOrder::Key>(int leaf)>;
  void in_order(const Round& round, const QueueKey& key, const Scheduler::Visit& visit,
                const LeafEnd& end = nullptr) const {
    descend(0, {round, key, visit, end});
  }

 private:
  struct Walk {
    const Round& round;
    const QueueKey& key;
    const Scheduler::Visit& visit;
    const LeafEnd& end;
  };
  bool descend(int queue, const Walk& walk) const;
  bool visit_leaf(int leaf, const Walk& walk) const;
  void count(JobId job, const Resources& used, const Resources& am_used);
  void place(const Draft& draft, JobId job);
  void add_user_queues();

  const Scenario& scenario_;
  JobKey job_key_;
  std::vector<Queue> queues_;
  std::vector<int> job_queue_;
  struct Counted {
    Resources used, am_used, reserved;
    bool asking = false;
  };
  std::vector<Counted> counted_;  ///< by job: what the sums of the queues contain for this job
  std::set<JobId> holding_;       ///< jobs that request something and hold something
  Resources total_;               ///< the cluster's resources with which keys were computed
};

}  // namespace heddle
