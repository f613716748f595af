#include "core/policy/registry.h"

#include <algorithm>

#include "core/policy/base/failures.h"
#include "core/policy/capacity/estimation.h"
#include "core/policy/capacity/reservation.h"
#include "core/policy/locality/shrink.h"
#include "core/policy/placement/reservation_aware.h"
#include "core/policy/placement_loop.h"
#include "core/policy/queues/share_options.h"
#include "core/policy/reduces/model_file.h"
#include "core/policy/reduces/suspension.h"
#include "core/policy/scheduler/backfill/backfilling.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

// The registry: one line per part.

constexpr const SchedulerPart* kSchedulers[] = {
    &kFifoScheduler,          //
    &kFairScheduler,          //
    &kDrfScheduler,           //
    &kCapacityScheduler,      //
    &kFfdDpScheduler,         //
    &kHasteScheduler,         //
    &kHasteAScheduler,        //
    &kDressScheduler,         //
    &kEasyScheduler,          //
    &kConservativeScheduler,  //
    &kExternalScheduler,      //
};

/// Returns the schedulers of this program. A scheduler that scripts/try adds replaces the one that
/// has its name.
const std::vector<const SchedulerPart*>& schedulers() {
  static const std::vector<const SchedulerPart*> all = [] {
    std::vector<const SchedulerPart*> made(std::begin(kSchedulers), std::end(kSchedulers));
    if (!tried_scheduler) return made;
    const SchedulerPart* tried = tried_scheduler();
    std::erase_if(made,
                  [&](const SchedulerPart* part) { return part->text.name == tried->text.name; });
    made.push_back(tried);
    return made;
  }();
  return all;
}

constexpr const Part<CapacityModel>* kCapacityModels[] = {
    &kReservationPart,  //
    &kEstimationPart,   //
};

constexpr const ExecutorPart* kExecutorPlacements[] = {
    &kFirstFitPart,          //
    &kReservationAwarePart,  //
    &kSpreadOutPart,         //
    &kNonSpreadOutPart,      //
};

constexpr const ReducePart* kReduceAdjustments[] = {
    &kNoReduceAdjustment,  //
    &kSuspendReduces,      //
};

constexpr const LocalityPart* kLocalityRules[] = {
    &kNoLocalityRule,  //
    &kShrinkMaps,      //
};

/// Returns the preset of a scheduler, which has the first choice of every other part.
PolicyPreset preset_of(const PartText& scheduler) {
  PolicyPreset preset{scheduler.name, scheduler.summary, {}};
  for (const PartKind& kind : part_kinds()) preset.parts.push_back(kind.choices.front());
  preset.parts.front() = &scheduler;
  return preset;
}

/// Returns the presets that set more than a scheduler. Each scheduler is also a preset, which has
/// the first choice of every other part.
std::vector<PolicyPreset> composed_presets() {
  return {
      {"estimation",
       "capacity scheduler over the estimation capacity model",
       {&kCapacityScheduler.text, &kEstimationPart.text, &kFirstFitPart.text,
        &kNoReduceAdjustment.text, &kNoLocalityRule.text}},
      {"ikayak",
       "reservation-aware placement, suspension and shrinking",
       {&kFairScheduler.text, &kReservationPart.text, &kReservationAwarePart.text,
        &kSuspendReduces.text, &kShrinkMaps.text}},
      {"slurm",
       "easy by Slurm's priorities, with as many reservations as Slurm's backfilling makes",
       preset_of(kEasyScheduler.text).parts,
       {{&kJobOrder, "priority"}, {&kReserveDepth, "500"}, {&kBackfill, "nodes"}}},
  };
}

template <class Parts>
std::vector<const PartText*> texts_of(const Parts& parts) {
  std::vector<const PartText*> texts;
  for (const auto* part : parts) texts.push_back(&part->text);
  return texts;
}

/// Returns the part that the policy chooses among these parts. REQUIRES: the policy is checked.
template <class Parts>
const auto& chosen(const Parts& parts, std::string_view kind, const PolicySpec& policy) {
  const std::string name = chosen_part(policy, kind);
  return **std::find_if(std::begin(parts), std::end(parts),
                        [&](const auto* part) { return part->text.name == name; });
}

/// Returns the choice that has this name. Returns nullptr if there is none.
const PartText* find_choice(const PartKind& kind, std::string_view name) {
  for (const PartText* part : kind.choices)
    if (part->name == name) return part;
  return nullptr;
}

