#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/policy/base/option.h"

namespace heddle::external {

/// An option that the program of an external policy declares.
struct DeclaredOption {
  enum class Type { kFlag, kNumber, kInteger, kWord, kText };
  std::string name = {};  ///< without "arg."
  Type type = Type::kText;
  std::string by_default = {};
  /// Bounds of a number; infinite: there is none.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> words = {};  ///< of kWord
  std::string unit = {};                ///< of a number; "" if it has none
  std::string help = {};

  /// Returns a description of the values for readers, as Option::values() does.
  std::string values() const;
  /// Returns an error (kUsage) if the value is not allowed.
  Result<void> check(std::string_view value) const;
};

/// The reply of a program to the request `describe` (docs/reference/external-policies.md).
struct Description {
  std::string name = {};  ///< "" if the program says none
  std::string help = {};  ///< a sentence about the policy
  /// nullopt: the program declares nothing, and takes any option as text.
  std::optional<std::vector<DeclaredOption>> options = {};
};

/// Returns the request for a description.
std::string describe_request();
/// Reads the reply to it. A reply that lacks all fields declares nothing. Errors (kAborted) name
/// the wrong field.
Result<Description> read_description(std::string_view reply);

/// Checks the options of the policy's program against what the program declares. Errors (kUsage)
/// begin with the program's name. For an unknown option, the error names the nearest known one.
Result<void> check_own_options(const PolicySpec& policy, const Description& description);

}  // namespace heddle::external
