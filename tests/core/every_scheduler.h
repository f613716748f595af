#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/policy/table.h"

namespace heddle {

/// For tests that go through all schedulers.
inline auto all_schedulers() { return testing::ValuesIn(built_schedulers()); }

/// What the test of a scheduler is called, where a dash may not stand.
inline std::string scheduler_name(const testing::TestParamInfo<std::string>& scheduler) {
  std::string name = scheduler.param;
  std::erase(name, '-');
  return name;
}

}  // namespace heddle
