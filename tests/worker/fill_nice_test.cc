#include "worker/fill_nice.h"

#include <gtest/gtest.h>

namespace heddle::worker {
namespace {

using namespace std::chrono_literals;

TEST(FillNice, TasksComeFirst) {
  EXPECT_EQ(fill_nice(0ms, 0ms), 15);
  EXPECT_EQ(fill_nice(100ms, 100ms), 15);
  EXPECT_EQ(fill_nice(100ms, 20ms), 15);  // exactly a fifth
}

TEST(FillNice, AThreadThatStarvesGetsMore) {
  EXPECT_EQ(fill_nice(100ms, 19ms), 5);
  EXPECT_EQ(fill_nice(11ms, 0ms), 5);
  EXPECT_EQ(fill_nice(10ms, 0ms), 15) << "not for long yet";
}

}  // namespace
}  // namespace heddle::worker
