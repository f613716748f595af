#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/policy/base/part.h"
#include "core/policy/base/policy.h"
#include "core/scenario/policy_table.h"
#include "core/state/capacity_model.h"

namespace heddle {

class Scheduler;

// What policies can be made of. The parts describe themselves, each in its own file; registry.cc
// lists them. Help, validation, the scenario's schema and the reference read this.

/// The choices for one of the five parts of a policy.
struct PartKind {
  std::string_view name;  ///< "scheduler", "capacity_model", …
  std::vector<const PartText*> choices;
};

struct PolicyPreset {
  std::string_view name;
  std::string_view summary;
  std::vector<const PartText*> parts;  ///< one of each kind, in the order of part_kinds()
};

/// The five kinds, in the order of docs.
const std::vector<PartKind>& part_kinds();
std::vector<std::string> scheduler_names();
/// What every policy has; nothing to choose from.
const std::vector<const PartText*>& shared_parts();
const std::vector<PolicyPreset>& policy_presets();
/// The options of all parts. First come those of the default policy; the journal's first line keeps
/// this order.
const std::vector<const Option*>& policy_options();
/// nullptr: there is none of that name.
const PolicyPreset* find_preset(std::string_view name);
const Option* find_option(std::string_view name);

/// The names of the parts that read the option, any of which will do, ascending; empty: every
/// policy reads it.
std::vector<std::string> readers(const Option& option);
/// Returns whether a part of the policy reads the option.
bool reads(const PolicySpec& policy, const Option& option);
/// Parts with another default of the option than its own: {part, value}.
std::vector<std::pair<std::string, std::string>> other_defaults(const Option& option);

/// The name of the policy's choice for a kind of part; "" if that can't be told (an unknown
/// preset).
std::string chosen_part(const PolicySpec& policy, std::string_view kind);
/// The option's value in written form, with the defaults filled in.
std::string option_text(const PolicySpec& policy, const Option& option);
/// Returns whether a part of the policy has the name, as `uses(policy, kShrinkMaps)`.
bool uses(const PolicySpec& policy, const PartText& part);
template <class Made>
bool uses(const PolicySpec& policy, const Part<Made>& part) {
  return uses(policy, part.text);
}

/// Reads `--policy` text: a preset, or parts and `option=value` joined by `+`
/// ("fifo+strict_order=true", "scheduler=fifo+reserve=false"). Error (kUsage): unknown word with
/// the nearest known one, value out of range.
Result<PolicySpec> parse_policy(std::string_view text);
/// Sets one key (a part, "preset" or an option) of a policy, checked likewise.
Result<void> set_policy_key(PolicySpec& policy, std::string_view key, std::string_view value);
/// The policy as `--policy` takes it: "capacity+preemption=kill".
std::string policy_text(const PolicySpec& policy);
/// What only the whole specification shows (kUsage): an option that no chosen part reads, with the
/// parts that do; options that contradict each other.
Result<void> check_policy(const PolicySpec& policy);
/// For readers of scenarios.
extern const PolicyTable kPolicyTable;

/// The policy that a checked scenario names; the scenario must outlive it.
std::unique_ptr<Policy> make_policy(const Scenario& scenario);
/// The same with a scheduler that need not be in the registry, such as a test's.
std::unique_ptr<Policy> make_policy(const Scenario& scenario, const Part<Scheduler>& scheduler);
/// Its capacity model, likewise.
std::unique_ptr<CapacityModel> make_capacity_model(const Scenario& scenario);
/// A trained model predicts remaining times for this policy.
bool goes_by_model(const PolicySpec& policy);

}  // namespace heddle
