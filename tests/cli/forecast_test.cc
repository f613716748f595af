#include "cli/run/forecast.h"

#include "cli/run/departure.h"
#include "tests/support/matchers.h"

namespace heddle::cli::forecast_test {

using Job = report::Forecast::Job;

/// 100 emulated seconds of even work, at 0.2 real seconds each.
Outlook outlook() {
  Outlook o;
  o.forecast.status = "done";
  o.forecast.reason = "all jobs have ended";
  o.forecast.makespan_s = 100;
  o.forecast.work = report::WorkCurve({{0, 0}, {100, 1}});
  o.forecast.cpus = {0.716};
  o.forecast.memory = real::Bytes(230 << 20);
  o.forecast.jobs = {{"a", 8, "completed", {10, 20, 30, 40, 50, 60, 70, 80}},
                     {"b", 4, "completed", {15, 35, 90, 100}}};
  o.time_scale = 0.2;
  o.real_s = 20.4;
  o.machine = HostResources{{2}, real::Bytes(16LL << 30)};
  return o;
}

TEST(Outlook, OneLineForTimesAndOneForTheMachine) {
  EXPECT_THAT(lines_of(outlook()),
              ElementsAre("makespan 100.0 s, which takes about 20.4 s of real time",
                          "tasks use up to 0.72 of 2 CPUs and 0.22 of 16.00 GiB"));
}

TEST(Outlook, WorkersOfOtherHostsStartAtAnyTime) {
  Outlook o = outlook();
  o.real_s.reset();
  o.machine.reset();
  EXPECT_THAT(lines_of(o), ElementsAre("makespan 100.0 s, which takes about 20.0 s of real time "
                                       "after the last worker has connected"));
}

TEST(Outlook, NamesJobsThatLoseTasksForLackOfMemory) {
  Outlook o = outlook();
  o.forecast.jobs = {{"a", 1, "completed", {}, 0, 1, 0},
                     {"b", 1, "completed", {}, 7, 3, 0},
                     {"c", 1, "completed", {}, 0, 0, 0},
                     {"d", 1, "failed", {}, 4, 0, 0},
                     {"e", 1, "completed", {}, 0, 0, 2}};
  const std::vector<std::string> lines = lines_of(o);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[2], "job d fails for lack of memory: 4 kills at the limits of its containers");
  EXPECT_EQ(lines[3],
            "job b loses tasks for lack of memory: 7 kills at the limits of its containers, 3 at "
            "the limits of nodes");
  EXPECT_EQ(lines[4], "job e loses tasks for lack of memory: 2 kills at the limits of others");
  EXPECT_EQ(lines[5], "1 more job loses tasks for lack of memory");
  o.forecast.jobs.push_back({"f", 1, "completed", {}, 1, 0, 0});
  EXPECT_EQ(lines_of(o).back(), "2 more jobs lose tasks for lack of memory");
}

TEST(Outlook, SaysWhyTheRunIsAborted) {
  Outlook o = outlook();
  o.forecast.status = "aborted";
  o.forecast.reason = "every node was lost";
  o.forecast.makespan_s.reset();
  EXPECT_EQ(lines_of(o)[0], "the run is aborted after 100.0 s: every node was lost");
  EXPECT_EQ(comparison_line(o, 100, 20), "");
}

TEST(Outlook, Json) {
  Outlook o = outlook();
  o.forecast.jobs[1] = {"b", 4, "failed", {}, 4, 2, 1};
  EXPECT_EQ(json_of(o).dump(),
            R"({"status":"done","reason":"all jobs have ended","makespan_s":100.0,"range_s":null,)"
            R"("real_s":20.4,)"
            R"("peak":{"cpus":0.716,"memory":241172480},)"
            R"("machine":{"cpus":2.0,"memory":17179869184},)"
            R"("short_of_memory":[{"name":"b","state":"failed",)"
            R"("oom_kills":{"container":4,"node":2,"other":1}}]})");
}

TEST(Outlook, ComparesTheEndWithTheForecast) {
  EXPECT_EQ(
      comparison_line(outlook(), 103, 21.0),
      "forecast 100.0 s, measured 103.0 s (+3 %); real time: forecast 20.4 s, measured 21.0 s "
      "(+3 %)");
  Outlook o = outlook();
  o.forecast.range = {{99, 120.04}};
  EXPECT_THAT(comparison_line(o, 119, 21.0),
              StartsWith("forecast 100.0 s (99.0 to 120.0 s with other delays), measured 119.0 s"));
  EXPECT_THAT(lines_of(o)[0], StartsWith("makespan 100.0 s (99.0 to 120.0 s with other delays), "));
  o.forecast.range = {{100, 100.05}};
  o.real_s.reset();
  EXPECT_EQ(comparison_line(o, 58, 12), "forecast 100.0 s, measured 58.0 s (-42 %)");
}

TEST(Outlook, StartAndEndCostCpuTimeOfEachWorker) {
  EXPECT_DOUBLE_EQ(start_and_end_s(3, {2}), 0.15 + 0.12);
  EXPECT_DOUBLE_EQ(start_and_end_s(100, {8}), 0.15 + 1);
}

wire::Progress at(double now_s, double work, int done_of_a, int done_of_b) {
  wire::Progress p;
  p.now_s = now_s;
  p.work = work;
  p.nodes = {{"n1", "alive", {}, {}}, {"n2", "alive", {}, {}}};
  p.job_list = {{"a", "running", 8, done_of_a}, {"b", "running", 4, done_of_b}};
  return p;
}

