#include "cli/display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kGiB = 1LL << 30;

wire::Progress::Node node(const std::string& name, const std::string& state, double used_cores,
                          std::int64_t allocated_millicores, std::int64_t used, std::int64_t held) {
  return {name,
          state,
          {Millicores(4000), EmuBytes(8 * kGiB)},
          {Millicores(allocated_millicores), EmuBytes(held)},
          used_cores,
          EmuBytes(used),
          0};
}

wire::Progress progress() {
  wire::Progress p;
  p.now_s = 23.46;
  p.jobs = 4;
  p.jobs_done = 1;
  p.jobs_running = 2;
  p.jobs_waiting = 1;
  p.tasks = 40;
  p.tasks_done = 10;
  p.containers_running = 6;
  p.nodes = {node("n1", "alive", 2, 3000, 2 * kGiB, 4 * kGiB), node("n2", "lost", 0, 0, 0, 0)};
  p.last_events = {"job a completed", "node n2 lost"};
  return p;
}

TEST(Display, WideTerminalHasBars) {
  EXPECT_THAT(
      draw(progress(), "quick  fifo", {80, 24, true}),
      ElementsAre("quick  fifo  23.5 s emulated", "jobs   1 of 4 done, 2 running, 1 waiting",
                  "tasks  ███████▒▒▒▒░░░░░░░░░░░░░░░░░ 10 of 40 done, 6 running",
                  "n1     cores ███████▒▒▒▒░░░  2.0/4     memory ████▒▒▒░░░░░░░   2.0/8 GiB",
                  "n2     lost", "· job a completed", "· node n2 lost"));
}

TEST(Display, PlainTerminalHasAsciiBars) {
  EXPECT_THAT(draw(progress(), "quick  fifo", {80, 24, false}),
              ::testing::Contains("n1     cores #######====...  2.0/4     memory ####===.......   "
                                  "2.0/8 GiB"));
}

TEST(Display, NarrowTerminalHasFiguresOnly) {
  EXPECT_THAT(
      draw(progress(), "quick  fifo", {40, 24, true}),
      ElementsAre("quick  fifo  23.5 s emulated", "jobs   1 of 4 done, 2 running, 1 waiting",
                  "tasks  10 of 40 done, 6 running", "n1     2.0/4 cores  2.0/8 GiB", "n2     lost",
                  "· job a completed", "· node n2 lost"));
}

TEST(Display, VeryNarrowTerminalIsClipped) {
  for (const std::string& line : draw(progress(), "quick  fifo", {12, 24, false}))
    EXPECT_LE(line.size(), 12U);
}

TEST(Display, LowTerminalDropsEventsThenNodes) {
  EXPECT_EQ(draw(progress(), "q", {80, 8, true}).size(), 6U);
  EXPECT_THAT(draw(progress(), "q", {80, 6, true}).back(), "and 2 more nodes");
  EXPECT_EQ(draw(progress(), "q", {80, 1, true}).size(), 3U);
}

TEST(Display, BeforeTheRunBeginsItSaysSo) {
  wire::Progress p = progress();
  p.nodes[1].state = "waiting";
  EXPECT_EQ(draw(p, "q", {80, 24, true})[0], "q  workers are starting");
  EXPECT_EQ(plain_line(p), "workers are starting");
}

TEST(Display, PlainLine) {
  wire::Progress p = progress();
  EXPECT_EQ(plain_line(p),
            "23.5 s: jobs 1 of 4 done, 2 running, 1 waiting; tasks 10 of 40 done, 6 running");
  p.jobs_failed = 1;
  p.jobs_waiting = 0;
  EXPECT_EQ(plain_line(p),
            "23.5 s: jobs 1 of 4 done, 1 failed, 2 running, 0 waiting; tasks 10 of 40 done, 6 "
            "running");
}

TEST(Display, LongTimesAreClockTimes) {
  wire::Progress p = progress();
  p.now_s = 3725.5;
  EXPECT_EQ(draw(p, "q", {80, 24, true})[0], "q  1:02:05 emulated");
  p.now_s = 61;
  EXPECT_EQ(draw(p, "q", {80, 24, true})[0], "q  1:01 emulated");
}

TEST(Display, Bars) {
  EXPECT_EQ(bar(0.5, 0.75, 8, false), "####==..");
  EXPECT_EQ(bar(0, 0, 4, false), "....");
  EXPECT_EQ(bar(1.5, 2, 4, false), "####");      // over-committed
  EXPECT_EQ(bar(0.75, 0.25, 4, false), "###.");  // uses more than it was given
  EXPECT_EQ(bar(0.5, 0.75, 4, true), "██▒░");
}

TEST(Display, ClipCountsCharactersAndBlanksControls) {
  EXPECT_EQ(clip("äöü", 2), "äö");
  EXPECT_EQ(clip("a\033[2Jb", 80), "a [2Jb");
  EXPECT_EQ(clip("abc", 3), "abc");
}

}  // namespace
}  // namespace heddle
