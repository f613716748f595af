#include "tests/support/matchers.h"
#include "tests/trace/import/imported.h"
#include "trace/import/batsim_jobs.h"

namespace heddle::trace::spark_test {

/// Imports the tasks as containers.
Import import(const std::vector<std::string>& files, ImportOptions options = {}) {
  options.spark_as = ImportOptions::SparkAs::kTasks;
  return import_texts("spark", files, options, files.size() > 1 ? "logs/events_" : "logs/events_1");
}
Import import(const std::string& file, const ImportOptions& options = {}) {
  return import(std::vector{file}, options);
}
/// Imports the executors as containers.
Import import_executors(const std::string& file, const ImportOptions& options = {}) {
  return import_texts("spark", {file}, options, "logs/events_1");
}

constexpr std::int64_t kStart = 1'600'000'000'000;  ///< of the first application

std::string event(const std::string& name, const std::string& fields) {
  return "{\"Event\":\"SparkListener" + name + "\"," + fields + "}\n";
}
std::string at(std::int64_t after) { return std::to_string(kStart + after); }

/// `before`: events between the start of the log and of the application.
std::string start(const std::string& id, std::int64_t after = 0, const std::string& more = "",
                  const std::string& before = "") {
  return event("LogStart", R"("Spark Version":"3.5.0")") + before +
         event("ApplicationStart", R"("App Name":"app","App ID":")" + id + R"(","Timestamp":)" +
                                       at(after) + R"(,"User":"ann")" + more);
}
std::string environment(const std::string& properties) {
  return event("EnvironmentUpdate", R"("Spark Properties":{)" + properties + "}");
}
std::string executor(const std::string& id, const std::string& host, int cores,
                     std::int64_t after = 0) {
  return event("ExecutorAdded", R"("Timestamp":)" + at(after) + R"(,"Executor ID":")" + id +
                                    R"(","Executor Info":{"Host":")" + host +
                                    R"(","Total Cores":)" + std::to_string(cores) + "}");
}
std::string removed(const std::string& id, std::int64_t after) {
  return event("ExecutorRemoved",
               R"("Timestamp":)" + at(after) + R"(,"Executor ID":")" + id + "\"");
}
/// A stage that was submitted and completed, without its tasks.
std::string stage(int id, int tasks, std::int64_t from, std::int64_t until,
                  const std::string& parents = "") {
  const std::string info = R"("Stage Info":{"Stage ID":)" + std::to_string(id) +
                           R"(,"Stage Attempt ID":0,"Number of Tasks":)" + std::to_string(tasks) +
                           R"(,"Parent IDs":[)" + parents + R"(],"Submission Time":)" + at(from);
  return event("StageSubmitted", info + "}") +
         event("StageCompleted", info + R"(,"Completion Time":)" + at(until) + "}");
}
std::string task(int stage_id, int index, std::int64_t from, std::int64_t until,
                 const std::string& reason = "Success", std::int64_t cpu_ms = -1) {
  const std::string metrics = cpu_ms < 0 ? R"("Executor Run Time":30)"
                                         : R"("Executor Run Time":30,"Executor CPU Time":)" +
                                               std::to_string(cpu_ms * 1'000'000);
  return event(
      "TaskEnd",
      R"("Stage ID":)" + std::to_string(stage_id) + R"(,"Task End Reason":{"Reason":")" + reason +
          R"("},"Task Info":{"Task ID":7,"Index":)" + std::to_string(index) + R"(,"Launch Time":)" +
          at(from) + R"(,"Host":"h1","Speculative":false,)" + R"("Finish Time":)" + at(until) +
          R"(,"Failed":)" + (reason == "ExceptionFailure" ? "true" : "false") + R"(,"Killed":)" +
          (reason == "TaskKilled" ? "true" : "false") + R"(},"Task Metrics":{)" + metrics + "}");
}
std::string end(std::int64_t after) {
  return event("ApplicationEnd", R"("Timestamp":)" + at(after));
}

/// An application with a stage of one task of 100 ms.
std::string app(const std::string& id, std::int64_t from = 0, const std::string& more = "") {
  return start(id, from, more) + executor("1", "h1", 2, from) + task(0, 0, from + 10, from + 110) +
         stage(0, 1, from + 10, from + 110) + end(from + 200);
}

