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

class PlacementLoop;
class Scheduler;

// Lists the parts that policies consist of. Each part describes itself in its own file, and
// registry.cc lists all parts. The help, the validation, the scenario's schema and the reference
// are made from these lists.

/// The choices for one of the five parts of a policy.
struct PartKind {
  std::string_view name;  ///< "scheduler", "capacity_model", …
  std::vector<const PartText*> choices;
};

struct PolicyPreset {
  std::string_view name;
  std::string_view summary;
  std::vector<const PartText*> parts;  ///< one of each kind, in the order of part_kinds()
  std::vector<OtherDefault> defaults = {};
};

/// Options of external policies. Every external policy reads the first three, and Batsim's protocol
/// also reads the last.
enum class PolicySees { kFacts, kDurations };
enum class BatsimResource { kNode, kCore };
extern const NumberOption kPolicyTimeout;    ///< real seconds
extern const AutoSecondsOption kPolicyCost;  ///< nullopt: as measured
extern const WordOption<PolicySees> kPolicySees;
extern const WordOption<BatsimResource> kBatsimResource;

/// Returns the five kinds, in the order of the documentation.
const std::vector<PartKind>& part_kinds();
/// Returns the names of Heddle's own schedulers. `rigid_only`: with the schedulers that take only
/// rigid jobs.
std::vector<std::string> scheduler_names(bool rigid_only = true);
/// Returns the parts that every policy has. These parts offer no choice.
const std::vector<const PartText*>& shared_parts();
const std::vector<PolicyPreset>& policy_presets();
/// Returns the options of all parts. The options of the default policy come first. The first line
/// of the journal keeps this order.
const std::vector<const Option*>& policy_options();
/// Returns the preset or the option that has this name. Returns nullptr if there is none. The
/// preset `external` of external policies is not among policy_presets().
const PolicyPreset* find_preset(std::string_view name);
const Option* find_option(std::string_view name);

/// Returns the names of the parts that read the option, ascending. A policy reads the option if it
/// has one of these parts. If the list is empty, every policy reads the option.
std::vector<std::string> readers(const Option& option);
/// Returns true if some part of the policy reads the option.
bool reads(const PolicySpec& policy, const Option& option);
/// Returns true if the option belongs to no order of jobs, or to an order that the policy has
/// (Option::only_in_order).
bool in_force(const PolicySpec& policy, const Option& option);
/// Returns the presets and parts that replace the option's default, with the default that they set:
/// {name, value}.
std::vector<std::pair<std::string, std::string>> other_defaults(const Option& option);

/// Returns the name of the part that the policy chooses of this kind. Returns "" if the policy
/// names an unknown preset.
std::string chosen_part(const PolicySpec& policy, std::string_view kind);
/// Returns true if the policy has the part, as in `uses(policy, kShrinkMaps)`.
bool uses(const PolicySpec& policy, const PartText& part);
template <class Made>
bool uses(const PolicySpec& policy, const Part<Made>& part) {
  return uses(policy, part.text);
}

/// Reads the text of `--policy`. The text is a preset, or parts and `option=value` joined by `+`
/// ("fifo+strict_order=true", "scheduler=fifo+reserve=false"). An external policy begins with
/// "exec:PATH", "external=ENDPOINT", "batsim:ENDPOINT" or "batsim:exec:PATH"; a backslash in PATH
/// makes the next character a plain one. Error (kUsage): a word is unknown,
/// or a value is out of range. For an unknown word, the message names the nearest known word.
Result<PolicySpec> parse_policy(std::string_view text);
/// Sets one key of a policy. The key is a kind of part, "preset" or an option. Makes the same
/// checks as parse_policy().
Result<void> set_policy_key(PolicySpec& policy, std::string_view key, std::string_view value);
/// Returns the policy in the form that `--policy` reads: "capacity+preemption=kill".
std::string policy_text(const PolicySpec& policy);
/// Makes the checks that need the whole specification. Error (kUsage): no chosen part reads an
/// option, or options contradict each other. In the first case, the message names the parts that
/// read the option.
Result<void> check_policy(const PolicySpec& policy);
/// Functions of this file that the readers of scenarios call.
extern const PolicyTable kPolicyTable;

/// Makes the policy that a checked scenario names. The scenario must outlive the policy. REQUIRES:
/// it is no external policy.
std::unique_ptr<Policy> make_policy(const Scenario& scenario);
/// Makes the same policy with another scheduler. The scheduler need not be in the registry, so a
/// test can pass its own.
std::unique_ptr<Policy> make_policy(const Scenario& scenario, const Part<Scheduler>& scheduler);
/// Returns the placement of the policy, with this scheduler in place of its own.
std::unique_ptr<PlacementLoop> make_placement(const Scenario& scenario,
                                              std::unique_ptr<Scheduler> scheduler);
/// Makes the capacity model that a checked scenario names. The scenario must outlive the model.
std::unique_ptr<CapacityModel> make_capacity_model(const Scenario& scenario);
/// Returns true if a trained model predicts remaining times for this policy.
bool goes_by_model(const PolicySpec& policy);

}  // namespace heddle
