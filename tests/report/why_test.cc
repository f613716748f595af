#include "report/why/why.h"

#include "report/why/json.h"
#include "report/why/text.h"
#include "tests/support/cluster.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::report::why_test {

constexpr EmuTime s(double seconds) { return emu_seconds(seconds); }
constexpr JobId kSort{0}, kTrain{1};

/// Returns a scenario with nodes n1 and n2 and jobs "sort" (map, reduce) and "train" (am, map).
Scenario scenario() {
  Scenario scenario;
  scenario.cluster.nodes = {node_of("n1", size_of(8, 8)), node_of("n2", size_of(8, 8))};
  const Resources task = size_of(2, 4);
  scenario.jobs = {job_of("sort", {phase_of("map", PhaseKind::kMap, 1, task),
                                   phase_of("reduce", PhaseKind::kReduce, 1, task)}),
                   job_of("train", {phase_of("am", PhaseKind::kAm, 1, task),
                                    phase_of("map", PhaseKind::kMap, 1, task)})};
  scenario.jobs[1].user = "ann";
  scenario.queues = {queue_of("default")};
  return scenario;
}

Obstacle of(int phase, Obstacle::What what) {
  return {{kTrain, phase}, size_of(2, 4), std::move(what)};
}
Obstacle no_room(int phase, double free_cores = 1) {
  return of(phase, obstacle::NoRoom{NodeId{1}, size_of(free_cores, 3), {}, {}, {}});
}
Obstacle report(int node = 0) { return of(1, obstacle::NextReport{NodeId{node}}); }
const Obstacle kBefore{{kTrain, -1}, {}, obstacle::NotSubmitted{}};

TEST(WaitLog, EqualWordsAreOneIntervalAndTheLastOfATimeCounts) {
  WaitLog log;
  log.at(s(1), {no_room(1)});
  log.at(s(2), {no_room(1)});
  log.at(s(3), {report(0)});
  log.at(s(3), {report(1)});
  log.at(s(4), {});
  log.at(s(6), {no_room(1)});
  EXPECT_THAT(log.waits(s(0), s(10)), ElementsAre(WaitInterval{s(1), s(3), {no_room(1)}},
                                                  WaitInterval{s(3), s(4), {report(1)}},
                                                  WaitInterval{s(6), s(10), {no_room(1)}}));
  log.at(s(5), {});  // forgets all that was logged later
  EXPECT_EQ(log.waits(s(0), s(10)).size(), 2U);
}

TEST(WaitLog, AllOfASpanIsCoveredToTheMicrosecond) {
  WaitLog log;
  log.at(s(1.000001), {no_room(1)});
  log.at(s(2), {report()});
  log.at(s(5), {});
  EXPECT_THAT(log.all(s(0.5), s(4), kBefore),
              ElementsAre(WaitInterval{s(0.5), s(1.000001), {kBefore}},
                          WaitInterval{s(1.000001), s(2), {no_room(1)}},
                          WaitInterval{s(2), s(4), {report()}}));
  EXPECT_THAT(log.all(s(1.5), s(1.75), kBefore),
              ElementsAre(WaitInterval{s(1.5), s(1.75), {no_room(1)}}));
  EXPECT_THAT(log.all(s(2), s(2), kBefore), IsEmpty());
  EXPECT_THAT(WaitLog().all(s(0), s(1), kBefore), ElementsAre(WaitInterval{s(0), s(1), {kBefore}}));
}

TEST(Why, TimesAreAddedUpByCause) {
  const std::vector<WaitInterval> waits = {{s(0), s(2), {no_room(0)}},
                                           {s(2), s(3), {report()}},
                                           {s(3), s(9), {no_room(1), report()}},
                                           {s(9), s(13), {no_room(1, 0)}}};
  EXPECT_THAT(times_by_cause(scenario(), waits),
              ElementsAre(Pair("no room", s(10)), Pair("no room (application master)", s(2)),
                          Pair("next report", s(1))));
}

// Room becomes free and goes to others, again and again. The longest interval determines the main
// cause.
TEST(Why, FlickerIsToldWithItsNeighbour) {
  const std::vector<WaitInterval> waits = {
      {s(0), s(0.3), {report()}}, {s(0.3), s(4), {no_room(1)}},
      {s(4), s(4.2), {report()}}, {s(4.2), s(9), {no_room(1, 0)}},
      {s(9), s(14), {report(1)}}, {s(14), s(14.5), {no_room(1)}}};
  const auto shown = shown_waits(scenario(), waits, s(1));
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].from, s(0));
  EXPECT_EQ(shown[0].until, s(9));
  EXPECT_EQ(shown[0].main, &waits[3]);
  EXPECT_THAT(shown[0].causes, ElementsAre(Pair("no room", s(8.5)), Pair("next report", s(0.5))));
  EXPECT_EQ(shown[1].until, s(14.5));
  EXPECT_EQ(shown[1].main, &waits[4]);
  EXPECT_EQ(shown_waits(scenario(), waits, s(0)).size(), 6U);
}

