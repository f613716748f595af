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

/// How large the containers of maps are on nodes that have their data: the part `locality` of
/// policies. This one, `none`, leaves all containers as they are asked for.
class LocalityRule {
 public:
  virtual ~LocalityRule() = default;
  /// Returns whether the rule ever changes a size.
  virtual bool shrinks() const { return false; }
  /// The maps of the request that are to be launched together on the node now; nullopt: the rule
  /// does not apply, so that the request gets a container in full if it fits.
  virtual std::optional<Portion> portion(const Request&, NodeId, const Draft&) const {
    return std::nullopt;
  }
  /// A map of the request that has its data on the node can be launched there now by this rule, in
  /// full or smaller.
  virtual bool has_room(const Request&, NodeId, const Draft&) const { return false; }
  /// The least that a map which asks for that much gets anywhere in this step.
  virtual Resources least(const Resources& wanted) const { return wanted; }
  /// Takes in what the step has launched. Call at its end.
  virtual void settle(const Draft&) {}
};

using LocalityPart = Part<LocalityRule>;
/// Containers are as large as was asked for.
extern const LocalityPart kNoLocalityRule;

/// "shrunk to 80 % of its cores and 75 % of its memory".
std::string shrunk_in_words(const Resources& wanted, const Resources& size);

}  // namespace heddle
