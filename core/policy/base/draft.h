#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/policy/base/free_node_index.h"

namespace heddle {

/// Collects the actions of a step. A draft shows the view with the decisions so far applied, so
/// that later choices of the same step see earlier ones.
class Draft {
 public:
  /// Both arguments must outlive the draft. It keeps `free_nodes` up to date with its choices.
  Draft(const View& view, FreeNodeIndex& free_nodes) : view_(view), free_nodes_(free_nodes) {}

  const View& view() const { return view_; }
  const FreeNodeIndex& free_nodes() const { return free_nodes_; }
  const JobSpec& job(PhaseId phase) const { return view_.cluster.job(phase.job).spec(); }
  /// Returns what is free on the node, without what is withheld there, whoever has reserved the
  /// node.
  Resources free(NodeId node) const;
  /// Returns what is free on the node, including what is withheld there.
  Resources room(NodeId node) const;
  /// Returns the phase that holds (has reserved) the node; nullptr if none.
  const PhaseId* reserved_by(NodeId node) const;
  bool held_by_other(NodeId node, PhaseId phase) const;
  /// Returns how many nodes the request holds; reserved_nodes() returns them, ascending.
  int reserved(const Request& request) const;
  std::vector<NodeId> reserved_nodes(const Request& request) const;
  int pending(PhaseId phase) const;
  /// Returns true if a request of that size has something pending. REQUIRES: a size of
  /// wanted_sizes().
  bool asked_for(const Resources& size) const;
  int pending(const Request& request) const;
  /// Returns the number of live containers of the phase, including those launched in this step.
  int live(PhaseId phase) const;
  /// Returns how near to its data the request's next task would be on the node; kAny if it has no
  /// preference.
  Locality locality(const Request& request, NodeId node) const;
  /// Returns the nodes that have the data of the request's next task; empty if any node is as good.
  const std::vector<NodeId>& next_data(const Request& request) const;
  /// Returns what the job's containers hold, including those launched in this step.
  Resources allocated(JobId job) const;
  /// Returns what all application masters hold, including those launched in this step.
  Resources am_allocated() const { return view_.cluster.am_allocated() + am_taken_; }
  Resources total_free() const { return view_.cluster.total_free() - all_taken_; }
  /// Numbers of this step's launches of tasks that have their data somewhere: on a node with their
  /// data, and elsewhere.
  struct ByData {
    int local = 0;
    int elsewhere = 0;
  };
  const ByData& launches_by_data() const { return by_data_; }
  /// Returns how many of the request's pending tasks have their data on the node, at most `most`.
  int local_tasks(const Request& request, NodeId node, int most) const;

  /// Launches a container of the request on the node. REQUIRES: it fits and something is pending.
  /// Releases the request's reservation on the node, and then all reservations beyond its
  /// outstanding containers (highest node id first).
  void launch(const Request& request, NodeId node, std::string reason) {
    launch(request, node, request.resources, std::move(reason));
  }
  /// Does the same with a container of that size. REQUIRES: it is no larger than requested.
  void launch(const Request& request, NodeId node, const Resources& size, std::string reason);
  /// Reserves the node for the request. REQUIRES: nobody holds the node.
  void reserve(const Request& request, NodeId node, std::string reason);
  /// Releases the request's reservation. REQUIRES: the request holds the node.
  void unreserve(const Request& request, NodeId node, std::string reason);
  /// Keeps that much of the node, when it comes free, from every request until it is given back (a
  /// negative change). The end of the draft does not give it back.
  void withhold(NodeId node, const Resources& change);
  /// Kills the container. REQUIRES: it is not killed yet, in this step or before.
  void kill(ContainerId container, std::string reason);
  bool killed(ContainerId id) const {
    return killed_.contains(id) || view_.cluster.container(id)->killed;
  }
  /// Suspends, or resumes, the container. REQUIRES: it runs, or is suspended. What a suspension
  /// frees shows once the container has stopped.
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

  Decision take() { return {std::move(actions_), remembers_, std::move(notes_)}; }

 private:
  struct RequestDraft {
    int pending = 0;
    std::set<NodeId> held, let_go;  ///< reserved in this step; released, of those held before
    std::set<int> tasks;            ///< launched in this step, if it matters which they are
  };
  RequestDraft& touch(const Request& request);
  static bool holds(const Request& request, const RequestDraft& draft, NodeId node);
  /// Returns the last of the nodes that the request holds. REQUIRES: there is one.
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
  std::map<Resources, int, ByCoresThenMemory> satisfied_;  ///< requests with nothing left pending
  std::set<ContainerId> killed_;
  std::vector<Action> actions_;
  bool remembers_ = false;
  std::vector<PolicyNote> notes_;
};

}  // namespace heddle
