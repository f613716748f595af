#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cgroup/tree.h"
#include "tests/cgroup/recording_driver.h"

namespace heddle::cgroup {

constexpr real::Bytes kMiB(1 << 20);

/// Returns the caps of a node with 0.2 CPUs and 64 MiB. The quota allows bursts.
inline NodeCaps node_caps() {
  return {{real::Cpus{0.2}, std::chrono::microseconds(20000), true}, {64 * kMiB, false}};
}
/// Returns the caps of a container with `cpus` and 8 MiB.
inline ContainerCaps container_caps(double cpus = 0.05) {
  return {{real::Cpus{cpus}, std::chrono::microseconds(20000), false}, {8 * kMiB, false}};
}

/// Makes node n1 of run r, then empties the driver's record.
inline std::unique_ptr<NodeTree> make_tree(RecordingDriver& driver) {
  Result<std::unique_ptr<NodeTree>> tree = NodeTree::create(driver, "r", "n1", node_caps());
  EXPECT_TRUE(tree);
  driver.calls.clear();
  return tree ? *std::move(tree) : nullptr;
}

/// Returns the names of the driver's groups, in order.
inline std::vector<std::string> names(const RecordingDriver& driver) {
  std::vector<std::string> all;
  for (const auto& [name, group] : driver.groups) all.push_back(name);
  return all;
}

inline int acquire(NodeTree& tree, const ContainerCaps& caps = container_caps()) {
  Result<int> slot = tree.acquire(caps);
  EXPECT_TRUE(slot) << slot.error().text;
  return slot ? *slot : -1;
}

}  // namespace heddle::cgroup
