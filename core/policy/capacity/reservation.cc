#include "core/policy/capacity/reservation.h"

#include "core/state/cluster_state.h"

namespace heddle {

Resources ReservationModel::free(const Node& node) const {
  return max(node.spec->allowance - node.allocated, Resources{});
}

Resources ReservationModel::total(const Node& node) const { return node.spec->allowance; }

}  // namespace heddle
