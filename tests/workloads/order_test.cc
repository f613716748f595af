#include "workloads/task/order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heddle::task {
namespace {

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

TEST(Progress, IsWeightedByTheSleepsShare) {
  TaskOrder order;
  order.cpu_ns_per_thread = 10;
  order.sleep_ns = 30;
  order.sleep_share = 0.75;
  EXPECT_DOUBLE_EQ(overall_progress(order, 0.5, 0), 0.375);
  EXPECT_DOUBLE_EQ(overall_progress(order, 1, 0), 0.75);
  EXPECT_DOUBLE_EQ(overall_progress(order, 1, 0.5), 0.875);
  EXPECT_DOUBLE_EQ(overall_progress(order, 1, 1), 1);
}

TEST(Progress, IsAllOfTheOnlyPart) {
  TaskOrder burns;
  burns.cpu_ns_per_thread = 10;
  EXPECT_DOUBLE_EQ(overall_progress(burns, 1, 0.25), 0.25);
  TaskOrder sleeps;
  sleeps.sleep_ns = 10;
  EXPECT_DOUBLE_EQ(overall_progress(sleeps, 0.25, 0), 0.25);
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
  EXPECT_EQ(broken([](TaskOrder& o) { o.threads = 0; }), "threads out of range");
  EXPECT_EQ(broken([](TaskOrder& o) { o.threads = kMaxThreads + 1; }), "threads out of range");
  EXPECT_EQ(broken([](TaskOrder& o) { o.cpu_ns_per_thread = -1; }), "negative work");
  EXPECT_EQ(broken([](TaskOrder& o) { o.sleep_ns = -1; }), "negative work");
  EXPECT_EQ(broken([](TaskOrder& o) { o.sleep_share = 1.5; }), "sleep share not in 0..1");
  EXPECT_EQ(broken([](TaskOrder& o) { o.sleep_share = std::nan(""); }), "sleep share not in 0..1");
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

}  // namespace
}  // namespace heddle::task