TEST(Spark, AnApplicationIsAJobOfStages) {
  const Import made =
      import(start("app-1", 0, "",
                   environment(R"("spark.executor.memory":"4g","spark.executor.cores":"2",)"
                               R"("spark.yarn.queue":"etl","spark.app.id":"app-1")")) +
             executor("1", "h1", 2) + executor("2", "h2", 2) + executor("3", "h1", 2) +
             stage(0, 2, 100, 300) + task(0, 1, 100, 250) + task(0, 0, 100, 300) +
             stage(2, 2, 300, 400, "0,1") + task(2, 0, 310, 360) + task(2, 1, 320, 370) +
             event("JobEnd", R"("Job ID":0)") + end(500));
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.report.repairs(), 0);
  EXPECT_EQ(made.report.rows, 16);
  const Scenario& scenario = made.scenario();
  EXPECT_EQ(scenario.name, "events_1");
  EXPECT_FALSE(scenario.simulation.ideal);
  // Two executors of 4 GiB on h1, one on h2.
  ASSERT_EQ(scenario.cluster.nodes.size(), 2U);
  EXPECT_EQ(scenario.cluster.nodes[0].name, "h1");
  EXPECT_EQ(scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(4000), EmuBytes(8LL << 30)}));
  EXPECT_EQ(scenario.cluster.nodes[1].allowance,
            (Resources{Millicores(2000), EmuBytes(4LL << 30)}));
  ASSERT_EQ(scenario.jobs.size(), 1U);
  const JobSpec& job = made.job();
  EXPECT_EQ(job.name, "job-app-1");
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.queue, "etl");
  ASSERT_EQ(job.phases.size(), 2U);
  const PhaseSpec& first = job.phases[0];
  EXPECT_EQ(first.name, "stage-0");
  EXPECT_EQ(first.kind, PhaseKind::kMap);
  EXPECT_EQ(first.request, (Resources{Millicores(1000), EmuBytes(2LL << 30)}));
  EXPECT_THAT(first.after, IsEmpty());
  ASSERT_EQ(first.each.size(), 2U);
  EXPECT_EQ(first.each[0].sleep.mean, 200e3);  // in the order of the index
  EXPECT_EQ(first.each[1].sleep.mean, 150e3);
  const PhaseSpec& second = job.phases[1];
  EXPECT_THAT(second.after, ElementsAre(0)) << "stage 1 was skipped";
  EXPECT_THAT(second.each, IsEmpty()) << "all tasks are equal";
  EXPECT_EQ(second.tasks, 2);
  EXPECT_EQ(second.sleep.mean, 50e3);
}

// Two executors of two GPUs each on h1, one on h2. Four tasks share a GPU.
TEST(Spark, TasksRequestGpus) {
  const Import made = import(start("a") +
                             environment(R"("spark.executor.resource.gpu.amount":"2",)"
                                         R"("spark.task.resource.gpu.amount":"0.25")") +
                             executor("1", "h1", 2) + executor("2", "h2", 2) +
                             executor("3", "h1", 2) + removed("3", 200) + task(0, 0, 0, 100));
  ASSERT_TRUE(made) << made.error();
  const ClusterSpec& cluster = made.scenario().cluster;
  ASSERT_EQ(cluster.resources.size(), 1U);
  EXPECT_EQ(cluster.resources[0].name, "gpu");
  EXPECT_TRUE(cluster.resources[0].devices);
  EXPECT_EQ(cluster.nodes[0].allowance.counts[0], Thousandths(4000));
  EXPECT_EQ(cluster.nodes[1].allowance.counts[0], Thousandths(2000));
  EXPECT_EQ(made.job().phases.at(0).request.counts[0], Thousandths(250));
  EXPECT_THAT(made.report.text(), HasSubstr("GPUs are devices of the resource gpu, requested by "
                                            "tasks of 1 application\n"));
}

// Without executors, four tasks that ran at the same time need four GPUs.
TEST(Spark, HostsWithoutExecutorsHaveTheGpusOfTheirTasks) {
  std::string log = start("a") + environment(R"("spark.task.resource.gpu.amount":"1")");
  for (int i = 0; i < 4; ++i) log += task(0, i, 0, 100);
  const Import made = import(log);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.scenario().cluster.nodes.at(0).allowance.counts[0], Thousandths(4000));
}

