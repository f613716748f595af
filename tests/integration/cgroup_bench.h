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

/// Gives tests the kernel's own control groups, of the version that this machine has, in a run of
/// their own. After each test no group and no process of that run may be left.
class RealGroups : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Driver& driver() { return *home_.driver; }
  bool v1() const { return home_.version == Version::kV1; }
  const std::string& run() const { return run_; }

  /// Makes a node of this run; returns null, with a test failure, if that is impossible.
  std::unique_ptr<NodeTree> make_node(const NodeCaps& caps, const std::string& name = "n1");
  /// Returns a slot, or -1 with a test failure.
  int acquire(NodeTree& tree, const ContainerCaps& caps);

  /// Forks a child that joins the group and does the work; returns when it has joined. The work
  /// must not return, nor use much of the heap, as the child is a fork.
  pid_t start(const std::string& group, const std::function<void()>& work);
  /// Returns the child's wait status. After 20 s (a guest is slow) the child is killed and the test
  /// fails.
  int await_end(pid_t child);
  bool alive(pid_t child);

  /// Returns the contents of a control file of the group, whichever hierarchy has it, without the
  /// newline.
  std::string file(const std::string& group, const std::string& name);
  /// Polls until `done` holds; a test failure after 20 s.
  void wait_for(const std::function<bool()>& done, const char* what);

 private:
  Home home_;
  std::string run_;
  std::vector<pid_t> children_;
};

/// Uses CPU until killed: work for children.
void burn();
/// Touches `bytes` of memory and waits.
void touch_and_wait(std::int64_t bytes);

constexpr real::Bytes kMiB(1 << 20);
CpuCap cpu_cap(double cpus, bool burst = false);

}  // namespace heddle::cgroup
