#pragma once

#include "core/policy/base/part.h"
#include "core/state/cluster_state.h"

namespace heddle {

extern const Part<CapacityModel> kReservationPart;

/// YARN's capacity model. The free capacity of a node is its allowance minus the sum of what its
/// containers requested.
class ReservationModel : public CapacityModel {
 public:
  Resources free(const Node& node) const override { return node.unrequested(); }
  Resources total(const Node& node) const override { return node.spec->allowance; }
};

}  // namespace heddle
