#include <map>
#include <type_traits>

#include "core/policy/capacity/estimation.h"
#include "core/policy/capacity/reservation.h"
#include "core/policy/placement_loop.h"
#include "core/policy/policy.h"
#include "core/policy/reduces/model_file.h"
#include "core/policy/reduces/predictor.h"
#include "core/policy/scheduler/capacity.h"
#include "core/policy/scheduler/dress/dress.h"
#include "core/policy/scheduler/drf.h"
#include "core/policy/scheduler/fair.h"
#include "core/policy/scheduler/ffd_dp.h"
#include "core/policy/scheduler/fifo.h"
#include "core/policy/scheduler/haste/haste_a.h"
#include "core/policy/table.h"

namespace heddle {
namespace {

using MakeScheduler = std::unique_ptr<Scheduler> (*)(const Scenario&);

template <class S>
std::unique_ptr<Scheduler> make(const Scenario& scenario) {
  if constexpr (std::is_constructible_v<S, const Scenario&>)
    return std::make_unique<S>(scenario);
  else
    return std::make_unique<S>();
}

/// Those that the table (core/policy/table.h) says are built.
const std::map<std::string, MakeScheduler>& schedulers() {
  static const std::map<std::string, MakeScheduler> table = {
      {"capacity", &make<Capacity>}, {"dress", &make<Dress>},    {"drf", &make<Drf>},
      {"fair", &make<Fair>},         {"ffd-dp", &make<FfdDp>},   {"fifo", &make<Fifo>},
      {"haste", &make<Haste>},       {"haste-a", &make<HasteA>},
  };
  return table;
}

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(const Scenario& scenario) {
  return schedulers().at(policy_value(scenario.policy, "scheduler"))(scenario);
}

std::unique_ptr<CapacityModel> make_capacity_model(const Scenario& scenario) {
  if (policy_value(scenario.policy, "capacity_model") == "estimation")
    return std::make_unique<EstimationModel>(scenario);
  return std::make_unique<ReservationModel>();
}

std::unique_ptr<RemainingTime> make_remaining_time(const Scenario& scenario) {
  if (policy_value(scenario.policy, "executor_placement") != "reservation-aware") return nullptr;
  const std::string predictor = policy_value(scenario.policy, "predictor");
  if (predictor == "naive") return std::make_unique<NaivePredictor>(scenario);
  if (predictor == "oracle") return std::make_unique<OraclePredictor>(scenario);
  if (scenario.remaining_model.empty())
    return std::make_unique<FuzzyPredictor>(scenario, default_fuzzy_model());
  Result<FuzzyModel> model = read_fuzzy_model(scenario.remaining_model);
  assert(model);  // reading a scenario checks it
  return std::make_unique<FuzzyPredictor>(scenario, *std::move(model));
}

std::unique_ptr<Suspension> make_suspension(const Scenario& scenario) {
  if (policy_value(scenario.policy, "reduce_adjustment") != "suspend") return nullptr;
  return std::make_unique<Suspension>(scenario);
}

std::unique_ptr<Shrink> make_shrink(const Scenario& scenario) {
  if (policy_value(scenario.policy, "locality") != "shrink") return nullptr;
  return std::make_unique<Shrink>(scenario);
}

std::unique_ptr<Policy> make_policy(const Scenario& scenario) {
  return std::make_unique<PlacementLoop>(scenario, make_scheduler(scenario));
}

}  // namespace heddle
