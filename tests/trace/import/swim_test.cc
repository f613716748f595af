#include "trace/import/swim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle::trace::swim_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ImportFormat kFormat{"swim", "", "", &is_swim, &import_swim};
constexpr std::int64_t kMiB = 1 << 20;

Result<Imported> import(std::string text, const ImportOptions& options = {},
                        ImportReport* report = nullptr) {
  std::vector<Input> files;
  files.emplace_back("fb.tsv", std::move(text));
  ImportReport own;
  return import_trace(kFormat, files, options, report ? *report : own);
}

std::string mib(std::int64_t count) { return std::to_string(count * kMiB); }

std::vector<std::string> names_of(const Imported& imported) {
  std::vector<std::string> names;
  for (const JobSpec& job : imported.scenario.jobs) names.push_back(job.name);
  return names;
}

TEST(Swim, AJobHasMapsForItsInputAndReducesForTheRest) {
  // 300 MiB are 3 blocks of 128 MiB, so a map has 100 MiB. 40 MiB of shuffle are less than the
  // 256 MiB of output, which are 2 blocks. The rate is 64 MiB/s.
  ImportReport report;
  const Result<Imported> imported =
      import("job0\t49\t49\t" + mib(300) + "\t" + mib(40) + "\t" + mib(256) + "\n", {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  const Scenario& scenario = imported->scenario;
  ASSERT_EQ(scenario.jobs.size(), 1U);
  const JobSpec& job = scenario.jobs[0];
  EXPECT_EQ(job.name, "job-job0");
  EXPECT_EQ(job.submit, EmuTime(0));
  ASSERT_EQ(job.phases.size(), 2U);
  const PhaseSpec &maps = job.phases[0], &reduces = job.phases[1];
  EXPECT_EQ(maps.name, "map");
  EXPECT_EQ(maps.kind, PhaseKind::kMap);
  EXPECT_EQ(maps.tasks, 3);
  EXPECT_EQ(maps.sleep.mean, 1'562'500);
  EXPECT_EQ(maps.cpu.mean, 0);
  EXPECT_EQ(maps.request, (Resources{Millicores(1000), EmuBytes(1024 * kMiB)}));
  EXPECT_THAT(maps.after, IsEmpty());
  EXPECT_EQ(reduces.name, "reduce");
  EXPECT_EQ(reduces.kind, PhaseKind::kReduce);
  EXPECT_EQ(reduces.tasks, 2);
  EXPECT_EQ(reduces.sleep.mean, 2'000'000);
  EXPECT_THAT(reduces.after, ElementsAre(0));
  EXPECT_EQ(reduces.input.mean + reduces.shuffle.mean + reduces.output.mean, 0);
  ASSERT_EQ(scenario.cluster.nodes.size(), 100U);
  EXPECT_EQ(scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(8000), EmuBytes(8192 * kMiB)}));
  EXPECT_EQ(report.rows, 1);
  EXPECT_EQ(report.tasks, 5);
  EXPECT_EQ(report.repairs(), 0);
  EXPECT_THAT(report.text(), HasSubstr("cluster: 100 nodes of 8 cores and 8GiB; the trace does "
                                       "not say it (--nodes, --cores, --memory)"));
}

TEST(Swim, AJobWithoutShuffleAndOutputHasOnlyMaps) {
  const Result<Imported> imported = import("job0\t0\t0\t1\t0\t0\n");
  ASSERT_TRUE(imported) << imported.error().text;
  ASSERT_EQ(imported->scenario.jobs[0].phases.size(), 1U);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].tasks, 1);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].sleep.mean, 1);  // 1 B at 64 MiB/s: the shortest
}

