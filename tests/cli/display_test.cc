#include "cli/display/display.h"

#include "tests/support/matchers.h"

namespace heddle::cli::display_test {

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
              Contains("n1     cores #######====...  2.0/4     memory ####===.......   "
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
  p.last_events.clear();
  EXPECT_EQ(plain_line(p), "workers are starting; none yet for n2");
  p.last_events = {"0.0 s  a worker of host b was refused: no room"};
  EXPECT_EQ(
      plain_line(p),
      "workers are starting; none yet for n2; 0.0 s  a worker of host b was refused: no room");
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

TEST(Display, TimeLeftAsFarAsThereIsRoom) {
  const TimeLeft left{46.2, 9.3};
  EXPECT_EQ(draw(progress(), "q", {80, 24, true}, left)[0],
            "q  23.5 s emulated, about 10 s left (47 s emulated)");
  EXPECT_EQ(draw(progress(), "q", {40, 24, true}, left)[0], "q  about 10 s left (real)");
  // The times take 48 of 80 columns and the blanks 2, so 30 are left.
  const std::string title = "application_1763000000000_0149  capacity+preemption=kill";
  EXPECT_EQ(draw(progress(), title, {80, 24, true}, left)[0],
            "application_17…preemption=kill  23.5 s emulated, about 10 s left (47 s emulated)");
  EXPECT_THAT(plain_line(progress(), TimeLeft{3725, 60}),
              EndsWith("6 running; about 1:00 left (1:02:05 emulated)"));
}

TEST(Display, SuspendedAndReservedWhereThereIsRoom) {
  wire::Progress p = progress();
  p.nodes[0].suspended = 2;
  p.nodes[0].reserved = "sort";
  EXPECT_THAT(draw(p, "q", {140, 24, true})[3], EndsWith("2.0/8 GiB  2 suspended  held for sort"));
  EXPECT_THAT(draw(p, "q", {80, 24, true})[3], EndsWith("2.0/8 GiB"));
}

TEST(Display, ManyEventsAreTheLastFive) {
  wire::Progress p = progress();
  for (int i = 0; i < 20; ++i) p.last_events.push_back("event " + std::to_string(i));
  const auto lines = draw(p, "q", {80, 24, true});
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[5], "· event 15");
  EXPECT_EQ(lines[9], "· event 19");
}

/// Predicts the time left from standings of real time, emulated time, share of work and last
/// submission.
std::optional<TimeLeft> predicted(const std::vector<Standing>& standings) {
  Forecaster forecaster;
  for (const Standing& standing : standings) forecaster.add(standing);
  return forecaster.left();
}

TEST(Forecast, WhatIsLeftAtTheRecentRate) {
  // A tenth of the work took 10 emulated seconds, 2 real ones. The rest takes nine times as long.
  EXPECT_EQ(predicted({{100, 0, 0, 0}, {102, 10, 0.1, 0}}), (TimeLeft{90, 18}));
  EXPECT_EQ(predicted({{100, 0, 0, 0}, {110, 50, 1, 0}}), (TimeLeft{0, 0}));
}

TEST(Forecast, NoneWhileNothingIsKnown) {
  EXPECT_FALSE(predicted({}));
  EXPECT_FALSE(predicted({{100, 0, 0, 0}}));
  EXPECT_FALSE(predicted({{100, 0, 0, 0}, {101.5, 9, 0.1, 0}}));   // too short
  EXPECT_FALSE(predicted({{100, 0, 0, 0}, {103, 15, 0, 0}}));      // nothing done
  EXPECT_FALSE(predicted({{100, 0, 0.2, 0}, {103, 15, 0.1, 0}}));  // something lost
  EXPECT_FALSE(predicted({{100, 5, 0, 0}, {103, 5, 0.1, 0}}));     // no time passes
}

TEST(Forecast, NotBeforeTheLastJobHasCome) {
  EXPECT_EQ(predicted({{0, 0, 0, 500}, {2, 10, 0.5, 500}}), (TimeLeft{490, 98}));
}

TEST(Forecast, OldTimesDoNotCount) {
  // 60 real seconds pass without progress, then a twentieth of the work is done every 2 s.
  std::vector<Standing> standings;
  for (int i = 0; i <= 30; ++i) standings.push_back({2.0 * i, 10.0 * i, 0, 0});
  for (int i = 1; i <= 12; ++i) standings.push_back({60 + 2.0 * i, 300 + 10.0 * i, 0.05 * i, 0});
  // In the window of the last 28 s, 0.6 of the work was done, within 24 s. So the other 0.4 takes
  // 28 * 0.4 / 0.6.
  const std::optional<TimeLeft> left = predicted(standings);
  ASSERT_TRUE(left);
  EXPECT_NEAR(left->real_s, 28 * 0.4 / 0.6, 0.01);
  EXPECT_NEAR(left->emulated_s, 140 * 0.4 / 0.6, 0.01);
}

TEST(Forecast, ManyMessagesCountAsOneAndTheSame) {
  std::vector<Standing> standings;
  for (int i = 0; i <= 3000; ++i) standings.push_back({i / 1e3, i / 1e2, i / 1e4, 0});
  const std::optional<TimeLeft> left = predicted(standings);
  ASSERT_TRUE(left);
  EXPECT_NEAR(left->real_s, 7, 1e-6);
}

/// Predicts the time left with a curve of even work over 100 s, at 0.2 real seconds each.
std::optional<TimeLeft> predicted_by_curve(const std::vector<Standing>& standings) {
  Forecaster forecaster;
  forecaster.expect(report::WorkCurve({{0, 0}, {100, 1}}), 0.2);
  for (const Standing& standing : standings) forecaster.add(standing);
  return forecaster.left();
}

// Half a percent of the work, which is 0.5 s of the curve, does not count.
TEST(Forecast, FollowsTheCurveOfASimulation) {
  EXPECT_EQ(predicted_by_curve({{0, 0, 0, 0}}), (TimeLeft{100, 20}));
  EXPECT_EQ(predicted_by_curve({{9, 40, 0.4, 0}}), (TimeLeft{60, 12}));
  EXPECT_EQ(predicted_by_curve({{30, 150, 1, 0}}), (TimeLeft{0, 0}));
  EXPECT_EQ(predicted_by_curve({{9, 40, 0.4, 150}}), (TimeLeft{110, 22}));
}

TEST(Forecast, TheCurveIsStretchedByTheRecentPace) {
  // In 65 s, the work of 39.5 s plus 0.5 s is done. So the other 60 s take (65 + 10) / (40 + 10)
  // times as long.
  const std::optional<TimeLeft> slow = predicted_by_curve({{0, 0, 0, 0}, {13, 65, 0.395, 0}});
  ASSERT_TRUE(slow);
  EXPECT_NEAR(slow->emulated_s, 90, 1e-6);
  EXPECT_NEAR(slow->real_s, 18, 1e-6);
  // In 20 s, the work of 50.5 s minus 0.5 s is done. The other 50 s take 30 / 60 as long.
  const std::optional<TimeLeft> fast = predicted_by_curve({{0, 0, 0, 0}, {4, 20, 0.505, 0}});
  ASSERT_TRUE(fast);
  EXPECT_NEAR(fast->emulated_s, 25, 1e-6);
}

TEST(Forecast, AnOldPaceDoesNotCount) {
  // In the last 30 real seconds, which are a third of all, 150 s passed and the work of 30 s was
  // done. So the other 39.5 s take (150 + 10) / (30 + 10) times as long.
  const std::optional<TimeLeft> left =
      predicted_by_curve({{0, 0, 0, 0}, {60, 300, 0.3, 0}, {90, 450, 0.6, 0}});
  ASSERT_TRUE(left);
  EXPECT_NEAR(left->emulated_s, 158, 1e-6);
}

TEST(Forecast, LostWorkDoesNotTurnThePace) {
  // The work fell from that of 40 s to that of 20.5 s. No progress in 20 s makes the pace 30 / 10.
  const std::optional<TimeLeft> left = predicted_by_curve({{0, 40, 0.4, 0}, {4, 60, 0.2, 0}});
  ASSERT_TRUE(left);
  EXPECT_NEAR(left->emulated_s, 3 * 79.5, 1e-6);
}

TEST(Display, Bars) {
  EXPECT_EQ(bar(0.5, 0.75, 8, false), "####==..");
  EXPECT_EQ(bar(0, 0, 4, false), "....");
  EXPECT_EQ(bar(1.5, 2, 4, false), "####");      // over-committed
  EXPECT_EQ(bar(0.75, 0.25, 4, false), "###.");  // uses more than it was allocated
  EXPECT_EQ(bar(0.5, 0.75, 4, true), "██▒░");
}

TEST(Display, ClipCountsCharactersAndBlanksControls) {
  EXPECT_EQ(clip("äöü", 2), "äö");
  EXPECT_EQ(clip("a\033[2Jb", 80), "a [2Jb");
  EXPECT_EQ(clip("abc", 3), "abc");
}

}  // namespace heddle::cli::display_test
