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

/// The kernel's own control groups, of whatever version this machine has, in a run of our own.
/// After each test no group and no process of it may be left.
class RealGroups : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Driver& driver() { return *home_.driver; }
  bool v1() const { return home_.version == Version::kV1; }
  const std::string& run() const { return run_; }

  /// A node of this run; a test failure and null if it can't be had.
  std::unique_ptr<NodeTree> make_node(const NodeCaps& caps, const std::string& name = "n1");
  /// A slot, or a test failure and -1.
  int acquire(NodeTree& tree, const ContainerCaps& caps);

  /// A child that joins the group and does the work, which must not return to use much of the heap:
  /// it is a fork. Returns when it has joined.
  pid_t start(const std::string& group, const std::function<void()>& work);
  /// Its wait status; a test failure after 20 s (a guest is slow), with the child killed.
  int await_end(pid_t child);
  bool alive(pid_t child);

  /// Contents of a control file of the group, whichever hierarchy has it, without the newline.
  std::string file(const std::string& group, const std::string& name);
  /// Polls until `done` or 20 s have gone: a test failure.
  void wait_for(const std::function<bool()>& done, const char* what);

 private:
  Home home_;
  std::string run_;
  std::vector<pid_t> children_;
};

/// Work for children.
void burn();
/// Touches this much and waits.
void touch_and_wait(std::int64_t bytes);

constexpr real::Bytes kMiB(1 << 20);
CpuCap cpu_cap(double cpus, bool burst = false);

}  // namespace heddle::cgroup