TEST(Swim, AJobWithoutInputHasOneMap) {
  ImportReport report;
  const Result<Imported> imported = import("job0\t0\t0\t0\t0\t" + mib(64) + "\n", {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  const JobSpec& job = imported->scenario.jobs[0];
  ASSERT_EQ(job.phases.size(), 2U);
  EXPECT_EQ(job.phases[0].sleep.mean, 1);
  EXPECT_EQ(job.phases[1].sleep.mean, 1'000'000);
  EXPECT_EQ(report.count(kZeroTime), 1);
}

TEST(Swim, TheOptions) {
  ImportOptions options;
  options.block = EmuBytes(10 * kMiB);
  options.rate = 5.0 * kMiB;
  options.work = ImportOptions::Work::kCpu;
  options.memory_per_core = EmuBytes(512 * kMiB);
  options.nodes = 3;
  options.cores = Millicores(2000);
  const Result<Imported> imported = import("job0\t0\t0\t" + mib(25) + "\t0\t0\n", options);
  ASSERT_TRUE(imported) << imported.error().text;
  const PhaseSpec& maps = imported->scenario.jobs[0].phases[0];
  EXPECT_EQ(maps.tasks, 3);
  EXPECT_EQ(maps.cpu.mean, 1'666'667);  // 25 / 3 MiB at 5 MiB/s
  EXPECT_EQ(maps.sleep.mean, 0);
  EXPECT_EQ(maps.request.memory, EmuBytes(512 * kMiB));
  ASSERT_EQ(imported->scenario.cluster.nodes.size(), 3U);
  EXPECT_EQ(imported->scenario.cluster.nodes[2].capacity,
            (Resources{Millicores(2000), EmuBytes(1024 * kMiB)}));
}

TEST(Swim, PathsFollowTheNumbers) {
  ImportReport report;
  const Result<Imported> imported = import(
      "job0\t1\t1\t5\t0\t5\tin1\n"
      "job1\t2\t1\t5\t0\t5\tin2\tout2\n"
      "job2\t90000\t1\t5\t0\t5\tin3\t\t\r\n"
      "\n"
      "job3\t90001\t1\t5\t0\t5\tin3\t\t\tx",
      {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_THAT(names_of(*imported), ElementsAre("job-job0", "job-job1", "job-job2", "job-job3"));
  EXPECT_EQ(imported->scenario.jobs[2].submit, emu_seconds(89'999));
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(report.count(kFieldsMore), 1);
  EXPECT_EQ(report.repairs(), 1);
}

TEST(Swim, Repairs) {
  ImportReport report;
  const Result<Imported> imported = import(
      "job0\t10\t10\t5\t0\t0\n"
      "job1\t10\t0\t0\t0\t0\n"   // no work
      "job2\t10\t0\t5\t0\t0\n"   // at the same time
      "job3\t5\t-5\t5\t0\t0\n"   // earlier
      "job4\t11\t1\t5\n"         // too short
      "job5\tnan\t1\t5\t0\t0\n"  // no time
      "job6\t12\t1\t5\tx\t0\n"   // no number
      "job7\t12\t0\t-1\t0\t5\n"  // unknown input
      "job8\t13\t0\t1e30\t0\t5\n"
      "job9\t13\t0\t1e17\t0\t5\n"  // 745058060 blocks
      "job0\t14\t1\t5\t0\t0\n"
      "job10\t1e300\t1\t5\t0\t0\n",
      {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_THAT(names_of(*imported), ElementsAre("job-job3", "job-job0", "job-job2", "job-job6",
                                               "job-job7", "job-job0-2"));
  EXPECT_EQ(report.rows, 12);
  EXPECT_EQ(report.found, 6);
  EXPECT_EQ(report.count(kNoTask), 1);
  EXPECT_EQ(report.count(kOutOfOrder), 1);
  EXPECT_EQ(report.count(kUnreadable), 4);
  EXPECT_EQ(report.count(kNoNumber), 1);
  EXPECT_EQ(report.count(kMissing), 1);
  EXPECT_EQ(report.count(kZeroTime), 1);  // the map of job7
  EXPECT_EQ(report.count({"too_many_tasks", ""}), 1);
  EXPECT_EQ(report.count({"same_id", ""}), 1);
  EXPECT_EQ(report.repairs(), 11);
  EXPECT_THAT(report.text(), HasSubstr("2 jobs submitted at the same time as the job above"));
}

TEST(Swim, BlankOrMinus1IsMissing) {
  ImportReport report;
  const Result<Imported> imported =
      import("job0\t10\t10\t5\t0\t0\njob2\t10\t10\t5\t\t0\njob1\t-1\t0\t5\t0\t0\n", {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(report.count(kMissing), 1) << "the shuffle of job2";
  EXPECT_EQ(report.count(kNoSubmission), 1);
  EXPECT_EQ(report.repairs(), 2);
  EXPECT_EQ(imported->scenario.jobs[2].submit, EmuTime(0)) << "10 s, shifted";
}

TEST(Swim, WithoutASubmissionAboveAJobIsLeftOut) {
  ImportReport report;
  const Result<Imported> imported =
      import("job0\t-1\t10\t5\t0\t0\njob1\t7\t0\t5\t0\t0\n", {}, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(report.count(kNoFirstSubmission), 1);
  EXPECT_EQ(imported->scenario.jobs.size(), 1U);
}

// Counts are those of all rows, not only of the jobs that are chosen.
TEST(Swim, RepairsOfJobsThatAreNotChosenCount) {
  ImportOptions options;
  options.jobs = 1;
  ImportReport report;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "job" + std::to_string(i) + "\t1\t1\t0\t0\t5\n";
  const Result<Imported> imported = import(text, options, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(report.count(kZeroTime), 3000);
}

TEST(Swim, JobsAreChosenByTheTimeOfTheTrace) {
  ImportOptions options;
  options.from = emu_seconds(2);
  options.jobs = 1;
  ImportReport report;
  const Result<Imported> imported =
      import("job0\t1\t1\t5\t0\t0\njob1\t2\t1\t5\t0\t0\njob2\t3\t1\t5\t0\t0\n", options, &report);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_THAT(names_of(*imported), ElementsAre("job-job1"));
  EXPECT_EQ(report.found, 3);
  EXPECT_EQ(report.chosen, 2);
}

TEST(Swim, OtherFilesAreRefused) {
  const std::string expected =
      "; expected a job id, a time of submission, a gap and three numbers of bytes, with tabs "
      "between them";
  EXPECT_EQ(import("").error().text, "fb.tsv: its first row is not of SWIM" + expected);
  EXPECT_EQ(import("job0,1,1,5,0,0\n").error().text,
            "fb.tsv: its first row is not of SWIM" + expected);
  EXPECT_EQ(import("job0\t1\t1\t0\t0\t0\n").error().text, "fb.tsv:1: has no job that can be used");
  ImportOptions slow;
  slow.rate = 1;
  EXPECT_EQ(import("job0\t1\t1\t" + mib(128) + "\t0\t0\n", slow).error().text,
            "fb.tsv:1: a task of 128MiB takes more than 10000h at 1B/s; expected a higher --rate");
}

TEST(Swim, Recognition) {
  EXPECT_TRUE(is_swim("job0\t49\t49\t740773\t2339561\t627471\n"));
  EXPECT_TRUE(is_swim("job0\t49\t49\t740773\t2339561\t627471\tin\t\t\njob1\t5"));  // cut off
  EXPECT_FALSE(is_swim(""));
  EXPECT_FALSE(is_swim("job0\t49\t49\t740773\t2339561\n"));
  EXPECT_FALSE(is_swim("job0\t49\t49\t740773\t2339561\tx\n"));
  EXPECT_FALSE(is_swim("job0\t1\t1\t5\t0\t0\njob1\t1\t1\t5\n"));
  EXPECT_FALSE(is_swim("1\t0\t5\t10\t1\t-1\t-1\t1\t10\n"));  // numbers only
  EXPECT_FALSE(is_swim("ResNet\tpython a.py\t.\t--steps\t0\t10\t1\t1\t-1\t0\n"));
  EXPECT_FALSE(is_swim("M1,1,j_2,1,Terminated,87076,87083,50,0.2\n"));
  EXPECT_FALSE(is_swim("{\"am.type\": \"mapreduce\"}"));
}

}  // namespace heddle::trace::swim_test
