// Tests timeline.json as runs write it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/timeline_check.h"
#include "tests/system/process.h"

namespace heddle::timeline_test {

using ::testing::IsEmpty;
using Json = nlohmann::json;

/// Returns the number of the file's events that meet the condition.
template <class Condition>
int count(const Json& file, const Condition& condition) {
  int found = 0;
  for (const Json& event : file["traceEvents"]) found += condition(event);
  return found;
}
int slices(const Json& file, const std::string& category) {
  return count(file, [&](const Json& event) {
    return event["ph"] == "X" && event.value("cat", "") == category;
  });
}

/// Returns the timeline of the results, checked against their summary.
Json timeline_of(const std::string& out) {
  const Json file = read_json(out + "/timeline.json");
  EXPECT_THAT(report::TimelineCheck::trouble(file), IsEmpty());
  const Json summary = read_json(out + "/summary.json");
  std::int64_t containers = 0;
  for (const Json& job : summary["jobs"])
    containers += job["attempts"].get<int>() + job["am_attempts"].get<int>();
  const int shown = count(file, [](const Json& event) {
    return event["ph"] == "X" && event.contains("args") && event["args"].contains("container");
  });
  EXPECT_EQ(shown, containers);
  EXPECT_EQ(slices(file, "job"), std::ssize(summary["jobs"]));
  EXPECT_EQ(slices(file, "suspended"), summary["suspensions"]["count"]);
  const int reservations = count(file, [](const Json& event) {
    return event.value("cat", "") == "reservation" && !event["args"]["moved"].get<bool>();
  });
  EXPECT_EQ(reservations, summary["reservations"]["count"]);
  int kills = 0;
  for (const Json& cause : summary["oom_kills"]) kills += cause.get<int>();
  EXPECT_EQ(
      count(file, [](const Json& event) { return event["name"] == "killed for lack of memory"; }),
      kills);
  return file;
}

class SimulatedTimeline : public ::testing::TestWithParam<const char*> {};

TEST_P(SimulatedTimeline, IsWholeAndAgreesWithTheSummary) {
  Scratch scratch;
  Process run(heddle({"simulate", scenario(GetParam()), "--quiet", "--out", scratch / "out"}),
              scratch);
  EXPECT_LE(run.wait(), 1) << run.errors();
  const Json file = timeline_of(scratch / "out");
  EXPECT_GT(count(file, [](const Json& event) { return event["ph"] == "f"; }), 0);
  EXPECT_GT(count(file, [](const Json& event) { return event["ph"] == "C"; }), 0);
}

INSTANTIATE_TEST_SUITE_P(Of, SimulatedTimeline,
                         ::testing::Values("quickstart", "two-queues", "faults/memory-storm",
                                           "faults/container-overrun", "faults/worker-freeze",
                                           "faults/worker-crash"));

// Reduces starve while Spark holds the resources that their maps need, and are suspended.
TEST(Timeline, OfARealRunWithSuspensions) {
  Scratch scratch;
  const std::string path = scratch.file(
      "s.yaml",
      "heddle: 1\nname: suspending\n"
      "emulation: {time_scale: 0.1, core_fraction: 0.04, memory_scale: 1/64}\n"
      "cluster:\n  nodes:\n    - {name: n, count: 2, cores: 5, memory: 12GiB}\n"
      "policy: {scheduler: fifo, reduce_adjustment: suspend, control_interval: 10,\n"
      "         suspend_power: 0.01, suspend_threshold: 0.05, reduce_early_start: 0}\n"
      "jobs:\n"
      "  - {name: sp, framework: spark, executors: {count: 2, cores: 1, memory: 1GiB},\n"
      "     stages: [{tasks: 60, cpu: 1s}]}\n"
      "  - name: mr\n    phases:\n"
      "      - {name: map, kind: map, tasks: 20, request: {cores: 1, memory: 1GiB}, cpu: 5s,\n"
      "         memory: 500MiB, shuffle: 8MiB}\n"
      "      - {name: reduce, kind: reduce, after: [map], tasks: 4,\n"
      "         request: {cores: 1, memory: 1GiB}, cpu: 2s, memory: 600MiB}\n");
  Process run(heddle({"run", path, "--quiet", "--out", scratch / "out"}), scratch);
  ASSERT_EQ(run.wait(), 0) << run.errors();
  const Json file = timeline_of(scratch / "out");
  EXPECT_GT(slices(file, "suspended"), 0);
  EXPECT_GT(slices(file, "reading inputs"), 0);
}

}  // namespace heddle::timeline_test
