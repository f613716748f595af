#include "cgroup/tree.h"

#include <poll.h>

#include "tests/cgroup/tree_fixture.h"
#include "tests/support/matchers.h"

namespace heddle::cgroup::tree_test {

using std::chrono::milliseconds;

bool readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, 0) == 1;
}

/// A node with one container.
class OneContainer : public testing::Test {
 protected:
  OneContainer() {
    acquire(*tree);
    driver.calls.clear();
  }
  RecordingDriver::Group& c0() { return driver.groups["heddle-r/n1/c0"]; }

  RecordingDriver driver;
  std::unique_ptr<NodeTree> tree = make_tree(driver);
};

TEST(NodeTree, CreateMakesRunAndNodeAndReadsBack) {
  RecordingDriver driver;
  Result<std::unique_ptr<NodeTree>> tree = NodeTree::create(driver, "r", "n1", node_caps());
  ASSERT_TRUE(tree);
  EXPECT_THAT(driver.calls,
              ElementsAre("owner heddle-r", "create heddle-r", "mark heddle-r",
                          "create heddle-r/n1", "hold heddle-r/n1", "mark heddle-r/n1",
                          "set_cpu_weight heddle-r urgent", "set_cpu heddle-r/n1 4000/20000+4000",
                          "cpu heddle-r/n1", "set_memory heddle-r/n1 67108864",
                          "memory heddle-r/n1", "watch_oom heddle-r", "watch_oom heddle-r/n1"));
  EXPECT_EQ((*tree)->node_group(), "heddle-r/n1");
}

TEST(NodeTree, CreateGivesTheRunTheWeightOfTheScenario) {
  RecordingDriver driver;
  NodeCaps caps = node_caps();
  caps.run_weight = CpuWeight{300};
  ASSERT_TRUE(NodeTree::create(driver, "r", "n1", caps));
  EXPECT_EQ(driver.groups["heddle-r"].weight, CpuWeight{300});
}

TEST(NodeTree, CreateRemovesWhatADeadWorkerLeft) {
  RecordingDriver driver(Version::kV2);
  driver.leave({"heddle-r", "heddle-r/n1", "heddle-r/n2"});
  driver.groups["heddle-r/n1/c0"].members = {7};
  driver.groups["heddle-r/n2"].members = {8};
  auto tree = make_tree(driver);
  ASSERT_TRUE(tree);
  EXPECT_FALSE(driver.exists("heddle-r/n1/c0"));
  EXPECT_THAT(driver.groups["heddle-r/n2"].members, ElementsAre(8));
}

TEST(NodeTree, CreateTriesAgainIfAnotherWorkerDropsTheRunGroup) {
  RecordingDriver driver;
  driver.refuse = [&](const std::string& call) {
    // The run's group vanishes once, between the two calls.
    if (call == "create heddle-r/n1" && driver.calls.size() < 5) driver.groups.erase("heddle-r");
    return Error{};
  };
  Result<std::unique_ptr<NodeTree>> tree = NodeTree::create(driver, "r", "n1", node_caps());
  ASSERT_TRUE(tree);
  EXPECT_TRUE(driver.exists("heddle-r/n1"));
}

/// A kernel that applies another cap than the one it was given.
class Deaf : public RecordingDriver {
 public:
  Result<CpuCap> cpu(const std::string&) const override {
    return CpuCap{real::Cpus{0.5}, std::chrono::microseconds(20000), false};
  }
};

TEST(NodeTree, CreateFailsIfAnotherCapIsInForce) {
  Deaf driver;
  Result<std::unique_ptr<NodeTree>> tree = NodeTree::create(driver, "r", "n1", node_caps());
  ASSERT_FALSE(tree);
  EXPECT_THAT(tree.error().text, HasSubstr("CPU cap set to 4000 of 20000 us with burst, but in "
                                           "force is 10000 of 20000 us"));
  EXPECT_TRUE(driver.groups.empty());
}

