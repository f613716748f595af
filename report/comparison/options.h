#pragma once

#include <optional>
#include <vector>

#include "wire/fields.h"

namespace heddle::report {

/// The parts and options in which policies differ, so that a comparison says what else it measures:
/// [{"key", "values": [text or null, by policy]}…], parts first, in the order of the policy table.
/// `policies`: of each the `policy` of a summary (summary.json), with all defaults filled in; none
/// where no run is done. A value is null if the policy has no part that reads the option.
///
/// An option that only one of the policies reads is listed if its value is not the default, since
/// otherwise the parts say it.
wire::Json differing_options(const std::vector<std::optional<wire::Json>>& policies);

}  // namespace heddle::report