TEST(Spark, AnImpossibleAmountOfGpusIsRepaired) {
  const Import made = import(start("a") + environment(R"("spark.task.resource.gpu.amount":"1.5")") +
                             executor("1", "h1", 2) + task(0, 0, 0, 100));
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.report.repairs(), 1);
  EXPECT_TRUE(made.scenario().cluster.resources.empty());
}

TEST(Spark, TasksComputeForTheirCpuTime) {
  ImportOptions options;
  options.work = ImportOptions::Work::kCpu;
  const Import made = import(start("a") + environment(R"("spark.task.cpus":"2")") +
                                 executor("1", "h1", 4) + task(0, 0, 0, 100, "Success", 40) +
                                 task(0, 1, 0, 100, "Success", 500) + task(0, 2, 0, 100),
                             options);
  ASSERT_TRUE(made) << made.error();
  const PhaseSpec& phase = made.job().phases.at(0);
  EXPECT_EQ(phase.request.cores, Millicores(2000));
  EXPECT_EQ(phase.request.memory, EmuBytes(2LL << 30)) << "--memory-per-core";
  ASSERT_EQ(phase.each.size(), 3U);
  EXPECT_EQ(phase.each[0].cpu.mean, 40e3);
  EXPECT_EQ(phase.each[0].sleep.mean, 80e3);  // 100 ms without 40 ms on two threads
  EXPECT_EQ(phase.each[1].cpu.mean, 200e3);   // at most the time of both cores
  EXPECT_EQ(phase.each[1].sleep.mean, 0);
  EXPECT_EQ(phase.each[2].cpu.mean, 30e3);  // its run time, because it has no CPU time
}

// 0 and 1 run at the same time. 2 has no parent, but was submitted when both were complete. 3 was
// submitted while 2 ran, so it comes after 0 and 1. 4 comes after 2 and 3, which imply the others,
// and names its parent 0 anyway. 5 names the later stage 6 and itself.
TEST(Spark, StagesKeepTheOrderOfTheDriver) {
  std::string log = start("a");
  const auto add = [&](int id, std::int64_t from, std::int64_t until, const std::string& parents) {
    log += stage(id, 1, from, until, parents) + task(id, 0, from, until);
  };
  add(0, 0, 100, "");
  add(1, 50, 90, "");
  add(2, 100, 200, "");
  add(3, 150, 180, "");
  add(4, 200, 300, "0");
  add(5, 300, 400, "6,5");
  add(6, 350, 500, "");
  const Import made = import(log + executor("1", "h", 4));
  ASSERT_TRUE(made) << made.error();
  const auto after = [&](std::size_t phase) { return made.job().phases.at(phase).after; };
  EXPECT_THAT(after(0), IsEmpty());
  EXPECT_THAT(after(1), IsEmpty());
  EXPECT_THAT(after(2), ElementsAre(0, 1));
  EXPECT_THAT(after(3), ElementsAre(0, 1));
  EXPECT_THAT(after(4), ElementsAre(0, 2, 3));
  EXPECT_THAT(after(5), ElementsAre(4));
  EXPECT_THAT(after(6), ElementsAre(4));
  EXPECT_EQ(made.count("no_dependency"), 2);
}

TEST(Spark, StagesOfNoLengthAtTheSameTimeFollowEachOther) {
  std::string log = start("a");
  for (int id = 0; id < 3; ++id) log += stage(id, 1, 10, 10) + task(id, 0, 10, 10);
  const Import made = import(log);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.count("zero_run_time"), 3);
  EXPECT_THAT(made.job().phases.at(0).after, IsEmpty());
  EXPECT_THAT(made.job().phases.at(1).after, ElementsAre(0));
  EXPECT_THAT(made.job().phases.at(2).after, ElementsAre(1));
  EXPECT_EQ(made.job().phases.at(2).sleep.mean, 1) << "the shortest time";
}

