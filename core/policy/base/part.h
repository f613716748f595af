#pragma once

#include <memory>
#include <type_traits>

#include "core/policy/base/option.h"

namespace heddle {

struct Scenario;

/// A default that a part sets for an option, in place of the option's default.
struct OtherDefault {
  const Option* option = nullptr;
  std::string_view text = {};
};

/// The options that a part reads.
using OptionList = Few<const Option*, 24>;

/// Describes a part of policies. The help, the validation, the scenario's schema and the reference
/// are generated from these descriptions.
struct PartText {
  std::string_view name = {};
  std::string_view summary = {};  ///< a phrase
  std::string_view good_at = {};  ///< sentences; "" if there is nothing to say
  std::string_view bad_at = {};
  std::string_view source = {};  ///< source of the algorithm
  OptionList options = {};
  Few<OtherDefault, 4> defaults = {};
  /// Checks that the part's options agree with each other. Error: kUsage. Null if every combination
  /// is allowed.
  Result<void> (*check)(const PolicySpec&) = nullptr;
  /// True if the jobs of a queue can never hold more than the queue's maximum
  /// (Scenario::max_share).
  bool bounds_queues = false;
  /// True if the scheduler takes only rigid jobs (JobSpec::rigid).
  bool rigid_only = false;
  /// True if a program outside of Heddle decides (PolicySpec::external).
  bool external = false;
};

/// A choice for a part of a policy, for example a scheduler: its description and a function
/// that makes its object. The scenario must outlive that object.
template <class Made>
struct Part {
  PartText text;
  std::unique_ptr<Made> (*make)(const Scenario& scenario);
};

/// The function of a choice that has no object, because the part does nothing then.
template <class Made>
std::unique_ptr<Made> make_nothing(const Scenario&) {
  return nullptr;
}

/// Makes an object of type Class. Passes the scenario to its constructor if the constructor takes
/// one. Most parts use this function as Part::make.
template <class Made, class Class>
std::unique_ptr<Made> make_part(const Scenario& scenario) {
  if constexpr (std::is_constructible_v<Class, const Scenario&>)
    return std::make_unique<Class>(scenario);
  else
    return std::make_unique<Class>();
}

}  // namespace heddle
