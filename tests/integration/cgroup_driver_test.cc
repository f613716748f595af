#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <thread>

#include "cgroup/formats.h"
#include "common/file.h"
#include "tests/integration/cgroup_bench.h"
#include "tests/support/matchers.h"

namespace heddle::cgroup::cgroup_driver_test {

class RealDriver : public RealGroups {
 protected:
  void SetUp() override {
    RealGroups::SetUp();
    if (HasFatalFailure()) return;
    top_ = run_group(run());
    ASSERT_TRUE(driver().create(top_));
    ASSERT_TRUE(driver().create(top_ + "/a"));
  }
  void TearDown() override { RealGroups::TearDown(); }

  std::string top_;
};

TEST_F(RealDriver, MakesListsAndRemoves) {
  EXPECT_TRUE(driver().create(top_ + "/a"));  // exists already
  ASSERT_TRUE(driver().create(top_ + "/b"));
  EXPECT_THAT(driver().children(top_).value(), ElementsAre("a", "b"));
  for (const std::string& directory : driver().directories(top_ + "/b"))
    EXPECT_TRUE(std::filesystem::is_directory(directory)) << directory;
  EXPECT_EQ(driver().remove(top_).error().code, EBUSY);  // has children
  ASSERT_TRUE(driver().remove(top_ + "/b"));
  ASSERT_TRUE(driver().remove(top_ + "/b"));  // gone already
  EXPECT_THAT(driver().children(top_).value(), ElementsAre("a"));
  EXPECT_FALSE(driver().exists(top_ + "/b"));
  Result<void> orphan = driver().create(top_ + "/none/c");
  ASSERT_FALSE(orphan);
  EXPECT_EQ(orphan.error().code, ENOENT);
  EXPECT_FALSE(driver().exists(top_ + "/none"));
}

TEST_F(RealDriver, NamesThatLeadOutOfTheHomeAreRefused) {
  const std::string out = "../" + top_ + "-outside";
  EXPECT_EQ(driver().create(out).error().code, EXDEV);
  EXPECT_EQ(driver().create(top_ + "/../" + out).error().code, EXDEV);
  EXPECT_EQ(driver().remove(out).error().code, EXDEV);
  EXPECT_EQ(driver().open_attach("..").error().code, EXDEV);
  EXPECT_EQ(driver().open_memory_use(top_ + "/../..").error().code, EXDEV);
  EXPECT_FALSE(driver().exists(out));
}

TEST_F(RealDriver, RemoveLeavesProcessesWhereTheyAre) {
  pid_t child = start(top_ + "/a", [] { ::pause(); });
  Result<void> removed = driver().remove(top_ + "/a");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, EBUSY);
  EXPECT_THAT(driver().members(top_ + "/a").value(), ElementsAre(child));
}

TEST_F(RealDriver, FinishesAGroupThatIsHalfRemoved) {
  std::vector<std::string> directories = driver().directories(top_ + "/a");
  ASSERT_TRUE(std::filesystem::remove(directories.front()));
  EXPECT_EQ(driver().exists(top_ + "/a"), directories.size() > 1);
  EXPECT_EQ(driver().children(top_).value().size(), directories.size() > 1 ? 1u : 0u);
  ASSERT_TRUE(driver().remove(top_ + "/a"));
  EXPECT_FALSE(driver().exists(top_ + "/a"));
}

TEST_F(RealDriver, CapsShowInTheKernelsFiles) {
  const std::string group = top_ + "/a";
  ASSERT_TRUE(driver().set_cpu(group, cpu_cap(0.2, true)));
  ASSERT_TRUE(driver().set_memory(group, {16 * kMiB, false}));
  ASSERT_TRUE(driver().set_pids(group, 20));
  if (v1()) {
    EXPECT_EQ(file(group, "cpu.cfs_quota_us"), "4000");
    EXPECT_EQ(file(group, "cpu.cfs_period_us"), "20000");
    EXPECT_EQ(file(group, "cpu.cfs_burst_us"), "4000");
    EXPECT_EQ(file(group, "memory.limit_in_bytes"), "16777216");
    EXPECT_EQ(file(group, "memory.kmem.tcp.limit_in_bytes"), "16777216");
  } else {
    EXPECT_EQ(file(group, "cpu.max"), "4000 20000");
    EXPECT_EQ(file(group, "cpu.max.burst"), "4000");
    EXPECT_EQ(file(group, "memory.max"), "16777216");
  }
  EXPECT_EQ(file(group, "pids.max"), "20");
  EXPECT_EQ(driver().cpu(group).value(), cpu_cap(0.2, true));
  EXPECT_EQ(driver().memory(group).value(), (MemoryCap{16 * kMiB, false}));

  ASSERT_TRUE(driver().set_cpu(group, CpuCap{}));
  ASSERT_TRUE(driver().set_memory(group, MemoryCap{}));
  ASSERT_TRUE(driver().set_pids(group, std::nullopt));
  EXPECT_EQ(driver().cpu(group).value().cpus, std::nullopt);
  EXPECT_EQ(driver().memory(group).value().limit, std::nullopt);
  EXPECT_EQ(file(group, "pids.max"), "max");
}

