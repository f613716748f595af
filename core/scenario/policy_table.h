#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "core/scenario/policy_spec.h"

namespace heddle {

/// What reading a scenario needs to know of policies. core/policy/registry.h has the table of those
/// that Heddle ships.
struct PolicyTable {
  /// Reads `--policy` text. Error (kUsage): what is wrong, with the nearest known word.
  Result<PolicySpec> (*parse)(std::string_view text);
  /// Sets one key (a part, "preset" or an option) of a policy, checked likewise.
  Result<void> (*set)(PolicySpec& policy, std::string_view key, std::string_view value);
  /// Checks what only the whole policy shows.
  Result<void> (*check)(const PolicySpec& policy);
  /// Returns whether the option's value is a list of numbers.
  bool (*takes_list)(std::string_view option);
  /// Returns whether a queue's max_capacity bounds what its jobs may ever hold.
  bool (*bounds_queues)(const PolicySpec& policy);
  /// Returns whether the policy predicts remaining times by a trained model.
  bool (*uses_model)(const PolicySpec& policy);
  /// Checks the text of such a model; the same text in one line.
  Result<std::string> (*read_model)(std::string_view text);
};

}  // namespace heddle
