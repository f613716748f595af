#include "core/model/work.h"

#include <gtest/gtest.h>

namespace heddle::work_test {

/// Returns work of two threads: 4 s at 1.5 cores, 2 s of nothing, 4 s at 2 cores.
TaskWork in_pieces() {
  TaskWork work;
  work.threads = 2;
  work.pieces = {{core_seconds(6), emu_seconds(1)},
                 {core_seconds(0), emu_seconds(2)},
                 {core_seconds(8), emu_seconds(0)}};
  work.cpu = core_seconds(14);
  return work;
}

double ideal_s(const TaskWork& work, std::int64_t millicores, double speed, bool shares) {
  return to_seconds(ideal_time(work, Millicores(millicores), speed, shares));
}

TEST(IdealTime, OfPiecesIsThatOfTheirCpuAndPauses) {
  EXPECT_EQ(ideal_s(in_pieces(), 2000, 1, false), 10);
  EXPECT_EQ(ideal_s(in_pieces(), 4000, 1, false), 10);
  EXPECT_EQ(ideal_s(in_pieces(), 1000, 1, false), 17);
  EXPECT_EQ(ideal_s(in_pieces(), 1000, 1, true), 10);
  EXPECT_EQ(ideal_s(in_pieces(), 2000, 2, false), 6.5);
}

TEST(PieceEnds, AreSharesOfTheUnhinderedTime) {
  const std::vector<PieceEnd> ends = piece_ends(in_pieces());
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_DOUBLE_EQ(ends[0].burnt, 0.3);
  EXPECT_DOUBLE_EQ(ends[0].rested, 0.4);
  EXPECT_DOUBLE_EQ(ends[1].burnt, 0.4);
  EXPECT_DOUBLE_EQ(ends[1].rested, 0.6);
  EXPECT_EQ(ends[2].burnt, 1);
  EXPECT_EQ(ends[2].rested, 1);
}

TEST(PieceEnds, OfWorkThatTakesNoTimeIsTheEnd) {
  TaskWork work;
  work.pieces = {{}, {}};
  for (const PieceEnd& end : piece_ends(work)) EXPECT_EQ(end.burnt + end.rested, 2);
  EXPECT_TRUE(piece_ends(TaskWork{}).empty());
}

constexpr EmuBytes mib(std::int64_t count) { return EmuBytes(count << 20); }

/// Returns work of 10 s of CPU. It uses 200 MiB until half of it is done, then up to 1000 MiB at
/// the end.
TaskWork rising() {
  TaskWork work;
  work.cpu = core_seconds(10);
  work.sleep = emu_seconds(3);
  work.memory = {{0.5, mib(200)}, {1, mib(1000)}};
  return work;
}

TEST(Spilled, NothingWhereThePeakFits) {
  EXPECT_EQ(spilled(rising(), mib(1024), mib(1000), 0.5), rising());
  EXPECT_EQ(spilled(rising(), mib(1024), mib(1024), 0.5), rising());
  TaskWork none = rising();
  none.memory.clear();
  EXPECT_EQ(spilled(none, mib(1024), mib(1), 0.5), none);
}

TEST(Spilled, UseComesDownToWhatThereIsAndTheRestCostsCpu) {
  TaskWork expected = rising();
  expected.memory[1].use = mib(750);
  expected.cpu = core_seconds(11.25);  // a quarter of the peak at half of the cost
  EXPECT_EQ(spilled(rising(), mib(1024), mib(750), 0.5), expected);
  expected.cpu = core_seconds(15);
  EXPECT_EQ(spilled(rising(), mib(1024), mib(750), 2), expected);
  expected.cpu = core_seconds(10);
  EXPECT_EQ(spilled(rising(), mib(1024), mib(750), 0), expected);
}

TEST(Spilled, EachPieceGrowsAndTheyStillAddUp) {
  TaskWork work = in_pieces();
  work.memory = {{0, mib(800)}};
  const TaskWork less = spilled(work, mib(800), mib(400), 1);
  EXPECT_EQ(less.pieces[0], (WorkPiece{core_seconds(9), emu_seconds(1)}));
  EXPECT_EQ(less.pieces[1], work.pieces[1]);
  EXPECT_EQ(less.pieces[2].cpu, core_seconds(12));
  EXPECT_EQ(less.cpu, core_seconds(21));
}

// The task uses 100 MiB more than its request, and so 100 MiB more than the smaller container.
TEST(Spilled, OveruseOfTheRequestIsNeitherSavedNorMadeWorse) {
  const TaskWork less = spilled(rising(), mib(900), mib(500), 1);
  EXPECT_EQ(less.memory.back().use, mib(600));
  EXPECT_EQ(less.cpu, core_seconds(14));
  EXPECT_EQ(spilled(rising(), mib(900), mib(900), 1), rising());
}

TEST(MemoryUse, MovesInAStraightLineBetweenPoints) {
  const std::vector<MemoryPoint> profile = {{0.2, EmuBytes(100)}, {0.4, EmuBytes(300)}};
  EXPECT_EQ(memory_use(profile, 0), EmuBytes(100));
  EXPECT_EQ(memory_use(profile, 0.2), EmuBytes(100));
  EXPECT_EQ(memory_use(profile, 0.25), EmuBytes(150));
  EXPECT_EQ(memory_use(profile, 0.4), EmuBytes(300));
  EXPECT_EQ(memory_use(profile, 1), EmuBytes(300));
  EXPECT_EQ(peak_use(profile), EmuBytes(300));
}

TEST(MemoryUse, AStepIsAtItsProgress) {
  const std::vector<MemoryPoint> profile = {
      {0, EmuBytes(5)}, {0.5, EmuBytes(5)}, {0.5, EmuBytes(2)}};
  EXPECT_EQ(memory_use(profile, 0.49), EmuBytes(5));
  EXPECT_EQ(memory_use(profile, 0.5), EmuBytes(2));
}

TEST(MemoryUse, IsNothingWithoutPoints) {
  EXPECT_EQ(memory_use({}, 0.5), EmuBytes(0));
  EXPECT_EQ(peak_use({}), EmuBytes(0));
}

}  // namespace heddle::work_test
