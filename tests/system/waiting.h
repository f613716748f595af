#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace heddle {

/// Checks that the intervals of `heddle why --json` add up to the waiting time of the summary.
inline void expect_whole(const nlohmann::json& why) {
  double sum = 0, at = why["job"]["submit_s"];
  for (const nlohmann::json& interval : why["waiting"]) {
    EXPECT_EQ(interval["from_s"], at);
    at = interval["until_s"];
    sum += interval["until_s"].get<double>() - interval["from_s"].get<double>();
  }
  EXPECT_NEAR(sum, why["job"]["waiting_s"].get<double>(), 1e-5);
  EXPECT_EQ(at, why["job"]["start_s"]);
}

/// Returns how long the job waited for this cause.
inline double seconds_of(const nlohmann::json& why, const std::string& cause) {
  for (const nlohmann::json& row : why["causes"])
    if (row["cause"] == cause) return row["s"];
  return 0;
}

}  // namespace heddle
