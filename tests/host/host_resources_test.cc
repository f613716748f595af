#include "host/host_resources.h"

#include <map>

#include "tests/support/matchers.h"

namespace heddle::host::host_resources_test {

using Files = std::map<std::string, std::string>;

HostResources room_of(const Files& files) {
  return host_resources([&](const std::string& path) -> std::optional<std::string> {
    auto it = files.find(path);
    return it == files.end() ? std::nullopt : std::optional(it->second);
  });
}

const std::string kV2Mount =
    "30 24 0:27 / /sys/fs/cgroup rw,nosuid,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

Files bare() {
  return {{"/proc/self/status", "Name:\theddle\nCpus_allowed_list:\t0-3,8\n"},
          {"/proc/meminfo", "MemTotal:  8000 kB\nMemAvailable:    4000 kB\n"}};
}

TEST(HostResources, WithoutGroupsItIsAffinityAndFreeMemory) {
  HostResources room = room_of(bare());
  EXPECT_EQ(room.cpus.value, 5);
  EXPECT_EQ(room.memory.count(), 4000 * 1024);
}

TEST(HostResources, TheCapacityHasAllMemoryOfTheMachineWithinTheLimitsOfTheGroups) {
  Files files = bare();
  const auto capacity = [&] {
    return host_capacity([&](const std::string& path) -> std::optional<std::string> {
      auto it = files.find(path);
      return it == files.end() ? std::nullopt : std::optional(it->second);
    });
  };
  EXPECT_EQ(capacity().cpus.value, 5);
  EXPECT_EQ(capacity().memory.count(), 8000 * 1024);
  files["/proc/self/cgroup"] = "0::/a\n";
  files["/proc/self/mountinfo"] = kV2Mount;
  files["/sys/fs/cgroup/a/memory.max"] = "1000000\n";
  EXPECT_EQ(capacity().memory.count(), 1000000);
}

TEST(HostResources, SmallestOverAncestorsOnV2) {
  Files files = bare();
  files["/proc/self/cgroup"] = "0::/a/b\n";
  files["/proc/self/mountinfo"] = kV2Mount;
  files["/sys/fs/cgroup/a/b/cpu.max"] = "max 100000\n";
  files["/sys/fs/cgroup/a/cpu.max"] = "150000 100000\n";
  files["/sys/fs/cgroup/a/b/memory.max"] = "1000000\n";
  files["/sys/fs/cgroup/a/memory.max"] = "max\n";
  HostResources room = room_of(files);
  EXPECT_EQ(room.cpus.value, 1.5);
  EXPECT_EQ(room.memory.count(), 1000000);
}

TEST(HostResources, CpusetCounts) {
  Files files = bare();
  files["/proc/self/cgroup"] = "0::/a\n";
  files["/proc/self/mountinfo"] = kV2Mount;
  files["/sys/fs/cgroup/a/cpuset.cpus.effective"] = "1-2\n";
  EXPECT_EQ(room_of(files).cpus.value, 2);
}

TEST(HostResources, SmallestOverAncestorsOnV1) {
  Files files = bare();
  files["/proc/self/cgroup"] = "4:memory:/x/y\n2:cpu,cpuacct:/z\n0::/\n";
  files["/proc/self/mountinfo"] =
      "31 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
      "32 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "33 30 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  files["/sys/fs/cgroup/cpu/z/cpu.cfs_quota_us"] = "-1\n";
  files["/sys/fs/cgroup/cpu/z/cpu.cfs_period_us"] = "100000\n";
  files["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "25000\n";
  files["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "50000\n";
  files["/sys/fs/cgroup/memory/x/y/memory.limit_in_bytes"] = "9223372036854771712\n";
  files["/sys/fs/cgroup/memory/x/memory.limit_in_bytes"] = "2097152\n";
  HostResources room = room_of(files);
  EXPECT_EQ(room.cpus.value, 0.5);
  EXPECT_EQ(room.memory.count(), 2097152);
}

TEST(HostResources, OwnGroupFirstThenAncestors) {
  EXPECT_THAT(group_directories("0::/a/b\n", kV2Mount),
              ElementsAre("/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup"));
  EXPECT_THAT(group_directories("0::/\n", kV2Mount), ElementsAre("/sys/fs/cgroup"));
}

// In a container that sees a part of the hierarchy, the mount's root is the container's own group.
TEST(HostResources, MountOfAPartOfTheHierarchy) {
  std::string mount = "30 24 0:27 /docker/c1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_THAT(group_directories("0::/docker/c1/x\n", mount),
              ElementsAre("/sys/fs/cgroup/x", "/sys/fs/cgroup"));
  EXPECT_THAT(group_directories("0::/docker/c1\n", mount), ElementsAre("/sys/fs/cgroup"));
  EXPECT_THAT(group_directories("0::/elsewhere\n", mount), ElementsAre("/sys/fs/cgroup"));
  EXPECT_THAT(group_directories("0::/../other\n", kV2Mount), ElementsAre("/sys/fs/cgroup"));
  EXPECT_THAT(group_directories("0::none\n", kV2Mount), ElementsAre("/sys/fs/cgroup"));
}

TEST(HostResources, CpuLists) {
  EXPECT_EQ(count_cpus("0\n"), 1);
  EXPECT_EQ(count_cpus("0-3,8,10-11"), 7);
  EXPECT_EQ(count_cpus("\t0-1"), 2);
  EXPECT_EQ(count_cpus(""), 0);
  EXPECT_EQ(count_cpus("x"), 0);
  EXPECT_EQ(count_cpus("3-1"), 0);
  EXPECT_EQ(count_cpus("0-2147483647"), 1 << 20);
  EXPECT_EQ(count_cpus("0-2147483647,0-2147483647"), 1 << 20);
}

}  // namespace heddle::host::host_resources_test
