#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Where executors go: a part of policies. This one, `first-fit`, lets them go by FirstFit as all
/// other containers do.
class ExecutorPlacement {
 public:
  struct Choice {
    NodeId node;
    std::string why;
  };

  virtual ~ExecutorPlacement() = default;
  /// Returns whether executors may go to any node, whichever is offered. False: only passes() and
  /// the functions without a result are called.
  virtual bool goes_anywhere() const { return false; }
  /// Takes in the events of a step. Call first.
  virtual void observe(Draft&, std::span<const Event>) {}
  /// Takes in what changed since the last step. Call once a step, before anything is placed.
  virtual void refresh(Draft&) {}
  /// The node for one executor of the request that has room for it now, of those for which `may`
  /// is true; nullopt: none has.
  virtual std::optional<Choice> find(const Request&, const Draft&,
                                     const std::function<bool(NodeId)>& /*may*/) {
    return std::nullopt;
  }
  /// Takes in what the draft has done since the last call. Call before could_hold().
  virtual void follow(const Draft&) {}
  /// Some node that nobody holds could come to hold a container of that size. False: reserve() can
  /// reserve nothing for it.
  virtual bool could_hold(const Resources&) const { return false; }
  /// Reserves a node for each of its containers that has none, as far as there are nodes that could
  /// come to hold it; true if any was. REQUIRES: find() has none.
  virtual bool reserve(const Request&, Draft&) { return false; }
  /// The draft has launched a container of that size for whatever request.
  virtual void launched(const Request&, NodeId, const Resources& /*size*/) {}
};

using ExecutorPart = Part<ExecutorPlacement>;
extern const ExecutorPart kFirstFitPart, kSpreadOutPart, kNonSpreadOutPart;

}  // namespace heddle
