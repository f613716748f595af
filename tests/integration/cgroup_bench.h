#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cgroup/home.h"
#include "cgroup/tree.h"

namespace heddle::cgroup {

/// Lets tests use the kernel's control groups, of the version that this machine has. Each test has
/// a separate run. After the test, no group and no process of this run is allowed to be left.
class RealGroups : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Driver& driver() { return *home_.driver; }
  bool v1() const { return home_.version == Version::kV1; }
  const std::string& run() const { return run_; }

  /// Makes a node of this run. If that is impossible, the exception ends the test as a failure.
  std::unique_ptr<NodeTree> make_node(const NodeCaps& caps, const std::string& name = "n1");
  /// Returns a slot. If there is an error, the test fails and the result is -1.
  int acquire(NodeTree& tree, const ContainerCaps& caps);

  /// Forks a child that joins the group and does the work. Returns when the child has joined. The
  /// work must not return. It must not use much of the heap, because the child is a fork.
  pid_t start(const std::string& group, const std::function<void()>& work);
  /// Returns the child's wait status. If the child has not ended after 20 s, kills it, and the test
  /// fails. The limit is so long because a virtual machine is slow.
  int await_end(pid_t child);
  bool alive(pid_t child);

  /// Returns the contents of a control file of the group, without the newline. Looks in all
  /// hierarchies.
  std::string file(const std::string& group, const std::string& name);
  /// Polls until `done` returns true. The test fails after 20 s.
  void wait_for(const std::function<bool()>& done, const char* what);

 private:
  Home home_;
  std::string run_;
  std::vector<pid_t> children_;
};

/// Uses CPU until the process is killed. This is work for children.
void burn();
/// Touches `bytes` of memory and waits.
void touch_and_wait(std::int64_t bytes);

constexpr real::Bytes kMiB(1 << 20);
CpuCap cpu_cap(double cpus, bool burst = false);

}  // namespace heddle::cgroup
