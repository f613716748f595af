#include "trace/import/sls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle::trace::sls_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ImportFormat kFormat{"sls", "", "", &is_sls, &import_sls};
constexpr std::int64_t kMiB = 1 << 20;

Result<Imported> import(std::string text, const ImportOptions& options = {},
                        ImportReport* report = nullptr) {
  std::vector<Input> files;
  files.emplace_back("jobs.json", std::move(text));
  ImportReport own;
  return import_trace(kFormat, files, options, report ? *report : own);
}

/// Returns a job with these tasks, and with fields before them.
std::string job(const std::string& tasks, const std::string& fields = R"("job.start.ms": 0)") {
  return "{" + fields + R"(, "job.tasks": [)" + tasks + "]}\n";
}

constexpr const char* kTask = R"({"container.duration.ms": 1000})";

std::vector<double> seconds_of(const PhaseSpec& phase) {
  std::vector<double> seconds;
  for (int i = 0; i < phase.tasks; ++i) seconds.push_back(phase.task(i).sleep.mean / 1e6);
  return seconds;
}

TEST(Sls, JobsOfMapsAndReduces) {
  ImportReport report;
  const Result<Imported> imported = import(
      R"({"num.nodes": 3, "num.racks": 1}
{
  "am.type": "mapreduce", "job.start.ms": 0, "job.end.ms": 95375, "job.queue.name": "prod.a",
  "job.id": "job_1", "job.user": "ann",
  "job.tasks": [
    {"container.host": "/rack/node1", "container.start.ms": 6664, "container.end.ms": 23707,
     "container.priority": 20, "container.type": "map"},
    {"container.host": "/rack/node3", "container.start.ms": 6665, "container.end.ms": 21593,
     "container.priority": 20, "container.type": "map"},
    {"container.start.ms": 70000, "container.end.ms": 80000, "container.priority": 10,
     "container.type": "reduce", "container.memory-mb": 2048, "container.vcores": 2}
  ]
}
{"yarn.sls.am.type": "dag", "job.start.ms": 105204, "job.priority": 3,
 "job.tasks": [{"count": 4, "duration.ms": 2500, "container.request.delay": 100,
                "container.execution.type": "OPPORTUNISTIC"}]}
)",
      {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  const Scenario& scenario = imported->scenario;
  ASSERT_EQ(scenario.cluster.nodes.size(), 3U);
  EXPECT_EQ(scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(10'000), EmuBytes(10'240 * kMiB)}));
  ASSERT_EQ(scenario.jobs.size(), 2U);
  const JobSpec &first = scenario.jobs[0], &second = scenario.jobs[1];
  EXPECT_EQ(first.name, "job-job_1");
  EXPECT_EQ(first.queue, "prod.a");
  EXPECT_EQ(first.user, "ann");
  ASSERT_EQ(first.phases.size(), 2U);
  EXPECT_EQ(first.phases[0].name, "map");
  EXPECT_EQ(first.phases[0].kind, PhaseKind::kMap);
  EXPECT_EQ(first.phases[0].request, (Resources{Millicores(1000), EmuBytes(1024 * kMiB)}));
  EXPECT_THAT(seconds_of(first.phases[0]), ElementsAre(17.043, 14.928));
  EXPECT_EQ(first.phases[1].name, "reduce");
  EXPECT_EQ(first.phases[1].kind, PhaseKind::kReduce);
  EXPECT_EQ(first.phases[1].request, (Resources{Millicores(2000), EmuBytes(2048 * kMiB)}));
  EXPECT_THAT(first.phases[1].after, ElementsAre(0));
  EXPECT_THAT(seconds_of(first.phases[1]), ElementsAre(10));
  EXPECT_EQ(second.name, "job-3");  // of the third object
  EXPECT_EQ(second.user, "default");
  EXPECT_EQ(second.queue, "default");
  EXPECT_EQ(second.priority, 3);
  EXPECT_EQ(second.submit, emu_seconds(105.204));
  EXPECT_EQ(second.phases[0].tasks, 4);
  EXPECT_THAT(second.phases[0].each, IsEmpty());
  EXPECT_EQ(second.phases[0].sleep.mean, 2'500'000);
  EXPECT_EQ(report.rows, 3);
  EXPECT_EQ(report.found, 2);
  EXPECT_EQ(report.repairs(), 0);
  EXPECT_THAT(report.text(), HasSubstr("2 tasks with a preferred host (container.host): ignored"));
  EXPECT_THAT(report.text(), HasSubstr("4 tasks with a container.request.delay"));
  EXPECT_THAT(report.text(), HasSubstr("4 opportunistic tasks"));
  EXPECT_THAT(report.text(), HasSubstr("application masters are left out"));
  EXPECT_THAT(report.text(), HasSubstr("3 nodes of 10 cores and 10GiB; their number is num.nodes"));
}