TEST(Why, StretchesThatLieApartStayApart) {
  const std::vector<WaitInterval> waits = {{s(0), s(0.3), {report()}}, {s(5), s(5.3), {report()}}};
  EXPECT_EQ(shown_waits(scenario(), waits, s(1)).size(), 2U);
}

// A conservative plan moves a job. The last plan tells what was promised, also if it was short.
TEST(ShownWaits, TheLastPlanOfAStretchIsShown) {
  obstacle::Backfill plan{s(80), {}, {}, s(80)};
  std::vector<WaitInterval> waits = {{s(0), s(50), {of(1, plan)}}};
  plan.at = s(60);
  plan.moved_by = kSort;
  waits.push_back({s(50), s(60), {of(1, plan)}});
  const auto shown = shown_waits(scenario(), waits, s(1));
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].main->obstacles, waits[1].obstacles);
}

AttemptRow attempt(int container, int phase, double allocated, std::optional<double> started,
                   std::optional<double> ended) {
  AttemptRow row;
  row.container = ContainerId{container};
  row.phase = {kTrain, phase};
  row.node = NodeId{0};
  row.allocated = s(allocated);
  if (started) row.started = s(*started);
  if (ended) row.ended = s(*ended);
  return row;
}

// Two tasks of the job, and one of another job, were on n1 when it was lost at 6 s. A task on n2
// ended otherwise at that time, and a task on n1 was lost earlier.
TEST(Why, LostNodesAreNamedWithTheReason) {
  std::vector<AttemptRow> attempts = {attempt(0, 0, 2, 3, 6), attempt(1, 1, 2, 3, 6),
                                      attempt(2, 1, 2, 3, 6), attempt(3, 1, 2, 3, 6),
                                      attempt(4, 1, 1, 2, 2)};
  for (AttemptRow& row : attempts)
    row.end = ContainerEnded{row.container, Outcome::kLost, OomCause::kNone, 0, "", {}};
  attempts[2].phase.job = kSort;
  attempts[3].node = NodeId{1};
  attempts[3].end->outcome = Outcome::kCompleted;
  const std::vector<NodeRow> nodes = {{s(0), NodeId{0}, "registered", "", {}},
                                      {s(2), NodeId{0}, "lost", "no heartbeat for 1.0 s", {}},
                                      {s(6), NodeId{0}, "lost", "the machine is slow", {}},
                                      {s(6), NodeId{1}, "lost", "its worker left", {}}};
  EXPECT_THAT(losses_of(scenario(), nodes, attempts, kTrain),
              ElementsAre("1 attempt was lost with n1 at 2.00 s: no heartbeat for 1.0 s",
                          "2 attempts were lost with n1 at 6.00 s: the machine is slow"));
  EXPECT_THAT(losses_of(scenario(), nodes, attempts, kSort),
              ElementsAre("1 attempt was lost with n1 at 6.00 s: the machine is slow"));
}

// A master is launched at 2 s and starts at 3 s. A task launched at 5 s is lost, and the next one
// starts.
TEST(Why, LinesAloneTellWhatWasStarting) {
  const std::vector<AttemptRow> attempts = {attempt(0, 0, 2, 3, {}), attempt(1, 1, 5, {}, 6),
                                            attempt(2, 1, 8, 9, 12)};
  WaitLog log;
  log.at(s(0), {no_room(0)});
  tell_attempts(scenario().jobs[1], attempts, s(1), log);
  const auto starting = [](int phase, double at) {
    return of(phase, obstacle::Starting{NodeId{0}, s(at)});
  };
  const Obstacle untold{{}, {}, obstacle::Unknown{}};
  EXPECT_THAT(
      log.waits(s(0), s(20)),
      ElementsAre(WaitInterval{s(0), s(1), {no_room(0)}}, WaitInterval{s(1), s(2), {untold}},
                  WaitInterval{s(2), s(3), {starting(0, 2)}}, WaitInterval{s(3), s(5), {untold}},
                  WaitInterval{s(5), s(6), {starting(1, 5)}}, WaitInterval{s(6), s(8), {untold}},
                  WaitInterval{s(8), s(9), {starting(1, 8)}},
                  WaitInterval{s(12), s(20), {untold}}));
}

