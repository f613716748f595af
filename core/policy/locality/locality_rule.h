#pragma once

#include <optional>
#include <string>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Containers of one request that are launched together on a node: `count` of `size` each.
struct Portion {
  Resources size;
  int count = 1;
  friend bool operator==(const Portion&, const Portion&) = default;
};

/// Decides how large the containers of maps are on nodes that have their data: the part `locality`
/// of policies. This base class, `none`, leaves all containers as they are asked for.
class LocalityRule {
 public:
  virtual ~LocalityRule() = default;
  /// Returns whether the rule ever changes a size.
  virtual bool shrinks() const { return false; }
  /// Returns the maps of the request that are to be launched together on the node now; nullopt if
  /// the rule does not apply, so that the request gets a container in full if it fits.
  virtual std::optional<Portion> portion(const Request&, NodeId, const Draft&) const {
    return std::nullopt;
  }
  /// Returns true if by this rule a map of the request that has its data on the node can be
  /// launched there now, in full or smaller.
  virtual bool has_room(const Request&, NodeId, const Draft&) const { return false; }
  /// Returns the smallest container that a map asking for `wanted` can get anywhere in this step.
  virtual Resources least(const Resources& wanted) const { return wanted; }
  /// Takes in what the step has launched. Called at its end.
  virtual void settle(const Draft&) {}
};

using LocalityPart = Part<LocalityRule>;
/// The choice `none`: containers are as large as was asked for.
extern const LocalityPart kNoLocalityRule;

/// Returns text such as "shrunk to 80 % of its cores and 75 % of its memory".
std::string shrunk_in_words(const Resources& wanted, const Resources& size);

}  // namespace heddle
