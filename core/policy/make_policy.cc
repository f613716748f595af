#include <cassert>

#include "core/policy/capacity/reservation.h"
#include "core/policy/placement_loop.h"
#include "core/policy/policy.h"
#include "core/policy/scheduler/fifo.h"
#include "core/policy/table.h"

namespace heddle {

std::unique_ptr<Scheduler> make_scheduler(const Scenario& scenario) {
  assert(policy_value(scenario.policy, "scheduler") == "fifo");
  return std::make_unique<Fifo>();
}

std::unique_ptr<CapacityModel> make_capacity_model(const PolicySpec& spec) {
  assert(policy_value(spec, "capacity_model") == "reservation");  // what the table says is built
  (void)spec;
  return std::make_unique<ReservationModel>();
}

std::unique_ptr<Policy> make_policy(const Scenario& scenario) {
  return std::make_unique<PlacementLoop>(scenario, make_scheduler(scenario));
}

}  // namespace heddle
