#pragma once

#include <string>

#include "wire/fields.h"

namespace heddle::report {

// Names of the policy of a summary or a journal (the object `policy`). Pure.

/// Returns the policy as `--policy` takes it. An external policy has the name of its program and
/// what is set for it, such as "srw+ageing=0.1".
std::string policy_label(const wire::Json& policy);
/// Returns the name of the preset, or the same as policy_label() for an external policy.
std::string policy_name(const wire::Json& policy);

}  // namespace heddle::report
