#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/policy/registry.h"
#include "tests/support/sanitized.h"

namespace heddle {

/// Number of drawn scenarios with which a property is tested, for each scheduler.
inline constexpr std::uint64_t kScenarios = kSanitized ? 5 : 100;

/// Returns the parameters of tests that run with every scheduler.
inline auto all_schedulers() { return testing::ValuesIn(scheduler_names()); }

/// Returns a scheduler's name as part of a test's name. Removes dashes, because names of tests
/// can't contain them.
inline std::string scheduler_name(const testing::TestParamInfo<std::string>& scheduler) {
  std::string name = scheduler.param;
  std::erase(name, '-');
  return name;
}

}  // namespace heddle
