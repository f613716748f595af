#pragma once

#include "core/policy/capacity/capacity_model.h"

namespace heddle {

/// YARN's own: a node has its allowance less the sum of what its containers requested.
///
/// Good at: nothing is ever promised twice, so memory never saturates unless allowances exceed
/// capacities. Bad at: what was requested and isn't used is lost to everybody.
class ReservationModel : public CapacityModel {
 public:
  Resources free(const Node& node) const override;
  Resources total(const Node& node) const override;
};

}  // namespace heddle
