#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Return the ids of what a test names. Throw if nothing has that name.
inline JobId job_called(const Scenario& scenario, const std::string& name) {
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i)
    if (scenario.jobs[i].name == name) return JobId{static_cast<std::int64_t>(i)};
  throw std::runtime_error("no job is called " + name);
}

inline NodeId node_called(const Scenario& scenario, const std::string& name) {
  for (std::size_t i = 0; i < scenario.cluster.nodes.size(); ++i)
    if (scenario.cluster.nodes[i].name == name) return NodeId{static_cast<std::int64_t>(i)};
  throw std::runtime_error("no node is called " + name);
}

/// Reads a task such as "j.map.0".
inline TaskId task_called(const Scenario& scenario, const std::string& text) {
  const std::size_t first = text.find('.'), last = text.rfind('.');
  const JobId job = job_called(scenario, text.substr(0, first));
  const std::vector<PhaseSpec>& phases = scenario.jobs[job.value].phases;
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (phases[i].name == text.substr(first + 1, last - first - 1))
      return {{job, static_cast<int>(i)}, std::stoi(text.substr(last + 1))};
  throw std::runtime_error("no such phase: " + text);
}

}  // namespace heddle