TEST(Spark, OneSuccessfulAttemptOfATaskCounts) {
  const Import made = import(
      start("a") + executor("1", "h1", 2) + stage(0, 4, 0, 900) +
      task(0, 0, 0, 50, "ExceptionFailure") + task(0, 0, 60, 160) +  // again after a failure
      task(0, 1, 0, 300) + task(0, 1, 100, 200) +                    // the second ends first
      task(0, 2, 0, 100) + task(0, 2, 0, 100, "Resubmitted") + task(0, 2, 500, 900) +
      task(0, 1, 0, 10, "TaskKilled") + task(0, 3, 0, 10, "FetchFailed") + task(0, 3, 20, 10));
  ASSERT_TRUE(made) << made.error();
  const PhaseSpec& phase = made.job().phases.at(0);
  EXPECT_EQ(phase.tasks, 3);
  EXPECT_EQ(phase.sleep.mean, 100e3) << "each takes 100 ms";
  EXPECT_EQ(made.count("task_failed"), 2);
  EXPECT_EQ(made.count("task_killed"), 1);
  EXPECT_EQ(made.count("task_resubmitted"), 1);
  EXPECT_EQ(made.count("task_again"), 2);
  EXPECT_EQ(made.count("ends_before_start"), 1);
  EXPECT_EQ(made.count("unfinished"), 1) << "task 3 has no success";
}

TEST(Spark, LinesThatCantBeReadAreLeftOut) {
  const Import made = import(
      start("a") + executor("1", "h1", 2) + task(0, 0, 0, 100) + "\n" +
      "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":0,\n" +  // cut off
      "no JSON\n" + "{\"Other\":1}\n" + event("TaskEnd", R"("Stage ID":0)") +
      event("TaskEnd",
            R"("Stage ID":0,"Task Info":{"Index":1e300,"Launch Time":5,"Finish Time":6})") +
      event("StageSubmitted", R"("Stage Info":{"Stage ID":-3})") +
      event("ExecutorAdded",
            R"("Timestamp":5,"Executor ID":"2","Executor Info":{"Total Cores":1e9})") +
      event("ExecutorRemoved", R"("Executor ID":"1")") +
      "{\"Event\":\"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart\", bad\n" +
      event("ApplicationStart", R"("App ID":"b")") + stage(1, 3, 100, 200));
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.count("unreadable"), 9) << "events that are not needed are not parsed";
  EXPECT_EQ(made.count("no_task"), 1) << "stage 1";
  EXPECT_EQ(made.job().task_count(), 1);
  EXPECT_EQ(made.scenario().cluster.nodes.size(), 1U);
}

TEST(Spark, FilesAreApplications) {
  const Import made = import({app("a"), app("b", 5000), app("c", -2000)});
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(made.scenario().jobs.size(), 3U);
  EXPECT_EQ(made.job(0).name, "job-c");
  EXPECT_EQ(made.job(1).name, "job-a");
  EXPECT_EQ(made.job(1).submit, emu_seconds(2));
  EXPECT_EQ(made.job(2).submit, emu_seconds(7));
  // The executors of h1 are there one after the other.
  ASSERT_EQ(made.scenario().cluster.nodes.size(), 1U);
  EXPECT_EQ(made.scenario().cluster.nodes[0].allowance.cores, Millicores(2000));
}

TEST(Spark, TimesCountFromTheFirstApplication) {
  ImportOptions options;
  options.from = emu_seconds(1);
  const Import made = import({app("a"), app("b", 5000), app("c", -2000)}, options);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.report.found, 3);
  ASSERT_EQ(made.scenario().jobs.size(), 1U);
  EXPECT_EQ(made.job().name, "job-b");
}

TEST(Spark, AFileWithoutAStartContinuesTheApplication) {
  const std::string whole = app("a");
  const Import made =
      import({whole, "", stage(1, 1, 300, 400) + task(1, 0, 300, 400) + end(400), app("b", 1000)});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.report.repairs(), 0);
  ASSERT_EQ(made.scenario().jobs.size(), 2U);
  EXPECT_EQ(made.job(0).phases.size(), 2U);
  EXPECT_EQ(made.job(1).phases.size(), 1U);
}

TEST(Spark, ALogWithoutAStartBeginsWithItsFirstStage) {
  const Import made = import(stage(1, 1, 300, 400) + task(1, 0, 300, 400));
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.count("no_start"), 1);
  EXPECT_EQ(made.job().name, "job-events_1");
  EXPECT_EQ(made.job().submit, EmuTime(0));
}

