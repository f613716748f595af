#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"
#include "tests/support/scenario_texts.h"

namespace heddle {

/// Returns a scenario with this section (line 3), nodes n1, n2, n3 and g, and one job p with these
/// keys.
inline std::string site_text(const std::string& section, const std::string& job) {
  ScenarioText text;
  text.head += section + "\n";
  text.cluster =
      "cluster: {nodes: [{name: n, count: 3, cores: 4, memory: 8GiB, rack: r1}, {name: g, cores: "
      "4, memory: 8GiB, labels: {model: V100}}]}\n";
  text.jobs = "jobs:\n- {name: p, workload: pi, " + job + "}\n";
  return text.text();
}

inline std::vector<NodeId> node_ids(const std::vector<std::int64_t>& ids) {
  std::vector<NodeId> all;
  for (const std::int64_t id : ids) all.push_back(NodeId{id});
  return all;
}

}  // namespace heddle
