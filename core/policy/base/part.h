#pragma once

#include <memory>
#include <type_traits>

#include "core/policy/base/option.h"

namespace heddle {

struct Scenario;

/// A default that replaces an option's own for the part that lists it.
struct OtherDefault {
  const Option* option = nullptr;
  std::string_view text = {};
};

/// Description of a part of policies. Help, validation, the scenario's schema and the reference are
/// generated from it.
struct PartText {
  std::string_view name = {};
  std::string_view summary = {};  ///< a phrase
  std::string_view good_at = {};  ///< sentences; "": nothing worth saying
  std::string_view bad_at = {};
  std::string_view source = {};         ///< source of the algorithm
  Few<const Option*, 16> options = {};  ///< options that the part reads
  Few<OtherDefault, 2> defaults = {};
  /// Checks the part's options together (kUsage); null: there is nothing to check.
  Result<void> (*check)(const PolicySpec&) = nullptr;
  /// True if the part's queues bound what their jobs may ever hold (Scenario::max_share).
  bool bounds_queues = false;
};

/// A choice for a part of a policy, for example a scheduler: its description and a function
/// that makes its object. The scenario must outlive that object.
template <class Made>
struct Part {
  PartText text;
  std::unique_ptr<Made> (*make)(const Scenario& scenario);
};

/// Makes an object of type Class, from the scenario if it takes one. The usual Part::make.
template <class Made, class Class>
std::unique_ptr<Made> make_part(const Scenario& scenario) {
  if constexpr (std::is_constructible_v<Class, const Scenario&>)
    return std::make_unique<Class>(scenario);
  else
    return std::make_unique<Class>();
}

}  // namespace heddle