TEST(Sls, TasksOfOneSizeAndPriorityAreAPhase) {
  const Result<Imported> imported = import(job(
      R"({"duration.ms": 1000, "container.priority": 5, "container.type": "reduce"},
         {"duration.ms": 1000, "container.priority": 20},
         {"duration.ms": 2000, "container.priority": 19},
         {"duration.ms": 3000, "container.priority": 20},
         {"duration.ms": 4000, "container.priority": 20, "container.vcores": 2},
         {"duration.ms": 5000, "container.type": "other", "count": 2})"));
  ASSERT_TRUE(imported) << imported.error().text;
  const std::vector<PhaseSpec>& phases = imported->scenario.jobs[0].phases;
  ASSERT_EQ(phases.size(), 4U);
  EXPECT_EQ(phases[0].name, "map");
  EXPECT_THAT(seconds_of(phases[0]), ElementsAre(1, 3, 5, 5));  // 20 is the default
  EXPECT_EQ(phases[1].name, "map-2");
  EXPECT_THAT(seconds_of(phases[1]), ElementsAre(2));
  EXPECT_EQ(phases[2].name, "map-3");
  EXPECT_EQ(phases[2].request.cores, Millicores(2000));
  EXPECT_EQ(phases[3].name, "reduce");
  EXPECT_THAT(phases[3].after, ElementsAre(0, 1, 2));
}

TEST(Sls, ReducesWithoutMapsCountAsMaps) {
  ImportReport report;
  const Result<Imported> imported =
      import(job(R"({"duration.ms": 1000, "container.type": "reduce"})"), {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].kind, PhaseKind::kMap);
  EXPECT_THAT(imported->scenario.jobs[0].phases[0].after, IsEmpty());
  EXPECT_EQ(report.count({"reduce_only", ""}), 1);
}

TEST(Sls, JobCountMakesCopies) {
  ImportReport report;
  const Result<Imported> imported =
      import(job(R"({"duration.ms": 1000}, {"duration.ms": 2000})",
                 R"("job.start.ms": 5, "job.count": 3, "job.id": "a")"),
             {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  ASSERT_EQ(imported->scenario.jobs.size(), 3U);
  EXPECT_EQ(imported->scenario.jobs[0].name, "job-a-1");
  EXPECT_EQ(imported->scenario.jobs[2].name, "job-a-3");
  EXPECT_EQ(imported->scenario.jobs[2].submit, EmuTime(0));
  EXPECT_THAT(seconds_of(imported->scenario.jobs[2].phases[0]), ElementsAre(1, 2));
  EXPECT_EQ(report.rows, 1);
  EXPECT_EQ(report.tasks, 6);
  ImportOptions options;
  options.jobs = 2;
  ImportReport first;
  const Result<Imported> two = import(
      job(kTask, R"("job.start.ms": 5, "job.count": 1000000, "job.id": "a")"), options, &first);
  ASSERT_TRUE(two) << two.error().text;
  EXPECT_EQ(two->scenario.jobs.size(), 2U);
  EXPECT_EQ(first.chosen, 1'000'000);
}

TEST(Sls, NumbersCanBeText) {
  ImportReport report;
  const Result<Imported> imported = import(
      job(R"({"container.start.ms": "0", "container.end.ms": "1500", "container.priority": "20"})",
          R"("am.type": "mapreduce", "job.start.ms": "0", "job.id": 7)"),
      {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs[0].name, "job-7");
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].sleep.mean, 1'500'000);
  EXPECT_EQ(report.repairs(), 0);
}

TEST(Sls, Repairs) {
  ImportReport report;
  const Result<Imported> imported = import(
      job(R"({"duration.ms": 1000}, 5, {"duration.ms": 1000, "count": 0})") +  // 2 unreadable
          job(kTask, R"("am.type": "mapreduce")") +                            // no start
          job(R"({"container.start.ms": 9, "container.end.ms": 8}, {"container.start.ms": 9},
                 {"duration.ms": 1e300}, {"duration.ms": 0})",
              R"("job.start.ms": 9, "job.id": 1)") +
          job("", R"("job.start.ms": 9)") +                        // no task
          job(kTask, R"("job.start.ms": 9, "job.count": 0)") +     // no job
          job(kTask, R"("job.start.ms": 1e40)") +                  // no time
          job(kTask, R"("job.start.ms": 9, "job.count": 1e30)") +  // too many
          R"({"a": 1} {"job.start.ms":: 1} {"num.nodes": 0} )" +   // 3 unreadable
          job(R"({"duration.ms": 1, "count": 600000}, {"duration.ms": 2, "count": 600000})") +
          job(R"({"duration.ms": 1000, "container.vcores": -1, "container.memory-mb": "x"})",
              R"("job.start.ms": 8, "job.id": "1", "job.count": 1.2)"),
      {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs.size(), 4U);
  EXPECT_EQ(report.rows, 12);
  EXPECT_EQ(report.count(kUnreadable), 8);  // also the task of 1e300 ms
  EXPECT_EQ(report.count(kMissing), 2);     // no start, -1 cores
  EXPECT_EQ(report.count(kEndsBefore), 1);
  EXPECT_EQ(report.count(kNeverRan), 1);
  EXPECT_EQ(report.count(kZeroTime), 1);
  EXPECT_EQ(report.count(kNoTask), 2);
  EXPECT_EQ(report.count(kNoNumber), 1);
  EXPECT_EQ(report.count(kFraction), 1);
  EXPECT_EQ(report.count(kOutOfOrder), 1);
  EXPECT_EQ(report.count({"same_id", ""}), 1);
  EXPECT_EQ(report.count({"too_many_tasks", ""}), 1);
  EXPECT_EQ(report.repairs(), 20);
}

TEST(Sls, AJobOfTooManyKindsOfTasksIsLeftOut) {
  std::string tasks = kTask;
  for (int i = 0; i < 1000; ++i)
    tasks += R"(, {"duration.ms": 1, "container.priority": )" + std::to_string(i + 100) + "}";
  ImportReport report;
  EXPECT_FALSE(import(job(tasks), {}, &report));
  EXPECT_EQ(report.count({"too_many_phases", ""}), 1);
}

TEST(Sls, CopiesAreLimited) {
  const std::string many = R"({"duration.ms": 1, "count": 300000}, {"duration.ms": 2})";
  const Result<Imported> imported = import(job(many) + job(many) + job(many) + job(many));
  ASSERT_FALSE(imported);
  EXPECT_THAT(imported.error().text,
              HasSubstr("jobs.json:4: count and job.count make more than 1000000 copies"));
  ImportOptions options;
  options.from = emu_seconds(1);
  std::string clones;
  for (int i = 0; i < 11; ++i) clones += job(kTask, R"("job.start.ms": 0, "job.count": 1000000)");
  EXPECT_THAT(import(clones, options).error().text,
              HasSubstr("jobs.json:11: job.count makes more than 10000000 jobs"));
}

TEST(Sls, TimesSince1970) {
  ImportOptions options;
  options.until = emu_seconds(1);
  ImportReport report;
  const Result<Imported> imported = import(job(kTask, R"("job.start.ms": 1371222054499)") +
                                               job(kTask, R"("job.start.ms": 1371222055499)"),
                                           options, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs.size(), 1U);
  EXPECT_THAT(report.text(), HasSubstr("0 is the submission of the first job in the trace, "
                                       "1371222054499 ms after 1970"));
}

TEST(Sls, JobsAreChosen) {
  ImportOptions options;
  options.users = {"ann"};
  options.queues = {"q"};
  options.work = ImportOptions::Work::kCpu;
  ImportReport report;
  const Result<Imported> imported = import(
      job(kTask, R"("job.start.ms": 0, "job.user": "ann", "job.queue.name": "q", "job.count": 2)") +
          job(kTask, R"("job.start.ms": 1, "job.user": "ann")") +
          job(kTask, R"("job.start.ms": 1, "job.user": "bob", "job.queue.name": "q")"),
      options, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs.size(), 2U);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].cpu.mean, 1e6);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].sleep.mean, 0);
  EXPECT_EQ(report.found, 4);
  EXPECT_EQ(report.chosen, 2);
}

