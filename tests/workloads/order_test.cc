#include "workloads/task/order.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::task::order_test {

constexpr std::int64_t kMiB = 1 << 20;

TaskOrder with_profile(std::initializer_list<TaskOrder::Point> points) {
  TaskOrder order;
  for (const TaskOrder::Point& point : points) order.memory[order.memory_points++] = point;
  return order;
}

TEST(MemoryProfile, NoPointsAskForNothing) {
  TaskOrder order;
  EXPECT_EQ(memory_at(order, 0.5), 0);
  EXPECT_EQ(peak_memory(order), 0);
  EXPECT_TRUE(flat_memory(order));
}

TEST(MemoryProfile, OnePointHoldsAllAlong) {
  TaskOrder order = with_profile({{0.25, 7 * kMiB}});
  for (double progress : {0.0, 0.25, 0.9, 1.0})
    EXPECT_EQ(memory_at(order, progress), 7 * kMiB) << progress;
  EXPECT_EQ(peak_memory(order), 7 * kMiB);
  EXPECT_TRUE(flat_memory(order));
}

TEST(MemoryProfile, StraightLinesBetweenPointsFlatOutside) {
  TaskOrder order = with_profile({{0.2, 100}, {0.6, 500}, {0.8, 300}});
  struct {
    double progress;
    std::int64_t bytes;
  } expected[] = {{0.0, 100}, {0.2, 100}, {0.3, 200}, {0.4, 300},
                  {0.6, 500}, {0.7, 400}, {0.8, 300}, {1.0, 300}};
  for (const auto& e : expected)
    EXPECT_NEAR(static_cast<double>(memory_at(order, e.progress)), static_cast<double>(e.bytes), 1)
        << e.progress;
  EXPECT_EQ(peak_memory(order), 500);
  EXPECT_FALSE(flat_memory(order));
}

TEST(MemoryProfile, TwoPointsAtOneProgressAreAJump) {
  TaskOrder order = with_profile({{0.0, 100}, {0.5, 200}, {0.5, 800}, {1.0, 800}});
  EXPECT_EQ(memory_at(order, 0.25), 150);
  EXPECT_EQ(memory_at(order, 0.5), 800);
  EXPECT_EQ(memory_at(order, 0.75), 800);
}

/// Returns a part with 10 s of sleep, 6 s of CPU and 2 pauses of 2 s.
PartOrder with_pauses() {
  PartOrder part;
  part.from = 0.5;
  part.to = 0.75;
  part.cpu_ns_per_thread = 100;
  part.sleep_ns = 10;
  part.pauses = 2;
  part.sleep_share = 0.5;
  part.pause_share = 0.2;
  return part;
}

void expect_step(const Step& step, double from, double to, bool ends) {
  EXPECT_DOUBLE_EQ(step.from, from);
  EXPECT_DOUBLE_EQ(step.to, to);
  EXPECT_EQ(step.ends, ends);
}

TEST(Steps, ShareTheWayByTheirTimes) {
  PartOrder part = with_pauses();
  expect_step(sleep_step(part), 0.5, 0.625, false);
  expect_step(piece_step(part, 0), 0.625, 0.65, false);
  expect_step(pause_step(part, 0), 0.65, 0.675, false);
  expect_step(piece_step(part, 1), 0.675, 0.7, false);
  expect_step(pause_step(part, 1), 0.7, 0.725, false);
  expect_step(piece_step(part, 2), 0.725, 0.75, true);
  EXPECT_DOUBLE_EQ(piece_step(part, 1).at(0.5), 0.6875);
  part.last = 0;
  expect_step(piece_step(part, 2), 0.725, 0.75, false);
}

TEST(Steps, AreAllOfTheWayWhereTheyAreAlone) {
  PartOrder burns;
  burns.cpu_ns_per_thread = 10;
  expect_step(sleep_step(burns), 0, 0, false);
  expect_step(piece_step(burns, 0), 0, 1, true);
  PartOrder sleeps;
  sleeps.sleep_ns = 10;
  sleeps.sleep_share = 1;
  expect_step(sleep_step(sleeps), 0, 1, true);
  expect_step(piece_step(sleeps, 0), 1, 1, true);
}

TEST(Steps, PiecesAddUpToTheWork) {
  PartOrder part = with_pauses();
  EXPECT_EQ(piece_cpu_ns(part, 0), 33);
  EXPECT_EQ(piece_cpu_ns(part, 1), 33);
  EXPECT_EQ(piece_cpu_ns(part, 2), 34);
  part.pauses = 0;
  EXPECT_EQ(piece_cpu_ns(part, 0), 100);
}

