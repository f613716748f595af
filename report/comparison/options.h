#pragma once

#include <optional>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// Returns the parts and options in which policies differ, because a comparison measures their
/// effect too: [{"key", "values": [text or null, by policy]}…], parts first, in the order of the
/// policy table. `policies` has the `policy` of a summary (summary.json) for each policy, with all
/// defaults filled in, or none if no run is done. A value is null if the policy has no part that
/// reads the option.
///
/// An option that not all policies read is also listed if a value is not the default. Otherwise the
/// parts say it.
wire::Json differing_options(const std::vector<std::optional<wire::Json>>& policies);

}  // namespace heddle::report
