#include "core/model/work.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// 4 s at 1.5 cores, 2 s of nothing, 4 s at 2 cores, on two threads.
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

}  // namespace
}  // namespace heddle
