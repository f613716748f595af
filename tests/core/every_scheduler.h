#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/policy/registry.h"

namespace heddle {

/// Number of drawn scenarios that a property is tested on, for each scheduler. Sanitizers use
/// fewer, because each takes some twenty times as long under them.
#ifdef HEDDLE_SANITIZE
inline constexpr std::uint64_t kScenarios = 5;
#else
inline constexpr std::uint64_t kScenarios = 100;
#endif

/// Returns the parameters of tests that run with every scheduler.
inline auto all_schedulers() { return testing::ValuesIn(scheduler_names()); }

/// Returns a scheduler's name for its test, without dashes, which test names can't contain.
inline std::string scheduler_name(const testing::TestParamInfo<std::string>& scheduler) {
  std::string name = scheduler.param;
  std::erase(name, '-');
  return name;
}

}  // namespace heddle
