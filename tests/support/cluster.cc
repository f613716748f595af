#include "tests/support/cluster.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <utility>

#include "core/policy/registry.h"

namespace heddle {

Resources size_of(double cores, double gib) {
  return {Millicores(std::llround(cores * 1000)), EmuBytes(std::llround(gib * (1LL << 30)))};
}

NodeSpec node_of(const std::string& name, const Resources& size, double speed) {
  NodeSpec node;
  node.name = name;
  node.capacity = node.allowance = size;
  node.speed = speed;
  return node;
}

Scenario cluster_of(int nodes, double cores, double gib, const std::string& policy,
                    std::vector<JobSpec> jobs) {
  Scenario scenario;
  scenario.name = "test";
  scenario.cluster.dispatch = Dispatch::kImmediate;
  for (int i = 1; i <= nodes; ++i)
    scenario.cluster.nodes.push_back(node_of("n" + std::to_string(i), size_of(cores, gib)));
  scenario.jobs = std::move(jobs);
  set_policy(scenario, policy);
  return scenario;
}

Scenario cluster_of(int nodes, double cores, double gib, std::vector<JobSpec> jobs) {
  return cluster_of(nodes, cores, gib, "", std::move(jobs));
}

QueueSpec queue_of(const std::string& name, double capacity, double max_capacity) {
  QueueSpec queue;
  queue.name = name;
  queue.capacity = capacity;
  queue.max_capacity = max_capacity;
  return queue;
}

void set_policy(Scenario& scenario, const char* option, const char* value) {
  EXPECT_TRUE(set_policy_key(scenario.policy, option, value));
}

void set_policy(Scenario& scenario, const std::string& words) {
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, '+');) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos)
      scenario.policy.preset = word;
    else
      set_policy(scenario, word.substr(0, equals).c_str(), word.substr(equals + 1).c_str());
  }
}

}  // namespace heddle