TEST(Sls, Nodes) {
  const std::string hosts = job(R"({"duration.ms": 1000, "container.host": "/r/a"},
             {"duration.ms": 1000, "container.host": "/r/b"},
             {"duration.ms": 1000, "container.host": "/r/a"})");
  EXPECT_EQ(import(hosts)->scenario.cluster.nodes.size(), 2U);
  EXPECT_EQ(import(job(kTask))->scenario.cluster.nodes.size(), 10U);
  ImportOptions options;
  options.nodes = 4;
  options.memory = EmuBytes(4096 * kMiB);
  EXPECT_EQ(import(hosts, options)->scenario.cluster.nodes.size(), 4U);
  EXPECT_EQ(import(hosts, options)->scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(10'000), EmuBytes(4096 * kMiB)}));
  EXPECT_EQ(import(R"({"num.nodes": 20001})").error().text,
            "jobs.json:1: num.nodes: expected 1 to 20000, here or as --nodes");
}

TEST(Sls, AFileOfNodesGivesTheirSizes) {
  std::vector<Input> files;
  files.emplace_back("jobs.json", job(kTask));
  files.emplace_back("nodes.json",
                     R"({"rack": "r1", "nodes": [{"node": "a", "memory-mb": 2048, "vcores": 6},
                                                 {"node": "b"}]}
                        {"rack": "r2", "nodes": [{"node": "c", "vcores": 1}]})");
  ImportReport report;
  const Result<Imported> imported = import_trace(kFormat, files, {}, report);
  ASSERT_TRUE(imported) << imported.error().text;
  std::vector<Resources> sizes;
  for (const NodeSpec& node : imported->scenario.cluster.nodes) sizes.push_back(node.capacity);
  EXPECT_THAT(sizes, ElementsAre(Resources{Millicores(6000), EmuBytes(2048 * kMiB)},
                                 Resources{Millicores(10'000), EmuBytes(10'240 * kMiB)},
                                 Resources{Millicores(1000), EmuBytes(10'240 * kMiB)}));
}

TEST(Sls, OtherFilesAreRefused) {
  const std::string expected =
      "jobs.json:1: its first object is neither a job nor the cluster of SLS; expected JSON "
      "objects with job.tasks or num.nodes";
  EXPECT_EQ(import(R"({"a": 1})").error().text, expected);
  EXPECT_EQ(import("{1}").error().text, expected);
  EXPECT_EQ(import(R"({"num.nodes": 3})").error().text, "jobs.json:1: has no job that can be used");
  EXPECT_THAT(import("job0\t1").error().text, HasSubstr("expected a JSON object, got \"j\""));
  EXPECT_THAT(import("").error().text, HasSubstr("has no job that can be used"));
}

TEST(Sls, Recognition) {
  EXPECT_TRUE(is_sls(job(kTask)));
  EXPECT_TRUE(is_sls("\n[ {\"num.nodes\": 3}"));
  EXPECT_TRUE(is_sls(R"({"yarn.sls.am.type": "dag", "job.st)"));
  EXPECT_FALSE(is_sls(""));
  EXPECT_FALSE(is_sls(R"({"jobID": "job_1", "mapTasks": []})"));
  EXPECT_FALSE(is_sls(R"({"nb_res": 4, "jobs": [], "profiles": {}})"));
  EXPECT_FALSE(is_sls(R"(x {"am.type": 1})"));
  EXPECT_FALSE(is_sls("job0\t1\t1\t5\t0\t0\n"));
}

}  // namespace heddle::trace::sls_test
