#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/policy/policy.h"

namespace heddle {

/// The actions of a step in the making: the view with what was decided so far taken off, so that
/// later choices of the same step see earlier ones.
class Draft {
 public:
  explicit Draft(const View& view) : view_(view) {}

  const View& view() const { return view_; }
  /// Free on the node, whoever holds a reservation on it.
  Resources free(NodeId node) const;
  /// Who holds the node; nullptr if nobody.
  const PhaseId* reserved_by(NodeId node) const;
  const std::set<NodeId>& reserved(PhaseId phase) const;
  int pending(PhaseId phase) const;
  /// True if the request fits some live node that nobody else holds.
  bool fits_somewhere(const Request& request) const;

  /// REQUIRES: it fits and something is pending. Releases the request's reservation on the node,
  /// and whatever reservations are then more than its containers outstanding (highest node id
  /// first).
  void launch(const Request& request, NodeId node, std::string reason);
  void reserve(const Request& request, NodeId node, std::string reason);

  std::vector<Action> take() { return std::move(actions_); }

 private:
  struct RequestDraft {
    int pending = 0;
    std::set<NodeId> reserved;
  };
  RequestDraft& touch(const Request& request);
  void release_surplus(const Request& request);

  const View& view_;
  std::map<NodeId, Resources> taken_;
  std::map<NodeId, std::optional<PhaseId>> holders_;
  std::map<PhaseId, RequestDraft> requests_;
  std::vector<Action> actions_;
};

}  // namespace heddle
