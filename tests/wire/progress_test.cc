#include "wire/progress.h"

#include <gtest/gtest.h>

#include "core/policy/capacity/reservation.h"
#include "tests/support/cluster.h"
#include "tests/support/events.h"
#include "tests/support/job.h"

namespace heddle::wire::progress_test {

Scenario scenario(int jobs) {
  Scenario s = cluster_of(1, 8, 8);
  PhaseSpec map = phase_of("map", 4), reduce = phase_of("reduce", 1);
  map.cpu.mean = 9e6;
  reduce.cpu.mean = 59e6;
  reduce.after = {0};
  for (int i = 0; i < jobs; ++i)
    s.jobs.push_back(job_of("j" + std::to_string(i), {map, reduce}, 10 * i));
  return s;
}

class ProgressOf : public ::testing::Test {
 protected:
  explicit ProgressOf(int jobs = 2) : scenario_(scenario(jobs)) {
    fold(0, NodeRegistered{NodeId{0}});
  }
  void fold(double t, decltype(Event::what) what) {
    state_.begin_step(emu_seconds(t));
    state_.fold({emu_seconds(t), std::move(what)});
  }
  void launch(double t, int task) {
    const Launch launch = launch_of(task, {PhaseId{JobId{0}, 0}, task}, NodeId{0}, size_of(1, 1));
    state_.launch(launch, emu_seconds(t));
    fold(t, ContainerStarted{launch.container});
  }
  Progress at(double t, std::vector<std::optional<EmuTime>> starts = {}) {
    return progress_of(state_, emu_seconds(t), starts);
  }

