#pragma once

#include <optional>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Returns the parts and options in which policies differ, because a comparison also measures the
/// effect of these differences. Returns [{"key", "values": [text or null, by policy]}…], parts
/// first, in the order of the policy table. For each policy, `policies` has the `policy` of a
/// summary (summary.json), with all defaults filled in. The entry is nullopt if no run of the
/// policy is done. A value is null if the policy has no part that reads the option.
///
/// An option that only some policies read is also listed if one of its values is not the default.
/// If all values are defaults, the parts already show the difference.
wire::Json differing_options(const std::vector<std::optional<wire::Json>>& policies);

}  // namespace heddle::report
