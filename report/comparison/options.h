#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/policy_spec.h"
#include "wire/fields.h"

namespace heddle::report {

/// Returns the preset and the parts of a summary's `policy`, with the defaults of all options.
PolicySpec parts_of(const wire::Json& policy);

/// Returns the parts and options in which policies differ, because a comparison also measures the
/// effect of these differences. Returns [{"key", "values": [text or null, by policy]}…], parts
/// first, in the order of the policy table. For each policy, `policies` has the `policy` of a
/// summary (summary.json), with all defaults filled in. The entry is nullopt if no run of the
/// policy is done. A value is null if the policy has no part that reads the option.
///
/// An option that only some policies read is also listed if one of its values is not the default.
/// If all values are defaults, the parts already show the difference. Options of programs, such as
/// arg.ageing, are listed if they differ, also if only some policies set them. If a program
/// declares a default, the caller puts it into the policies that do not set the option.
wire::Json differing_options(const std::vector<std::optional<wire::Json>>& policies);

/// Returns the sentences that say what a comparison of different schedulers measures beside them:
/// options of parts that all policies have, rules that an external policy did not follow, and
/// durations that only one policy knows. `names` and `policies` are by policy, and `options` are
/// their differing_options().
std::vector<std::string> unequal_terms(const std::vector<std::string>& names,
                                       const std::vector<std::optional<wire::Json>>& policies,
                                       const wire::Json& options);

}  // namespace heddle::report
