#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"
#include "core/scenario/policy_spec.h"

namespace heddle {

// Options of the program of an external policy, such as arg.ageing, and the names of such policies
// for people.

/// The key of these options in a scenario's policy, and the beginning of their keys in
/// PolicySpec::options.
inline constexpr std::string_view kOwnOptions = "arg", kOwnOption = "arg.";
inline bool is_own_option(std::string_view key) { return key.starts_with(kOwnOption); }

/// Checks the name and the length of an option. `key` begins with "arg.". Error: kUsage.
Result<void> check_own_option(std::string_view key, std::string_view value);
/// Returns the options of the policy's program: {name without "arg.", value as text}, by name.
std::vector<std::pair<std::string, std::string>> own_options(const PolicySpec& policy);

/// Returns the name of the program: its file's name without an ending, such as "srw". The ending
/// stays if the name is that of a preset. A Batsim
/// scheduler with arguments is named after them, without options that begin with "-" and without
/// the endpoint: `-v easy_bf -s {endpoint}` is "easy_bf". If Heddle does not start the program, it
/// is named as the file of its ipc:// endpoint, and else "external".
std::string program_name(const ExternalSpec& external);
/// Returns the policy as it is shown: as policy_text(), but an external policy has the name of its
/// program, and its program's options and arguments stand without "arg." and "args=":
/// "srw+ageing=0.1".
std::string policy_label(const PolicySpec& policy);

}  // namespace heddle