TEST(Spark, TheSameLogTwiceIsOneJob) {
  const Import twice = import({app("a"), app("a")});
  ASSERT_TRUE(twice) << twice.error();
  EXPECT_EQ(twice.report.jobs, 1);
  EXPECT_EQ(twice.report.tasks, 1);
  EXPECT_EQ(twice.count("same_log"), 1);
  const Import apart = import({app("a"), app("b", 10), app("a")});
  ASSERT_TRUE(apart) << apart.error();
  EXPECT_EQ(apart.report.jobs, 2);
  EXPECT_EQ(apart.report.tasks, 2);
  EXPECT_EQ(apart.count("duplicate"), 1);
}

TEST(Spark, TheLastAttemptOfAnApplicationCounts) {
  const auto attempt = [](const std::string& number) {
    return R"(,"App Attempt ID":")" + number + "\"";
  };
  const Import made = import({app("a", 0, attempt("1")), app("a", 1000, attempt("2"))});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.count("attempt"), 1);
  EXPECT_EQ(made.report.jobs, 1);
  // The same id without attempts, at another time, is another application.
  EXPECT_EQ(import({app("a"), app("a", 1000)}).report.jobs, 2);
}

// The second executor comes when the first is gone. With the third, h1 has 2 + 4 cores.
TEST(Spark, HostsHaveTheExecutorsOfTheSameTime) {
  const Import made =
      import(start("a") + executor("1", "h1", 2, 0) + removed("1", 100) +
             executor("2", "h1", 2, 100) + executor("3", "h1", 4, 200) + removed("none", 250) +
             executor("4", "_x", 1, 300) + task(0, 0, 0, 100));
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(made.scenario().cluster.nodes.size(), 2U);
  EXPECT_EQ(made.scenario().cluster.nodes[0].allowance.cores, Millicores(6000));
  EXPECT_EQ(made.scenario().cluster.nodes[0].allowance.memory, EmuBytes(6LL << 30));
  EXPECT_EQ(made.scenario().cluster.nodes[1].name, "host_x");
}

TEST(Spark, AnExecutorThatIsRemovedAtOnceCounts) {
  const Import made =
      import(start("a") + executor("1", "h1", 2, 50) + removed("1", 50) + task(0, 0, 0, 100));
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.scenario().cluster.nodes.at(0).allowance.cores, Millicores(2000));
}

TEST(Spark, OldLogsHaveNoExecutors) {
  const std::string tasks =
      task(0, 0, 0, 100) + task(0, 1, 50, 150) + task(0, 2, 100, 200) + task(0, 3, 90, 120);
  const Import made = import(environment(R"("spark.master":"local[*]")") + start("a") + tasks);
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(made.scenario().cluster.nodes.size(), 1U);
  // Tasks 1, 2 and 3 run at the same time; task 2 starts when task 0 is over.
  EXPECT_EQ(made.scenario().cluster.nodes[0].allowance,
            (Resources{Millicores(3000), EmuBytes(3LL << 30)}));
  EXPECT_THAT(made.report.text(), HasSubstr("hosts without executors in the log: 1"));
  const Import local =
      import(start("a") +
             environment(R"("spark.master":"local[8,2]","spark.driver.memory":"16G")") + tasks);
  ASSERT_TRUE(local) << local.error();
  EXPECT_EQ(local.scenario().cluster.nodes[0].allowance,
            (Resources{Millicores(8000), EmuBytes(16LL << 30)}));
  EXPECT_EQ(local.job().phases[0].request.memory, EmuBytes(2LL << 30));
}

TEST(Spark, MemoryOfExecutors) {
  const auto memory_of = [](const std::string& properties, const std::string& more = "") {
    const Import made = import(start("a") + environment(properties) + more +
                               executor("1", "h1", 2) + task(0, 0, 0, 100));
    return made.job().phases.at(0).request.memory.count();
  };
  EXPECT_EQ(memory_of(R"("spark.executor.memory":"512")"), 256LL << 20) << "MiB";
  EXPECT_EQ(memory_of(R"("spark.executor.memory":"4194304kb")"), 2LL << 30);
  EXPECT_EQ(memory_of(R"("spark.executor.memory":"4096b")"), 2048);
  for (const char* wrong :
       {"", "g", "-4g", "4x", "4gg", "4 g", "99999999999999999999g", "9999999p"})
    EXPECT_EQ(memory_of(R"("spark.executor.memory":")" + std::string(wrong) + "\""), 1LL << 30)
        << wrong;
  EXPECT_EQ(memory_of(R"("spark.master":"local-cluster[2,2,1024]")"), 512LL << 20);
  const std::string profile =
      event("ResourceProfileAdded", R"("Executor Resource Requests":{"memory":{"Amount":3072}})");
  EXPECT_EQ(memory_of("", profile), 1536LL << 20);
}

