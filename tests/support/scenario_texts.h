#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle {

/// A small valid scenario. Each piece can be replaced. Line 1 is heddle, line 2 is name, line 3 is
/// the whole cluster, and line 4 is jobs. The jobs begin in line 5.
struct ScenarioText {
  std::string head = "heddle: 1\nname: test\n";
  std::string cluster = "cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 8GiB}]}\n";
  std::string jobs =
      "jobs:\n"
      "- name: wc\n"
      "  phases:\n"
      "  - {name: map, tasks: 3, request: {cores: 1, memory: 1GiB}, cpu: 12s}\n";

  std::string text() const { return head + cluster + jobs; }
};

/// Return the small scenario with more lines after its name, or with another cluster or other jobs.
inline std::string text_with_head(const std::string& more) {
  return ScenarioText{.head = ScenarioText{}.head + more}.text();
}
inline std::string text_with_cluster(const std::string& cluster) {
  return ScenarioText{.cluster = cluster}.text();
}
inline std::string text_with_jobs(const std::string& jobs) {
  return ScenarioText{.jobs = jobs}.text();
}

/// Returns "jobs:" with one job, which has one phase. `words` is the text in the braces of the
/// phase.
inline std::string one_phase(const std::string& words) {
  return "jobs:\n- name: wc\n  phases:\n  - {" + words + "}\n";
}

inline Result<CheckedScenario> read_text(const std::string& text, const Overrides& overrides = {}) {
  return workloads::read_scenario_text(text, "s.yaml", overrides);
}

/// Returns the scenario of a text. Throws if the text has errors.
inline Scenario scenario_of(const std::string& text, const Overrides& overrides = {}) {
  auto read = read_text(text, overrides);
  return read ? read->scenario : throw std::runtime_error(read.error().text);
}

/// Returns the error's lines, or "none" if the text is valid.
inline std::string errors_of(const std::string& text, const Overrides& overrides = {}) {
  auto read = read_text(text, overrides);
  return read ? "none" : read.error().text;
}

/// Expects that the scenario is read as it was from the text that it is written as, and is then
/// written the same.
inline void expect_round_trip(const Scenario& scenario) {
  const std::string text = write_scenario(scenario);
  const auto again = read_text(text);
  ASSERT_TRUE(again) << again.error().text << "\n" << text;
  EXPECT_EQ(again->scenario, scenario) << text;
  EXPECT_EQ(write_scenario(again->scenario), text);
}

inline Overrides set(std::vector<std::string> assignments) {
  Overrides overrides;
  overrides.set = std::move(assignments);
  return overrides;
}

}  // namespace heddle
