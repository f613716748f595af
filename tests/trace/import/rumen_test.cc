#include "trace/import/rumen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle::trace::rumen_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ImportFormat kFormat{"rumen", "", "", &is_rumen, &import_rumen};
constexpr std::int64_t kMiB = 1 << 20;

Result<Imported> import(std::string text, const ImportOptions& options = {},
                        ImportReport* report = nullptr) {
  std::vector<Input> files;
  files.emplace_back("jh.json", std::move(text));
  ImportReport own;
  return import_trace(kFormat, files, options, report ? *report : own);
}

/// Returns an attempt that takes this time.
std::string attempt(std::int64_t millis, const std::string& result = "SUCCESS",
                    const std::string& more = "") {
  return R"({"hostName": "/rack/h1", "startTime": 1300000005000, "finishTime": )" +
         std::to_string(1'300'000'005'000 + millis) + R"(, "result": ")" + result + "\"" + more +
         "}";
}

std::string task(const std::string& attempts) {
  return R"({"taskID": "t", "startTime": 1300000001000, "finishTime": 1300000900000,
             "attempts": [)" +
         attempts + "]}";
}

std::string job(const std::string& maps, const std::string& reduces = "",
                const std::string& fields = R"("jobID": "job_1", "submitTime": 1300000000000)") {
  return "{" + fields + R"(, "mapTasks": [)" + maps + R"(], "reduceTasks": [)" + reduces + "]}\n";
}

std::vector<double> seconds_of(const PhaseSpec& phase) {
  std::vector<double> seconds;
  for (int i = 0; i < phase.tasks; ++i) seconds.push_back(phase.task(i).sleep.mean / 1e6);
  return seconds;
}

/// Returns the usage curve of the only task of a job.
std::vector<UsageCorner> curve_of(const std::string& splits, ImportReport* report = nullptr,
                                  std::int64_t millis = 4000) {
  const Result<Imported> imported =
      import(job(task(attempt(millis, "SUCCESS", ", " + splits))), {}, report);
  if (!imported) return {};
  return imported->scenario.jobs[0].phases[0].usage;
}

UsageCorner corner(double seconds, double cores, std::int64_t kib) {
  return {emu_seconds(seconds), Millicores(static_cast<std::int64_t>(cores * 1000)),
          EmuBytes(kib * 1024)};
}

