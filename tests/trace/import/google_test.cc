#include "trace/import/google.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/yaml/writer.h"
#include "tests/trace/import/imported.h"
#include "workloads/scenario_file.h"

namespace heddle::trace::google_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ImportFormat kFormat{"google-2011", "", "", &is_google_2011, &import_google_2011};

/// The result of an import, and its report.
struct Read {
  Result<Imported> imported;
  ImportReport report;
  const std::vector<JobSpec>& jobs() const { return imported->scenario.jobs; }
};

Read read(const std::vector<std::string>& texts, const ImportOptions& options = {}) {
  std::vector<Input> files;
  for (const std::string& text : texts)
    files.emplace_back("f" + std::to_string(files.size()) + ".csv", text);
  ImportReport report;
  Result<Imported> imported = import_trace(kFormat, files, options, report);
  return {std::move(imported), std::move(report)};
}
std::string error_of(const Read& read) {
  return read.imported ? "none" : read.imported.error().text;
}

/// A row of task_events. `seconds`: in the time of the trace.
std::string event(int seconds, int job, int task, int type,
                  const std::string& request = "0.125,0.25") {
  return std::to_string(seconds) + "000000,," + std::to_string(job) + "," + std::to_string(task) +
         ",," + std::to_string(type) + ",u/1=,2,9," + request + ",0.001,0\n";
}
/// The rows of a task that is submitted and finishes.
std::string life(int job, int task, int submitted, int scheduled, int finished) {
  return event(submitted, job, task, 0) + event(scheduled, job, task, 1) +
         event(finished, job, task, 4);
}

TEST(Google, TasksWithEqualRequestsBecomeAPhase) {
  const Read got = read({"#time,missing info,…\n" + life(7, 0, 600, 610, 640) +
                         life(7, 1, 640, 641, 642) + event(642, 7, 2, 0, "0.5,0.25") +
                         event(643, 7, 2, 1, "0.5,0.25") + event(644, 7, 2, 4, "0.5,0.25")});
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 9);
  EXPECT_EQ(got.report.repairs(), 0);
  const Scenario& scenario = got.imported->scenario;
  ASSERT_EQ(scenario.cluster.nodes.size(), 100U);
  EXPECT_EQ(scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(64'000), EmuBytes(256LL << 30)}));
  ASSERT_EQ(got.jobs().size(), 1U);
  const JobSpec& job = got.jobs()[0];
  EXPECT_EQ(job.name, "job-7");
  EXPECT_EQ(job.user, "u_1_");
  EXPECT_EQ(job.queue, "queue-2");
  EXPECT_EQ(job.priority, 9);
  EXPECT_THAT(got.report.text(), HasSubstr("at 600 s"));
  ASSERT_EQ(job.phases.size(), 2U);
  EXPECT_EQ(job.phases[0].name, "p1");
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(8000), EmuBytes(64LL << 30)}));
  EXPECT_EQ(job.phases[0].tasks, 2);
  ASSERT_EQ(job.phases[0].each.size(), 2U);
  EXPECT_EQ(job.phases[0].each[0].sleep.mean, 30e6);
  EXPECT_EQ(job.phases[0].each[1].sleep.mean, 1e6);
  EXPECT_EQ(job.phases[1].request.cores, Millicores(32'000));
  EXPECT_EQ(job.phases[1].tasks, 1);
  EXPECT_THAT(job.phases[1].each, IsEmpty());
}

TEST(Google, TheLastFinishedAttemptCountsOrElseTheLongest) {
  const Read got = read({// evicted after 50 s, finishes after 10 s
                         event(600, 1, 0, 0) + event(600, 1, 0, 1) + event(650, 1, 0, 2) +
                         event(660, 1, 0, 1) + event(670, 1, 0, 4) +
                         // fails after 20 s and is killed after 5 s
                         event(700, 2, 0, 0) + event(700, 2, 0, 1) + event(720, 2, 0, 3) +
                         event(730, 2, 0, 1) + event(735, 2, 0, 5) +
                         // lost after 3 s
                         event(800, 3, 0, 0) + event(800, 3, 0, 1) + event(803, 3, 0, 6)});
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.repairs(), 0);
  ASSERT_EQ(got.jobs().size(), 3U);
  EXPECT_EQ(got.jobs()[0].phases[0].sleep.mean, 10e6);
  EXPECT_EQ(got.jobs()[1].phases[0].sleep.mean, 20e6);
  EXPECT_EQ(got.jobs()[2].phases[0].sleep.mean, 3e6);
  EXPECT_THAT(got.report.text(), HasSubstr("2 tasks without an end"));
}

