#include "cli/run/node_limits.h"

#include <map>

#include "tests/support/matchers.h"

namespace heddle::cli::node_limits_test {

using Files = std::map<std::string, std::string>;

std::int64_t threads(const Files& files) {
  return free_threads([&](const std::string& path) -> std::optional<std::string> {
    auto it = files.find(path);
    return it == files.end() ? std::nullopt : std::optional(it->second);
  });
}

const std::string kV2Mount =
    "30 24 0:27 / /sys/fs/cgroup rw,nosuid,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(NodeLimits, FreeThreadsAreTheSmallestOfAllLimits) {
  Files files = {{"/proc/loadavg", "0.20 0.18 0.12 1/1080 11206\n"},
                 {"/proc/sys/kernel/threads-max", "190000\n"},
                 {"/proc/sys/kernel/pid_max", "32768\n"}};
  EXPECT_EQ(threads(files), 31688);
  files["/proc/self/cgroup"] = "0::/a/b\n";
  files["/proc/self/mountinfo"] = kV2Mount;
  files["/sys/fs/cgroup/a/b/pids.max"] = "max\n";
  files["/sys/fs/cgroup/a/b/pids.current"] = "7\n";
  EXPECT_EQ(threads(files), 31688);
  files["/sys/fs/cgroup/a/pids.max"] = "1000\n";
  files["/sys/fs/cgroup/a/pids.current"] = "100\n";
  EXPECT_EQ(threads(files), 900);
  files["/sys/fs/cgroup/a/pids.current"] = "1100\n";
  EXPECT_EQ(threads(files), 0);
}

/// Returns a scenario with a heartbeat of 1 s real.
Scenario scenario_of(int nodes) {
  Scenario scenario;
  scenario.emulation.time_scale = scenario.emulation.core_fraction = 1.0;
  scenario.emulation.memory_scale = 1.0;
  scenario.cluster.heartbeat = emu_seconds(1);
  scenario.cluster.nodes.resize(static_cast<std::size_t>(nodes));
  return scenario;
}

HostLimits host() { return {{2}, real::Bytes(8LL << 30), 30'000, 20'000}; }

std::string refusal(int nodes, const HostLimits& limits) {
  Result<void> fits = check_node_count(scenario_of(nodes), limits);
  if (fits) return "";
  EXPECT_EQ(fits.error().kind, Error::Kind::kMachine);
  return fits.error().text;
}

TEST(NodeLimits, WhatFitsIsNotRefused) { EXPECT_EQ(refusal(2000, host()), ""); }

TEST(NodeLimits, TooFewThreads) {
  // Each worker needs 7 threads.
  EXPECT_EQ(refusal(4285, {{100}, real::Bytes(1LL << 40), 30'000, 20'000}), "");
  EXPECT_THAT(refusal(4286, host()),
              HasSubstr("cluster.nodes: 4286 nodes need 30002 threads for their workers, but only "
                        "30000 more can be made here"));
  EXPECT_THAT(refusal(4286, host()), HasSubstr("expected at most 4285 nodes"));
}

TEST(NodeLimits, TooFewDescriptors) {
  HostLimits limits = host();
  limits.files = 1024;
  EXPECT_EQ(refusal(480, limits), "");
  EXPECT_THAT(refusal(481, limits), HasSubstr("need 1026 descriptors in heddle run, but 1024 may "
                                              "be open (ulimit -Hn); expected at most 480 nodes"));
}

TEST(NodeLimits, TooLittleMemory) {
  HostLimits limits = host();
  limits.memory = real::Bytes(300LL << 20);
  EXPECT_EQ(refusal(100, limits), "");
  EXPECT_THAT(refusal(101, limits), HasSubstr("need 303 MiB for their workers, but 300 MiB are "
                                              "free; expected at most 100 nodes"));
}

TEST(NodeLimits, TooManyHeartbeats) {
  // A heartbeat takes 0.5 ms of CPU: 4000 a second take 2 CPUs.
  HostLimits limits = host();
  limits.memory = real::Bytes(1LL << 40);
  EXPECT_EQ(refusal(4000, limits), "");
  EXPECT_THAT(refusal(4200, limits),
              HasSubstr("need 2.1 CPUs for a heartbeat of each every 1 s real, but there are 2; "
                        "expected a heartbeat of at least 1.05 s real"));
}

}  // namespace heddle::cli::node_limits_test
