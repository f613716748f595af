#include "trace/import/scaling.h"

#include "tests/support/job.h"
#include "tests/support/matchers.h"
#include "trace/import/collection.h"

namespace heddle::trace::scaling_test {

PhaseSpec phase(int tasks, double sleep_s, bool gang = false) {
  PhaseSpec phase = phase_of("p", tasks, size_of(1, 1), sleep_s);
  phase.gang = gang;
  return phase;
}

const Resources kLarge{Millicores(8000), EmuBytes(8LL << 30)};

TEST(MergeTasks, TheTotalWorkStays) {
  PhaseSpec merged = phase(10, 6);
  merge_tasks(merged, 4, kLarge);
  EXPECT_EQ(merged.tasks, 4);
  EXPECT_EQ(merged.sleep.mean, 15e6) << "10 x 6 s = 4 x 15 s";
}

TEST(MergeTasks, TasksOfAGangBecomeLargerIfTheyFit) {
  PhaseSpec merged = phase(10, 6, true);
  merge_tasks(merged, 4, kLarge);
  EXPECT_EQ(merged.tasks, 4);
  EXPECT_EQ(merged.request.cores, Millicores(2500));
  EXPECT_EQ(merged.sleep.mean, 6e6);
  PhaseSpec wide = phase(100, 6, true);
  merge_tasks(wide, 4, kLarge);
  EXPECT_EQ(wide.request.cores, Millicores(1000)) << "25 cores are more than a node has";
  EXPECT_EQ(wide.sleep.mean, 150e6);
}

// 5 tasks in 2 are 2.5 tasks in each.
TEST(MergeTasks, LargerTasksUseMoreMemoryAndCores) {
  PhaseSpec merged = phase(5, 0, true);
  merged.memory = {{0, {.mean = 1000}}};
  merged.cpu.mean = 8e6;
  EXPECT_EQ(merge_tasks(merged, 2, kLarge), 1);
  EXPECT_EQ(merged.memory[0].second.mean, 2500);
  EXPECT_EQ(merged.cpu.mean, 20e6);
  merged = phase(5, 0, true);
  merged.usage = {{EmuTime(0), Millicores(800), EmuBytes(1000)},
                  {emu_seconds(4), Millicores(0), EmuBytes(200)}};
  EXPECT_EQ(merge_tasks(merged, 2, kLarge), 1);
  EXPECT_EQ(merged.usage,
            (std::vector<UsageCorner>{{EmuTime(0), Millicores(2000), EmuBytes(2500)},
                                      {emu_seconds(4), Millicores(0), EmuBytes(500)}}));
}

// 2^50 bytes for each of 1 000 000 tasks are more bytes than a 64-bit number can count.
TEST(MergeTasks, HugeTasksTakeLonger) {
  PhaseSpec merged = phase(1'000'000, 6, true);
  merged.request.memory = EmuBytes(1LL << 50);
  EXPECT_EQ(merge_tasks(merged, 1, {Millicores(2'000'000'000), EmuBytes(1LL << 50)}), 1'000'000);
  EXPECT_EQ(merged.request.memory, EmuBytes(1LL << 50));
  EXPECT_EQ(merged.sleep.mean, 6e12);
}

// A single task with 512 cores would have 256 threads, and take twice as long.
TEST(MergeTasks, TasksThatComputeGetAtMost256Cores) {
  PhaseSpec merged = phase(512, 0, true);
  merged.request = {Millicores(1000), EmuBytes(1000)};
  merged.cpu.mean = 100e6;
  const Resources node{Millicores(1'000'000), kLarge.memory};
  PhaseSpec half = merged;
  EXPECT_EQ(merge_tasks(half, 2, node), 1);
  EXPECT_EQ(half.request.cores, Millicores(256'000));
  EXPECT_EQ(half.cpu.mean, 25'600e6);
  EXPECT_EQ(merge_tasks(merged, 1, node), 512);
  EXPECT_EQ(merged.request.cores, Millicores(1000));
  EXPECT_EQ(merged.cpu.mean, 51'200e6);
}

TEST(MergeTasks, NeighboursOfAListAreMerged) {
  PhaseSpec merged = phase(4, 0);
  for (const double seconds : {1.0, 2.0, 3.0, 4.0}) {
    merged.each.emplace_back();
    merged.each.back().sleep.mean = seconds * 1e6;
  }
  merge_tasks(merged, 2, kLarge);
  ASSERT_EQ(merged.each.size(), 2U);
  EXPECT_EQ(merged.each[0].sleep.mean, 3e6);
  EXPECT_EQ(merged.each[1].sleep.mean, 7e6);
}

TEST(LimitTime, GivesRigidJobsWithoutAWalltimeOne) {
  using Walltime = ImportOptions::Walltime;
  const auto limited = [](const std::optional<Walltime>& walltime,
                          std::optional<EmuTime> requested = std::nullopt) {
    JobSpec job = job_of("j", {phase(3, 10, true)});
    job.walltime = requested;
    const bool has = limit_time(job, walltime);
    EXPECT_EQ(has, job.walltime.has_value());
    return job.walltime;
  };
  EXPECT_EQ(limited(std::nullopt), std::nullopt);
  EXPECT_EQ(limited(Walltime{emu_seconds(3600)}), emu_seconds(3600));
  EXPECT_EQ(limited(Walltime{}), emu_seconds(10)) << "exact";
  EXPECT_EQ(limited(Walltime{std::nullopt, 2}), emu_seconds(20));
  EXPECT_EQ(limited(Walltime{}, emu_seconds(7)), emu_seconds(7)) << "it was requested";
  JobSpec many = job_of("j", {phase(3, 10)});
  EXPECT_TRUE(limit_time(many, std::nullopt)) << "it is not rigid";
}

/// Imports two jobs of SWF, submitted at 100 and 130 s, that asked for 2 processors and 50 s, and
/// had one processor for 20 s.
Import import_swf(const ImportOptions& options) {
  return import_texts("swf",
                      {"1 100 0 20 1 -1 -1 2 50 -1 1 1 1 -1 1 1 -1 -1\n"
                       "2 130 0 20 1 -1 -1 2 50 -1 1 1 1 -1 1 1 -1 -1\n"},
                      options);
}

TEST(IgnoredFields, AreAsIfTheTraceDidNotHaveThem) {
  ImportOptions options;
  const Import all = import_swf(options);
  ASSERT_TRUE(all) << all.error();
  EXPECT_EQ(all.job().walltime, emu_seconds(50));
  EXPECT_EQ(all.job().phases.at(0).tasks, 2);
  options.ignore_fields = {"8", "9"};
  const Import without = import_swf(options);
  ASSERT_TRUE(without) << without.error();
  EXPECT_EQ(without.job().walltime, std::nullopt);
  EXPECT_EQ(without.job().phases.at(0).tasks, 1);
  options.ignore_fields = {"19"};
  EXPECT_THAT(import_swf(options).error(),
              HasSubstr("--ignore-field 19: the import reads no such field; expected one of 1, "));
}

TEST(IgnoredFields, OfSlurmHaveNames) {
  ImportOptions options;
  options.ignore_fields = {"Timelimits"};
  const Import made = import_texts("sacct",
                                   {"JobID|Submit|Start|End|AllocCPUS|Timelimit|State\n"
                                    "1|2026-01-05T10:00:00|2026-01-05T10:00:00|2026-01-05T10:01:00|"
                                    "2|00:05:00|COMPLETED\n"},
                                   options);
  EXPECT_THAT(made.error(), HasSubstr("did you mean \"Timelimit\"?"));
}

TEST(Arrivals, BeginWhenTheUserSays) {
  ImportOptions options;
  const auto submissions = [&] {
    const Import made = import_swf(options);
    EXPECT_TRUE(made) << made.error();
    return std::pair(made.job(0).submit, made.job(1).submit);
  };
  EXPECT_EQ(submissions(), std::pair(emu_seconds(0), emu_seconds(30)));
  options.first_at = emu_seconds(3600);
  EXPECT_EQ(submissions(), std::pair(emu_seconds(3600), emu_seconds(3630)));
  options.arrival_scale = 2;
  EXPECT_EQ(submissions(), std::pair(emu_seconds(3600), emu_seconds(3660)));
}

TEST(HeldCoreSeconds, CountsTheRequestWhileTasksRun) {
  JobSpec job = job_of("j", {phase(3, 10)});
  job.phases[0].request.cores = Millicores(2000);
  job.phases[0].cpu.mean = 8e6;  // 4 s on two cores
  EXPECT_EQ(held_core_seconds(job), 3 * 14 * 2);
}

TEST(HeldCoreSeconds, RigidJobsEndAtTheirWalltime) {
  JobSpec job = job_of("j", {phase(3, 10)});
  job.phases[0].gang = true;
  job.walltime = emu_seconds(4);
  EXPECT_EQ(held_core_seconds(job), 3 * 4);
}

// 6 tasks of 10 s and 2 of 5 s are 70 s of work for the 2 threads of executors with 4 cores.
TEST(HeldCoreSeconds, ExecutorsAreHeldForTheirStages) {
  JobSpec job = job_of("j", {phase(3, 0)});
  job.framework = Framework::kSpark;
  job.phases[0].kind = PhaseKind::kExecutor;
  job.phases[0].request.cores = Millicores(4000);
  job.phases[0].threads = 2;
  job.stages.resize(2);
  job.stages[0].tasks = 6;
  job.stages[0].cpu.mean = 10e6;
  job.stages[1].tasks = 2;
  job.stages[1].cpu.mean = 5e6;
  EXPECT_EQ(held_core_seconds(job), 35 * 4);
  scale_work(job, 2);
  EXPECT_EQ(held_core_seconds(job), 70 * 4);
  EXPECT_EQ(merge_tasks(job.phases[0], 1, {}), 1) << "executors are not tasks";
}

TEST(ScaleWork, ScalesTimesAndWalltime) {
  JobSpec job = job_of("j", {phase(1, 3)});
  job.walltime = emu_seconds(10);
  job.phases[0].usage = {{EmuTime(0), Millicores(1), EmuBytes(1)},
                         {emu_seconds(4), Millicores(0), EmuBytes(1)}};
  scale_work(job, 0.5);
  EXPECT_EQ(job.walltime, emu_seconds(5));
  EXPECT_EQ(job.phases[0].sleep.mean, 1.5e6);
  EXPECT_EQ(job.phases[0].usage[1].at, emu_seconds(2));
}

// A time of 4 us becomes 0, but corners have different times.
TEST(ScaleWork, CornersStayInOrder) {
  JobSpec job = job_of("j", {phase(1, 0)});
  job.phases[0].usage = {{EmuTime(0), Millicores(1), EmuBytes(1)},
                         {EmuTime(2), Millicores(2), EmuBytes(1)},
                         {EmuTime(4), Millicores(0), EmuBytes(1)}};
  scale_work(job, 0.001);
  EXPECT_EQ(job.phases[0].usage[1].at, EmuTime(1));
  EXPECT_EQ(job.phases[0].usage[2].at, EmuTime(2));
}

/// A scenario of a node of 8 cores with a gang of 16 tasks of 10 s and a walltime of 15 s.
Scenario gang_of_16() {
  Scenario scenario;
  scenario.cluster.nodes = equal_nodes(1, kLarge);
  scenario.jobs = {job_of("j", {phase(16, 10, true)})};
  scenario.jobs[0].walltime = emu_seconds(15);
  return scenario;
}

// 16 cores do not fit in a node, so 1 task takes 16 times as long.
TEST(Scale, WalltimesGrowWithMergedTasks) {
  Scenario scenario = gang_of_16();
  ImportOptions options;
  options.max_tasks = 1;
  ImportReport report;
  scale(options, scenario, report);
  EXPECT_EQ(scenario.jobs[0].phases[0].sleep.mean, 160e6);
  EXPECT_EQ(scenario.jobs[0].walltime, emu_seconds(240));
  EXPECT_EQ(report.text(),
            "0 rows read, 0 jobs found, 1 job of 1 task made\n"
            "tasks of 1 phase are merged to --max-tasks; their total work stays the same\n");
}

TEST(Scale, TasksThatAreCutUseNoMoreThanTheirRequest) {
  Scenario scenario = gang_of_16();
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  phase.gang = false;
  phase.request.memory = EmuBytes(9LL << 30);
  phase.memory = {{0, {.mean = 0x9p30}}};
  ImportReport report;
  scale({}, scenario, report);
  EXPECT_EQ(report.count(kCut), 1);
  EXPECT_EQ(phase.request.memory, EmuBytes(8LL << 30));
  EXPECT_EQ(phase.memory[0].second.mean, 0x8p30);
}

TEST(Scale, CountsJobsWithoutARequestedTime) {
  Scenario scenario = gang_of_16();
  scenario.jobs[0].phases[0].tasks = 1;
  scenario.jobs[0].walltime.reset();
  ImportReport report;
  scale({}, scenario, report);
  EXPECT_THAT(report.text(), HasSubstr("jobs without a requested time: 1; easy"));
  ImportOptions options;
  options.walltime = ImportOptions::Walltime{};
  ImportReport none;
  scale(options, scenario, none);
  EXPECT_THAT(none.text(), Not(HasSubstr("without a requested time")));
}

// A half of the cores and all of the memory is more than all of the cores and a quarter of the
// memory.
TEST(Scale, RequestsAreCutToOneNode) {
  Scenario scenario = gang_of_16();
  scenario.cluster.nodes = equal_nodes(2, {Millicores(8000), EmuBytes(1LL << 30)});
  scenario.cluster.nodes[1].allowance = {Millicores(4000), EmuBytes(4LL << 30)};
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  phase.gang = false;
  phase.request = {Millicores(8000), EmuBytes(4LL << 30)};
  ImportReport report;
  scale({}, scenario, report);
  EXPECT_EQ(report.count(kCut), 1);
  EXPECT_EQ(phase.request, (Resources{Millicores(4000), EmuBytes(4LL << 30)}));
}

/// A job whose tasks request more than 256 cores, on a node of 400.
Scenario large_tasks() {
  Scenario scenario = gang_of_16();
  scenario.cluster.nodes = equal_nodes(1, {Millicores(400'000), kLarge.memory});
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  phase.gang = false;
  phase.request.cores = Millicores(256'001);
  return scenario;
}

TEST(Scale, TasksHaveAtMost256Threads) {
  Scenario scenario = large_tasks();
  const PhaseSpec& phase = scenario.jobs[0].phases[0];
  ImportReport report;
  scale({}, scenario, report);
  EXPECT_EQ(report.repairs(), 0);
  EXPECT_EQ(phase.threads, 256);
}

TEST(Scale, TasksOfAListHaveAtMost256Threads) {
  Scenario scenario = large_tasks();
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  phase.tasks = 2;
  phase.each.resize(2);
  phase.each[1].threads = 3;
  ImportReport report;
  scale({}, scenario, report);
  EXPECT_EQ(phase.each[0].threads, 256);
  EXPECT_EQ(phase.each[1].threads, 3);
}

// On 16 cores, 10001 h of CPU work take 626 h.
TEST(Scale, WorkIsBoundedOnAnyNumberOfCores) {
  Scenario scenario = gang_of_16();
  PhaseSpec& phase = scenario.jobs[0].phases[0];
  phase.tasks = 1;
  phase.request.cores = Millicores(16'000);
  phase.sleep = {};
  phase.cpu.mean = 10'001.0 * 3600 * 1e6;
  ImportReport report;
  try {
    scale({}, scenario, report);
    FAIL();
  } catch (const BadTrace& error) {
    EXPECT_EQ(error.text,
              "a task of job j has more than 10000h of work; expected a larger --max-tasks or a "
              "smaller --work-scale");
  }
}

// 10^12 s times 10^6 are more microseconds than a 64-bit number can count.
TEST(Scale, SubmissionsThatAreTooLateAreRefused) {
  Scenario scenario = gang_of_16();
  scenario.jobs[0].phases[0].tasks = 1;
  scenario.jobs.push_back(scenario.jobs[0]);
  scenario.jobs[1].submit = emu_seconds(1e12);
  ImportOptions options;
  options.arrival_scale = 1e6;
  ImportReport report;
  try {
    scale(options, scenario, report);
    FAIL();
  } catch (const BadTrace& bad) {
    EXPECT_THAT(bad.text, StartsWith("the last submission is at "));
  }
}

// 100 nodes send 2 * 10^6 heartbeats of 1 s in 20 000 s.
TEST(DecideAtOnce, OnlyInLongTraces) {
  Scenario scenario;
  scenario.cluster.nodes = equal_nodes(100, kLarge);
  scenario.jobs.resize(1);
  scenario.jobs[0].phases = {phase(1, 10)};
  scenario.jobs[0].submit = emu_seconds(20'000 - 10);
  ImportReport report;
  decide_at_once(scenario, report);
  EXPECT_EQ(scenario.cluster.dispatch, Dispatch::kHeartbeat);
  scenario.jobs[0].submit = emu_seconds(20'001 - 10);
  decide_at_once(scenario, report);
  EXPECT_EQ(scenario.cluster.heartbeat, emu_seconds(1));
  EXPECT_EQ(scenario.cluster.dispatch, Dispatch::kImmediate);
}

TEST(Names, AreValidAndUnique) {
  ImportReport report;
  Names names("user", report);
  EXPECT_EQ(names.of("12"), "user-12");
  EXPECT_EQ(names.of(""), "user");
  EXPECT_EQ(names.of("ann"), "ann");
  EXPECT_EQ(names.of("a/b="), "a_b_");
  EXPECT_EQ(names.of("a+b="), "a_b_-2");
  EXPECT_EQ(names.of("a/b="), "a_b_");
  EXPECT_EQ(names.of("_x"), "user_x");
  EXPECT_EQ(names.of(std::string(100, 'y')), std::string(64, 'y'));
  EXPECT_EQ(report.json()["renamed"]["a/b="], "a_b_");
  EXPECT_FALSE(report.json()["renamed"].contains("ann"));
}

TEST(UniqueNames, HaveTheNextNumber) {
  UniqueNames names;
  EXPECT_EQ(names.of("a"), "a");
  EXPECT_EQ(names.of("a-2"), "a-2");
  EXPECT_EQ(names.of("a"), "a-3");
  EXPECT_EQ(names.of("a"), "a-4");
  const std::string longest(64, 'y');
  EXPECT_EQ(names.of(longest), longest);
  EXPECT_EQ(names.of(longest), std::string(62, 'y') + "-2");
}

// Each name is found at once; a search from 2 would take 10^10 steps.
TEST(UniqueNames, OfManyEqualTexts) {
  UniqueNames names;
  std::string last;
  for (int i = 0; i < 100'000; ++i) last = names.of("job");
  EXPECT_EQ(last, "job-100000");
}

TEST(JobCollection, KeepsTheFirstOfUnorderedJobs) {
  ImportOptions options;
  options.jobs = 3;
  ImportReport report;
  JobCollection jobs(options, report);
  for (int i = 0; i < 5000; ++i) {
    const EmuTime submit((i * 7919) % 5000);  // each number from 0 to 4999 once
    if (!jobs.takes(std::to_string(i), submit, "", "")) continue;
    JobSpec job;
    job.submit = submit;
    jobs.add(std::to_string(i), "", "", job);
  }
  const std::vector<JobSpec> taken = jobs.take();
  ASSERT_EQ(taken.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(taken[static_cast<std::size_t>(i)].submit, EmuTime(i));
  EXPECT_EQ(report.chosen, 5000);
}

TEST(Walltimes, JobsMayRunAsLongAsTheyTake) {
  Scenario scenario;
  scenario.jobs.resize(3);
  for (JobSpec& job : scenario.jobs) job.phases = {phase(2, 100, true)};
  scenario.jobs[1].walltime = emu_seconds(70);  // 30 s too short
  scenario.jobs[2].walltime = emu_seconds(90);
  ImportReport report;
  allow_longer_runs(scenario, report);
  EXPECT_EQ(scenario.cluster.walltime_grace, emu_seconds(30));
  EXPECT_THAT(report.text(), HasSubstr("2 jobs ran longer than requested: walltime_grace lets jobs "
                                       "run 30s longer\n"));
}

TEST(Walltimes, ThereIsNoGraceIfNoJobNeedsIt) {
  Scenario scenario;
  scenario.jobs.resize(1);
  scenario.jobs[0].phases = {phase(2, 100, true)};
  scenario.jobs[0].walltime = emu_seconds(100);
  ImportReport report;
  allow_longer_runs(scenario, report);
  EXPECT_EQ(scenario.cluster.walltime_grace, std::nullopt);
}

// A share of 10 % of 10 000 jobs is 1000, with a standard deviation of 30.
TEST(JobCollection, ASampleIsDrawnById) {
  ImportOptions options;
  options.sample = 0.1;
  ImportReport report;
  JobCollection jobs(options, report), same(options, report);
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    const bool takes = jobs.takes(std::to_string(i), EmuTime(i), "", "");
    EXPECT_EQ(same.takes(std::to_string(i), EmuTime(0), "x", "y"), takes);
    taken += takes;
  }
  EXPECT_NEAR(taken, 1000, 150);
}

}  // namespace heddle::trace::scaling_test
