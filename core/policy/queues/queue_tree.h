#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/policy/base/request_order.h"

namespace heddle {

/// A queue of the scenario, or the root above them all, with what it holds now.
struct Queue {
  const QueueSpec* spec = nullptr;  ///< null: the root
  int parent = -1;
  std::vector<int> children;  ///< in the scenario's order; empty: a leaf, which holds jobs
  double guaranteed = 1;      ///< share of the cluster: its capacity times its parent's share
  double maximum = 1;         ///< the same for max_capacity
  Resources used;             ///< held by containers of its jobs and of the queues below
  Resources am_used;          ///< the part of `used` that application masters hold
  int asking = 0;             ///< jobs in it and below that ask for something

  // For leaves only.
  RequestOrder requests;                     ///< requests of its jobs
  std::map<std::string, Resources> by_user;  ///< what each user holds, if anything
  std::map<std::string, int> asking_users;   ///< number of jobs that ask, by user

  bool leaf() const { return children.empty(); }
};

/// The queues among which a scheduler shares the cluster, and what each holds. The tree is kept
/// from step to step, at a cost in proportion to what changed.
class QueueTree {
 public:
  /// Returns a job's key in its leaf, from what it holds and the cluster's total; the smallest key
  /// goes first. nullptr: first in, first out.
  using JobKey = std::function<double(const Job&, const Resources& used, const Resources& total)>;
  /// The scenario must outlive the tree.
  QueueTree(const Scenario& scenario, JobKey job_key);

  void refresh(const Draft& draft);
  void launched(const Draft& draft, const Request& request);

  const std::vector<Queue>& queues() const { return queues_; }
  /// Returns the index of the leaf that holds the job.
  int queue_of(JobId job) const { return job_queue_[job.value]; }
  const std::string& user_of(JobId job) const { return scenario_.jobs[job.value].user; }
  /// Returns the index of a queue in queues() by its name, for tests and journals; -1 if there is
  /// none.
  int index_of(const std::string& name) const;

  /// Visits requests from the root down: at each queue the children that ask, by ascending `key`
  /// (in scenario order on a tie), in a leaf its jobs. Calls `visit` until it returns false.
  using QueueKey = std::function<std::pair<int, double>(const Queue&)>;
  void in_order(const Round& round, const QueueKey& key, const Scheduler::Visit& visit) const {
    descend(0, round, key, visit);
  }

 private:
  bool descend(int queue, const Round& round, const QueueKey& key,
               const Scheduler::Visit& visit) const;
  void count(JobId job, const Resources& used, const Resources& am_used);
  void place(const Draft& draft, JobId job);

  const Scenario& scenario_;
  JobKey job_key_;
  std::vector<Queue> queues_;
  std::vector<int> job_queue_;
  struct Counted {
    Resources used, am_used;
    bool asking = false;
  };
  std::vector<Counted> counted_;  ///< by job: its part of the queues' sums
  std::set<JobId> holding_;       ///< jobs that ask and hold something
  Resources total_;               ///< the total with which keys were computed
};

}  // namespace heddle