TEST(NodeTree, AcquireMakesAGroup) {
  RecordingDriver driver;
  auto tree = make_tree(driver);
  EXPECT_EQ(acquire(*tree), 0);
  EXPECT_THAT(driver.calls, ElementsAre("create heddle-r/n1/c0", "set_oom_group heddle-r/n1/c0",
                                        "watch_oom heddle-r/n1/c0", "memory_stats heddle-r/n1/c0",
                                        "set_cpu heddle-r/n1/c0 1000/20000", "cpu heddle-r/n1/c0",
                                        "set_memory heddle-r/n1/c0 8388608",
                                        "memory heddle-r/n1/c0", "cpu_stats heddle-r/n1/c0"));
  EXPECT_EQ(tree->group(0), "heddle-r/n1/c0");
  EXPECT_EQ(acquire(*tree), 1);
}

TEST(NodeTree, ContainerCapsAreAtMostTheNodes) {
  RecordingDriver driver;
  auto tree = make_tree(driver);
  acquire(*tree, container_caps(1.5));
  EXPECT_EQ(driver.groups["heddle-r/n1/c0"].cpu.cpus->value, 0.2);
  ContainerCaps none = container_caps();
  none.cpu.cpus.reset();
  acquire(*tree, none);
  EXPECT_EQ(driver.groups["heddle-r/n1/c1"].cpu.cpus, std::nullopt);
}

TEST_F(OneContainer, ReusesAReleasedGroupWithCountersFromZero) {
  auto& group = c0();
  group.cpu_stats.usage = milliseconds(500);
  group.memory_stats = {real::Bytes(0), 7 * kMiB, 0, 3};
  ASSERT_TRUE(tree->release(0));
  driver.calls.clear();
  EXPECT_EQ(acquire(*tree, container_caps(0.1)), 0);
  EXPECT_THAT(driver.calls, ElementsAre("reset_peak heddle-r/n1/c0", "memory_stats heddle-r/n1/c0",
                                        "set_cpu heddle-r/n1/c0 2000/20000", "cpu heddle-r/n1/c0",
                                        "cpu_stats heddle-r/n1/c0"));
  group.cpu_stats.usage = milliseconds(520);
  group.memory_stats.current = 2 * kMiB;
  Result<ContainerStats> stats = tree->stats(0);
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->cpu, milliseconds(20));
  EXPECT_EQ(stats->memory, 2 * kMiB);
  EXPECT_EQ(stats->peak, real::Bytes(0));
  Result<OomCause> cause = tree->oom_cause(0);
  ASSERT_TRUE(cause);
  EXPECT_EQ(*cause, OomCause::kNone);
}

TEST(NodeTree, ChangesOnlyWhatTheNextTenantNeedsOtherwise) {
  RecordingDriver driver;
  auto tree = make_tree(driver);
  const std::vector<std::string> least = {
      "reset_peak heddle-r/n1/c0", "memory_stats heddle-r/n1/c0", "cpu_stats heddle-r/n1/c0"};
  auto again = [&] {
    EXPECT_TRUE(tree->release(0));
    driver.calls.clear();
    EXPECT_EQ(acquire(*tree), 0);
  };
  acquire(*tree);
  again();
  EXPECT_EQ(driver.calls, least);
  ASSERT_TRUE(tree->limit_processes(0, 5));
  ASSERT_TRUE(tree->kill(0));
  again();
  EXPECT_EQ(driver.groups["heddle-r/n1/c0"].cpu.cpus->value, 0.05);
  EXPECT_EQ(driver.calls.front(), "set_pids heddle-r/n1/c0 max");
  EXPECT_EQ(driver.calls.size(), least.size() + 3);  // the CPU cap is set and read back as well
  again();
  EXPECT_EQ(driver.calls, least);
}