TEST(Rumen, JobsOfMapsAndReduces) {
  ImportReport report;
  const Result<Imported> imported =
      import(job(task(attempt(4000)) + "," + task(attempt(3000)), task(attempt(9000)),
                 R"("jobID": "job_1", "user": "ann", "queue": "q-1", "priority": "HIGH",
             "submitTime": 1300000000000, "outcome": "SUCCESS", "jobMapMB": 512,
             "jobReduceMB": 2048, "otherTasks": [{}, {}])") +
                 job(task(attempt(1000)), "",
                     R"("jobID": "job_2", "submitTime": 1300000060000, "outcome": "KILLED",
                 "jobMapMB": -1, "queue": null, "priority": "VERY_LOW")"),
             {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  const Scenario& scenario = imported->scenario;
  ASSERT_EQ(scenario.jobs.size(), 2U);
  const JobSpec &first = scenario.jobs[0], &second = scenario.jobs[1];
  EXPECT_EQ(first.name, "job-job_1");
  EXPECT_EQ(first.user, "ann");
  EXPECT_EQ(first.queue, "q-1");
  EXPECT_EQ(first.priority, 1);
  ASSERT_EQ(first.phases.size(), 2U);
  EXPECT_EQ(first.phases[0].name, "map");
  EXPECT_EQ(first.phases[0].request, (Resources{Millicores(1000), EmuBytes(512 * kMiB)}));
  EXPECT_THAT(seconds_of(first.phases[0]), ElementsAre(4, 3));
  EXPECT_EQ(first.phases[1].name, "reduce");
  EXPECT_EQ(first.phases[1].kind, PhaseKind::kReduce);
  EXPECT_THAT(first.phases[1].after, ElementsAre(0));
  EXPECT_EQ(first.phases[1].request.memory, EmuBytes(2048 * kMiB));
  EXPECT_THAT(seconds_of(first.phases[1]), ElementsAre(9));
  EXPECT_EQ(second.submit, emu_seconds(60));
  EXPECT_EQ(second.queue, "default");
  EXPECT_EQ(second.priority, -2);
  EXPECT_EQ(second.phases[0].request.memory, EmuBytes(1024 * kMiB));  // --memory-per-core
  EXPECT_THAT(second.phases[0].each, IsEmpty());
  EXPECT_EQ(scenario.cluster.nodes.size(), 1U);
  EXPECT_EQ(scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(8000), EmuBytes(16'384 * kMiB)}));
  EXPECT_EQ(report.rows, 2);
  EXPECT_EQ(report.repairs(), 0);
  EXPECT_THAT(report.text(), HasSubstr("0 is the submission of the first job in the trace, "
                                       "1300000000000 ms after 1970"));
  EXPECT_THAT(report.text(), HasSubstr("4 tasks without measured usage: sleep"));
  EXPECT_THAT(report.text(), HasSubstr("jobs that failed or were killed: 1;"));
  EXPECT_THAT(report.text(), HasSubstr("2 tasks of setup and cleanup: left out"));
  EXPECT_THAT(report.text(), HasSubstr("the trace has 1 host and no sizes"));
}

TEST(Rumen, ATaskIsItsSuccessfulAttempt) {
  ImportReport report;
  const Result<Imported> imported =
      import(job(task(attempt(9000, "FAILED") + "," + attempt(3000) + "," + attempt(2000)) + "," +
                 task(attempt(5000, "KILLED") + "," + attempt(7000, "FAILED") + "," +
                      attempt(6000, "FAILED")) +
                 "," + task("")),  // 899 s of its own
             {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_THAT(seconds_of(imported->scenario.jobs[0].phases[0]), ElementsAre(3, 7, 899));
  EXPECT_THAT(report.text(), HasSubstr("2 tasks without a successful attempt"));
}

TEST(Rumen, SplitsBecomeAUsageCurve) {
  ImportReport report;
  const Result<Imported> imported =
      import(job(task(attempt(4000, "SUCCESS", R"(, "clockSplits": [1000, 2000, 1000],
              "cpuUsages": [500, 2000, 100], "physMemKbytes": [100, 300, 200])"))),
             {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  const PhaseSpec& phase = imported->scenario.jobs[0].phases[0];
  EXPECT_THAT(phase.usage, ElementsAre(corner(0, 0.5, 100), corner(1, 1, 300), corner(3, 0.1, 200),
                                       corner(4, 0, 200)));
  EXPECT_EQ(phase.request.memory, EmuBytes(300 * 1024));  // the peak
  EXPECT_EQ(phase.sleep.mean, 0);
  EXPECT_EQ(report.repairs(), 0);
  EXPECT_THAT(report.text(), HasSubstr("1 task with measured usage"));
}

TEST(Rumen, SplitsAreStretchedToTheRunTime) {
  // 2 s of clock in 4 s: each split is twice as long and uses as many cores.
  EXPECT_THAT(curve_of(R"("clockSplits": [500, 1500], "cpuUsages": [250, 150])"),
              ElementsAre(corner(0, 0.5, 0), corner(1, 0.1, 0), corner(4, 0, 0)));
}

TEST(Rumen, CpuThatDoesNotFitInASplitMovesToOthers) {
  // 500 ms are too many for the second split. The third takes them.
  EXPECT_THAT(curve_of(R"("clockSplits": [1000, 1000, 2000], "cpuUsages": [0, 1500, 500])"),
              ElementsAre(corner(0, 0, 0), corner(1, 1, 0), corner(2, 0.5, 0), corner(4, 0, 0)));
  // After the last split, the nearest earlier ones take the rest.
  EXPECT_THAT(curve_of(R"("clockSplits": [1000, 2000, 1000], "cpuUsages": [0, 500, 2000])"),
              ElementsAre(corner(0, 0, 0), corner(1, 0.75, 0), corner(3, 1, 0), corner(4, 0, 0)));
  // A split without length has no corner.
  EXPECT_THAT(curve_of(R"("clockSplits": [0, 4000, 0], "cpuUsages": [1000, 500, 500])"),
              ElementsAre(corner(0, 0.5, 0), corner(4, 0, 0)));
  ImportReport report;
  EXPECT_THAT(curve_of(R"("clockSplits": [2000, 2000], "cpuUsages": [9000, 0])", &report),
              ElementsAre(corner(0, 1, 0), corner(2, 1, 0), corner(4, 0, 0)));
  EXPECT_THAT(report.text(), HasSubstr("1 task with more than 1 core on average"));
}

TEST(Rumen, UnusableSplits) {
  for (const char* splits :
       {R"("clockSplits": [1, 1], "cpuUsages": [-1, 1])", R"("clockSplits": [], "cpuUsages": [])",
        R"("clockSplits": null)", R"("cpuUsages": [1, 2])"}) {
    ImportReport report;
    EXPECT_THAT(curve_of(splits, &report), IsEmpty()) << splits;
    EXPECT_EQ(report.repairs(), 0) << splits;
  }
  for (const char* splits : {R"("clockSplits": [1], "cpuUsages": [1, 1])",
                             R"("clockSplits": [0, 0], "cpuUsages": [1, 1])"}) {
    ImportReport report;
    EXPECT_THAT(curve_of(splits, &report), IsEmpty()) << splits;
    EXPECT_EQ(report.count({"splits", ""}), 1) << splits;
  }
  ImportReport report;
  EXPECT_THAT(curve_of(R"("clockSplits": [4], "cpuUsages": [2], "physMemKbytes": [1, 2])", &report),
              ElementsAre(corner(0, 0.5, 0), corner(4, 0, 0)));
  EXPECT_EQ(report.count({"splits", ""}), 1);
  // A curve of 64 splits would have too many corners.
  std::string many = "1";
  for (int i = 1; i < 64; ++i) many += ",1";
  EXPECT_THAT(curve_of(R"("clockSplits": [)" + many + R"(], "cpuUsages": [)" + many + "]"),
              IsEmpty());
}

TEST(Rumen, Memory) {
  const std::string peak = attempt(1000, "SUCCESS", R"(, "physMemKbytes": [1024, 307200])");
  const auto memory_of = [](const std::string& text, ImportReport* report = nullptr) {
    const Result<Imported> imported = import(text, {}, report);
    return imported ? imported->scenario.jobs[0].phases[0].request.memory.count() / kMiB : -1;
  };
  // The container of the properties counts more than jobMapMB, which can be the heap.
  const std::string submit = R"("jobID": "a", "submitTime": 1300000000000)";
  EXPECT_EQ(memory_of(job(task(peak), "", submit + R"(, "jobMapMB": 400,
                          "jobProperties": {"mapreduce.map.memory.mb": "1024"})")),
            1024);
  EXPECT_EQ(memory_of(job(task(peak), "", submit + R"(, "jobMapMB": 400)")), 400);
  ImportReport report;
  EXPECT_EQ(memory_of(job(task(peak), "", submit + R"(, "jobMapMB": 200)"), &report), 300);
  EXPECT_EQ(report.count({"low_memory", ""}), 1);
  EXPECT_EQ(
      memory_of(job(task(attempt(
          1000, "SUCCESS", R"(, "resourceUsageMetrics": {"physicalMemoryUsage": 52428800})")))),
      50);
  // Without CPU figures, a task keeps its peak for the whole time.
  const Result<Imported> imported = import(job(task(peak)));
  ASSERT_TRUE(imported) << imported.error().text;
  ASSERT_EQ(imported->scenario.jobs[0].phases[0].memory.size(), 1U);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].memory[0].second.mean, 300.0 * kMiB);
}

TEST(Rumen, Repairs) {
  ImportReport report;
  const std::string good = task(attempt(1000));
  const Result<Imported> imported = import(
      job(good + "," + task(attempt(-1)) + ", 5, {}" + "," + task(attempt(0)) + "," +
          task(attempt(40'000'000'000))) +
          job(good, "", R"("jobID": "job_1", "submitTime": -1, "launchTime": 1299999999000)") +
          job(good, "", R"("jobID": "b", "submitTime": 1e300)") +
          job(good, "", R"("submitTime": 1300000000000, "priority": "URGENT")") +
          job("", "", R"("jobID": "c", "submitTime": 1300000000000)") + "{} {:}",
      {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  std::vector<std::string> names;
  for (const JobSpec& one : imported->scenario.jobs) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("job-job_1", "job-job_1-2", "job-row4"));
  EXPECT_EQ(imported->scenario.jobs[1].submit, emu_seconds(1));  // a second after the earliest
  // The second task has only its own time, which is 899 s.
  EXPECT_THAT(seconds_of(imported->scenario.jobs[1].phases[0]), ElementsAre(1, 899, 1e-6));
  EXPECT_EQ(report.rows, 7);
  EXPECT_EQ(report.found, 3);
  EXPECT_EQ(report.count(kEndsBefore), 1);
  EXPECT_EQ(report.count(kNeverRan), 2);
  EXPECT_EQ(report.count(kZeroTime), 1);
  EXPECT_EQ(report.count(kMissing), 1);
  EXPECT_EQ(report.count(kOutOfOrder), 1);
  EXPECT_EQ(report.count(kNoTask), 1);
  EXPECT_EQ(report.count(kUnreadable), 4);  // a task of 463 days, no time, {} and {:}
  EXPECT_EQ(report.count({"same_id", ""}), 1);
  EXPECT_EQ(report.count({"unknown_priority", ""}), 1);
  EXPECT_EQ(report.repairs(), 13);
}

TEST(Rumen, ReducesWithoutMaps) {
  const Result<Imported> imported = import(job("", task(attempt(1000))));
  ASSERT_TRUE(imported) << imported.error().text;
  ASSERT_EQ(imported->scenario.jobs[0].phases.size(), 1U);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].name, "reduce");
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].kind, PhaseKind::kMap);
}

TEST(Rumen, JobsAreChosen) {
  ImportOptions options;
  options.users = {"ann"};
  options.work = ImportOptions::Work::kCpu;
  options.nodes = 7;
  ImportReport report;
  const std::string time = R"(, "submitTime": 1300000000000)";
  const Result<Imported> imported =
      import(job(task(attempt(2000)), "", R"("jobID": "a", "user": "ann")" + time) +
                 job(task(attempt(2000)), "", R"("jobID": "b", "user": "bob")" + time),
             options, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  ASSERT_EQ(imported->scenario.jobs.size(), 1U);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].cpu.mean, 2e6);
  EXPECT_EQ(imported->scenario.cluster.nodes.size(), 7U);
  EXPECT_EQ(report.found, 2);
  EXPECT_EQ(report.chosen, 1);
}

TEST(Rumen, OtherFilesAreRefused) {
  const std::string expected =
      "jh.json:1: its first object is no job of Rumen; expected JSON objects with jobID and "
      "mapTasks";
  EXPECT_EQ(import(R"({"a": 1})").error().text, expected);
  EXPECT_EQ(import("{1}").error().text, expected);
  EXPECT_EQ(import(std::string(R"({"mapTasks":)") + std::string(100'000, '[') + "}").error().text,
            expected);
  EXPECT_THAT(import("").error().text, HasSubstr("has no job that can be used"));
}

TEST(Rumen, Recognition) {
  EXPECT_TRUE(is_rumen(job("")));
  EXPECT_TRUE(is_rumen(" \n{\n  \"priority\" : \"NORMAL\", \"jobID\" : \"j\", \"submitTime\" : 1"));
  EXPECT_FALSE(is_rumen(""));
  EXPECT_FALSE(is_rumen(R"({"am.type": "mapreduce", "job.id": "a", "job.tasks": []})"));
  EXPECT_FALSE(is_rumen(R"({"num.nodes": 3})"));
  EXPECT_FALSE(is_rumen(R"([{"jobid": "application_1", "status": "Pass"}])"));
  EXPECT_FALSE(is_rumen("job0\t1\t1\t5\t0\t0\n"));
}

}  // namespace heddle::trace::rumen_test