/// Peaks of an executor's memory while a stage ran, in MiB.
std::string peaks(const std::string& id, int stage_id, int heap, int off_heap, int resident = 0) {
  const auto mib = [](int count) { return std::to_string(std::int64_t{count} << 20); };
  return event("StageExecutorMetrics", R"("Executor ID":")" + id + R"(","Stage ID":)" +
                                           std::to_string(stage_id) +
                                           R"(,"Executor Metrics":{"JVMHeapMemory":)" + mib(heap) +
                                           R"(,"JVMOffHeapMemory":)" + mib(off_heap) +
                                           R"(,"ProcessTreeJVMRSSMemory":)" + mib(resident) + "}");
}

// Two executors of 4 cores at a time, of three: the second is replaced. Tasks of 2 cores, so each
// runs two. YARN adds max(384 MiB, 10 %) to 8 GiB, and 512 MiB that were set to the driver's 2 GiB.
// Stage 0 has tasks of 100 and 300 ms: mean 200, deviation 100. Stage 2 waits for it, and stage 3
// does not wait for stage 2, so they are one: 3 tasks of 50 ms. Of 400 + 150 ms, stage 0 is
// 400 / 550. Executors 1 to 3 are there for 1000, 500 and 400 ms: 1.9 s, of which tasks of 2 of
// the 4 cores are there for 550 ms.
TEST(Spark, ExecutorsAreContainers) {
  const Import made = import_executors(
      start("a", 0, "",
            environment(R"("spark.executor.memory":"8g","spark.executor.cores":"4",)"
                        R"("spark.task.cpus":"2","spark.master":"yarn",)"
                        R"("spark.submit.deployMode":"cluster","spark.driver.memory":"2g",)"
                        R"("spark.driver.memoryOverhead":"512","spark.driver.cores":"2")")) +
      executor("1", "h1", 4) + executor("2", "h2", 4) + removed("2", 500) +
      executor("3", "h2", 4, 600) + stage(0, 2, 100, 400) + task(0, 0, 100, 200) +
      task(0, 1, 100, 400) + stage(2, 2, 500, 600, "0") + task(2, 0, 500, 550) +
      task(2, 1, 500, 550) + stage(3, 1, 520, 600) + task(3, 0, 520, 570) +
      peaks("1", 0, 1000, 24) + peaks("2", 0, 500, 100) + peaks("driver", 0, 9999, 0) +
      peaks("1", 2, 1000, 24, 3072) + end(1000));
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.report.repairs(), 0);
  // h1 has an executor and, as the log does not say the driver's host, the application master.
  const std::vector<NodeSpec>& nodes = made.scenario().cluster.nodes;
  EXPECT_EQ(nodes.at(0).allowance,
            (Resources{Millicores(6000), EmuBytes(9448928051 + (2560LL << 20))}));
  EXPECT_EQ(nodes.at(1).allowance, (Resources{Millicores(4000), EmuBytes(9448928051)}));
  const JobSpec& job = made.job();
  EXPECT_EQ(job.framework, Framework::kSpark);
  EXPECT_EQ(job.deploy, Deploy::kYarnCluster);
  ASSERT_EQ(job.phases.size(), 2U);
  EXPECT_EQ(job.phases[0].kind, PhaseKind::kAm);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(2000), EmuBytes(2560LL << 20)}));
  const PhaseSpec& executors = job.phases[1];
  EXPECT_EQ(executors.kind, PhaseKind::kExecutor);
  EXPECT_EQ(executors.tasks, 2);
  EXPECT_EQ(executors.threads, 2);
  // 8 GiB and 10 % of it: 8589934592 + 858993459.2
  EXPECT_EQ(executors.request, (Resources{Millicores(4000), EmuBytes(9448928051)}));
  ASSERT_EQ(executors.memory.size(), 2U);
  EXPECT_EQ(executors.memory[0].first, 0);
  EXPECT_EQ(executors.memory[0].second.mean, 1024.0 * (1 << 20));
  EXPECT_NEAR(executors.memory[1].first, 400.0 / 550, 1e-12);
  EXPECT_EQ(executors.memory[1].second.mean, 3072.0 * (1 << 20)) << "of all its processes";
  ASSERT_EQ(job.stages.size(), 2U);
  EXPECT_EQ(job.stages[0].tasks, 2);
  EXPECT_EQ(job.stages[0].cpu.mean, 200e3);
  EXPECT_NEAR(job.stages[0].cpu.cv, 0.5, 1e-12);
  EXPECT_EQ(job.stages[0].cpu.dist, Drawn::Dist::kLognormal);
  EXPECT_EQ(job.stages[1].tasks, 3);
  EXPECT_EQ(job.stages[1].cpu, (Drawn{.mean = 50e3}));
  const std::string text = made.report.text();
  EXPECT_THAT(text, HasSubstr("1 application with executors: 3 executors, 3 stages, 5 tasks, 1 "
                              "application master, 0 with dynamic allocation"));
  // 550 ms times 2 cores of 1900 ms times 4 cores: 14.47 % busy.
  EXPECT_THAT(text, HasSubstr("executors were held for 2 s, and idle for 85.53 % of it"));
  EXPECT_THAT(text, HasSubstr("stages that ran while an earlier one did: 1;"));
}