TEST_F(OneContainer, MakesAGroupAnewThatSomebodyElseHasRemoved) {
  ASSERT_TRUE(tree->release(0));
  driver.groups.erase("heddle-r/n1/c0");
  EXPECT_FALSE(tree->acquire(container_caps()));
  EXPECT_EQ(acquire(*tree), 0);
  EXPECT_TRUE(driver.groups.contains("heddle-r/n1/c0"));
}

TEST_F(OneContainer, MakesAGroupAnewIfTheLastTenantLeftMemory) {
  c0().memory_stats.current = 2 * kMiB;
  ASSERT_TRUE(tree->release(0));
  driver.calls.clear();
  EXPECT_EQ(acquire(*tree), 0);
  EXPECT_THAT(driver.calls, IsSupersetOf({"remove heddle-r/n1/c0", "create heddle-r/n1/c0"}));
  EXPECT_EQ(c0().memory_stats.current, real::Bytes(0));
}

TEST_F(OneContainer, PageCacheIsNoMemoryOfAContainerThatUsesFiles) {
  c0().memory_stats = {8 * kMiB, 8 * kMiB, 0, 0};
  c0().cache = 5 * kMiB;
  driver.groups["heddle-r/n1"].memory_stats.current = 20 * kMiB;
  driver.groups["heddle-r/n1"].cache = 7 * kMiB;
  // Reading the cache takes long, and tasks have none.
  EXPECT_EQ(tree->stats(0).value().memory, 8 * kMiB);
  EXPECT_EQ(tree->node_stats().value().memory, 20 * kMiB);
  EXPECT_EQ(tree->node_memory().value(), 20 * kMiB);
  EXPECT_THAT(driver.calls, Not(Contains(StartsWith("memory_cache"))));

  tree->count_cache(0);
  const ContainerStats stats = tree->stats(0).value();
  EXPECT_EQ(stats.memory, 3 * kMiB);
  EXPECT_EQ(stats.cache, 5 * kMiB);
  EXPECT_EQ(stats.peak, 8 * kMiB);
  EXPECT_EQ(tree->node_stats().value().memory, 13 * kMiB);
  EXPECT_EQ(tree->node_memory().value(), 13 * kMiB);

  ASSERT_TRUE(tree->release(0));
  c0().memory_stats.current = real::Bytes(0);
  acquire(*tree);
  c0().memory_stats.current = 8 * kMiB;
  EXPECT_EQ(tree->stats(0).value().memory, 8 * kMiB);  // a task again
  EXPECT_EQ(tree->node_stats().value().memory, 13 * kMiB);
}

TEST_F(OneContainer, MemoryIsReadOnlyAboveWhatIsKnown) {
  c0().memory_stats.current = 8 * kMiB;
  c0().cache = 5 * kMiB;
  EXPECT_EQ(tree->memory_above(0, 8 * kMiB).value(), std::nullopt);
  EXPECT_THAT(driver.calls, ElementsAre("memory_charge heddle-r/n1/c0"));
  const std::optional<MemoryUse> use = tree->memory_above(0, 8 * kMiB - real::Bytes(1)).value();
  EXPECT_EQ(use, (MemoryUse{8 * kMiB, 5 * kMiB}));
  EXPECT_EQ(use->own(), 3 * kMiB);
  EXPECT_EQ(tree->memory_limit(0), 8 * kMiB);
}

/// A kernel in which a file is deleted while the cache is read.
class Deleting : public RecordingDriver {
 public:
  Result<real::Bytes> memory_cache(const std::string& group) const override {
    const_cast<Deleting*>(this)->groups[group].memory_stats.current = 3 * kMiB;
    return real::Bytes(0);
  }
};

TEST(NodeTree, CacheThatGoesWhileItIsReadIsNoMemory) {
  Deleting driver;
  auto tree = make_tree(driver);
  acquire(*tree);
  tree->count_cache(0);
  driver.groups["heddle-r/n1/c0"].memory_stats.current = 8 * kMiB;
  EXPECT_EQ(tree->stats(0).value().memory, 3 * kMiB);
}

