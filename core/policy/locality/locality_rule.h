#pragma once

#include <optional>
#include <string>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Containers of one request that are launched together on a node. There are `count` containers,
/// and each has the size `size`.
struct Portion {
  Resources size;
  int count = 1;
  friend bool operator==(const Portion&, const Portion&) = default;
};

/// Decides the size of map containers on nodes that have the maps' data. This is the part
/// `locality` of policies. The choice `none` has no rule.
class LocalityRule {
 public:
  virtual ~LocalityRule() = default;
  /// Returns the maps of the request to launch together on the node now. Returns nullopt if the
  /// rule does not apply. The request then gets one container of full size if that fits.
  virtual std::optional<Portion> portion(const Request&, NodeId, const Draft&) const = 0;
  /// Returns the size of the smallest container that a map which requests `wanted` can get on any
  /// node in this step.
  virtual Resources least(const Resources& wanted) const = 0;
  /// Takes in what the step has launched. Called at the end of the step.
  virtual void settle(const Draft&) = 0;
};

using LocalityPart = Part<LocalityRule>;
/// The choice `none`. Containers have the size that was requested.
extern const LocalityPart kNoLocalityRule;

/// Returns text such as "shrunk to 80 % of its cores and 75 % of its memory".
std::string shrunk_in_words(const Resources& wanted, const Resources& size);

}  // namespace heddle
