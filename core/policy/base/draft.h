#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/policy/base/free_node_index.h"

namespace heddle {

class Draft;

/// Returns true if the node could take a container of the request as soon as what runs there has
/// ended: if no gate refuses whose answer does not depend on that (core/policy/gate.cc).
bool could_take(const Request& request, NodeId node, const Draft& draft);

/// Collects the actions of a step. A draft shows the state as the actions so far will leave it, so
/// that later choices of the step take earlier choices into account.
class Draft {
 public:
  /// Makes a draft without actions. Both arguments must outlive the draft. The draft updates
  /// `free_nodes` after each choice.
  Draft(const View& view, FreeNodeIndex& free_nodes) : view_(view), free_nodes_(free_nodes) {}

  const View& view() const { return view_; }
  const FreeNodeIndex& free_nodes() const { return free_nodes_; }
  const JobSpec& job(PhaseId phase) const { return view_.cluster.job(phase.job).spec(); }
  /// Returns the conditions on the labels of nodes.
  const Where& where(PhaseId phase) const {
    return job(phase).phases[static_cast<std::size_t>(phase.phase)].where;
  }
  /// Returns what is free on the node, without what is withheld there (see withhold()).
  /// Reservations do not count.
  Resources free(NodeId node) const;
  /// Returns what is free on the node, including what is withheld there.
  Resources room(NodeId node) const;
  /// Returns the phase that has reserved the node (that "holds" it). Returns nullptr if there is
  /// none.
  const PhaseId* reserved_by(NodeId node) const;
  bool held_by_other(NodeId node, PhaseId phase) const;
  /// Returns the number of nodes that the request has reserved. reserved_nodes() returns these
  /// nodes, ascending.
  int reserved(const Request& request) const;
  std::vector<NodeId> reserved_nodes(const Request& request) const;
  /// Returns true if `matches` is true of the phase that has reserved any of the nodes.
  template <class Matches>
  bool any_holder(Matches matches) const {
    for (const auto& [node, holder] : holders_)
      if (holder && matches(*holder)) return true;
    return std::ranges::any_of(view_.cluster.reserved_nodes(), [&](NodeId node) {
      return !holders_.contains(node) && matches(view_.cluster.node(node).reservation->phase);
    });
  }
  int pending(PhaseId phase) const;
  /// Returns true if some request of that size has something pending. REQUIRES:
  /// ClusterState::wanted_sizes() has the size.
  bool asked_for(const Resources& size) const;
  int pending(const Request& request) const;
  /// Returns the number of live containers of the phase, including those launched in this step.
  int live(PhaseId phase) const;
  /// Returns how near the node is to the data of the request's next task. Returns kAny if the task
  /// prefers no node.
  Locality locality(const Request& request, NodeId node) const;
  /// Returns the nodes that have the data of the request's next task. The list is empty if the task
  /// prefers no node.
  const std::vector<NodeId>& next_data(const Request& request) const;
  /// Returns what the job's containers hold, including those launched in this step.
  Resources allocated(JobId job) const;
  /// Returns what all application masters hold, including those launched in this step.
  Resources am_allocated() const { return view_.cluster.am_allocated() + am_taken_; }
  Resources total_free() const { return view_.cluster.total_free() - all_taken_; }
  /// Number of tasks that this step has launched and that prefer some nodes: tasks on a node with
  /// their data (`local`), and tasks on other nodes (`elsewhere`).
  struct ByData {
    int local = 0;
    int elsewhere = 0;
  };
  const ByData& launches_by_data() const { return by_data_; }
  /// Returns how many of the request's pending tasks have their data on the node. Counts at most
  /// `most`.
  int local_tasks(const Request& request, NodeId node, int most) const;

  /// Launches a container of the request on the node. If the request has reserved the node,
  /// releases this reservation. If the request then has more reservations than containers
  /// outstanding, releases the surplus (highest node id first). REQUIRES: the container fits, and
  /// the request has something pending.
  void launch(const Request& request, NodeId node, std::string reason) {
    launch(request, node, request.resources, std::move(reason));
  }
  /// Does the same with a container of that size. If the size names no devices, the default ones
  /// are chosen. REQUIRES: the size is not larger than requested.
  void launch(const Request& request, NodeId node, const Resources& size, std::string reason);
  /// Reserves the node for the request. REQUIRES: the node is not reserved.
  void reserve(const Request& request, NodeId node, std::string reason);
  /// Releases the request's reservation of the node. REQUIRES: the request has reserved the node.
  void unreserve(const Request& request, NodeId node, std::string reason);
  /// Withholds `change` of the node from every request, also if it is not free yet. A negative
  /// change gives resources back. Withheld resources stay withheld after the draft has ended.
  void withhold(NodeId node, const Resources& change);
  /// Kills the container. REQUIRES: neither this step nor an earlier step has killed the container.
  void kill(ContainerId container, std::string reason);
  /// Ends the job as killed. REQUIRES: it is not finished.
  void kill_job(JobId job, std::string reason);
  bool killed(ContainerId id) const {
    return killed_.contains(id) || view_.cluster.container(id)->killed;
  }
  /// Suspends a running container, or resumes a suspended one. The draft shows the cores of a
  /// suspended container as free only in steps after the container has stopped.
  void suspend(ContainerId container, std::string reason) {
    actions_.push_back({Suspend{container}, std::move(reason)});
  }
  void resume(ContainerId container, std::string reason) {
    actions_.push_back({Resume{container}, std::move(reason)});
  }
  void wake_at(EmuTime at, std::string reason) {
    actions_.push_back({WakeAt{at}, std::move(reason)});
  }
  /// See Decision::remembers.
  void remember() { remembers_ = true; }
  void note(PolicyNote note) { notes_.push_back(std::move(note)); }

  bool empty() const { return actions_.empty(); }

  Decision take() { return {std::move(actions_), remembers_, std::move(notes_)}; }

 private:
  struct RequestDraft {
    int pending = 0;
    /// Nodes that were reserved in this step, and earlier reservations that were released in it.
    std::set<NodeId> held, let_go;
    std::set<int> tasks;  ///< launched in this step; only if the phase's tasks prefer nodes
  };
  RequestDraft& touch(const Request& request);
  static bool holds(const Request& request, const RequestDraft& draft, NodeId node);
  /// Returns the node with the highest id that the request has reserved. REQUIRES: the request has
  /// reserved a node.
  static NodeId last_held(const Request& request, const RequestDraft& draft);
  static void let_go(const Request& request, RequestDraft& draft, NodeId node) {
    if (draft.held.erase(node) == 0 && request.reserved.contains(node)) draft.let_go.insert(node);
  }
  const std::set<int>& launched(PhaseId phase) const;
  void refresh_room(NodeId id) {
    free_nodes_.set(view_.cluster.node(id), free(id), reserved_by(id) != nullptr);
  }

  const View& view_;
  FreeNodeIndex& free_nodes_;
  std::map<NodeId, Resources> taken_;
  std::map<JobId, Resources> job_taken_;
  Resources all_taken_, am_taken_;
  ByData by_data_;
  std::map<NodeId, std::optional<PhaseId>> holders_;
  std::map<PhaseId, RequestDraft> requests_;
  std::map<Resources, int, BySize>
      satisfied_;  ///< number of requests with nothing pending, by size
  std::set<ContainerId> killed_;
  std::vector<Action> actions_;
  bool remembers_ = false;
  std::vector<PolicyNote> notes_;
};

}  // namespace heddle