  Scenario scenario_;
  ReservationModel capacity_;
  ClusterState state_{scenario_, capacity_, {}};
};

// Each job has 4 x (9 + 1) + (59 + 1) core-seconds.
TEST_F(ProgressOf, WorkIsWhatTasksHoldAndHowFarTheyAre) {
  fold(0, JobSubmitted{JobId{0}});
  EXPECT_EQ(at(0).work, 0);
  launch(1, 0);
  launch(1, 1);
  fold(2, NodeHeartbeat{NodeId{0}, {{ContainerId{0}, CoreTime(0), EmuBytes(0), 0.5}}});
  Progress p = at(2);
  EXPECT_DOUBLE_EQ(p.job_list[0].work, 0.05);
  EXPECT_DOUBLE_EQ(p.work, 0.025);
  EXPECT_EQ(p.job_list[0].running, 2);
  fold(3, ended(0));
  p = at(3);
  EXPECT_DOUBLE_EQ(p.job_list[0].work, 0.1);
  EXPECT_EQ(p.job_list[0].tasks_done, 1);
  EXPECT_EQ(p.tasks, 10);
  EXPECT_EQ(p.last_submit_s, 10);
  state_.fail_job(JobId{0}, "enough");
  EXPECT_DOUBLE_EQ(at(3).job_list[0].work, 1);  // a failed job has no work left
}

TEST_F(ProgressOf, WaitingSoFarOrUntilTheFirstTask) {
  Progress p = at(0);
  EXPECT_FALSE(p.job_list[0].waiting_s);
  EXPECT_EQ(p.job_list[0].state, "pending");
  fold(0, JobSubmitted{JobId{0}});
  EXPECT_EQ(at(7).job_list[0].waiting_s, 7);
  launch(8, 0);
  EXPECT_EQ(at(9, {emu_seconds(8), std::nullopt}).job_list[0].waiting_s, 8);
  EXPECT_EQ(at(9).job_list[0].state, "running");
  EXPECT_FALSE(at(20).job_list[1].waiting_s);  // not yet submitted
}

TEST_F(ProgressOf, NodesTellOfSuspensionsAndReservations) {
  fold(0, JobSubmitted{JobId{0}});
  launch(1, 0);
  launch(1, 1);
  fold(2, ContainerSuspended{ContainerId{0}});
  state_.reserve({{JobId{0}, 0}, NodeId{0}}, emu_seconds(2));
  const Progress::Node node = at(2).nodes.at(0);
  EXPECT_EQ(node.containers, 2);
  EXPECT_EQ(node.suspended, 1);
  EXPECT_EQ(node.reserved, "j0");
  EXPECT_EQ(node.allocated.cores, Millicores(1000));
}

struct ManyJobs : ProgressOf {
  ManyJobs() : ProgressOf(1000) {}
};

TEST_F(ManyJobs, ThoseThatMatterNowAreListed) {
  fold(9000, JobSubmitted{JobId{900}});
  for (std::int64_t i = 0; i < 10; ++i) {
    fold(9000, JobSubmitted{JobId{i}});
    state_.fail_job(JobId{i}, "");
  }
  const Progress p = at(9000);
  EXPECT_EQ(p.jobs, 1000);
  EXPECT_EQ(p.jobs_failed, 10);
  ASSERT_EQ(p.job_list.size(), kMostJobs);
  EXPECT_EQ(p.job_list.front().name, "j10");
  EXPECT_EQ(p.job_list.back().name, "j900");
  EXPECT_LT(to_json(p).dump().size(), 50'000U);
}

TEST(Progress, SurvivesARoundTrip) {
  Progress progress;
  progress.now_s = 1.5;
  progress.jobs = 3;
  progress.decisions = 5;
  progress.decision_s = 0.125;
  progress.work = 0.25;
  progress.last_submit_s = 7;
  Progress::Node node{
      "n1", "alive", {Millicores(4000), EmuBytes(8)}, {Millicores(1000), EmuBytes(2)}};
  node.used_cores = 0.5;
  node.used_memory = EmuBytes(1);
  node.containers = 2;
  node.suspended = 1;
  node.reserved = "a";
  progress.nodes = {node};
  progress.job_list = {{"a", "running", 4, 1, 2, 3.5, 0.5}, {"b", "pending", 4, 0, 0, {}, 0}};
  progress.events = 12;
  progress.last_events = {"job a completed"};
  progress.last_kinds = {EventKind::kJob};
  progress.events_of_kind = {1, 2, 0, 0, 0, 0, 9, 0};
  progress.scenario = "s";
  progress.policy = "fifo";
  progress.final = true;
  progress.status = "aborted";
  progress.reason = "no space";
  const std::string text = to_json(progress).dump();
  auto back = progress_from_json(text);
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(to_json(*back).dump(), text);
  EXPECT_EQ(back->job_list[0].waiting_s, 3.5);
  EXPECT_FALSE(back->job_list[1].waiting_s);
  EXPECT_EQ(back->last_kinds, progress.last_kinds);
  EXPECT_EQ(back->events_of_kind, progress.events_of_kind);
}

TEST(Progress, EveryEventHasAKind) {
  Progress progress;
  progress.last_events = {"job a completed"};
  EXPECT_EQ(progress_from_json(to_json(progress).dump()).error().text,
            "progress.last_kinds: expected one kind for each of last_events");
  progress.last_kinds = {EventKind::kJob};
  std::string text = to_json(progress).dump();
  const std::string kind = "[\"job\"]";
  text.replace(text.find(kind), kind.size(), "[\"jobs\"]");
  EXPECT_EQ(progress_from_json(text).error().text, "progress.last_kinds: expected kinds of events");
}

TEST(Progress, WhatIsNoneIsRefused) {
  EXPECT_FALSE(progress_from_json("{}"));
  EXPECT_FALSE(progress_from_json("nonsense"));
  EXPECT_FALSE(progress_from_json("[]"));
  std::string text = to_json(Progress()).dump();
  ASSERT_TRUE(progress_from_json(text));
  const std::string work = "\"work\":0.0";
  text.replace(text.find(work), work.size(), "\"work\":2.0");
  EXPECT_EQ(progress_from_json(text).error().text,
            "progress.work: expected a number from 0.000000 to 1.000000");
}

}  // namespace heddle::wire::progress_test
