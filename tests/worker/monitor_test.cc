#include "worker/monitor.h"

#include "tests/support/matchers.h"

namespace heddle::worker::monitor_test {

constexpr ContainerId kA{1};
constexpr ContainerId kB{2};
/// A tenth of real time, half a CPU per core, a quarter of the memory.
constexpr Scale kScale{0.1, 0.5, 0.25, 0.25};

constexpr real::Bytes kMiB(1 << 20);

real::Time at(std::int64_t ms) { return real::Time(std::chrono::milliseconds(ms)); }

Sample sample(std::int64_t cpu_ms, std::int64_t memory, std::int64_t peak, double progress = 0) {
  return {{std::chrono::milliseconds(cpu_ms), real::Bytes(memory), real::Bytes(peak)}, progress};
}

class OneContainer : public testing::Test {
 protected:
  OneContainer() { monitor_.add(kA, at(0)); }
  Monitor monitor_{kScale};
};

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

TEST_F(OneContainer, IntegratesMemoryBetweenSamplesAndToTheEnd) {
  monitor_.record(kA, sample(0, 1000, 1000), at(100));  // flat before the first: 1000 * 0.1 s
  monitor_.record(kA, sample(0, 3000, 3500), at(200));  // mean 2000 * 0.1 s
  AttemptUsage usage = monitor_.finish(kA, sample(60, 0, 3600).stats, at(300));  // 3000 * 0.1 s
  // 600 real byte-seconds, each of which is 40 emulated ones.
  EXPECT_NEAR(usage.memory_byte_seconds, 24'000, 1e-6);
  EXPECT_EQ(usage.peak_memory, EmuBytes(14'400));
  EXPECT_EQ(usage.cpu, core_seconds(1.2));
}

TEST_F(OneContainer, UnsampledContainerIsTakenAtItsPeak) {
  AttemptUsage usage = monitor_.finish(kA, sample(0, 0, 2000).stats, at(50));
  EXPECT_NEAR(usage.memory_byte_seconds, 2000 * 0.05 * 40, 1e-6);
}

TEST_F(OneContainer, HighestSampleIsThePeakWhereTheKernelCountsNone) {
  monitor_.record(kA, sample(0, 5000, 0), at(10));
  monitor_.record(kA, sample(0, 2000, 0), at(20));
  EXPECT_EQ(monitor_.finish(kA, sample(0, 0, 0).stats, at(30)).peak_memory, EmuBytes(20'000));
}

TEST_F(OneContainer, PageCacheIsNoPeak) {
  monitor_.note(kA, {64 * kMiB, 60 * kMiB});
  monitor_.note(kA, {50 * kMiB, 45 * kMiB});
  monitor_.note(kA, {64 * kMiB, 63 * kMiB});
  EXPECT_EQ(monitor_.largest(kA), 5 * kMiB);
  const cgroup::ContainerStats end{{}, real::Bytes(0), 64 * kMiB, 63 * kMiB};
  const AttemptUsage usage = monitor_.finish(kA, end, at(30));
  EXPECT_EQ(usage.peak_memory, EmuBytes(20 << 20));
  EXPECT_EQ(usage.peak_method, PeakMethod::kSamples);
  const AttemptUsage killed = monitor_.finish(kA, end, at(30), {}, 64 * kMiB);
  EXPECT_EQ(killed.peak_memory, EmuBytes(256 << 20));
  EXPECT_EQ(killed.peak_method, PeakMethod::kLimit);
}

TEST_F(OneContainer, AnEndBeforeTheLastSampleTakesNothingAway) {
  monitor_.record(kA, sample(0, 0, 0), at(10));
  monitor_.record(kA, sample(0, 5000, 0), at(10));
  EXPECT_EQ(monitor_.finish(kA, sample(0, 0, 5000).stats, at(5)).memory_byte_seconds, 0);
}

TEST(Monitor, NeverAddedHasNoMemoryOverTime) {
  Monitor monitor(kScale);
  AttemptUsage usage = monitor.finish(kA, sample(50, 0, 1000).stats, at(30));
  EXPECT_EQ(usage.memory_byte_seconds, 0);
  EXPECT_EQ(usage.cpu, core_seconds(1));
}

constexpr std::int64_t kMi = 1 << 20;

/// A task of 400 MiB that grows to 800 MiB at half of its progress, of 1000 MiB. These are 100, 200
/// and 250 MiB real.
Monitor::Profile profile() {
  return {{{0, EmuBytes(400 * kMi)}, {0.5, EmuBytes(400 * kMi)}, {0.5, EmuBytes(800 * kMi)}},
          EmuBytes(1000 * kMi)};
}

TEST(Monitor, CountsSamplesByTheirDistanceFromTheProfile) {
  Monitor monitor(kScale);
  monitor.add(kA, at(0), profile());
  monitor.record(kA, sample(0, 100 * kMi, 0, 0.1), at(10));  // exact
  monitor.record(kA, sample(0, 99 * kMi, 0, 0.2), at(20));   // 4 MiB of 1000 too little
  monitor.record(kA, sample(0, 101 * kMi, 0, 0.3), at(30));  // 4 MiB too much
  monitor.record(kA, sample(0, 100 * kMi, 0, 0.5), at(40));  // 400 MiB too little
  const AttemptUsage usage =
      monitor.finish(kA, sample(0, 0, 200 * kMi).stats, at(50),
                     {{std::chrono::microseconds(1500)}, real::Bytes(0), std::chrono::seconds(2)});
  ASSERT_TRUE(usage.memory);
  EXPECT_EQ(usage.memory->samples, (std::map<int, int>{{0, 1}, {4, 2}, {400, 1}}));
  EXPECT_THAT(usage.memory->lag_ms, ElementsAre(1.5));
  EXPECT_DOUBLE_EQ(usage.memory->cpu_s, 2);
  EXPECT_FALSE(usage.memory->peak_missed);
}

TEST(Monitor, SamplesNearTheStartAndTheEndDoNotCountForTheError) {
  Monitor monitor(kScale, std::chrono::milliseconds(20));
  monitor.add(kA, at(100), profile());
  monitor.record(kA, sample(0, 0, 0, 0), at(119));  // nothing is filled yet
  monitor.record(kA, sample(0, 100 * kMi, 0, 0.1), at(120));
  EXPECT_EQ(monitor.finish(kA, sample(0, 0, 0).stats, at(139)).memory->samples,
            (std::map<int, int>{}));
  EXPECT_EQ(monitor.finish(kA, sample(0, 0, 0).stats, at(140)).memory->samples,
            (std::map<int, int>{{0, 1}}));
  monitor.record(kA, sample(0, 10 * kMi, 0, 0.4), at(150));  // its process is ending
  EXPECT_EQ(monitor.finish(kA, sample(0, 0, 0).stats, at(152)).memory->samples,
            (std::map<int, int>{{0, 1}}));
}

TEST(Monitor, APeakIsMissedBelowTwoPercentOfTheRequest) {
  // 2 % of 1000 MiB are 20 MiB, or 5 MiB real.
  const auto missed = [](std::int64_t peak, real::Bytes filled) {
    Monitor monitor(kScale);
    monitor.add(kA, at(0), profile());
    return monitor.finish(kA, sample(0, 0, peak).stats, at(50), {{}, filled, {}})
        .memory->peak_missed;
  };
  EXPECT_FALSE(missed(195 * kMi, real::Bytes(0)));
  EXPECT_TRUE(missed(195 * kMi - 1, real::Bytes(0)));
  EXPECT_FALSE(missed(0, real::Bytes(200 * kMi)));  // a kernel that keeps no peak
}

TEST_F(OneContainer, WithoutAProfileThereIsNoErrorOfMemory) {
  monitor_.record(kA, sample(0, 100 * kMi, 0, 0.1), at(10));
  EXPECT_FALSE(monitor_.finish(kA, sample(0, 0, 0).stats, at(50)).memory);
}

}  // namespace heddle::worker::monitor_test