/// Returns a part with 3 s of CPU and a pause of 1 s, a pause of 2 s, and 4 s of CPU.
PartOrder in_pieces() {
  PartOrder part;
  part.from = 0.5;
  part.to = 0.75;
  part.cpu_ns_per_thread = 70;
  part.piece_count = 3;
  part.pieces[0] = {30, 10, 0.3, 0.4};
  part.pieces[1] = {0, 20, 0.4, 0.6};
  part.pieces[2] = {40, 0, 1, 1};
  return part;
}

TEST(Steps, OfPiecesAreWhereTheirSharesSay) {
  PartOrder part = in_pieces();
  expect_step(sleep_step(part), 0.5, 0.5, false);
  ASSERT_EQ(piece_count(part), 3);
  expect_step(piece_step(part, 0), 0.5, 0.575, false);
  expect_step(pause_step(part, 0), 0.575, 0.6, false);
  expect_step(piece_step(part, 1), 0.6, 0.6, false);
  expect_step(pause_step(part, 1), 0.6, 0.65, false);
  expect_step(piece_step(part, 2), 0.65, 0.75, true);
  const std::int64_t cpu_ns[] = {30, 0, 40}, pauses_ns[] = {10, 20, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(piece_cpu_ns(part, i), cpu_ns[i]) << i;
    EXPECT_EQ(pause_ns(part, i), pauses_ns[i]) << i;
  }
  part.last = 0;
  expect_step(piece_step(part, 2), 0.65, 0.75, false);
}

TEST(Steps, TheTaskEndsWithThePauseAfterTheLastPiece) {
  PartOrder part = in_pieces();
  part.piece_count = 2;
  expect_step(piece_step(part, 1), 0.6, 0.6, false);
  expect_step(pause_step(part, 1), 0.6, 0.65, true);
  PartOrder even = with_pauses();
  EXPECT_EQ(piece_count(even), 3);
  even.pause_ns = 7;
  EXPECT_EQ(pause_ns(even, 1), 7);
  EXPECT_EQ(pause_ns(even, 2), 0);
}

TEST(Unusable, NamesWhatIsWrong) {
  EXPECT_EQ(unusable(TaskOrder{}), nullptr);
  EXPECT_EQ(unusable(with_profile({{0, 1}, {0.5, 2}, {0.5, 3}, {1, 0}})), nullptr);

  auto broken = [](auto change) {
    TaskOrder order = with_profile({{0, 1}, {0.5, 2}});
    change(order);
    const char* reason = unusable(order);
    return std::string(reason == nullptr ? "usable" : reason);
  };
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.threads = 0; }), "threads out of range");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.threads = kMaxThreads + 1; }), "threads out of range");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.cpu_ns_per_thread = -1; }), "negative work");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.sleep_ns = -1; }), "negative work");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.pauses = -1; }), "negative work");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.pause_ns = -1; }), "negative work");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.sleep_share = 1.5; }), "shares not in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.sleep_share = std::nan(""); }), "shares not in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.sleep_share = o.part.pause_share = 0.6; }),
            "shares not in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.from = 1.5; }), "progress not in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part.from = 0.5, o.part.to = 0.4; }),
            "progress not in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.part = in_pieces(); }), "usable");
  auto pieces = [&](auto change) {
    return broken([&](TaskOrder& o) {
      o.part = in_pieces();
      change(o.part);
    });
  };
  EXPECT_EQ(pieces([](PartOrder& p) { p.piece_count = kMaxPieces + 1; }), "too many pieces");
  EXPECT_EQ(pieces([](PartOrder& p) { p.piece_count = -1; }), "too many pieces");
  EXPECT_EQ(pieces([](PartOrder& p) { p.pieces[1].cpu_ns = -1; }), "negative work");
  EXPECT_EQ(pieces([](PartOrder& p) { p.pieces[1].pause_ns = -1; }), "negative work");
  for (double wrong : {0.2, 1.1, std::nan("")})
    EXPECT_EQ(pieces([&](PartOrder& p) { p.pieces[1].burnt = wrong; }),
              "pieces not ascending in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.memory_points = kMaxMemoryPoints + 1; }),
            "too many memory points");
  EXPECT_EQ(broken([](TaskOrder& o) { o.memory[0].progress = 0.6; }),
            "memory points not ascending in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.memory[1].progress = 1.1; }),
            "memory points not ascending in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.memory[1].progress = std::nan(""); }),
            "memory points not ascending in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.memory[1].bytes = -1; }), "negative memory");
}

}  // namespace heddle::task::order_test