bool has(const PartText& part, const Option& option) {
  return std::find(part.options.begin(), part.options.end(), &option) != part.options.end();
}

void add_options(const PartText& part, std::vector<const Option*>& options) {
  for (const Option* option : part.options)
    if (std::find(options.begin(), options.end(), option) == options.end())
      options.push_back(option);
}

bool takes_list(std::string_view name) {
  const Option* option = find_option(name);
  return option && option->type == Option::Type::kNumbers;
}

/// Returns the scheduler of the policy. Returns nullptr if the policy names an unknown one.
const PartText* scheduler_of(const PolicySpec& policy) {
  return find_choice(part_kinds().front(), chosen_part(policy, "scheduler"));
}

QueueBound queue_bound(const PolicySpec& policy) {
  const PartText* scheduler = scheduler_of(policy);
  if (!scheduler || !scheduler->bounds_queues) return QueueBound::kNone;
  return value(policy, kResourceCalculator) == ResourceCalculator::kMemory
             ? QueueBound::kMemory
             : QueueBound::kEveryResource;
}

std::string named_resource(const PolicySpec& policy) {
  const PartText* scheduler = scheduler_of(policy);
  return scheduler && has(*scheduler, kFairResource) ? value(policy, kFairResource) : "";
}

std::string_view rigid_only(const PolicySpec& policy) {
  if (policy.external && policy.external->protocol == ExternalSpec::Protocol::kBatsim)
    return "batsim";
  const PartText* scheduler = scheduler_of(policy);
  if (!scheduler || !scheduler->rigid_only) return "";
  const PolicyPreset* preset = find_preset(policy.preset);
  return preset && preset->parts.front() == scheduler ? preset->name : scheduler->name;
}

Result<std::string> read_model(std::string_view text) {
  if (Result<FuzzyModel> read = read_fuzzy_model(text); !read) return std::move(read).error();
  return one_line(text);
}

}  // namespace

const PolicyTable kPolicyTable{.parse = &parse_policy,
                               .set = &set_policy_key,
                               .check = &check_policy,
                               .takes_list = &takes_list,
                               .queue_bound = &queue_bound,
                               .rigid_only = &rigid_only,
                               .named_resource = &named_resource,
                               .uses_model = &goes_by_model,
                               .read_model = &read_model};

const std::vector<PartKind>& part_kinds() {
  static const std::vector<PartKind> kinds = {
      {"scheduler", texts_of(schedulers())},
      {"capacity_model", texts_of(kCapacityModels)},
      {"executor_placement", texts_of(kExecutorPlacements)},
      {"reduce_adjustment", texts_of(kReduceAdjustments)},
      {"locality", texts_of(kLocalityRules)},
  };
  return kinds;
}

std::vector<std::string> scheduler_names(bool rigid_only) {
  std::vector<std::string> names;
  for (const SchedulerPart* part : schedulers())
    if (!part->text.external && (rigid_only || !part->text.rigid_only))
      names.emplace_back(part->text.name);
  return names;
}

const std::vector<const PartText*>& shared_parts() {
  static const std::vector<const PartText*> parts = {&kNodeFilling, &kDelayScheduling,
                                                     &kEarlyReduces, &kMasterShare, &kFailures};
  return parts;
}

const std::vector<PolicyPreset>& policy_presets() {
  static const std::vector<PolicyPreset> presets = [] {
    std::vector<PolicyPreset> all;
    for (const SchedulerPart* scheduler : schedulers())
      if (!scheduler->text.external) all.push_back(preset_of(scheduler->text));
    for (PolicyPreset& preset : composed_presets()) all.push_back(std::move(preset));
    return all;
  }();
  return presets;
}

const std::vector<const Option*>& policy_options() {
  static const std::vector<const Option*> options = [] {
    std::vector<const Option*> all;
    for (const PartText* part : find_preset(PolicySpec().preset)->parts) add_options(*part, all);
    for (const PartText* part : shared_parts()) add_options(*part, all);
    for (const PartKind& kind : part_kinds())
      for (const PartText* part : kind.choices) add_options(*part, all);
    return all;
  }();
  return options;
}

const PolicyPreset* find_preset(std::string_view name) {
  for (const PolicyPreset& preset : policy_presets())
    if (preset.name == name) return &preset;
  // The preset of external policies has no name that users can give without a program.
  static const PolicyPreset external = preset_of(kExternalScheduler.text);
  return name == external.name ? &external : nullptr;
}