class WhyText : public testing::Test {
 protected:
  WhyAnswer answer(std::vector<WaitInterval> waiting) {
    return {scenario_,
            {{"name", "train"},
             {"queue", "default"},
             {"class", "small"},
             {"state", "completed"},
             {"reason", nullptr},
             {"submit_s", 0.0},
             {"start_s", 20.0},
             {"finish_s", 30.0},
             {"waiting_s", 20.0}},
            kTrain,
            std::move(waiting),
            {},
            {},
            ""};
  }
  std::string words(Obstacle::What what, int phase = 1) {
    return reason_of(answer({}), of(phase, std::move(what))).words;
  }

  Scenario scenario_ = scenario();
};

TEST_F(WhyText, ASentenceForEachObstacle) {
  const NodeId n1{0}, n2{1};
  EXPECT_EQ(words(obstacle::NoRoom{n2,
                                   size_of(1, 3),
                                   {{kSort, size_of(6, 4)}, {kTrain, size_of(1, 0.5)}},
                                   {},
                                   {1, {kSort}}}),
            "no room for 2 cores, 4 GiB: the nearest node, n2, has 1 core, 3 GiB free; held there "
            "by sort (6 cores, 4 GiB), itself (1 core, 512 MiB); jobs ahead of it: sort");
  EXPECT_EQ(words(obstacle::NoRoom{n2, size_of(0.5, 4), {{kSort, size_of(6, 4)}}, {}, {}}),
            "no room for 2 cores, 4 GiB: the nearest node, n2, has 0.5 cores, 4 GiB free; held "
            "there by sort (6 cores)");
  EXPECT_EQ(words(obstacle::NoRoom{n2, size_of(2, 0), {{kSort, size_of(6, 4)}}, {n1, n2}, {}}),
            "no room for 2 cores, 4 GiB: n2, reserved for it, has 2 cores, 0 GiB free; held there "
            "by sort (4 GiB); also reserved for it: n1");
  EXPECT_EQ(words(obstacle::Reserved{true, 1, {{n1, {kSort, 1}}}}),
            "room for 2 cores, 4 GiB only where it is reserved: n1 for sort.reduce");
  EXPECT_EQ(
      words(obstacle::Reserved{false, 6, {{n1, {kSort, 0}}, {n2, {kSort, 0}}}}),
      "all nodes that could hold 2 cores, 4 GiB are reserved: n1, n2 for sort.map and 4 more");
  EXPECT_EQ(words(obstacle::Estimated{n1, size_of(1.25, 3), size_of(4, 4)}),
            "no room for 2 cores, 4 GiB: by requests, n1 has 4 cores, 4 GiB free, but by estimated "
            "usage only 1.25 cores, 3 GiB");
  EXPECT_EQ(words(obstacle::Gang{3, 8, {5, {kSort}}}),
            "gang: 3 of 8 containers of 2 cores, 4 GiB fit at once; jobs ahead of it: sort and 4 "
            "other jobs");
  obstacle::Gang between{3, 8, {1, {kSort}}};
  between.held = {{kSort, size_of(6, 4)}};
  EXPECT_EQ(words(between),
            "gang: 3 of 8 containers of 2 cores, 4 GiB fit at once; jobs ahead of it: sort; the "
            "nodes that it can use are held by sort (6 cores, 4 GiB)");
  obstacle::Backfill behind{emu_seconds(12.5), {}};
  behind.held = {{kSort, size_of(1, 0.5), true}};
  EXPECT_EQ(words(behind),
            "planned to start at 12.50 s, by the walltimes; the nodes that it can use are held by "
            "sort (1 core, 512 MiB, in part until it ends, because it is rigid)");
  EXPECT_EQ(words(obstacle::Backfill{emu_seconds(12.5), {}}),
            "planned to start at 12.50 s, by the walltimes");
  obstacle::Backfill kept{emu_seconds(80), {}, {}, emu_seconds(80)};
  EXPECT_EQ(words(kept), "promised 80.00 s when it was submitted");
  kept.at = emu_seconds(60);
  kept.moved_by = kSort;
  EXPECT_EQ(words(kept),
            "promised 80.00 s when it was submitted; moved to 60.00 s when sort ended");
  EXPECT_EQ(words(obstacle::Backfill{std::nullopt, {1, {kSort}}}),
            "it can't start now without a delay of sort, which has a reservation");
  EXPECT_EQ(words(obstacle::Backfill{std::nullopt, {}}),
            "not planned: no walltime tells when what it needs becomes free");
  using Limit = obstacle::Limit;
  EXPECT_EQ(words(Limit{Limit::Of::kQueue, 0, 0.6, 0.5}),
            "queue default would hold 60 % of the cluster, but its limit is 50 %");
  EXPECT_EQ(words(Limit{Limit::Of::kQueueMasters, 0, 0.125, 0.1}),
            "application masters in queue default would hold 12.5 % of the cluster, but its limit "
            "is 10 %");
  EXPECT_EQ(words(Limit{Limit::Of::kUser, 0, 0.45, 0.45}),
            "user limit: ann holds 45 % of the cluster and is entitled to 45 % in queue default");
  EXPECT_EQ(words(Limit{Limit::Of::kPool, 0, 0.25, 0.2}),
            "its pool (small jobs) holds 25 % of the cluster, and its share is 20 %");
  EXPECT_EQ(words(Limit{Limit::Of::kReserve, 1, 0.05, 0.06}),
            "5 % of the cluster is free, and 6 % is reserved for smaller jobs");
  EXPECT_EQ(words(obstacle::MasterShare{0.25, 0.1}),
            "application masters hold 25 % of the cluster; with one more, they would exceed 10 % "
            "(max_am_share)");
  EXPECT_EQ(words(obstacle::JobsOfUser{2, 2}),
            "its user has started 2 of at most 2 jobs of this quality of service "
            "(max_jobs_per_user)");
  EXPECT_EQ(words(obstacle::JobsOfArray{4, 4}),
            "4 of at most 4 jobs of its array have started (array_limit)");
  scenario_.reservations.resize(1);
  scenario_.reservations[0].name = "course";
  const obstacle::AdvanceReservation course{2, {0, s(10), s(60)}};
  EXPECT_EQ(words(course),
            "room for 2 cores, 4 GiB only where the site has reserved it: 2 nodes are reserved for "
            "course from 10.00 to 60.00 s");
  obstacle::Backfill around{s(60), {}};
  around.reserved = {1, course.time};
  EXPECT_EQ(words(around),
            "planned to start at 60.00 s, by the walltimes; 1 node is reserved for course from "
            "10.00 to 60.00 s");
  obstacle::Gang beside{3, 8, {}};
  beside.reserved = course;
  EXPECT_EQ(
      words(beside),
      "gang: 3 of 8 containers of 2 cores, 4 GiB fit at once; 2 nodes are reserved for course "
      "from 10.00 to 60.00 s");
  EXPECT_EQ(words(obstacle::LocalityDelay{n2, 12, 40}),
            "n2 has room, but not its data: 12 of 40 opportunities passed");
  EXPECT_EQ(words(obstacle::LocalityDelay{.node = n2, .until = emu_seconds(12.5)}),
            "n2 has room, but not its data: the job waits for a nearer node until 12.50 s "
            "(delay_time)");
  EXPECT_EQ(words(obstacle::StrictOrder{{kSort, 0}}),
            "strict order: sort.map goes first, but can't be placed");
  EXPECT_EQ(words(obstacle::Order{n1, {1, {kSort}}}),
            "n1 has free capacity, but other jobs go first: sort (fifo)");
  EXPECT_EQ(words(obstacle::NextReport{n1}),
            "there is room; it waits for the next heartbeat of n1");
  EXPECT_EQ(words(obstacle::Starting{n1, s(12)}),
            "launched on n1 at 12.00 s: its process is starting");
  EXPECT_EQ(words(obstacle::Suspended{1}), "1 task is suspended");
  EXPECT_EQ(words(obstacle::SlowStart{3, 5, 20}),
            "slow start: 3 of 20 maps are complete; 5 are required");
  EXPECT_EQ(
      words(obstacle::Ramp{3, 20}),
      "ramp: reduces are at their limit while maps wait for containers (3 of 20 maps complete)");
  EXPECT_EQ(words(obstacle::Inputs{{0, 1}}), "phases before it are not complete: am, map");
  EXPECT_EQ(words(obstacle::Later{s(12.5)}),
            "the next task is requested at 12.50 s (start_spread)");
  EXPECT_EQ(words(obstacle::OtherClient{kSort}),
            "only one yarn-client job runs at a time, and sort is active");
  EXPECT_EQ(words(obstacle::NoNode{{n2}}),
            "no live node could hold 2 cores, 4 GiB; lost or not registered yet: n2");
  EXPECT_EQ(words(obstacle::NotSubmitted{}), "not submitted yet");
  EXPECT_EQ(words(obstacle::Unknown{}), "the journal does not show why");
  scenario_.cluster.dispatch = Dispatch::kImmediate;
  EXPECT_EQ(words(obstacle::NextReport{n1}), "there is room; it waits for the next decision");
}