TEST(Spark, ExecutorsThatComeAndGoAreDynamic) {
  const auto job = [](const std::string& properties) {
    const Import made = import_executors(start("a", 0, "", environment(properties)) +
                                         executor("1", "h1", 4) + task(0, 0, 0, 100) + end(200));
    EXPECT_TRUE(made) << made.error();
    return made.job();
  };
  const JobSpec dynamic = job(R"("spark.dynamicAllocation.enabled":"true",)"
                              R"("spark.dynamicAllocation.executorIdleTimeout":"2m")");
  EXPECT_EQ(dynamic.deploy, Deploy::kDynamic);
  EXPECT_EQ(dynamic.executor_idle_timeout, emu_seconds(120));
  EXPECT_FALSE(dynamic.has_am()) << "where the driver was is not known";
  EXPECT_THAT(dynamic.phases[0].memory, IsEmpty()) << "no peak is known";
  EXPECT_EQ(dynamic.phases[0].request.memory, EmuBytes(4LL << 30)) << "1 GiB for each core";
  // The application master of a driver outside: 512 MiB and at least 384 MiB.
  const JobSpec client = job(R"("spark.master":"yarn","spark.submit.deployMode":"client",)"
                             R"("spark.executor.memory":"1g")");
  EXPECT_EQ(client.phases.at(0).request, (Resources{Millicores(1000), EmuBytes(896LL << 20)}));
  EXPECT_EQ(client.phases.at(1).request.memory, EmuBytes(1408LL << 20));
  EXPECT_EQ(client.executor_idle_timeout, emu_seconds(60));
}

TEST(Spark, TheDriversHostHasRoomForIt) {
  const Import made = import_executors(
      start("a", 0, "",
            environment(R"("spark.submit.deployMode":"cluster","spark.driver.memory":"3g",)"
                        R"("spark.executor.memory":"1g")") +
                event("BlockManagerAdded",
                      R"("Block Manager ID":{"Executor ID":"driver","Host":"h9","Port":1})")) +
      executor("1", "h1", 4) + task(0, 0, 0, 100) + end(200));
  ASSERT_TRUE(made) << made.error();
  const std::vector<NodeSpec>& nodes = made.scenario().cluster.nodes;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1].name, "h9");
  EXPECT_EQ(nodes[1].allowance, (Resources{Millicores(1000), EmuBytes(3LL << 30)}));
}

TEST(Spark, LogsWithoutExecutorsHaveTasksAsContainers) {
  const Import local =
      import_executors(start("a", 0, "", environment(R"("spark.master":"local[2]")")) +
                       executor("driver", "h1", 2) + task(0, 0, 0, 100));
  ASSERT_TRUE(local) << local.error();
  EXPECT_EQ(local.job().framework, Framework::kMapReduce);
  const Import old = import_executors(start("a") + task(0, 0, 0, 100));
  ASSERT_TRUE(old) << old.error();
  EXPECT_EQ(old.job().phases.at(0).name, "stage-0");
}

