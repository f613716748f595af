#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "cgroup/formats.h"
#include "common/file.h"
#include "tests/integration/cgroup_bench.h"
#include "tests/support/matchers.h"

namespace heddle::cgroup::cgroup_tree_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

NodeCaps node_caps(double cpus = 0.5, std::int64_t mib = 128) {
  return {cpu_cap(cpus, true), {mib * kMiB, false}};
}
ContainerCaps container_caps(double cpus = 0.1, std::int64_t mib = 16) {
  return {cpu_cap(cpus), {mib * kMiB, false}};
}

class RealTree : public RealGroups {
 protected:
  std::int64_t throttled(const std::string& group) {
    const std::string file = driver().directories(group)[0] + "/cpu.stat";
    return keyed_number(read_file(file).value(), "nr_throttled").value();
  }
  /// Starts a process that uses CPU in the group, and waits until the kernel throttles it.
  pid_t start_throttled(const std::string& group) {
    const pid_t child = start(group, burn);
    wait_for([&] { return throttled(group) > 1; }, "throttling");
    return child;
  }
};

TEST_F(RealTree, CapsAreInForceOnNodeAndContainer) {
  auto tree = make_node(node_caps());
  int slot = acquire(*tree, container_caps(3.0));  // more than the node has
  EXPECT_EQ(driver().cpu(tree->node_group()).value(), cpu_cap(0.5, true));
  EXPECT_EQ(driver().cpu(tree->group(slot)).value(), cpu_cap(0.5));
  EXPECT_EQ(driver().memory(tree->group(slot)).value(), (MemoryCap{16 * kMiB, false}));
  if (!v1()) {
    EXPECT_EQ(file(tree->group(slot), "memory.oom.group"), "1");
  }
  EXPECT_TRUE(tree->teardown(seconds(10)));
  EXPECT_FALSE(driver().exists(run_group(run())));
}

TEST_F(RealTree, TheRunHasTheLargestWeightOfItsSiblings) {
  auto tree = make_node(node_caps());
  EXPECT_EQ(file(run_group(run()), v1() ? "cpu.shares" : "cpu.weight"), v1() ? "262144" : "10000");
  EXPECT_TRUE(tree->teardown(seconds(10)));
}

TEST_F(RealTree, KillsAThrottledBurnerAndPutsTheCapsBack) {
  auto tree = make_node(node_caps(0.05));
  const int slot = acquire(*tree, container_caps(0.05));
  const pid_t child = start_throttled(tree->group(slot));
  ASSERT_TRUE(tree->kill(slot));
  EXPECT_EQ(driver().cpu(tree->node_group()).value().cpus, std::nullopt);
  EXPECT_EQ(await_end(child), SIGKILL);
  ASSERT_TRUE(tree->release(slot));
  EXPECT_EQ(driver().cpu(tree->node_group()).value(), cpu_cap(0.05, true));
}

TEST_F(RealTree, LiftsForAStopAndRestores) {
  auto tree = make_node(node_caps(0.05));
  const int slot = acquire(*tree, container_caps(0.05));
  const pid_t child = start_throttled(tree->group(slot));
  ASSERT_TRUE(tree->lift(slot));
  ::kill(child, SIGSTOP);
  siginfo_t info{};
  auto stopped = [&] {
    return ::waitid(P_PID, static_cast<id_t>(child), &info, WSTOPPED | WNOHANG) == 0 &&
           info.si_pid == child;
  };
  wait_for(stopped, "the stop");
  ASSERT_TRUE(tree->restore(slot));
  EXPECT_EQ(driver().cpu(tree->node_group()).value(), cpu_cap(0.05, true));
  EXPECT_EQ(driver().cpu(tree->group(slot)).value(), cpu_cap(0.05));
}

TEST_F(RealTree, ThePoolShowsNothingOfTheLastTenant) {
  auto tree = make_node(node_caps());
  int slot = acquire(*tree, container_caps(0.5));
  pid_t child = start(tree->group(slot), [] { touch_and_wait(8 << 20); });
  wait_for([&] { return tree->stats(slot).value().memory > 8 * kMiB; }, "8 MiB");
  Result<ContainerStats> last = tree->stats(slot);
  ASSERT_TRUE(last);
  EXPECT_GT(last->peak, 8 * kMiB);
  EXPECT_GT(last->cpu, real::Duration(0));
  ASSERT_TRUE(tree->limit_processes(slot, 20));
  ASSERT_TRUE(tree->kill(slot));
  await_end(child);
  ASSERT_TRUE(tree->release(slot));

  ASSERT_EQ(acquire(*tree, container_caps(0.2, 4)), slot);
  Result<ContainerStats> next = tree->stats(slot);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->cpu, real::Duration(0));
  EXPECT_LT(next->peak, 2 * kMiB);
  EXPECT_EQ(file(tree->group(slot), "pids.max"), "max");
  EXPECT_EQ(driver().cpu(tree->group(slot)).value(), cpu_cap(0.2));
  EXPECT_EQ(tree->oom_cause(slot).value(), OomCause::kNone);
}