TEST_F(WhyText, HeadingTableAndSum) {
  EXPECT_EQ(why_text(answer({{s(0), s(12), {no_room(0)}},
                             {s(12), s(12.25), {report()}},
                             {s(12.25), s(20), {no_room(1)}}})),
            "train  queue default, fifo, completed\n"
            "submitted 0.00 s, first task started 20.00 s: waited 20.00 s\n"
            "\n"
            "from s  until s  for s  phase  waited for\n"
            "  0.00    12.25  12.25  am     no room for 2 cores, 4 GiB: the nearest node, n2, has "
            "1 core, 3 GiB free [including 0.25 s next report]\n"
            " 12.25    20.00   7.75  map    no room for 2 cores, 4 GiB: the nearest node, n2, has "
            "1 core, 3 GiB free\n"
            "\n"
            "cause                             s\n"
            "no room (application master)  12.00  60.0 %\n"
            "no room                        7.75  38.8 %\n"
            "next report                    0.25   1.2 %\n");
}

TEST_F(WhyText, LaterStretchesNotesAndJobsThatNeverStarted) {
  WhyAnswer later = answer({{s(0), s(20), {no_room(1)}}});
  later.later.emplace();
  EXPECT_THAT(why_text(later), HasSubstr("\nlater times without a running task\nnever\n"));
  later.later->push_back({s(22), s(25), {of(1, obstacle::Suspended{2})}});
  later.note = "only partly known: x";
  EXPECT_THAT(why_text(later), HasSubstr("2 tasks are suspended"));
  EXPECT_THAT(why_text(later), HasSubstr("waited 20.00 s\nonly partly known: x\n"));
  WhyAnswer never = answer({{s(0), s(15), {no_room(1)}}});
  never.job["start_s"] = never.job["waiting_s"] = nullptr;
  never.job["reason"] = "no node is left";
  EXPECT_THAT(why_text(never),
              HasSubstr("no task ever started: waited 15.00 s\nno node is left\n"));
  never.waiting.clear();
  EXPECT_THAT(why_text(never), HasSubstr("and the journal ends before its first task"));
}

