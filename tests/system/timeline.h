#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/timeline_check.h"
#include "tests/support/matchers.h"
#include "tests/system/process.h"

namespace heddle {

/// Returns the number of a timeline's events that meet the condition.
template <class Condition>
int events(const nlohmann::json& file, const Condition& condition) {
  int found = 0;
  for (const nlohmann::json& event : file["traceEvents"]) found += condition(event);
  return found;
}
inline int slices(const nlohmann::json& file, const std::string& category) {
  return events(file, [&](const nlohmann::json& event) {
    return event["ph"] == "X" && event.value("cat", "") == category;
  });
}

/// Returns the timeline of the results, checked against their summary.
inline nlohmann::json timeline_of(const std::string& out) {
  const nlohmann::json file = read_json(out + "/timeline.json");
  EXPECT_THAT(report::TimelineCheck::trouble(file), IsEmpty());
  const nlohmann::json summary = read_json(out + "/summary.json");
  std::int64_t containers = 0;
  for (const nlohmann::json& job : summary["jobs"])
    containers += job["attempts"].get<int>() + job["am_attempts"].get<int>();
  const int shown = events(file, [](const nlohmann::json& event) {
    return event["ph"] == "X" && event.contains("args") && event["args"].contains("container");
  });
  EXPECT_EQ(shown, containers);
  EXPECT_EQ(slices(file, "job"), std::ssize(summary["jobs"]));
  EXPECT_EQ(slices(file, "suspended"), summary["suspensions"]["count"]);
  const int reservations = events(file, [](const nlohmann::json& event) {
    return event.value("cat", "") == "reservation" && !event["args"]["moved"].get<bool>();
  });
  EXPECT_EQ(reservations, summary["reservations"]["count"]);
  int kills = 0;
  for (const nlohmann::json& cause : summary["oom_kills"]) kills += cause.get<int>();
  EXPECT_EQ(events(file,
                   [](const nlohmann::json& event) {
                     return event["name"] == "killed for lack of memory";
                   }),
            kills);
  return file;
}

}  // namespace heddle