/// Reads this program's file from the disk, so that its page cache is charged to the caller.
void read_own_file() {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ::fdatasync(file);  // pages that are not on the disk can't be dropped
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  static char buffer[1 << 16];
  while (::read(file, buffer, sizeof buffer) > 0) {
  }
}

TEST_F(RealTree, PageCacheIsNoMemoryAndIsDropped) {
  auto tree = make_node(node_caps());
  const int slot = acquire(*tree, container_caps(0.5, 64));
  tree->count_cache(slot);
  const pid_t child = start(tree->group(slot), [] {
    read_own_file();
    ::pause();
  });
  wait_for([&] { return tree->stats(slot).value().cache > 4 * kMiB; }, "page cache");
  const ContainerStats stats = tree->stats(slot).value();
  EXPECT_LT(stats.memory, 3 * kMiB);
  EXPECT_GT(stats.peak, 4 * kMiB);
  EXPECT_LT(tree->node_memory().value(), 3 * kMiB);
  ASSERT_TRUE(tree->kill(slot));
  await_end(child);
  const std::optional<CacheDrop> drop = tree->begin_drop(slot).value();
  ASSERT_TRUE(drop);
  ASSERT_TRUE(tree->release(slot));
  // The kernel may need several tries.
  wait_for(
      [&] {
        (void)!::pwrite(drop->reclaim.get(), drop->text.data(), drop->text.size(), 0);
        return driver().memory_charge(tree->group(slot)).value() <= drop->enough;
      },
      "the drop of the cache");
  EXPECT_LE(driver().memory_charge(tree->node_group()).value(), 3 * kMiB);
}

TEST_F(RealTree, TwoNodesOfARunAreSeparate) {
  auto first = make_node(node_caps(), "n1");
  auto second = make_node(node_caps(), "n2");
  int slot = acquire(*second, container_caps());
  pid_t child = start(second->group(slot), [] { ::pause(); });
  ASSERT_TRUE(first->teardown(seconds(10)));
  EXPECT_TRUE(alive(child));
  EXPECT_THAT(driver().children(run_group(run())).value(), ElementsAre("n2"));
}

bool readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, 0) == 1;
}

TEST_F(RealTree, AContainerOverItsLimitIsTheContainers) {
  auto tree = make_node(node_caps(0.5, 128));
  int victim = acquire(*tree, container_caps(0.5, 16));
  int other = acquire(*tree, container_caps(0.5, 64));
  pid_t neighbour = start(tree->group(other), [] { touch_and_wait(32 << 20); });
  EXPECT_FALSE(readable(tree->oom_fd()));
  pid_t child = start(tree->group(victim), [] { touch_and_wait(32 << 20); });
  EXPECT_EQ(await_end(child), SIGKILL);
  wait_for([&] { return readable(tree->oom_fd()); }, "an event");
  tree->drain_oom();
  EXPECT_FALSE(readable(tree->oom_fd()));
  EXPECT_EQ(tree->oom_cause(victim).value(), OomCause::kContainer);
  EXPECT_EQ(tree->oom_cause(other).value(), OomCause::kNone);
  EXPECT_TRUE(alive(neighbour));
}

TEST_F(RealTree, ANodeOverItsLimitIsTheNodes) {
  auto tree = make_node(node_caps(0.5, 64));
  int first = acquire(*tree, container_caps(0.5, 48));
  int second = acquire(*tree, container_caps(0.5, 48));
  pid_t one = start(tree->group(first), [] { touch_and_wait(32 << 20); });
  wait_for([&] { return tree->stats(first).value().memory > 32 * kMiB; }, "32 MiB");
  pid_t two = start(tree->group(second), [] { touch_and_wait(40 << 20); });
  wait_for([&] { return !alive(one) || !alive(two); }, "a victim");
  int victim = alive(one) ? second : first;
  const pid_t other = alive(one) ? one : two;
  await_end(alive(one) ? two : one);
  EXPECT_EQ(tree->oom_cause(victim).value(), OomCause::kNode);
  // On a slow machine the kernel may also take the other process before the first has freed
  // anything. The kill is counted before the process is gone.
  const OomCause cause = tree->oom_cause(victim == first ? second : first).value();
  if (cause != OomCause::kNone) {
    EXPECT_EQ(cause, OomCause::kNode);
    EXPECT_EQ(await_end(other), SIGKILL);
  }

  // The same slot exceeds its own limit this time.
  ASSERT_TRUE(tree->release(victim));
  ASSERT_EQ(acquire(*tree, container_caps(0.5, 8)), victim);
  pid_t third = start(tree->group(victim), [] { touch_and_wait(16 << 20); });
  EXPECT_EQ(await_end(third), SIGKILL);
  EXPECT_EQ(tree->oom_cause(victim).value(), OomCause::kContainer);
}

