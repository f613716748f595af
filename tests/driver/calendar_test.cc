#include "driver/calendar.h"

#include "tests/master/small_run.h"
#include "tests/support/matchers.h"

namespace heddle::driver {
namespace {

/// Returns an event and its time in seconds as text, such as "submit 2@5".
std::string text_of(const Event& event) {
  std::string text = "other";
  if (const auto* job = std::get_if<JobSubmitted>(&event.what))
    text = "submit " + std::to_string(job->job.value);
  if (const auto* load = std::get_if<ExternalLoad>(&event.what))
    text =
        "load " + std::to_string(load->node.value) + " " + std::to_string(load->load.cores.count());
  if (std::holds_alternative<Wake>(event.what)) text = "wake";
  if (const auto* lost = std::get_if<NodeLost>(&event.what))
    text = "lost " + std::to_string(lost->node.value) + " " + lost->reason;
  return text + "@" + std::to_string(event.at.count() / 1'000'000);
}

std::vector<std::string> texts(const std::vector<Event>& events) {
  std::vector<std::string> all;
  for (const Event& event : events) all.push_back(text_of(event));
  return all;
}

/// Returns a scenario with jobs 0 and 2 at 5 s and job 1 at 0 s; both nodes have an external load
/// of 1 core from 0 s to 3 s.
Scenario scenario_with_load() {
  Scenario scenario = master::small_run(1);
  scenario.jobs.resize(3, scenario.jobs[0]);
  scenario.jobs[0].submit = scenario.jobs[2].submit = emu_seconds(5);
  scenario.external_load = {{{NodeId{0}, NodeId{1}},
                             emu_seconds(0),
                             emu_seconds(3),
                             {Millicores(1000), EmuBytes(1 << 20)}}};
  return scenario;
}

class CalendarTest : public ::testing::Test {
 protected:
  std::vector<std::string> due(double seconds) {
    std::vector<Event> events;
    calendar_.take_due(emu_seconds(seconds), events);
    return texts(events);
  }
  std::vector<std::string> wakes(double seconds) {
    std::vector<Event> events;
    calendar_.take_wakes(emu_seconds(seconds), events);
    return texts(events);
  }
  const Scenario scenario_ = scenario_with_load();
  Calendar calendar_{scenario_};
};

TEST_F(CalendarTest, SubmissionsComeFirstThenLoadsEachInTheOrderOfTime) {
  EXPECT_EQ(calendar_.next_time(), emu_seconds(0));
  EXPECT_THAT(due(0), ElementsAre("submit 1@0", "load 0 1000@0", "load 1 1000@0"));
  EXPECT_THAT(due(0), IsEmpty());
  EXPECT_EQ(calendar_.next_time(), emu_seconds(3));
  EXPECT_THAT(due(6), ElementsAre("submit 0@5", "submit 2@5", "load 0 0@3", "load 1 0@3"));
  EXPECT_EQ(calendar_.next_time(), std::nullopt);
}

TEST_F(CalendarTest, TheLoadOfANodeIsTheLastThatWasTaken) {
  EXPECT_EQ(calendar_.load(NodeId{1}), std::nullopt);
  due(1);
  EXPECT_EQ(calendar_.load(NodeId{1}), (Resources{Millicores(1000), EmuBytes(1 << 20)}));
  due(3);
  EXPECT_EQ(calendar_.load(NodeId{1}), Resources{});
}

TEST_F(CalendarTest, WakesThatAreDueTogetherAreOneEvent) {
  due(0);
  EXPECT_FALSE(calendar_.awaits_wake());
  for (double at : {2.0, 1.0, 4.0, 1.0}) calendar_.wake_at(emu_seconds(at));
  EXPECT_EQ(calendar_.next_time(), emu_seconds(1));
  EXPECT_EQ(calendar_.next_planned(), emu_seconds(3));  // the loads end
  EXPECT_THAT(wakes(0.5), IsEmpty());
  EXPECT_THAT(wakes(2), ElementsAre("wake@2"));
  EXPECT_TRUE(calendar_.awaits_wake());
  EXPECT_THAT(wakes(4), ElementsAre("wake@4"));
  EXPECT_FALSE(calendar_.awaits_wake());
}

TEST_F(CalendarTest, WhatAFormerLifeGaveIsNotGivenAgain) {
  calendar_.wake_at(emu_seconds(1));
  calendar_.wake_at(emu_seconds(2));
  const Resources one{Millicores(1000), EmuBytes(1 << 20)};
  const Event events[] = {{emu_seconds(0), JobSubmitted{JobId{1}}},
                          {emu_seconds(0), ExternalLoad{NodeId{0}, one}},
                          {emu_seconds(0), ExternalLoad{NodeId{1}, one}},
                          {emu_seconds(1), NodeHeartbeat{}},
                          {emu_seconds(1), Wake{}}};
  for (const Event& event : events) calendar_.recover(event);
  EXPECT_EQ(calendar_.load(NodeId{1}), one);
  EXPECT_EQ(calendar_.next_time(), emu_seconds(2));  // the second wake
  EXPECT_EQ(calendar_.next_planned(), emu_seconds(3));
  EXPECT_THAT(due(4), ElementsAre("load 0 0@3", "load 1 0@3"));
}

// The worker of node 0 is killed at 1 s and restarted at 4 s.
TEST(CalendarFaults, AreDueAsTheRestAndANodeThatStaysAwayIsLost) {
  Scenario scenario = master::small_run(1);
  FaultSpec fault;
  fault.kind = FaultKind::kKillWorker;
  fault.at = emu_seconds(1);
  fault.nodes = {NodeId{0}};
  fault.restart_after = emu_seconds(3);
  scenario.faults = {fault};
  Calendar calendar(scenario, std::chrono::seconds(5));
  std::vector<Event> events;
  calendar.take_due(emu_seconds(0), events);
  EXPECT_EQ(calendar.next_time(), emu_seconds(1));
  ASSERT_NE(calendar.faults().take(emu_seconds(1)), nullptr);
  EXPECT_EQ(calendar.next_time(), std::nullopt);
  EXPECT_TRUE(calendar.faults().lost(NodeId{0}, emu_seconds(2)));
  // The restart at 4 s and kReturnGrace: 15 real seconds, which are 150 s at a tenth of real time.
  // This is later than the patience.
  const EmuTime until = emu_seconds(154);
  EXPECT_EQ(calendar.next_time(), until);
  events.clear();
  calendar.take_missing(until - EmuTime(1), events);
  EXPECT_THAT(events, IsEmpty());
  calendar.take_missing(until, events);
  ASSERT_EQ(events.size(), 1U);
  const auto& lost = std::get<NodeLost>(events[0].what);
  EXPECT_EQ(lost.reason, "its worker did not come back");
  EXPECT_FALSE(lost.returns);
  EXPECT_EQ(calendar.next_time(), std::nullopt);
}

TEST(CalendarOfConditions, AJobWithConditionsIsSubmittedWhenTheyHold) {
  Scenario scenario = master::small_run(1);
  scenario.jobs.resize(3, scenario.jobs[0]);
  for (JobSpec& job : scenario.jobs) job.submit = emu_seconds(5);
  scenario.jobs[1].after = {{JobId{0}, AfterWhen::kOk, EmuTime(0)}};
  Calendar calendar(scenario);
  const auto due = [&](double seconds) {
    std::vector<Event> events;
    calendar.take_due(emu_seconds(seconds), events);
    return texts(events);
  };
  calendar.submit_at(JobId{1}, emu_seconds(5));
  EXPECT_EQ(calendar.next_planned(), emu_seconds(5));
  EXPECT_THAT(due(5), ElementsAre("submit 0@5", "submit 1@5", "submit 2@5"));
  calendar.submit_at(JobId{1}, emu_seconds(9));
  EXPECT_EQ(calendar.next_planned(), emu_seconds(9));
  calendar.recover({emu_seconds(9), JobSubmitted{JobId{1}}});
  EXPECT_EQ(calendar.next_planned(), std::nullopt);
}

}  // namespace
}  // namespace heddle::driver
