#include "worker/caps.h"

#include <gtest/gtest.h>

namespace heddle::worker::caps_test {

using std::chrono::microseconds;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;

/// Returns a node of 4 cores, each a tenth of a CPU, and 8 GiB at 1/64, for 8 containers with 1 MiB
/// of overhead each.
wire::Welcome node() {
  wire::Welcome welcome;
  welcome.spec.capacity = {Millicores(4000), EmuBytes(8 * kGiB)};
  welcome.scale = {1.0, 0.1, 1.0 / 64, 1.0 / 64};
  welcome.overhead = real::Bytes(kMiB);
  welcome.max_containers = 8;
  return welcome;
}

wire::LaunchCommand task(std::int64_t millicores, std::int64_t memory, int threads) {
  wire::LaunchCommand launch;
  launch.resources = {Millicores(millicores), EmuBytes(memory)};
  launch.work.threads = threads;
  return launch;
}

double cpus(const cgroup::CpuCap& cap) { return cap.cpus->value; }

TEST(Caps, NodeIsWiderThanItsCores) {
  cgroup::NodeCaps caps = node_caps(node());
  EXPECT_DOUBLE_EQ(cpus(caps.cpu), 0.44);
  EXPECT_EQ(caps.cpu.period, microseconds(20'000));
  EXPECT_TRUE(caps.cpu.burst);
  EXPECT_EQ(caps.memory.limit, real::Bytes(128 * kMiB + 8 * kMiB));
  EXPECT_FALSE(caps.memory.swap);
}

TEST(Caps, SystemShareIsNotTheContainers) {
  wire::Welcome welcome = node();
  welcome.spec.system = {Millicores(1000), EmuBytes(kGiB)};
  cgroup::NodeCaps caps = node_caps(welcome);
  EXPECT_DOUBLE_EQ(cpus(caps.cpu), 0.33);
  EXPECT_EQ(caps.memory.limit, real::Bytes(112 * kMiB + 8 * kMiB));
}

TEST(Caps, ContainerIsWiderThanItsLine) {
  cgroup::ContainerCaps caps = container_caps(node(), task(1000, kGiB, 1));
  EXPECT_DOUBLE_EQ(cpus(caps.cpu), 0.12);
  EXPECT_EQ(caps.cpu.period, microseconds(20'000));
  EXPECT_TRUE(caps.cpu.burst);
  EXPECT_EQ(caps.memory.limit, real::Bytes(16 * kMiB + kMiB));
}

TEST(Caps, StrictHoldsToAllocatedCores) {
  EXPECT_DOUBLE_EQ(cpus(container_caps(node(), task(2000, kGiB, 1)).cpu), 0.12);
  EXPECT_DOUBLE_EQ(cpus(container_caps(node(), task(2000, kGiB, 3)).cpu), 0.24);
  EXPECT_DOUBLE_EQ(cpus(container_caps(node(), task(500, kGiB, 1)).cpu), 0.06);
}

TEST(Caps, SharesHoldToThreads) {
  wire::Welcome welcome = node();
  welcome.cpu_limit = CpuLimit::kShares;
  EXPECT_DOUBLE_EQ(cpus(container_caps(welcome, task(1000, kGiB, 3)).cpu), 0.36);
}

// Periods of 20 ms and the factor 1.2 are for tasks that follow their line.
TEST(Caps, CommandGetsExactlyItsCores) {
  wire::LaunchCommand command = task(1500, kGiB, 7);
  command.command = {"sort"};
  for (CpuLimit limit : {CpuLimit::kStrict, CpuLimit::kShares}) {
    wire::Welcome welcome = node();
    welcome.cpu_limit = limit;
    cgroup::ContainerCaps caps = container_caps(welcome, command);
    EXPECT_DOUBLE_EQ(cpus(caps.cpu), 0.15);
    EXPECT_EQ(caps.cpu.period, microseconds(10'000));
    EXPECT_FALSE(caps.cpu.burst);
    EXPECT_EQ(caps.memory.limit, real::Bytes(17 * kMiB));
  }
  // The minimum quota is 1 ms, so 0.02 CPU need a period of 50 ms.
  command.resources.cores = Millicores(200);
  EXPECT_EQ(container_caps(node(), command).cpu.period, microseconds(50'000));
}

TEST(Caps, ContainerNeverExceedsNode) {
  wire::Welcome welcome = node();
  welcome.cpu_limit = CpuLimit::kShares;
  cgroup::ContainerCaps caps = container_caps(welcome, task(4000, 8 * kGiB, 8));
  EXPECT_DOUBLE_EQ(cpus(caps.cpu), 0.44);
  EXPECT_EQ(caps.memory.limit, real::Bytes(129 * kMiB));
  welcome.max_containers = 1;
  EXPECT_EQ(container_caps(welcome, task(4000, 8 * kGiB, 8)).memory.limit,
            real::Bytes(129 * kMiB - 4096));
  EXPECT_EQ(container_caps(welcome, task(4000, 16 * kGiB, 8)).memory.limit,
            real::Bytes(129 * kMiB - 4096));
}

TEST(Caps, SpeedScalesBoth) {
  wire::Welcome welcome = node();
  welcome.spec.speed = 0.5;
  EXPECT_DOUBLE_EQ(cpus(node_caps(welcome).cpu), 0.22);
  EXPECT_DOUBLE_EQ(cpus(container_caps(welcome, task(1000, kGiB, 1)).cpu), 0.06);
}

TEST(Caps, SmallQuotasGetLongerPeriods) {
  wire::Welcome welcome = node();
  welcome.scale.core = 0.025;  // 0.03 of a CPU: 1 ms in 33.3
  EXPECT_EQ(container_caps(welcome, task(1000, kGiB, 1)).cpu.period, microseconds(33'334));
  welcome.scale.core = 0.0001;  // below the kernel's 1 ms in 1 s
  cgroup::CpuCap cap = container_caps(welcome, task(1000, kGiB, 1)).cpu;
  EXPECT_EQ(cap.period, microseconds(1'000'000));
  EXPECT_DOUBLE_EQ(cpus(cap), 0.001);
}

TEST(Caps, WithoutPacingTheQuotaIsTheShare) {
  wire::Welcome welcome = node();
  welcome.pacing = Pacing::kNone;
  cgroup::ContainerCaps caps = container_caps(welcome, task(1000, kGiB, 1));
  EXPECT_DOUBLE_EQ(cpus(caps.cpu), 0.1);
  EXPECT_EQ(caps.cpu.period, microseconds(10'000));
  EXPECT_FALSE(caps.cpu.burst);
  EXPECT_DOUBLE_EQ(cpus(node_caps(welcome).cpu), 0.4);
}

TEST(Caps, ExternalLoadHasTheNodeAboutItself) {
  wire::Welcome welcome = node();
  const Resources load{Millicores(1000), EmuBytes(kGiB)};
  cgroup::ContainerCaps caps = load_caps(welcome, load);
  EXPECT_DOUBLE_EQ(cpus(caps.cpu), cpus(node_caps(welcome).cpu));
  EXPECT_EQ(*caps.memory.limit, *node_caps(welcome).memory.limit - real::Bytes(4096));
  welcome.pacing = Pacing::kNone;
  EXPECT_DOUBLE_EQ(cpus(load_caps(welcome, load).cpu), 0.1);
  EXPECT_DOUBLE_EQ(cpus(load_caps(welcome, {Millicores(0), EmuBytes(kGiB)}).cpu), 0.4);
}

TEST(Caps, MemoryIsWholePages) {
  wire::Welcome welcome = node();
  welcome.scale.memory = 1.0 / 60;
  EXPECT_EQ(container_caps(welcome, task(1000, kGiB, 1)).memory.limit->count() % 4096, 0);
  EXPECT_GE(container_caps(welcome, task(1000, kGiB, 1)).memory.limit->count(), kGiB / 60 + kMiB);
  EXPECT_EQ(node_caps(welcome).memory.limit->count() % 4096, 0);
}

}  // namespace heddle::worker::caps_test
