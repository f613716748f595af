#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "core/scenario/policy_spec.h"

namespace heddle {

/// The resources that the share of a queue limits.
enum class QueueBound { kNone, kMemory, kEveryResource };

/// The functions that the reader of scenarios needs to check policies. core/policy/registry.h has
/// the table of these functions for Heddle's policies.
struct PolicyTable {
  /// Reads the text of `--policy`. Errors (kUsage) name the nearest known word.
  Result<PolicySpec> (*parse)(std::string_view text);
  /// Sets and checks one key of a policy (a part, "preset" or an option). Errors as for parse.
  Result<void> (*set)(PolicySpec& policy, std::string_view key, std::string_view value);
  /// Checks whether the parts and options of the policy can be used together.
  Result<void> (*check)(const PolicySpec& policy);
  /// Returns whether the option's value is a list of numbers.
  bool (*takes_list)(std::string_view option);
  /// Returns which resources max_capacity limits, of those that the jobs of a queue hold together.
  QueueBound (*queue_bound)(const PolicySpec& policy);
  /// Returns the name of the policy's preset or scheduler, whichever gives it the scheduler, if
  /// this takes only rigid jobs (JobSpec::rigid); "" otherwise.
  std::string_view (*rigid_only)(const PolicySpec& policy);
  /// Returns the resource of which the policy compares shares, by the name that the policy gives;
  /// "": it names none.
  std::string (*named_resource)(const PolicySpec& policy);
  /// Returns whether the policy predicts remaining times by a trained model.
  bool (*uses_model)(const PolicySpec& policy);
  /// Checks the text of a trained model, and returns the text in one line.
  Result<std::string> (*read_model)(std::string_view text);
};

}  // namespace heddle
