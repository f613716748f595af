#include "driver/recorder.h"

#include "core/policy/registry.h"
#include "core/scenario/draw.h"
#include "tests/master/small_run.h"
#include "tests/support/matchers.h"

namespace heddle::driver {
namespace {

using Mode = wire::JournalLines::Mode;

class RecorderTest : public ::testing::Test {
 protected:
  Recorder recorder(Mode mode, Recorder::Stopwatch stopwatch = {}) {
    return Recorder(
        scenario_, {mode, true, std::move(stopwatch)},
        [this](std::string_view lines) { journal_ += lines; },
        [this](std::string_view lines) { samples_ += lines; });
  }
  const Scenario scenario_ = master::small_run(1);
  Engine engine_{scenario_, make_policy(scenario_),
                 [this](TaskId task) { return draw_work(scenario_, task); }};
  std::string journal_, samples_;
};

const std::vector<Event> kRegistered = {{EmuTime(0), NodeRegistered{NodeId{0}}}};

TEST_F(RecorderTest, TheStopwatchMeasuresEachDecision) {
  std::int64_t readings[] = {10, 17, 20, 23};  // microseconds
  std::size_t read = 0;
  Recorder with =
      recorder(Mode::kSimulated, [&] { return std::chrono::microseconds(readings[read++]); });
  with.decide(engine_, EmuTime(0), kRegistered);
  with.decide(engine_, EmuTime(0), {});
  EXPECT_EQ(with.decisions(), 2);
  EXPECT_THAT(with.decision_us(), ElementsAre(7, 3));
}

TEST_F(RecorderTest, WithoutAStopwatchDecisionsAreCounted) {
  Recorder without = recorder(Mode::kSimulated);
  without.decide(engine_, EmuTime(0), kRegistered);
  EXPECT_EQ(without.decisions(), 1);
  EXPECT_THAT(without.decision_us(), IsEmpty());
}

// There is no job yet, so a heartbeat leads to nothing.
TEST_F(RecorderTest, AHeartbeatThatPassesIsCountedAndLeavesNoLine) {
  Recorder one = recorder(Mode::kSimulated);
  one.decide(engine_, EmuTime(0), kRegistered);
  EXPECT_TRUE(one.pass(engine_, emu_seconds(1), NodeId{0}));
  EXPECT_EQ(one.decisions(), 2);
  EXPECT_EQ(journal_, "");
  one.end(emu_seconds(2), "done", "", nullptr);
  EXPECT_EQ(journal_, R"({"type":"end","status":"done","reason":"","t":2.0,)"
                      R"("silent_heartbeats":1})"
                      "\n");
}

TEST_F(RecorderTest, WhatIsKnownOfAStepGoesWithThatStepAlone) {
  Recorder real = recorder(Mode::kReal);
  real.set_wall(12);
  real.next_step().reports[0] = {NodeId{1}, 7};
  const std::vector<Event> started = {{emu_seconds(1), ContainerStarted{ContainerId{2}}}};
  real.step(emu_seconds(1), started, {});
  real.step(emu_seconds(1), started, {});
  real.set_wall(13);
  real.leaving(emu_seconds(2), "done", "over");
  EXPECT_EQ(journal_, R"({"type":"container_started","container":2,"t":1,"report":[1,7],"step":0,)"
                      R"("wall":12})"
                      "\n"
                      R"({"type":"container_started","container":2,"t":1,"step":1,"wall":12})"
                      "\n"
                      R"({"type":"leaving","status":"done","reason":"over","t":2.0,"wall":13.0})"
                      "\n");
}

TEST_F(RecorderTest, ASimulatedRunHasNoWallTime) {
  Recorder simulated = recorder(Mode::kSimulated);
  simulated.leaving(emu_seconds(2), "done", "over");
  EXPECT_EQ(journal_, R"({"type":"leaving","status":"done","reason":"over","t":2.0})"
                      "\n");
  simulated.sample(EmuTime(0), {NodeId{0}, {}}, 0, EmuBytes(0));
  EXPECT_EQ(samples_, R"({"t":0,"node":0,"cpu_cores":0,"memory":0,"containers":[]})"
                      "\n");
}

}  // namespace
}  // namespace heddle::driver
