#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Chooses nodes for executors, which can be placed on any node, also on nodes that are not
/// offered. This is the part `executor_placement` of policies. The choice `first-fit` has no
/// object: FirstFit then places executors like all other containers.
class ExecutorPlacement {
 public:
  struct Choice {
    NodeId node;
    std::string why;
  };

  virtual ~ExecutorPlacement() = default;
  /// Takes in the events of a step. Called before all other functions.
  virtual void observe(Draft&, std::span<const Event>) {}
  /// Takes in what changed since the last step. Called once a step, before anything is placed.
  virtual void refresh(Draft&) = 0;
  /// Returns the node for one executor of the request. The node has room for the executor now, and
  /// `may` is true for it. Returns nullopt if there is no such node.
  virtual std::optional<Choice> find(const Request&, const Draft&,
                                     const std::function<bool(NodeId)>& may) = 0;
  /// Takes in what the draft has done since the last call. Call before could_hold().
  virtual void follow(const Draft&) = 0;
  /// Returns true if some node is not reserved and would have room for a container of that size
  /// after other containers on the node have ended. If false, reserve() reserves nothing.
  virtual bool could_hold(const Resources&) const = 0;
  /// Reserves a node for each outstanding container of the request that has none. Reserves only
  /// nodes that would have room after other containers end, and fewer if there are not enough of
  /// them. Returns true if it reserved any node. REQUIRES: find() returns nullopt.
  virtual bool reserve(const Request&, Draft&) = 0;
  /// Takes in that the draft has launched a container of that size. Called for all requests, not
  /// only for executors.
  virtual void launched(const Request&, NodeId, const Resources& size) = 0;
};

using ExecutorPart = Part<ExecutorPlacement>;
extern const ExecutorPart kFirstFitPart, kSpreadOutPart, kNonSpreadOutPart;

}  // namespace heddle