TEST_F(RealDriver, CpuWeightIsAnyFromTheUsualOneToTheKernelsLargest) {
  const std::string group = top_ + "/a";
  const char* name = v1() ? "cpu.shares" : "cpu.weight";
  const std::string usual = file(group, name);
  ASSERT_TRUE(driver().set_cpu_weight(group, CpuWeight::kUrgent));
  EXPECT_EQ(file(group, name), v1() ? "262144" : "10000");
  ASSERT_TRUE(driver().set_cpu_weight(group, CpuWeight{250}));
  EXPECT_EQ(file(group, name), v1() ? "2560" : "250");
  ASSERT_TRUE(driver().set_cpu_weight(group, CpuWeight::kUsual));
  EXPECT_EQ(file(group, name), usual);
  Result<void> none = driver().set_cpu_weight(top_ + "/none", CpuWeight::kUrgent);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ENOENT);
}

TEST_F(RealDriver, MemoryCapsRiseAndFallWithAndWithoutSwap) {
  const MemoryCap steps[] = {{16 * kMiB, false}, {32 * kMiB, false}, {8 * kMiB, false},
                             {8 * kMiB, true},   {64 * kMiB, true},  {4 * kMiB, false}};
  for (const MemoryCap& cap : steps) {
    Result<void> set = driver().set_memory(top_ + "/a", cap);
    ASSERT_TRUE(set) << set.error().text;
    Result<MemoryCap> in_force = driver().memory(top_ + "/a");
    ASSERT_TRUE(in_force);
    EXPECT_EQ(in_force->limit, cap.limit);
    bool counts_swap =
        v1() || std::filesystem::exists(driver().directories(top_)[0] + "/memory.swap.max");
    if (counts_swap) {
      EXPECT_EQ(in_force->swap, cap.swap);
    }
  }
}

TEST_F(RealDriver, NestedCpuCapsRiseAndFall) {
  const std::string child = top_ + "/a";
  ASSERT_TRUE(driver().set_cpu(top_, cpu_cap(0.2, true)));
  ASSERT_TRUE(driver().set_cpu(child, cpu_cap(0.1)));
  Result<void> above = driver().set_cpu(child, cpu_cap(0.3));
  EXPECT_EQ(static_cast<bool>(above), !v1());  // v2 applies the smaller of the two
  if (!above) {
    EXPECT_EQ(above.error().code, EINVAL);
  }

  ASSERT_TRUE(driver().set_cpu(top_, cpu_cap(0.5, true)));  // up: the parent first
  ASSERT_TRUE(driver().set_cpu(child, cpu_cap(0.5, true)));
  EXPECT_EQ(driver().cpu(child).value(), cpu_cap(0.5, true));
  ASSERT_TRUE(driver().set_cpu(child, cpu_cap(0.05)));  // down: the child first
  ASSERT_TRUE(driver().set_cpu(top_, cpu_cap(0.05)));
  EXPECT_EQ(driver().cpu(top_).value(), cpu_cap(0.05));

  ASSERT_TRUE(driver().set_cpu(top_, CpuCap{}));  // lifted and put back, the parent first
  ASSERT_TRUE(driver().set_cpu(child, CpuCap{}));
  ASSERT_TRUE(driver().set_cpu(top_, cpu_cap(0.05)));
  ASSERT_TRUE(driver().set_cpu(child, cpu_cap(0.05)));
}

TEST_F(RealDriver, EveryRoundedCapIsTakenByTheKernel) {
  for (double cpus : {0.001, 0.003, 0.025, 1.0 / 3, 0.7777, 1.1, 1.9}) {
    CpuCap node = representable(cpu_cap(cpus, true), Rounding::kUp);
    CpuCap child = representable(cpu_cap(cpus), Rounding::kDown);
    ASSERT_TRUE(driver().set_cpu(top_, node)) << cpus;
    ASSERT_TRUE(driver().set_cpu(top_ + "/a", child)) << cpus;
    EXPECT_EQ(driver().cpu(top_).value(), node);
    EXPECT_EQ(driver().cpu(top_ + "/a").value(), child);
    ASSERT_TRUE(driver().set_cpu(top_, CpuCap{}));
    ASSERT_TRUE(driver().set_cpu(top_ + "/a", CpuCap{}));
  }
}

