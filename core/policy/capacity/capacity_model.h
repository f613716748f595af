#pragma once

#include <memory>

#include "core/scenario/scenario.h"

namespace heddle {

struct Node;

/// How much a node has to give, one part of a policy (policies are compositions). The engine
/// validates against it, placement places by it.
class CapacityModel {
 public:
  virtual ~CapacityModel() = default;
  /// What may still be handed out on a live node: each resource at least 0.
  virtual Resources free(const Node& node) const = 0;
};

/// The model that a checked specification names.
std::unique_ptr<CapacityModel> make_capacity_model(const PolicySpec& spec);

}  // namespace heddle