TEST(Spark, PeaksOfMemoryAreKeptUpToTheRequest) {
  const std::string with_peak = R"("Peak Execution Memory":)";
  const auto used = [&](std::int64_t bytes) {
    std::string log = task(0, 0, 0, 100);
    log.insert(log.find(R"("Executor Run Time")"), with_peak + std::to_string(bytes) + ",");
    return log;
  };
  const std::string head =
      start("a", 0, "", environment(R"("spark.executor.memory":"2g")")) + executor("1", "h1", 2);
  const Import small = import(head + used(300 << 20)), large = import(head + used(5LL << 30));
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small.report.repairs(), 0);
  EXPECT_EQ(small.job().phases.at(0).memory.at(0).second.mean, 300.0 * (1 << 20));
  EXPECT_EQ(large.count("peak_above_request"), 1);
  EXPECT_EQ(large.job().phases.at(0).memory.at(0).second.mean, 1024.0 * (1 << 20));
  const Import executors = import_executors(head + used(0) + peaks("1", 0, 3000, 0));
  ASSERT_TRUE(executors) << executors.error();
  EXPECT_EQ(executors.count("peak_above_executor"), 1);
  EXPECT_EQ(executors.job().phases.at(0).memory.at(0).second.mean, 2048.0 * (1 << 20));
}

TEST(Spark, OptionsSetTheCluster) {
  ImportOptions options;
  options.nodes = 3;
  options.memory = EmuBytes(7LL << 30);
  const Import made = import(app("a"), options);
  ASSERT_TRUE(made) << made.error();
  ASSERT_EQ(made.scenario().cluster.nodes.size(), 3U);
  EXPECT_EQ(made.scenario().cluster.nodes[2].name, "n3");
  EXPECT_EQ(made.scenario().cluster.nodes[2].allowance,
            (Resources{Millicores(2000), EmuBytes(7LL << 30)}));
}

TEST(Spark, AJobHasAtMostTenThousandStages) {
  std::string log = start("a");
  for (int id = 0; id < 10002; ++id) log += task(id, 0, id * 10, id * 10 + 10);
  const Import made = import(log);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made.job().phases.size(), 10000U);
  EXPECT_EQ(made.job().phases.back().name, "stage-9999");
  EXPECT_EQ(made.count("many_stages"), 2);
}

TEST(Spark, OtherFilesAreRefused) {
  EXPECT_EQ(import("job_id,x\n1,2\n").error(),
            "logs/events_1: its first line is no event of Spark; expected "
            "{\"Event\":\"SparkListener…\", …}");
  EXPECT_THAT(import({app("a"), "{}\n"}).error(), HasSubstr("logs/events_2: its first"));
  EXPECT_THAT(import("").error(), HasSubstr("no event of Spark"));
  EXPECT_THAT(import(start("a")).error(), HasSubstr("no job that can be used"));
}

TEST(Spark, LogsAreRecognised) {
  EXPECT_TRUE(formats::spark.recognises(app("a")));
  EXPECT_TRUE(formats::spark.recognises(
      "\n { \"Event\" : \"SparkListenerLogStart\",\"Spark Version\":\"2\"}"));
  EXPECT_TRUE(formats::spark.recognises("{\"Event\":\"org.apache.spark.sql.execution.ui.X\"}"));
  EXPECT_TRUE(formats::spark.recognises("{\"Event\":\"DBCEventLoggingListenerMetadata\"}"));
  EXPECT_FALSE(formats::spark.recognises(""));
  EXPECT_FALSE(formats::spark.recognises("{\"Event\":\"Other\"}"));
  EXPECT_FALSE(formats::spark.recognises("{\"jobs\":[],\"profiles\":{}}"));
  EXPECT_FALSE(formats::spark.recognises("[{\"Event\":\"SparkListenerLogStart\"}]"));
  EXPECT_FALSE(formats::spark.recognises(
      "job_id,submission_time,requested_number_of_resources,execution_time\n"));
  EXPECT_FALSE(is_batsim_jobs(app("a")));
}

}  // namespace heddle::trace::spark_test