const Option* find_option(std::string_view name) {
  for (const Option* option : policy_options())
    if (option->name == name) return option;
  return nullptr;
}

std::vector<std::string> readers(const Option& option) {
  for (const PartText* part : shared_parts())
    if (has(*part, option)) return {};
  std::vector<std::string> names;
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices)
      if (has(*part, option)) names.emplace_back(part->name);
  std::sort(names.begin(), names.end());
  return names;
}

bool reads(const PolicySpec& policy, const Option& option) {
  if (policy.external && !applies_to_external(option)) return false;
  for (const PartText* part : shared_parts())
    if (has(*part, option)) return true;
  for (const PartKind& kind : part_kinds())
    if (const PartText* part = find_choice(kind, chosen_part(policy, kind.name)))
      if (has(*part, option)) return true;
  return false;
}

bool in_force(const PolicySpec& policy, const Option& option) {
  const auto has_order = [&](const Option& order) {
    return reads(policy, order) && option_text(policy, order) == option.only_in_order;
  };
  return option.only_in_order.empty() || has_order(kJobOrder) || has_order(kBackfillOrder);
}

std::vector<std::pair<std::string, std::string>> other_defaults(const Option& option) {
  std::vector<std::pair<std::string, std::string>> others;
  for (const PolicyPreset& preset : policy_presets())
    for (const OtherDefault& other : preset.defaults)
      if (other.option == &option) others.emplace_back(preset.name, other.text);
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices)
      for (const OtherDefault& other : part->defaults)
        if (other.option == &option) others.emplace_back(part->name, other.text);
  return others;
}

std::string chosen_part(const PolicySpec& policy, std::string_view kind) {
  if (const std::string* given = given_text(policy, kind)) return *given;
  const PolicyPreset* preset = find_preset(policy.preset);
  for (std::size_t i = 0; preset && i < preset->parts.size(); ++i)
    if (part_kinds()[i].name == kind) return std::string(preset->parts[i]->name);
  return "";
}

std::string option_text(const PolicySpec& policy, const Option& option) {
  if (const std::string* given = given_text(policy, option.name)) return *given;
  if (const PolicyPreset* preset = find_preset(policy.preset))
    for (const OtherDefault& other : preset->defaults)
      if (other.option == &option) return std::string(other.text);
  for (const PartKind& kind : part_kinds())
    if (const PartText* part = find_choice(kind, chosen_part(policy, kind.name)))
      for (const OtherDefault& other : part->defaults)
        if (other.option == &option) return std::string(other.text);
  return std::string(option.by_default);
}

bool uses(const PolicySpec& policy, const PartText& part) {
  return std::any_of(part_kinds().begin(), part_kinds().end(), [&](const PartKind& kind) {
    return find_choice(kind, chosen_part(policy, kind.name)) == &part;
  });
}

bool goes_by_model(const PolicySpec& policy) {
  const PredictorKind kind = value(policy, kPredictor);
  return uses(policy, kReservationAwarePart) &&
         (kind == PredictorKind::kAuto || kind == PredictorKind::kFuzzy);
}

std::unique_ptr<CapacityModel> make_capacity_model(const Scenario& scenario) {
  return chosen(kCapacityModels, "capacity_model", scenario.policy).make(scenario);
}

std::unique_ptr<Policy> make_policy(const Scenario& scenario) {
  return make_policy(scenario, chosen(schedulers(), "scheduler", scenario.policy));
}

std::unique_ptr<Policy> make_policy(const Scenario& scenario, const SchedulerPart& scheduler) {
  return make_placement(scenario, scheduler.make(scenario));
}

std::unique_ptr<PlacementLoop> make_placement(const Scenario& scenario,
                                              std::unique_ptr<Scheduler> scheduler) {
  const PolicySpec& policy = scenario.policy;
  return std::make_unique<PlacementLoop>(
      scenario, LoopParts{std::move(scheduler),
                          chosen(kExecutorPlacements, "executor_placement", policy).make(scenario),
                          chosen(kReduceAdjustments, "reduce_adjustment", policy).make(scenario),
                          chosen(kLocalityRules, "locality", policy).make(scenario),
                          value(policy, kReserve), value(policy, kReservableNodes)});
}

}  // namespace heddle