TEST_F(RealTree, AnAncestorOverItsLimitIsOther) {
  auto tree = make_node(node_caps(0.5, 128));
  int slot = acquire(*tree, container_caps(0.5, 64));
  ASSERT_TRUE(driver().set_memory(run_group(run()), {16 * kMiB, false}));
  pid_t child = start(tree->group(slot), [] { touch_and_wait(32 << 20); });
  EXPECT_EQ(await_end(child), SIGKILL);
  EXPECT_EQ(tree->oom_cause(slot).value(), OomCause::kOther);
}

TEST_F(RealTree, AllProcessesOfAContainerGoWithTheVictim) {
  auto tree = make_node(node_caps());
  int slot = acquire(*tree, container_caps(0.5, 16));
  pid_t bystander = start(tree->group(slot), [] { ::pause(); });
  pid_t child = start(tree->group(slot), [] { touch_and_wait(32 << 20); });
  EXPECT_EQ(await_end(child), SIGKILL);
  EXPECT_EQ(tree->oom_cause(slot).value(), OomCause::kContainer);
  EXPECT_EQ(await_end(bystander), SIGKILL);
}

TEST_F(RealTree, TeardownEndsWhatLives) {
  auto tree = make_node(node_caps(0.05));
  int burning = acquire(*tree, container_caps(0.05));
  int frozen = acquire(*tree, container_caps(0.05));
  int stopped = acquire(*tree, container_caps(0.05));
  // The burning process comes last: joining a node that has used up its quota takes long.
  pid_t sleeper = start(tree->group(frozen), [] { ::pause(); });
  pid_t stopper = start(tree->group(stopped), [] { ::pause(); });
  pid_t burner = start_throttled(tree->group(burning));
  ASSERT_TRUE(tree->lift(frozen));
  ASSERT_TRUE(tree->freeze(frozen, true));
  wait_for([&] { return tree->frozen(frozen).value(); }, "it to be frozen");
  ASSERT_TRUE(tree->restore(frozen));
  ::kill(stopper, SIGSTOP);
  Result<void> torn = tree->teardown(seconds(10));
  EXPECT_TRUE(torn) << torn.error().text;
  EXPECT_FALSE(driver().exists(run_group(run())));
  for (pid_t child : {burner, sleeper, stopper}) EXPECT_EQ(await_end(child), SIGKILL);
}

TEST_F(RealTree, AFailedCreateLeavesNothing) {
  Result<std::unique_ptr<NodeTree>> tree =
      NodeTree::create(driver(), run(), "no\nde", node_caps());  // refused: the name breaks /proc
  EXPECT_FALSE(tree);
  EXPECT_FALSE(driver().exists(run_group(run())));
}

TEST_F(RealTree, AFailedCapLeavesNoContainer) {
  auto tree = make_node(node_caps());
  ContainerCaps negative = container_caps();
  negative.memory.limit = real::Bytes(-5);  // refused by every kernel
  EXPECT_FALSE(tree->acquire(negative));
  EXPECT_THAT(driver().children(tree->node_group()).value(), ElementsAre());
  EXPECT_EQ(acquire(*tree, container_caps()), 0);
}

TEST_F(RealTree, ARestartedWorkerRemovesWhatTheDeadOneLeft) {
  auto dead = make_node(node_caps());
  int slot = acquire(*dead, container_caps());
  pid_t child = start(dead->group(slot), burn);
  dead.reset();  // does not remove groups
  Result<std::vector<std::string>> runs = runs_in(driver());
  ASSERT_TRUE(runs);
  EXPECT_THAT(*runs, Contains(run()));
  auto tree = make_node(node_caps());
  EXPECT_EQ(await_end(child), SIGKILL);
  EXPECT_THAT(driver().children(tree->node_group()).value(), ElementsAre());
}

}  // namespace heddle::cgroup::cgroup_tree_test
