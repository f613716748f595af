#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/policy/registry.h"

namespace heddle {

/// Drawn scenarios that a property is tried on, for each scheduler: fewer with sanitizers, under
/// which each takes some twenty times as long.
#ifdef HEDDLE_SANITIZE
inline constexpr std::uint64_t kScenarios = 5;
#else
inline constexpr std::uint64_t kScenarios = 100;
#endif

/// For tests that go through all schedulers.
inline auto all_schedulers() { return testing::ValuesIn(scheduler_names()); }

/// What the test of a scheduler is called, where a dash may not stand.
inline std::string scheduler_name(const testing::TestParamInfo<std::string>& scheduler) {
  std::string name = scheduler.param;
  std::erase(name, '-');
  return name;
}

}  // namespace heddle