TEST_F(OneContainer, ASlotIsNotReusedWhileItsCacheIsDropped) {
  c0().memory_stats.current = 5 * kMiB;
  const std::optional<CacheDrop> drop = tree->begin_drop(0).value();
  ASSERT_TRUE(drop);
  EXPECT_EQ(drop->slot, 0);
  EXPECT_EQ(drop->text, "0");
  EXPECT_EQ(drop->enough, kMiB);
  ASSERT_TRUE(tree->release(0));
  EXPECT_EQ(acquire(*tree), 1);
  tree->cache_dropped(0);
  EXPECT_EQ(acquire(*tree), 0);
}

TEST_F(OneContainer, LittleCacheIsNotDropped) {
  c0().memory_stats.current = kMiB;
  EXPECT_FALSE(tree->begin_drop(0).value());
  EXPECT_THAT(driver.calls, ElementsAre("memory_charge heddle-r/n1/c0"));
}

TEST(NodeTree, CacheStaysWhereTheKernelCannotDropIt) {
  RecordingDriver driver(Version::kV2);
  auto tree = make_tree(driver);
  acquire(*tree);
  driver.groups["heddle-r/n1/c0"].memory_stats.current = 5 * kMiB;
  EXPECT_EQ(tree->begin_drop(0).value()->text, "5242880");
  tree->cache_dropped(0);
  driver.refuse = [](const std::string& call) {
    return call.starts_with("open_reclaim") ? system_error("open memory.reclaim", ENOENT) : Error{};
  };
  EXPECT_FALSE(tree->begin_drop(0).value());
  ASSERT_TRUE(tree->release(0));
  EXPECT_EQ(acquire(*tree), 0);
}

TEST(NodeTree, MakesAGroupAnewWherePeaksCannotBeReset) {
  RecordingDriver driver(Version::kV2);
  driver.peaks_reset = false;
  auto tree = make_tree(driver);
  acquire(*tree);
  driver.groups["heddle-r/n1/c0"].memory_stats.peak = 5 * kMiB;
  ASSERT_TRUE(tree->release(0));
  EXPECT_EQ(acquire(*tree), 0);
  EXPECT_EQ(tree->stats(0).value().peak, real::Bytes(0));
}

TEST_F(OneContainer, SetsAsideAGroupThatIsNotEmptyUntilItIs) {
  c0().members = {7};
  driver.immortal = {7};
  ASSERT_TRUE(tree->release(0));
  EXPECT_EQ(acquire(*tree), 1);
  c0().members.clear();
  EXPECT_EQ(acquire(*tree), 0);
}

TEST_F(OneContainer, KillsAGrandchildAtRelease) {
  c0().members = {7};
  ASSERT_TRUE(tree->release(0));
  EXPECT_TRUE(c0().members.empty());
  EXPECT_EQ(driver.groups["heddle-r/n1"].cpu.cpus->value, 0.2);  // lifted, then restored
  EXPECT_EQ(acquire(*tree), 0);
}

TEST_F(OneContainer, LiftsNestOverContainers) {
  acquire(*tree);
  driver.calls.clear();
  ASSERT_TRUE(tree->lift(0));
  ASSERT_TRUE(tree->lift(0));
  ASSERT_TRUE(tree->lift(1));
  ASSERT_TRUE(tree->restore(0));
  ASSERT_TRUE(tree->restore(0));
  ASSERT_TRUE(tree->restore(1));
  EXPECT_THAT(driver.calls, ElementsAre("set_cpu heddle-r/n1/c0 none", "set_cpu heddle-r/n1 none",
                                        "set_cpu heddle-r/n1/c1 none",
                                        "set_cpu heddle-r/n1/c0 1000/20000", "cpu heddle-r/n1/c0",
                                        "set_cpu heddle-r/n1 4000/20000+4000", "cpu heddle-r/n1",
                                        "set_cpu heddle-r/n1/c1 1000/20000", "cpu heddle-r/n1/c1"));
}