TEST(Google, TasksWithoutALengthAreLeftOut) {
  const Read got =
      read({event(0, 1, 0, 0) + event(0, 1, 0, 1) + event(700, 1, 0, 4) +  // began before the trace
            event(600, 2, 0, 0) + event(610, 2, 0, 1) +                    // runs at the end
            event(600, 3, 0, 0) + event(610, 3, 0, 5) +                    // killed while it waits
            life(4, 0, 600, 600, 601) + event(600, 4, 1, 0)});             // waits at the end
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.json()["repairs"]["running_at_an_end"]["count"], 2);
  EXPECT_EQ(got.report.count(kNeverRan), 2);
  EXPECT_EQ(got.report.found, 1);
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].phases[0].tasks, 1);
}

TEST(Google, UpdatesChangeRequests) {
  const Read got =
      read({event(600, 1, 0, 0, ",") + event(601, 1, 0, 1, ",") + event(602, 1, 0, 8, "0.5,0.5") +
            event(610, 1, 0, 4, ",") + event(620, 2, 0, 0, "0,") + event(620, 2, 0, 1, "0,") +
            event(630, 2, 0, 4, "0,")});
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs()[0].phases[0].request,
            (Resources{Millicores(32'000), EmuBytes(128LL << 30)}));
  EXPECT_EQ(got.jobs()[1].phases[0].request, (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
  EXPECT_EQ(got.report.count(kMissing), 1);
}

TEST(Google, FaultsAreRepaired) {
  const Read got = read(
      {life(1, 0, 600, 600, 600) +                                        // takes no time
       event(590, 1, 1, 0) + event(600, 1, 1, 1) + event(650, 1, 1, 1) +  // out of order, twice
       event(640, 1, 1, 4) +                                              // before its start
       event(660, 2, 0, 1) + event(661, 2, 0, 4) + event(662, 2, 0, 4) +  // no SUBMIT
       "663000000,2,3,0,,0,u,2,x,0.5,0.5,0,0\n" + life(3, 0, 663, 663, 664) +  // no priority
       "9223372036854775807,,1,0,,4,u,2,9,0.5,0.5,0,0\n" + "-5,,1,0,,4,u,2,9,0.5,0.5,0,0\n" +
       "1e30,,1,0,,4,u,2,9,0.5,0.5,0,0\n" + "600,,nan,0,,4,u,2,9,0.5,0.5,0,0\n" +
       "600,,1,-1,,4,u,2,9,0.5,0.5,0,0\n" + "600,,1,0,,9,u,2,9,0.5,0.5,0,0\n" + "600\n" +
       "664000000,,3,0,,7,u,2,9,0.125,0.25,0,0,more\n"});
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.count(kZeroTime), 1);
  EXPECT_EQ(got.report.count(kOutOfOrder), 2) << "590 behind 600, 640 behind 650";
  EXPECT_EQ(got.report.json()["repairs"]["scheduled_twice"]["count"], 1);
  EXPECT_EQ(got.report.count(kEndsBefore), 1);
  EXPECT_EQ(got.report.json()["repairs"]["no_submit"]["count"], 1);
  EXPECT_EQ(got.report.json()["repairs"]["no_schedule"]["count"], 1);
  EXPECT_EQ(got.report.json()["repairs"]["missing_info"]["count"], 1);
  EXPECT_EQ(got.report.json()["repairs"]["after_the_end"]["count"], 1);
  EXPECT_EQ(got.report.count(kMissing), 1);
  EXPECT_EQ(got.report.count(kUnreadable), 6);
  EXPECT_EQ(got.report.count(kFieldsMissing), 1);
  EXPECT_EQ(got.report.count(kFieldsMore), 1);
  EXPECT_EQ(got.report.count(kNeverRan), 1) << "task 1 of job 1";
  ASSERT_EQ(got.jobs().size(), 3U);
  EXPECT_EQ(got.jobs()[0].name, "job-1");
  EXPECT_EQ(got.jobs()[1].submit, emu_seconds(70)) << "660 s, and the first is at 590 s";
  EXPECT_EQ(got.jobs()[2].priority, 0);
}

TEST(Google, MachinesBecomeTheCluster) {
  const std::string machines =
      "0,5,0,platform,0.5,0.25\n0,6,0,platform,1,1\n700,5,1,platform,0.5,0.25\n"
      "800,5,0,platform,0.5,0.125\n900,7,0,platform,,\n901,8,3,platform,1,1\n";
  ImportOptions options;
  options.cores = Millicores(16'000);
  const Read got = read({life(1, 0, 600, 600, 610), machines}, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  const std::vector<NodeSpec>& nodes = got.imported->scenario.cluster.nodes;
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].allowance, (Resources{Millicores(8000), EmuBytes(32LL << 30)}));
  EXPECT_EQ(nodes[1].allowance, (Resources{Millicores(16'000), EmuBytes(256LL << 30)}));
  EXPECT_EQ(nodes[2].allowance, nodes[1].allowance);
  EXPECT_EQ(got.report.count(kMissing), 1);
  EXPECT_EQ(got.report.count(kUnreadable), 1);
  EXPECT_EQ(got.jobs()[0].phases[0].request.cores, Millicores(2000));
}

TEST(Google, UsageIsTheMeanOfTheCpuRateAndTheMaximumOfTheMemory) {
  // 0.05 for 10 s and 0.1 for 30 s are 0.0875, which is 5.6 cores of 64.
  const std::string usage =
      "600000000,610000000,1,0,5,0.05,0.0625,0.1,0,0,0.125,0,0,0,0,0,0,1,0,0.1\n"
      "610000000,640000000,1,0,5,0.1,0.0625,0.1,0,0,,0,0,0,0,0,0,1,0\n"
      "610000000,640000000,1,1,5,1,0.0625,0.1,0,0,0.5,0,0,0,0,0,0,1,0\n"
      "610000000,640000000,9,1,5,1,0.0625,0.1,0,0,0.5,0,0,0,0,0,0,1,0\n"
      "610000000,600000000,1,1,5,1,0.0625,0.1,0,0,0.5,0,0,0,0,0,0,1,0\n"
      "610000000,640000000,1,0,5,,0.0625,0.1,0,0,,0,0,0,0,0,0,1,0,\n";
  const Read got = read({life(1, 0, 600, 600, 640) + life(1, 1, 610, 610, 640), usage});
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.count(kMissing), 1);
  EXPECT_EQ(got.report.count(kUnreadable), 1);
  const PhaseSpec& phase = got.jobs()[0].phases[0];
  ASSERT_EQ(phase.each.size(), 2U);
  const EmuBytes memory(32LL << 30);
  EXPECT_THAT(phase.each[0].usage,
              ElementsAre(UsageCorner{EmuTime(0), Millicores(5600), memory},
                          UsageCorner{emu_seconds(40), Millicores(0), memory}));
  // The use is cut to the request: 8 cores and 64 GiB.
  EXPECT_EQ(phase.each[1].usage[0],
            (UsageCorner{EmuTime(0), Millicores(8000), EmuBytes(64LL << 30)}));
  EXPECT_THAT(got.report.text(), HasSubstr("2 tasks with a use"));
}

// The task is submitted in the first part and finishes in the second.
TEST(Google, PartsAreReadOneAfterTheOther) {
  const Read got = read({event(600, 1, 0, 0) + event(601, 1, 0, 1), event(1000, 1, 0, 4), ""});
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs()[0].phases[0].sleep.mean, 399e6);
}

TEST(Google, OptionsChooseJobs) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += life(i, 0, 600 + 10 * i, 601 + 10 * i, 605 + 10 * i);
  ImportOptions options;
  options.jobs = 3;
  Read got = read({text}, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs().size(), 3U);
  EXPECT_EQ(got.report.found, 20);
  options = {};
  options.from = emu_seconds(650);
  options.until = emu_seconds(700);
  got = read({text}, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs().size(), 5U);
  EXPECT_EQ(got.report.found, 20);
  options = {};
  options.users = {"nobody"};
  EXPECT_EQ(error_of(read({text}, options)),
            "--users nobody: no job of the trace has it (known: u/1=)");
}

// Jobs that will surely not be among the first are dropped while the file is read.
TEST(Google, TheFirstOfVeryManyJobsAreKept) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += life(i, 0, 600 + i, 600 + i, 601 + i);
  ImportOptions options;
  options.jobs = 2;
  const Read got = read({text}, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.found, 30'000);
  ASSERT_EQ(got.jobs().size(), 2U);
  EXPECT_EQ(got.jobs()[1].name, "job-1");
}

TEST(Google, OtherFilesAreRefused) {
  EXPECT_EQ(error_of(read({"1,2,3\n"})),
            "f0.csv: its first row has 3 fields; expected 13 (task_events), 6 (machine_events) or "
            "20 (task_usage)");
  EXPECT_THAT(error_of(read({"0,5,0,platform,0.5,0.25\n"})),
              HasSubstr("no file has rows of task_events; expected 13 fields"));
  EXPECT_THAT(error_of(read({"a,b,c,d,e,f,g,h,i,j,k,l,m\n"})), HasSubstr("expected 13 fields"));
  EXPECT_THAT(error_of(read({""})), HasSubstr("expected 13 fields"));
  EXPECT_THAT(error_of(read({event(600, 1, 0, 0)})), HasSubstr("has no job that can be used"));
}

TEST(Google, TheFormatIsRecognised) {
  EXPECT_TRUE(is_google_2011(life(1, 0, 600, 601, 602)));
  EXPECT_TRUE(is_google_2011("#time\n0,2,3,0,,0,user,3,9,,,,\n"));
  for (const char* foreign :
       {"", "#\n", "0,5,0,platform,0.5,0.25\n", "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n",
        "M1,1,j_1,1,Terminated,1,2,100,1\n", "name,cpu_milli,memory_mib\n",
        "a,b,c,d,e,f,g,h,i,j,k,l,m\n", "0,,1,0,,9,user,3,9,0.125,0.07,0.2,0\n", "{\"a\": 1}\n"})
    EXPECT_FALSE(is_google_2011(foreign)) << foreign;
}

TEST(Google, TheScenarioIsValid) {
  const Read got =
      read({life(1, 0, 600, 600, 640) + life(1, 1, 610, 610, 640) + life(2, 0, 610, 611, 612),
            "0,5,0,platform,0.5,0.25\n",
            "600000000,610000000,1,0,5,0.05,0.06,0.1,0,0,0.125,0,0,0,0,0,0,1,0,0.1\n"});
  ASSERT_TRUE(got.imported) << error_of(got);
  const auto checked =
      workloads::read_scenario_text(write_scenario(got.imported->scenario), "made.yaml");
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().text);
}

}  // namespace heddle::trace::google_test