/// Counts the lines of /proc/PID/task/*/cgroup that end in the group's path.
std::size_t lines_in(pid_t process, const std::string& group, std::size_t& threads) {
  std::size_t lines = 0;
  threads = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    ++threads;
    std::string text = read_file(task.path() / "cgroup").value();
    for (std::size_t at = text.find(group + "\n"); at != std::string::npos;
         at = text.find(group + "\n", at + 1))
      ++lines;
  }
  return lines;
}

TEST_F(RealDriver, AttachMovesAllThreadsInAllHierarchies) {
  pid_t child = start(top_ + "/a", [] {
    std::thread second([] { ::pause(); });
    ::pause();
  });
  std::size_t threads = 0;
  wait_for([&] { return lines_in(child, top_ + "/a", threads) > 0 && threads == 2; },
           "a second thread");
  std::size_t each = driver().directories(top_).size();
  EXPECT_EQ(lines_in(child, top_ + "/a", threads), 2 * each);
  ASSERT_TRUE(driver().create(top_ + "/b"));
  ASSERT_TRUE(driver().attach(top_ + "/b", child));
  EXPECT_EQ(lines_in(child, top_ + "/b", threads), 2 * each);
  EXPECT_THAT(driver().members(top_ + "/a").value(), ElementsAre());
  EXPECT_THAT(driver().members(top_ + "/b").value(), ElementsAre(child));
}

TEST_F(RealDriver, KillsForkersStoppedAndFrozenOnes) {
  pid_t forker = start(top_ + "/a", [] {
    for (;;) {
      if (::fork() == 0) ::pause();
      ::usleep(500);
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
    }
  });
  pid_t stopped = start(top_ + "/a", burn);
  ::kill(stopped, SIGSTOP);
  wait_for([&] { return driver().members(top_ + "/a").value().size() > 6; }, "children");
  ASSERT_TRUE(driver().freeze(top_ + "/a", true));
  wait_for([&] { return driver().frozen(top_ + "/a").value(); }, "them to be frozen");
  ASSERT_TRUE(driver().kill(top_ + "/a"));
  EXPECT_EQ(await_end(forker), SIGKILL);
  EXPECT_EQ(await_end(stopped), SIGKILL);
  wait_for([&] { return driver().members(top_ + "/a").value().empty(); }, "an empty group");
  if (v1()) {
    EXPECT_EQ(file(top_ + "/a", "pids.max"), "max");
  }
}

TEST_F(RealDriver, FreezesAndThaws) {
  const std::string group = top_ + "/a";
  pid_t child = start(group, burn);
  ASSERT_TRUE(driver().freeze(group, true));
  wait_for([&] { return driver().frozen(group).value(); }, "it to be frozen");
  real::Duration before = driver().cpu_stats(group).value().usage;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(driver().cpu_stats(group).value().usage, before);
  ASSERT_TRUE(driver().freeze(group, false));
  wait_for([&] { return driver().cpu_stats(group).value().usage > before; }, "progress");
  EXPECT_TRUE(alive(child));
  EXPECT_TRUE(driver().freeze(top_, true));  // no process is in it
  wait_for([&] { return driver().frozen(top_).value(); }, "what is below to be frozen");
  EXPECT_TRUE(driver().freeze(top_, false));
}

TEST_F(RealDriver, StartsInsideByCloneOnV2Only) {
  Result<Fd> directory = driver().open_directory(top_ + "/a");
  EXPECT_EQ(static_cast<bool>(directory), !v1());
  if (!directory) {
    EXPECT_EQ(directory.error().kind, Error::Kind::kMachine);
  }
}

TEST_F(RealDriver, ErrorsNameTheGroupAndTheFile) {
  Result<void> set = driver().set_cpu(top_ + "/none", cpu_cap(0.1));
  ASSERT_FALSE(set);
  EXPECT_THAT(set.error().text, HasSubstr("change group " + top_ + "/none: open /"));
  EXPECT_TRUE(driver().kill(top_ + "/none"));
  EXPECT_THAT(driver().members(top_ + "/none").value(), ElementsAre());
}

}  // namespace heddle::cgroup::cgroup_driver_test