TEST_F(OneContainer, LiftsTheNodeLast) {
  auto freeze = [&] { return tree->freeze(0, true); };
  ASSERT_TRUE(tree->lift(0, freeze));
  EXPECT_TRUE(tree->frozen(0).value());
  EXPECT_THAT(driver.calls, ElementsAre("set_cpu heddle-r/n1/c0 none", "freeze heddle-r/n1/c0",
                                        "set_cpu heddle-r/n1 none", "frozen heddle-r/n1/c0"));
  driver.calls.clear();
  ASSERT_TRUE(tree->lift(0, freeze));  // also if everything is lifted already
  EXPECT_THAT(driver.calls, ElementsAre("freeze heddle-r/n1/c0"));
}

TEST_F(OneContainer, KillLiftsBothAndReleaseRestoresTheNode) {
  c0().members = {7};
  ASSERT_TRUE(tree->kill(0));
  ASSERT_TRUE(tree->release(0));
  EXPECT_THAT(driver.calls, ElementsAre("set_cpu heddle-r/n1/c0 none", "kill heddle-r/n1/c0",
                                        "set_cpu heddle-r/n1 none", "members heddle-r/n1/c0",
                                        "set_cpu heddle-r/n1 4000/20000+4000", "cpu heddle-r/n1"));
}

TEST_F(OneContainer, KillsEvenIfALiftFails) {
  c0().members = {7};
  driver.fail_call(0);
  EXPECT_FALSE(tree->kill(0));
  EXPECT_TRUE(c0().members.empty());
}

TEST(NodeTree, ALiftedCapComesBackWithRestore) {
  RecordingDriver driver;
  auto tree = make_tree(driver);
  acquire(*tree, container_caps(0.1));
  ASSERT_TRUE(tree->lift(0));
  EXPECT_EQ(driver.groups["heddle-r/n1/c0"].cpu.cpus, std::nullopt);
  ASSERT_TRUE(tree->restore(0));
  EXPECT_EQ(driver.groups["heddle-r/n1/c0"].cpu.cpus->value, 0.1);
}

TEST_F(OneContainer, PrefersAContainerUntilRestoreOrRelease) {
  acquire(*tree);
  driver.calls.clear();
  ASSERT_TRUE(tree->prefer(0));
  ASSERT_TRUE(tree->prefer(0));
  ASSERT_TRUE(tree->prefer(1));
  EXPECT_EQ(driver.groups["heddle-r/n1"].weight, CpuWeight::kUrgent);
  ASSERT_TRUE(tree->restore(0));
  ASSERT_TRUE(tree->restore(0));
  EXPECT_EQ(driver.groups["heddle-r/n1"].weight, CpuWeight::kUrgent);
  ASSERT_TRUE(tree->release(1));
  EXPECT_THAT(
      driver.calls,
      ElementsAre("set_cpu_weight heddle-r/n1/c0 urgent", "set_cpu_weight heddle-r/n1 urgent",
                  "set_cpu_weight heddle-r/n1/c1 urgent", "set_cpu_weight heddle-r/n1/c0 usual",
                  "members heddle-r/n1/c1", "set_cpu_weight heddle-r/n1/c1 usual",
                  "set_cpu_weight heddle-r/n1 usual"));
}

TEST_F(OneContainer, APreferenceThatFailsIsUndone) {
  driver.fail_call(0);
  EXPECT_FALSE(tree->prefer(0));
  EXPECT_EQ(driver.groups["heddle-r/n1"].weight, CpuWeight::kUrgent);
  ASSERT_TRUE(tree->restore(0));
  EXPECT_EQ(driver.groups["heddle-r/n1"].weight, CpuWeight::kUsual);
}

TEST_F(OneContainer, ReleaseThaws) {
  ASSERT_TRUE(tree->freeze(0, true));
  EXPECT_TRUE(c0().frozen);
  ASSERT_TRUE(tree->release(0));
  EXPECT_FALSE(c0().frozen);
  EXPECT_FALSE(tree->release(0));  // not in use any more
}

