#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// The one table of what a policy can be made of; help, validation and docs read it.
struct PartChoice {
  std::string part;  ///< "scheduler", "capacity_model", "executor_placement", "reduce_adjustment",
                     ///< "locality"
  std::string name;
  bool built = false;   ///< false: known, not built yet
  std::string summary;  ///< one sentence
};

struct PolicyOption {
  std::string name;
  enum class Type { kBool, kNumber, kNumbers, kWord } type = Type::kBool;
  std::string default_value;
  /// Where a choice of a part has another default: (choice, default).
  std::vector<std::pair<std::string, std::string>> other_defaults;
  /// Choices of parts that read it, any of which will do; empty: all policies do.
  std::vector<std::string> only_with;
  double least = 0, most = 0;      ///< kNumber; kNumbers: of each, ascending
  bool whole = false;              ///< kNumber: no fractions
  std::vector<std::string> words;  ///< kWord; kNumber: that will do instead of one
  std::string unit;                ///< "" if none
  std::string help;
};

struct PolicyPreset {
  std::string name;
  bool built = false;
  std::string summary;
  std::vector<std::pair<std::string, std::string>> parts;  ///< part -> choice, all five
};

const std::vector<PartChoice>& part_choices();
/// Names of the schedulers that can be chosen, in the table's order.
std::vector<std::string> built_schedulers();
const std::vector<PolicyOption>& policy_options();
const std::vector<PolicyPreset>& policy_presets();
/// The five part names, in the order of docs.
const std::vector<std::string>& policy_parts();

/// Reads `--policy` text: a preset, or parts and `option=value` joined by `+`
/// ("fifo+strict_order=true", "scheduler=fifo+reserve=false"). Error (kUsage): unknown or not yet
/// built word with the nearest known one, value out of range.
Result<PolicySpec> parse_policy(std::string_view text);

/// Sets one key (a part, "preset" or an option) of a policy, checked likewise.
Result<void> set_policy_key(PolicySpec& spec, std::string_view key, std::string_view value);

/// The policy as `--policy` takes it: "capacity+preemption=kill".
std::string policy_text(const PolicySpec& spec);

/// What only the whole specification shows: an option that no chosen part reads (kUsage; the error
/// names the choices that do).
Result<void> check_policy(const PolicySpec& spec);

/// Whether a part of the policy reads the option.
bool reads(const PolicySpec& spec, const PolicyOption& option);

/// What may stand there, for people: "true, false", "0 to 86400 s", "none, kill".
std::string values_of(const PolicyOption& option);

/// The value of a number option, as policy_value; 0 if it is a word. REQUIRES: a checked
/// specification.
double policy_number(const PolicySpec& spec, std::string_view key);

/// The numbers of a list option, likewise.
std::vector<double> policy_numbers(const PolicySpec& spec, std::string_view key);

/// A part's choice, or an option's value, with the preset's and the table's defaults filled in.
std::string policy_value(const PolicySpec& spec, std::string_view key);

}  // namespace heddle
