#pragma once

#include <memory>
#include <type_traits>

#include "core/policy/base/option.h"

namespace heddle {

struct Scenario;

/// Another default of an option, with the part that says so.
struct OtherDefault {
  const Option* option = nullptr;
  std::string_view text = {};
};

/// How a part of policies describes itself. Help, validation, the scenario's schema and the
/// reference are made of this.
struct PartText {
  std::string_view name = {};
  std::string_view summary = {};  ///< a phrase
  std::string_view good_at = {};  ///< sentences; "": nothing worth saying
  std::string_view bad_at = {};
  std::string_view source = {};         ///< of the algorithm
  Few<const Option*, 16> options = {};  ///< that it reads
  Few<OtherDefault, 2> defaults = {};
  /// What only several of its options show together (kUsage); null: nothing.
  Result<void> (*check)(const PolicySpec&) = nullptr;
  /// Its queues bound what their jobs may ever hold (Scenario::max_share).
  bool bounds_queues = false;
};

/// A part of policies that can be chosen: its description, and what makes it. The scenario must
/// outlive what is made.
template <class Made>
struct Part {
  PartText text;
  std::unique_ptr<Made> (*make)(const Scenario& scenario);
};

/// The usual Part::make.
template <class Made, class Class>
std::unique_ptr<Made> make_part(const Scenario& scenario) {
  if constexpr (std::is_constructible_v<Class, const Scenario&>)
    return std::make_unique<Class>(scenario);
  else
    return std::make_unique<Class>();
}

}  // namespace heddle
