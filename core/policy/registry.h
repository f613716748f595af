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

// The parts of which policies can be composed. Each part describes itself in its own file;
// registry.cc lists them. Help, validation, the scenario's schema and the reference read these
// lists.

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

/// Returns the five kinds, in the order of the documentation.
const std::vector<PartKind>& part_kinds();
std::vector<std::string> scheduler_names();
/// Returns the parts that every policy has, with nothing to choose.
const std::vector<const PartText*>& shared_parts();
const std::vector<PolicyPreset>& policy_presets();
/// Returns the options of all parts, first those of the default policy. The journal's first line
/// keeps this order.
const std::vector<const Option*>& policy_options();
/// Returns the preset, or the option, of that name; nullptr if there is none.
const PolicyPreset* find_preset(std::string_view name);
const Option* find_option(std::string_view name);

/// Returns the names of the parts that read the option, ascending; a policy with any of them reads
/// it. Empty: every policy reads it.
std::vector<std::string> readers(const Option& option);
/// Returns whether a part of the policy reads the option.
bool reads(const PolicySpec& policy, const Option& option);
/// Returns the parts with another default of the option than its own: {part, value}.
std::vector<std::pair<std::string, std::string>> other_defaults(const Option& option);

/// Returns the name of the policy's choice for a kind of part; "" if the policy names an unknown
/// preset.
std::string chosen_part(const PolicySpec& policy, std::string_view kind);
/// Returns the option's value in written form, with the defaults filled in.
std::string option_text(const PolicySpec& policy, const Option& option);
/// Returns whether the policy has the part, as in `uses(policy, kShrinkMaps)`.
bool uses(const PolicySpec& policy, const PartText& part);
template <class Made>
bool uses(const PolicySpec& policy, const Part<Made>& part) {
  return uses(policy, part.text);
}

/// Reads `--policy` text: a preset, or parts and `option=value` joined by `+`
/// ("fifo+strict_order=true", "scheduler=fifo+reserve=false"). Error (kUsage): unknown word with
/// the nearest known one, value out of range.
Result<PolicySpec> parse_policy(std::string_view text);
/// Sets one key of a policy (a part, "preset" or an option), with the same checks.
Result<void> set_policy_key(PolicySpec& policy, std::string_view key, std::string_view value);
/// Returns the policy as `--policy` takes it: "capacity+preemption=kill".
std::string policy_text(const PolicySpec& policy);
/// Checks what only the whole specification shows. Errors (kUsage): an option that no chosen part
/// reads, with the parts that do; options that contradict each other.
Result<void> check_policy(const PolicySpec& policy);
/// The functions that readers of scenarios need.
extern const PolicyTable kPolicyTable;

/// Makes the policy that a checked scenario names. The scenario must outlive it.
std::unique_ptr<Policy> make_policy(const Scenario& scenario);
/// Does the same with a scheduler that need not be in the registry, such as one of a test.
std::unique_ptr<Policy> make_policy(const Scenario& scenario, const Part<Scheduler>& scheduler);
/// Makes the capacity model that a checked scenario names. The scenario must outlive it.
std::unique_ptr<CapacityModel> make_capacity_model(const Scenario& scenario);
/// Returns true if a trained model predicts remaining times for this policy.
bool goes_by_model(const PolicySpec& policy);

}  // namespace heddle