// The bound of outlook() is 10 s: 10 % of 100 s, which is 2 real seconds. The forecast has the work
// 0.2 until 20.5 s, because half a percent of the work does not count.
TEST(Departure, BoundIsATenthButAtLeastTwoRealSeconds) {
  EXPECT_DOUBLE_EQ(DepartureWatch(outlook().forecast, 0.2).bound_s(), 10);
  EXPECT_DOUBLE_EQ(DepartureWatch(outlook().forecast, 1).bound_s(), 10);
  EXPECT_DOUBLE_EQ(DepartureWatch(outlook().forecast, 0.05).bound_s(), 40);
}

TEST(Departure, SaysOnceWhenAndWhere) {
  const Outlook o = outlook();
  DepartureWatch watch(o.forecast, o.time_scale);
  EXPECT_EQ(watch.note(at(30, 0.2, 2, 1)), std::nullopt);
  // After 40 s, the forecast has 4 tasks of a and 2 of b.
  EXPECT_EQ(watch.note(at(40, 0.2, 1, 1)),
            "at 40.0 s the run is 19.5 s behind its forecast: job a has completed 1 of 8 tasks, "
            "forecast 4");
  EXPECT_EQ(watch.note(at(45, 0.2, 1, 1)), std::nullopt);
  EXPECT_EQ(watch.note(at(50, 0.43, 4, 2)), std::nullopt);  // 6.5 s
  EXPECT_EQ(watch.note(at(50, 0.46, 4, 2)),
            "at 50.0 s the run follows its forecast again; the difference is 3.5 s");
  EXPECT_EQ(watch.note(at(90, 0.46, 4, 2)), std::nullopt);
}

TEST(Departure, ARunCanBeAhead) {
  const Outlook o = outlook();
  DepartureWatch watch(o.forecast, o.time_scale);
  // After 20 s, the forecast has 2 tasks of a and 1 of b.
  EXPECT_EQ(watch.note(at(20, 0.5, 3, 3)),
            "at 20.0 s the run is 29.5 s ahead of its forecast: job b has completed 3 of 4 tasks, "
            "forecast 1");
}

TEST(Departure, NamesANodeThatIsLostUnexpectedly) {
  Outlook o = outlook();
  o.forecast.outages = {{"n1", 10, std::nullopt}};
  wire::Progress p = at(40, 0.2, 1, 1);
  p.nodes[0].state = "lost";
  EXPECT_THAT(*DepartureWatch(o.forecast, 0.2).note(p), HasSubstr("job a has"));
  p.nodes[1].state = "lost";
  EXPECT_EQ(DepartureWatch(o.forecast, 0.2).note(p),
            "at 40.0 s the run is 19.5 s behind its forecast: node n2 is lost, which was not "
            "expected");
}

TEST(Departure, NamesOtherProgramsIfTheyTakeTheCpuOfTasks) {
  const Outlook o = outlook();
  wire::Progress p = at(40, 0.2, 1, 1);
  p.nodes[0].allocated.cores = Millicores(4000);
  p.nodes[1].allocated.cores = Millicores(4000);
  p.nodes[0].used_cores = 2;
  p.nodes[1].used_cores = 1.1;
  const auto note = [&](std::optional<double> foreign) {
    return *DepartureWatch(o.forecast, 0.2).note(p, [=] { return foreign; });
  };
  EXPECT_EQ(
      note(0.81),
      "at 40.0 s the run is 19.5 s behind its forecast: other programs have used 81 % of this "
      "machine's CPU, and tasks use 3.1 of the 8.0 cores that they hold");
  EXPECT_THAT(note(0.05), HasSubstr("job a has"));
  EXPECT_THAT(note(std::nullopt), HasSubstr("job a has"));
  p.nodes[0].used_cores = p.nodes[1].used_cores =
      3.7;  // tasks have their CPU, so others do no harm
  EXPECT_THAT(note(0.81), HasSubstr("job a has"));
  p.nodes[1].state = "lost";
  p.nodes[0].used_cores = 0;
  EXPECT_THAT(note(0.81), HasSubstr("node n2 is lost"));
}

TEST(Departure, NamesTheWorkOfAJobIfNoTaskIsMissing) {
  Outlook o = outlook();
  const wire::Progress p = at(14, 0.02, 1, 0);
  EXPECT_EQ(DepartureWatch(o.forecast, 0.2).note(p),
            "at 14.0 s the run is 11.5 s behind its forecast");
  o.forecast.jobs[0].work = {{5, 0.02}};
  o.forecast.jobs[1].work = {{5, 0.05}, {10, 0.11}, {15, 0.2}};
  EXPECT_EQ(DepartureWatch(o.forecast, 0.2).note(p),
            "at 14.0 s the run is 11.5 s behind its forecast: job b has done 0 % of its work, "
            "forecast 11 %");
}

TEST(Departure, NoneBeforeAllWorkersHaveRegistered) {
  wire::Progress p = at(40, 0, 0, 0);
  p.nodes[0].state = "waiting";
  EXPECT_EQ(DepartureWatch(outlook().forecast, 0.2).note(p), std::nullopt);
}

}  // namespace heddle::cli::forecast_test
