#include "worker/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::worker::monitor_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ContainerId kA{1};
constexpr ContainerId kB{2};
/// A tenth of real time, half a CPU per core, a quarter of the memory.
constexpr Scale kScale{0.1, 0.5, 0.25, 0.25};

real::Time at(std::int64_t ms) { return real::Time(std::chrono::milliseconds(ms)); }

Sample sample(std::int64_t cpu_ms, std::int64_t memory, std::int64_t peak, double progress = 0) {
  return {{std::chrono::milliseconds(cpu_ms), real::Bytes(memory), real::Bytes(peak)}, progress};
}

TEST(Monitor, ListsUseInEmulatedUnits) {
  Monitor monitor(kScale);
  monitor.add(kB, at(0));
  monitor.add(kA, at(0));
  monitor.record(kA, sample(50, 1000, 1000, 0.5), at(100));
  EXPECT_THAT(monitor.uses(), ElementsAre(ContainerUse{kA, core_seconds(1), EmuBytes(4000), 0.5},
                                          ContainerUse{kB, CoreTime(0), EmuBytes(0), 0}));
  monitor.remove(kA);
  monitor.remove(kB);
  EXPECT_THAT(monitor.uses(), IsEmpty());
}

TEST(Monitor, IntegratesMemoryBetweenSamplesAndToTheEnd) {
  Monitor monitor(kScale);
  monitor.add(kA, at(0));
  monitor.record(kA, sample(0, 1000, 1000), at(100));  // flat before the first: 1000 * 0.1 s
  monitor.record(kA, sample(0, 3000, 3500), at(200));  // mean 2000 * 0.1 s
  AttemptUsage usage = monitor.finish(kA, sample(60, 0, 3600).stats, at(300));  // 3000 * 0.1 s
  // 600 real byte-seconds, each of which is 40 emulated ones.
  EXPECT_NEAR(usage.memory_byte_seconds, 24'000, 1e-6);
  EXPECT_EQ(usage.peak_memory, EmuBytes(14'400));
  EXPECT_EQ(usage.cpu, core_seconds(1.2));
}

TEST(Monitor, UnsampledContainerIsTakenAtItsPeak) {
  Monitor monitor(kScale);
  monitor.add(kA, at(0));
  AttemptUsage usage = monitor.finish(kA, sample(0, 0, 2000).stats, at(50));
  EXPECT_NEAR(usage.memory_byte_seconds, 2000 * 0.05 * 40, 1e-6);
}

TEST(Monitor, HighestSampleIsThePeakWhereTheKernelCountsNone) {
  Monitor monitor(kScale);
  monitor.add(kA, at(0));
  monitor.record(kA, sample(0, 5000, 0), at(10));
  monitor.record(kA, sample(0, 2000, 0), at(20));
  EXPECT_EQ(monitor.finish(kA, sample(0, 0, 0).stats, at(30)).peak_memory, EmuBytes(20'000));
}

TEST(Monitor, AnEndBeforeTheLastSampleTakesNothingAway) {
  Monitor monitor(kScale);
  monitor.add(kA, at(0));
  monitor.record(kA, sample(0, 0, 0), at(10));
  monitor.record(kA, sample(0, 5000, 0), at(10));
  EXPECT_EQ(monitor.finish(kA, sample(0, 0, 5000).stats, at(5)).memory_byte_seconds, 0);
}

TEST(Monitor, NeverAddedHasNoMemoryOverTime) {
  Monitor monitor(kScale);
  AttemptUsage usage = monitor.finish(kA, sample(50, 0, 1000).stats, at(30));
  EXPECT_EQ(usage.memory_byte_seconds, 0);
  EXPECT_EQ(usage.cpu, core_seconds(1));
}

}  // namespace heddle::worker::monitor_test
