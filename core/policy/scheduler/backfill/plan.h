#pragma once

#include <functional>
#include <map>

#include "core/model/counts.h"
#include "core/model/labels.h"
#include "core/model/resources.h"
#include "core/policy/scheduler/backfill/steps.h"

namespace heddle {
struct Request;
}

namespace heddle::backfill {

// The plan of a backfilling scheduler: what is free at which time, if running jobs hold their nodes
// for as long as they are expected to.

/// A job that waits. All its tasks start at once.
struct Waiting {
  int tasks = 1;
  Resources size;  ///< of one task
  EmuTime length = kForever;
  const Where* where = nullptr;      ///< labels that its nodes must have; nullptr: any node will do
  const Request* request = nullptr;  ///< for the order of nodes

  Resources all() const { return size * tasks; }
};

/// A start in the plan. `nodes`: the node of each task, as an index of the plan's nodes, ascending.
/// The list is empty if only the number of nodes counts and the start is later.
struct Booking {
  EmuTime start;
  std::vector<std::size_t> nodes;
};

/// The resources that the cluster has as a whole. `counted` is null if there are none, else all
/// that the cluster counts. `free`: what is free of them now.
struct Whole {
  const CountNames* counted = nullptr;
  Resources free = {};
};

/// The reservations of the site. `open`: returns whether the job may use the node of the plan if it
/// starts then; nullptr: all nodes are open to all jobs. Nodes can become open to a job only at one
/// of the times `ends`.
struct Site {
  std::function<bool(const Waiting& job, std::size_t node, EmuTime start)> open = nullptr;
  std::vector<EmuTime> ends = {};
};

class Plan {
 public:
  /// A node beside running jobs: what is free now, and what they release at their expected ends, in
  /// any order.
  struct NodeUse {
    Resources free;
    std::vector<std::pair<EmuTime, Resources>> releases;
  };
  using Running = std::function<std::vector<NodeUse>()>;
  /// Returns nodes of the plan in the order in which they are to be filled.
  using Order = std::function<std::vector<std::size_t>(const Request&, std::vector<std::size_t>)>;
  /// Returns the labels of a node of the plan. Jobs without labels do not need it.
  using LabelsOf = std::function<const Labels&(std::size_t node)>;
  /// `free`: what each node has free now. `running`: what jobs that run leave. It is called at most
  /// once, when the first job does not fit now: what running jobs leave only grows, so a job that
  /// fits now fits until its end. `machines`: bookings are on definite nodes, the lowest ones that
  /// are free for the whole time. false: only how many tasks fit in the cluster counts, and the
  /// nodes are chosen at the start. Tasks must then fit on the nodes beside running jobs, and in
  /// what bookings leave of the cluster as a whole. What `whole` points to must outlive the plan.
  /// `order`: of the nodes for a job that starts now; without it, the lowest ones are the first.
  /// `site` and `entire` need `machines`. `entire`: a booking for later keeps its nodes as a whole,
  /// also from jobs that would fit beside it.
  Plan(EmuTime now, std::vector<Resources> free, Running running, bool machines, Whole whole = {},
       LabelsOf labels = nullptr, Order order = nullptr, Site site = {}, bool entire = false);

  /// Returns the earliest start at which all tasks of the job fit until its end. Returns nullopt if
  /// there is none.
  std::optional<Booking> earliest(const Waiting& job);
  /// Returns nullopt if the job does not fit from now until its end.
  std::optional<Booking> now(const Waiting& job);
  /// Returns true if more is booked than there is, at some time.
  bool overbooked() const;
  /// Takes what the job needs. A booking that is already due takes it from now on.
  void book(const Waiting& job, const Booking& booking);
  void give_back(const Waiting& job, const Booking& booking);
  /// Takes what a running job holds on the node for free until its expected end, as if it had ended
  /// now.
  void end_now(std::size_t node, const Resources& held, EmuTime expected);

 private:
  /// Returns the booking of a job that fits now beside running jobs. REQUIRES: nothing is booked
  /// for later.
  std::optional<Booking> at_once(const Waiting& job) const;
  /// Returns the amounts that belong to the cluster as a whole. REQUIRES: it has any.
  Resources of_whole(const Resources& amounts) const;
  /// Takes in what running jobs release.
  void look_ahead();
  void change(const Waiting& job, const Booking& booking, int sign);
  bool fits(const Waiting& job, EmuTime start) const;
  bool fits_on_machines(const Waiting& job, EmuTime start, EmuTime until) const;
  bool fits_by_count(const Waiting& job, EmuTime start, EmuTime until) const;
  Booking booking(const Waiting& job, EmuTime start) const;
  /// Returns nodes on which all tasks fit from now on, ascending, once for each task. `free`:
  /// returns what a node has free. Returns fewer if they do not fit.
  template <class Free>
  std::vector<std::size_t> nodes_now(const Waiting& job, std::size_t count, const Free& free) const;
  /// Returns how many of the job's tasks fit on the nodes beside running jobs, by time.
  const Steps<int>& places(const Waiting& job) const;
  /// Returns whether the node has the labels that the job needs.
  bool has_labels(const Waiting& job, std::size_t node) const {
    return job.where == nullptr || meets(*job.where, labels_(node));
  }
  /// Returns whether the job may use the node if it starts then.
  bool may(const Waiting& job, std::size_t node, EmuTime start) const {
    return has_labels(job, node) && (!site_.open || site_.open(job, node, start));
  }
  /// Returns what the node has free for a job during all of that time.
  Resources free_on(std::size_t node, EmuTime start, EmuTime until) const;
  /// Returns the times at which something changes.
  std::vector<EmuTime> times() const;

  EmuTime now_;
  std::vector<Resources> free_;  ///< until look_ahead()
  Running running_;              ///< empty after look_ahead()
  Whole whole_;
  LabelsOf labels_;
  Order order_;
  Site site_;
  Resources whole_left_;                            ///< until look_ahead(), without what is booked
  std::vector<std::pair<Waiting, Booking>> begun_;  ///< booked before look_ahead(), from now on
  bool machines_, entire_;
  std::vector<Steps<Resources>> nodes_;
  std::vector<Steps<int>> kept_;  ///< minus the number of bookings that keep the node as a whole
  Steps<Resources> all_;          ///< of the cluster as a whole, without what is booked
  /// By the labels that jobs need, and by the size of tasks.
  mutable std::map<const Where*, std::map<Resources, Steps<int>, BySize>> places_;
};

}  // namespace heddle::backfill
