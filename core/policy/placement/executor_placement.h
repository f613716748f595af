#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Chooses nodes for executors: a part of policies. This base class, `first-fit`, leaves executors
/// to FirstFit like all other containers.
class ExecutorPlacement {
 public:
  struct Choice {
    NodeId node;
    std::string why;
  };

  virtual ~ExecutorPlacement() = default;
  /// Returns whether executors may go to any node, whichever is offered. If false, only the
  /// functions without a result are called.
  virtual bool goes_anywhere() const { return false; }
  /// Takes in the events of a step. Called first.
  virtual void observe(Draft&, std::span<const Event>) {}
  /// Takes in what changed since the last step. Called once a step, before anything is placed.
  virtual void refresh(Draft&) {}
  /// Returns the node for one executor of the request, among those that have room for it now and
  /// for which `may` is true; nullopt if there is none.
  virtual std::optional<Choice> find(const Request&, const Draft&,
                                     const std::function<bool(NodeId)>& /*may*/) {
    return std::nullopt;
  }
  /// Takes in what the draft has done since the last call. Call before could_hold().
  virtual void follow(const Draft&) {}
  /// Returns true if some node is not reserved and would have room for a container of that size
  /// after enough containers on the node have ended. If false, reserve() reserves nothing.
  virtual bool could_hold(const Resources&) const { return false; }
  /// Reserves a node for each outstanding container of the request that has none, as far as there
  /// are nodes that could come to hold it. Returns true if any was reserved. REQUIRES: find() finds
  /// none.
  virtual bool reserve(const Request&, Draft&) { return false; }
  /// Takes in that the draft has launched a container of that size for any request.
  virtual void launched(const Request&, NodeId, const Resources& /*size*/) {}
};

using ExecutorPart = Part<ExecutorPlacement>;
extern const ExecutorPart kFirstFitPart, kSpreadOutPart, kNonSpreadOutPart;

}  // namespace heddle