class OomTest : public testing::TestWithParam<Version> {
 protected:
  OomTest() : driver_(GetParam()), tree_(make_tree(driver_)) {
    acquire(*tree_);
    acquire(*tree_);
  }
  void kill_in(const std::string& container) { ++driver_.groups[container].memory_stats.oom_kill; }
  OomCause cause(int slot) { return tree_->oom_cause(slot).value(); }

  RecordingDriver driver_;
  std::unique_ptr<NodeTree> tree_;
  const std::string c0_ = "heddle-r/n1/c0";
  const std::string c1_ = "heddle-r/n1/c1";
};

INSTANTIATE_TEST_SUITE_P(, OomTest, testing::Values(Version::kV1, Version::kV2),
                         [](const auto& version) {
                           return version.param == Version::kV1 ? "V1" : "V2";
                         });

TEST_P(OomTest, TellsContainerNodeAndOtherApart) {
  EXPECT_EQ(cause(0), OomCause::kNone);
  driver_.fire_oom(c0_);
  kill_in(c0_);
  EXPECT_EQ(cause(0), OomCause::kContainer);
  EXPECT_EQ(cause(1), OomCause::kNone);
  driver_.fire_oom("heddle-r/n1");
  kill_in(c1_);
  EXPECT_EQ(cause(1), OomCause::kNode);
}

TEST_P(OomTest, AnAncestorIsOther) {
  if (GetParam() == Version::kV1) driver_.fire_oom("heddle-r");
  kill_in(c0_);
  EXPECT_EQ(cause(0), OomCause::kOther);
}

TEST_P(OomTest, AnEarlierNodeEventDoesNotCoverAContainersOwn) {
  driver_.fire_oom("heddle-r/n1");
  kill_in(c1_);
  EXPECT_EQ(cause(1), OomCause::kNode);
  driver_.fire_oom(c0_);
  kill_in(c0_);
  EXPECT_EQ(cause(0), OomCause::kContainer);
}

TEST_P(OomTest, TwoVictimsOfTheNodeAreBothTheNodes) {
  driver_.fire_oom("heddle-r/n1");
  kill_in(c0_);
  driver_.fire_oom("heddle-r/n1");
  kill_in(c1_);
  tree_->drain_oom();
  EXPECT_EQ(cause(0), OomCause::kNode);
  EXPECT_EQ(cause(1), OomCause::kNode);
}

TEST_P(OomTest, ANewTenantStartsWithoutHistory) {
  driver_.fire_oom(c0_);
  driver_.fire_oom("heddle-r/n1");
  kill_in(c0_);
  ASSERT_TRUE(tree_->release(0));
  ASSERT_EQ(acquire(*tree_), 0);
  EXPECT_EQ(cause(0), OomCause::kNone);
  kill_in(c0_);
  EXPECT_EQ(cause(0), OomCause::kOther);
}

TEST_P(OomTest, TheDescriptorIsReadableUntilDrained) {
  EXPECT_FALSE(readable(tree_->oom_fd()));
  driver_.fire_oom(c1_);
  EXPECT_TRUE(readable(tree_->oom_fd()));
  tree_->drain_oom();
  EXPECT_FALSE(readable(tree_->oom_fd()));
}

TEST_P(OomTest, TheRestOfTheContainerGoesToo) {
  driver_.groups[c0_].members = {7};
  driver_.fire_oom(c0_);
  kill_in(c0_);
  ASSERT_TRUE(tree_->stats(0));
  // On v2 the kernel does it, by memory.oom.group.
  EXPECT_EQ(driver_.groups[c0_].members.empty(), GetParam() == Version::kV1);
  driver_.calls.clear();
  ASSERT_TRUE(tree_->stats(0));
  EXPECT_THAT(driver_.calls, ElementsAre("cpu_stats " + c0_, "memory_stats " + c0_));
}

}  // namespace heddle::cgroup::tree_test
