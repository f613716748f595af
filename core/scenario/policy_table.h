#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "core/scenario/policy_spec.h"

namespace heddle {

/// The functions on policies that the reader of scenarios needs. core/policy/registry.h has the
/// table for Heddle's own policies.
struct PolicyTable {
  /// Reads `--policy` text. Errors (kUsage) name the nearest known word.
  Result<PolicySpec> (*parse)(std::string_view text);
  /// Sets and checks one key of a policy (a part, "preset" or an option). Errors as for parse.
  Result<void> (*set)(PolicySpec& policy, std::string_view key, std::string_view value);
  /// Checks what only the whole policy reveals.
  Result<void> (*check)(const PolicySpec& policy);
  /// Returns whether the option's value is a list of numbers.
  bool (*takes_list)(std::string_view option);
  /// Returns whether a queue's max_capacity bounds what its jobs may ever hold.
  bool (*bounds_queues)(const PolicySpec& policy);
  /// Returns whether the policy predicts remaining times by a trained model.
  bool (*uses_model)(const PolicySpec& policy);
  /// Checks the text of such a model, and returns it in one line.
  Result<std::string> (*read_model)(std::string_view text);
};

}  // namespace heddle
