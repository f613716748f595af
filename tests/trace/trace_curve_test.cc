#include "tests/support/matchers.h"
#include "trace/curve.h"

namespace heddle::trace::trace_curve_test {

/// The scale: one core, 1000 bytes, 100 bytes per second of disk and of network.
constexpr UsageScale kScale{{Millicores(1000), EmuBytes(1000)}, 0, 100, 100};

UsageStretch stretch(double s, double core_s, std::int64_t from, std::int64_t to,
                     std::int64_t disk = 0, std::int64_t network = 0) {
  return {emu_seconds(s),
          core_seconds(core_s),
          EmuBytes(from),
          EmuBytes(to),
          EmuBytes(disk),
          EmuBytes(network),
          {}};
}

ContainerUse use(double core_s, std::int64_t memory, std::int64_t disk = 0,
                 std::int64_t network = 0) {
  ContainerUse use;
  use.cpu = core_seconds(core_s);
  use.memory = EmuBytes(memory);
  use.disk = EmuBytes(disk);
  use.network = EmuBytes(network);
  return use;
}

AttemptUsage whole(double core_s, std::int64_t peak) {
  AttemptUsage usage;
  usage.cpu = core_seconds(core_s);
  usage.peak_memory = EmuBytes(peak);
  return usage;
}

std::vector<UsageStretch> simple(std::vector<UsageStretch> stretches, std::size_t most = 60) {
  return simplified(std::move(stretches), most, kScale);
}

TEST(Simplified, NothingAndOne) {
  EXPECT_THAT(simple({}), IsEmpty());
  EXPECT_THAT(simple({stretch(1, 1, 5, 7)}), ElementsAre(stretch(1, 1, 5, 7)));
}

TEST(Simplified, AlikeNeighboursBecomeOne) {
  EXPECT_THAT(
      simple({stretch(1, 0.5, 100, 100), stretch(2, 1.02, 100, 100), stretch(1, 0.9, 100, 100)}),
      ElementsAre(stretch(3, 1.52, 100, 100), stretch(1, 0.9, 100, 100)));
  // Memory changes along a straight line.
  EXPECT_THAT(
      simple({stretch(1, 0.5, 100, 300), stretch(2, 1, 300, 710), stretch(1, 0.5, 710, 500)}),
      ElementsAre(stretch(3, 1.5, 100, 710), stretch(1, 0.5, 710, 500)));
  // Stretches that differ in any of the four values stay apart.
  const std::vector<UsageStretch> differ = {
      stretch(1, 0.5, 100, 200), stretch(1, 0.5, 200, 200), stretch(1, 0.5, 200, 200, 50),
      stretch(1, 0.5, 200, 200, 50, 9), stretch(1, 0.6, 200, 200, 50, 9)};
  EXPECT_EQ(simple(differ), differ);
}

TEST(Simplified, DownToSoManyWithTheLeastHarm) {
  EXPECT_THAT(simple({stretch(1, 0, 100, 100), stretch(1, 0.2, 100, 100), stretch(1, 1, 100, 900),
                      stretch(1, 0.9, 900, 920), stretch(1, 0, 920, 0)},
                     4),
              ElementsAre(stretch(2, 0.2, 100, 100), stretch(1, 1, 100, 900),
                          stretch(1, 0.9, 900, 920), stretch(1, 0, 920, 0)));
  // A long stretch weighs more than a short one.
  EXPECT_THAT(simple({stretch(9, 0, 0, 0), stretch(0.1, 0.05, 0, 0), stretch(9, 9, 0, 0)}, 2),
              ElementsAre(stretch(9.1, 0.05, 0, 0), stretch(9, 9, 0, 0)));
}

// The peak stays however short it was, and even if another result would fit better.
TEST(Simplified, ThePeakStays) {
  EXPECT_THAT(
      simple({stretch(10, 0, 100, 100), stretch(10, 9, 100, 100), stretch(0.01, 0, 100, 900),
              stretch(0.01, 0, 900, 100), stretch(10, 9, 100, 100)},
             2),
      ElementsAre(stretch(20.01, 9, 100, 900), stretch(10.01, 9, 900, 100)));
}

TEST(Simplified, KeepsLengthSumsAndPeak) {
  std::vector<UsageStretch> noise;
  auto sum = [](const std::vector<UsageStretch>& stretches) {
    UsageStretch all;
    for (const UsageStretch& one : stretches) {
      all.length += one.length;
      all.cpu += one.cpu;
      all.to = std::max({all.to, one.from, one.to});
      all.disk += one.disk;
      all.network += one.network;
    }
    return all;
  };
  std::int64_t memory = 0;
  for (int i = 0; i < 500; ++i) {
    const std::int64_t next = i * 53 % 997;
    noise.push_back(stretch(1 + i % 3, (i * 37 % 101) / 100.0, memory, next, i % 7, i % 11));
    memory = next;
  }
  const std::vector<UsageStretch> few = simple(noise, 20);
  EXPECT_EQ(few.size(), 20U);
  EXPECT_EQ(sum(few), sum(noise));
  for (std::size_t i = 1; i < few.size(); ++i) EXPECT_EQ(few[i].from, few[i - 1].to);
}

TEST(UsageCurve, WithoutSamplesTheWholeIsAllThatIsKnown) {
  UsageCurve curve(emu_seconds(5), kScale);
  EXPECT_THAT(curve.unfinished(), IsEmpty());
  EXPECT_THAT(curve.finish(emu_seconds(9), whole(2, 700)), ElementsAre(stretch(4, 2, 700, 700)));
}

TEST(UsageCurve, OverInNoTimeItStillHasALength) {
  UsageCurve curve(emu_seconds(5), kScale);
  EXPECT_THAT(curve.finish(emu_seconds(5), whole(0, 700)), ElementsAre(stretch(1e-6, 0, 700, 700)));
}

TEST(UsageCurve, StretchesBetweenSamples) {
  UsageCurve curve(emu_seconds(0), kScale);
  curve.add(emu_seconds(1), use(0.2, 100));
  curve.add(emu_seconds(2), use(1.2, 500, 50));
  curve.add(emu_seconds(2), use(9, 9, 9));  // no time has passed
  curve.add(emu_seconds(3), use(1.2, 300, 50, 30));
  AttemptUsage usage = whole(1.5, 600);
  usage.read_local = EmuBytes(40);
  usage.written = EmuBytes(30);
  usage.read_remote = EmuBytes(30);
  EXPECT_THAT(curve.unfinished(),
              ElementsAre(stretch(1, 0.2, 100, 100), stretch(1, 1, 100, 500, 50),
                          stretch(1, 0, 500, 300, 0, 30)));
  // The last 0.5 s get the rest. The peak is put where memory was highest.
  EXPECT_THAT(curve.finish(emu_seconds(3.5), usage),
              ElementsAre(stretch(1, 0.2, 100, 100), stretch(1, 1, 100, 600, 50),
                          stretch(1, 0, 600, 300, 0, 30), stretch(0.5, 0.3, 300, 300, 20)));
}

// If memory grows, the peak is at the end.
TEST(UsageCurve, GrowsUpToItsPeak) {
  UsageCurve curve(emu_seconds(0), kScale);
  curve.add(emu_seconds(1), use(1, 200));
  curve.add(emu_seconds(2), use(2, 400));
  EXPECT_THAT(curve.finish(emu_seconds(2.5), whole(2.5, 500)),
              ElementsAre(stretch(1, 1, 200, 200), stretch(1.5, 1.5, 200, 500)));
}

TEST(UsageCurve, WhatWasBeforeTheBeginCountsAsOfThen) {
  UsageCurve curve(emu_seconds(0), kScale);
  curve.add(emu_seconds(1), use(0.02, 200));
  curve.add(emu_seconds(2), use(0.04, 200));
  curve.begin(emu_seconds(2.5));
  curve.add(emu_seconds(3), use(0.44, 800));
  EXPECT_THAT(curve.finish(emu_seconds(4), whole(1.44, 800)),
              ElementsAre(stretch(0.5, 0.44, 200, 800), stretch(1, 1, 800, 800)));
}

TEST(UsageCurve, EndsWhenItEnded) {
  UsageCurve curve(emu_seconds(0), kScale);
  curve.add(emu_seconds(1), use(0.5, 100));
  curve.add(emu_seconds(2), use(1.5, 100));
  curve.add(emu_seconds(3), use(1.9, 100));
  EXPECT_THAT(curve.finish(emu_seconds(1.75), whole(1.2, 100)),
              ElementsAre(stretch(1, 0.5, 100, 100), stretch(0.75, 0.7, 100, 100)));
  // If the total is less than was measured, the difference is taken off from the end.
  EXPECT_THAT(curve.finish(emu_seconds(3), whole(1.4, 90)),
              ElementsAre(stretch(1, 0.5, 90, 90), stretch(1, 0.9, 90, 90), stretch(1, 0, 90, 90)));
}

TEST(UsageCurve, NoStretchHasMoreThanItCanHaveHad) {
  UsageScale scale = kScale;
  scale.most_cores = 1;
  UsageCurve curve(emu_seconds(0), scale);
  curve.add(emu_seconds(1.01), use(0.2, 100));
  curve.add(emu_seconds(2.01), use(1.19, 100));
  EXPECT_THAT(curve.finish(emu_seconds(2.2), whole(1.39, 100)),
              ElementsAre(stretch(1.01, 0.2, 100, 100), stretch(1.19, 1.19, 100, 100)));
  // If the total is more than all stretches can have, the usage is spread evenly.
  UsageCurve all(emu_seconds(0), scale);
  all.add(emu_seconds(1), use(1.3, 100));
  EXPECT_THAT(all.finish(emu_seconds(2), whole(2.1, 100)), ElementsAre(stretch(2, 2.1, 100, 100)));
}

TEST(UsageCurve, LongLivesKeepTheirShape) {
  UsageCurve curve(emu_seconds(0), kScale);
  double core_s = 0;
  for (int i = 1; i <= 10'000; ++i) {
    core_s += i <= 4000 ? 0.25 : 0.75;
    curve.add(emu_seconds(i), use(core_s, i < 7000 ? 300 : 900));
  }
  EXPECT_THAT(curve.finish(emu_seconds(10'000), whole(core_s, 900)),
              ElementsAre(stretch(4000, 1000, 300, 300), stretch(2999, 2249.25, 300, 300),
                          stretch(1, 0.75, 300, 900), stretch(3000, 2250, 900, 900)));
}

// The attempt ended before its last sample arrived.
TEST(UsageCurve, AStretchIsKeptNoLongerThanItIs) {
  UsageScale scale = kScale;
  scale.most_cores = 4;
  AttemptUsage usage = whole(0.5, 100);
  usage.contended = true;
  UsageCurve curve(emu_seconds(0), scale);
  curve.add(emu_seconds(0.5), use(0.5, 100), 1);
  UsageStretch expected = stretch(0.5, 0.5, 100, 100);
  expected.kept = emu_seconds(0.375);  // 0.5 s on one core, and 0.125 s on four
  EXPECT_THAT(curve.finish(emu_seconds(0.5), usage), ElementsAre(expected));
  expected.length = expected.kept = emu_seconds(0.2);
  EXPECT_THAT(curve.finish(emu_seconds(0.2), usage), ElementsAre(expected));
}

}  // namespace heddle::trace::trace_curve_test
