#pragma once

#include <string>
#include <vector>

#include "workloads/scenario_file.h"

namespace heddle {

/// A small valid scenario; each piece can be replaced. Lines: 1 heddle, 2 name, 3 cluster (one
/// line), 4 jobs, 5 and following the jobs.
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

/// The queue with this name and nothing else said of it, but for this guaranteed share.
inline QueueSpec plain_queue(const std::string& name, double capacity = 1) {
  QueueSpec queue;
  queue.name = name;
  queue.capacity = capacity;
  return queue;
}

/// "jobs:" with one job of one phase; the words are put into the phase's braces.
inline std::string one_phase(const std::string& words) {
  return "jobs:\n- name: wc\n  phases:\n  - {" + words + "}\n";
}

inline Result<CheckedScenario> read_text(const std::string& text, const Overrides& overrides = {}) {
  return workloads::read_scenario_text(text, "s.yaml", overrides);
}

/// The scenario, which must be right.
inline Scenario scenario_of(const std::string& text, const Overrides& overrides = {}) {
  auto read = read_text(text, overrides);
  return read ? read->scenario : throw std::runtime_error(read.error().text);
}

/// The error's lines; "none" if the text is right.
inline std::string errors_of(const std::string& text, const Overrides& overrides = {}) {
  auto read = read_text(text, overrides);
  return read ? "none" : read.error().text;
}

inline Overrides set(std::vector<std::string> assignments) {
  Overrides overrides;
  overrides.set = std::move(assignments);
  return overrides;
}

}  // namespace heddle