TEST_F(WhyText, JsonHasEveryIntervalWithItsFacts) {
  const wire::Json json =
      why_json(answer({{s(0), s(12), {no_room(0), report()}}, {s(12), s(20), {report(1)}}}));
  EXPECT_THAT(json["job"], HasMembers(R"({"name":"train","index":1})"));
  EXPECT_TRUE(json["note"].is_null());
  EXPECT_FALSE(json.contains("later"));
  ASSERT_EQ(json["waiting"].size(), 2U);
  EXPECT_THAT(json["waiting"][1], HasMembers(R"({"from_s":12.0,"until_s":20.0})"));
  const wire::Json& first = json["waiting"][0]["obstacles"];
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0]["cause"], "no room (application master)");
  EXPECT_EQ(first[0]["phase"], "am");
  EXPECT_EQ(first[0]["asked"]["cores"], 2.0);
  EXPECT_EQ(first[0]["free"]["memory"], 3LL << 30);
  EXPECT_EQ(first[0]["node"], "n2");
  EXPECT_THAT(first[0]["in_words"].get<std::string>(), HasSubstr("the nearest node, n2"));
  EXPECT_EQ(json["causes"][0]["s"], 12.0);
}

TEST_F(WhyText, JsonHasTheStretchesThatPeopleRead) {
  WhyAnswer told = answer(
      {{s(0), s(12), {no_room(0)}}, {s(12), s(12.25), {report()}}, {s(12.25), s(20), {report(1)}}});
  const std::string heartbeat = "there is room; it waits for the next heartbeat of n2";
  const wire::Json json = short_why_json(told);
  EXPECT_EQ(json["stretches"][0]["in_words"],
            "no room for 2 cores, 4 GiB: the nearest node, n2, has 1 core, 3 GiB free");
  EXPECT_EQ(
      json["stretches"][1],
      wire::Json({{"from_s", 12.0}, {"until_s", 20.0}, {"phase", "map"}, {"in_words", heartbeat}}));
  EXPECT_EQ(why_json(told)["stretches"], json["stretches"]);
  EXPECT_FALSE(json.contains("later_stretches"));
  told.later.emplace();
  told.later->push_back({s(22), s(25), {{{kTrain, -1}, {}, obstacle::Unknown{}}}});
  EXPECT_EQ(short_why_json(told)["later_stretches"],
            wire::Json::parse(R"([{"from_s": 22.0, "until_s": 25.0, "phase": null,
                                   "in_words": "the journal does not show why"}])"));
}

}  // namespace heddle::report::why_test
