#include "trace/import/alibaba.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/yaml/writer.h"
#include "tests/trace/import/imported.h"
#include "workloads/scenario_file.h"

namespace heddle::trace::alibaba_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ImportFormat k2017{"alibaba-2017", "", "", &is_alibaba_2017, &import_alibaba_2017};
const ImportFormat k2018{"alibaba-2018", "", "", &is_alibaba_2018, &import_alibaba_2018};

/// The result of an import, and its report.
struct Read {
  Result<Imported> imported;
  ImportReport report;
  const std::vector<JobSpec>& jobs() const { return imported->scenario.jobs; }
};

Read read(const ImportFormat& format, const std::string& tasks, const ImportOptions& options = {},
          const std::string& instances = "") {
  std::vector<Input> files;
  files.emplace_back("tasks.csv", tasks);
  if (!instances.empty()) files.emplace_back("instances.csv", instances);
  ImportReport report;
  Result<Imported> imported = import_trace(format, files, options, report);
  return {std::move(imported), std::move(report)};
}

std::string error_of(const Read& read) {
  return read.imported ? "none" : read.imported.error().text;
}

std::string row(const std::string& task, const std::string& job = "j_1") {
  return task + ",1," + job + ",1,Terminated,100,110,100,1\n";
}

TEST(Alibaba2018, TasksBecomePhases) {
  const Read got = read(k2018,
                        "M1,2,j_7,1,Terminated,100,130,50,0.5\n"
                        "R2_1,12846.0,j_7,1,Terminated,90,91,150,25\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 2);
  EXPECT_EQ(got.report.repairs(), 0);
  const Scenario& scenario = got.imported->scenario;
  EXPECT_EQ(scenario.name, "tasks");
  ASSERT_EQ(scenario.cluster.nodes.size(), 100U);
  EXPECT_EQ(scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(96'000), EmuBytes(384LL << 30)}));
  ASSERT_EQ(got.jobs().size(), 1U);
  const JobSpec& job = got.jobs()[0];
  EXPECT_EQ(job.name, "job-j_7");
  EXPECT_EQ(job.submit, EmuTime(0)) << "shifted from 90 s, the least start";
  EXPECT_THAT(got.report.text(), HasSubstr("at 90 s"));
  ASSERT_EQ(job.phases.size(), 2U);
  const PhaseSpec& map = job.phases[0];
  EXPECT_EQ(map.name, "M1");
  EXPECT_EQ(map.kind, PhaseKind::kMap);
  EXPECT_EQ(map.tasks, 2);
  EXPECT_THAT(map.after, IsEmpty());
  EXPECT_EQ(map.sleep.mean, 30e6);
  EXPECT_EQ(map.cpu.mean, 0);
  // 0.5 % of 384 GiB is 1.92 GiB, and 1.92 * 2^30 is 2061584302.08.
  EXPECT_EQ(map.request, (Resources{Millicores(500), EmuBytes(2061584302)}));
  const PhaseSpec& reduce = job.phases[1];
  EXPECT_EQ(reduce.name, "R2_1");
  EXPECT_EQ(reduce.tasks, 12846);
  EXPECT_THAT(reduce.after, ElementsAre(0));
  EXPECT_EQ(reduce.request, (Resources{Millicores(1500), EmuBytes(96LL << 30)}));
}

// 30 s on half a core are 15 core-seconds.
TEST(Alibaba2018, TasksComputeIfTheOptionsSaySo) {
  ImportOptions options;
  options.work = ImportOptions::Work::kCpu;
  options.nodes = 3;
  options.cores = Millicores(8000);
  options.memory = EmuBytes(100LL << 30);
  const Read got = read(k2018, "M1,2,j_7,1,Terminated,100,130,50,1\n", options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs()[0].phases[0].cpu.mean, 15e6);
  EXPECT_EQ(got.jobs()[0].phases[0].sleep.mean, 0);
  EXPECT_EQ(got.jobs()[0].phases[0].request.memory, EmuBytes(1LL << 30));
  ASSERT_EQ(got.imported->scenario.cluster.nodes.size(), 3U);
  EXPECT_EQ(got.imported->scenario.cluster.nodes[2].allowance,
            (Resources{Millicores(8000), EmuBytes(100LL << 30)}));
}

TEST(Alibaba2018, NamesSayTheOrder) {
  const Read got = read(k2018, row("M1") + row("task_Nzg3Mg==") + row("R3_1") + row("J4_3_1_1"));
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.repairs(), 0);
  const std::vector<PhaseSpec>& phases = got.jobs()[0].phases;
  ASSERT_EQ(phases.size(), 4U);
  EXPECT_EQ(phases[1].name, "task_Nzg3Mg__");
  EXPECT_THAT(phases[1].after, IsEmpty());
  EXPECT_THAT(phases[2].after, ElementsAre(0));
  EXPECT_THAT(phases[3].after, ElementsAre(0, 2));
}

TEST(Alibaba2018, WrongDependenciesAreIgnored) {
  // M1 is missing, R2 depends on itself, 3 and 4 depend on each other.
  const Read got =
      read(k2018, row("R2_1_2") + row("J3_4") + row("J4_3") + row("M4") + row("M2", "j_2"));
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.count(kNoDependency), 3);
  EXPECT_EQ(got.report.json()["repairs"]["same_number"]["count"], 1) << "J4_3 and M4";
  const std::vector<PhaseSpec>& phases = got.jobs()[0].phases;
  EXPECT_THAT(phases[0].after, IsEmpty());
  EXPECT_THAT(phases[1].after, ElementsAre(2));
  EXPECT_THAT(phases[2].after, IsEmpty()) << "the cycle is broken here";
}

TEST(Alibaba2018, RowsOfAJobNeedNotBeAdjacent) {
  const Read got = read(k2018, row("M1") + row("M1", "j_2") + row("R2_1") + row("M1"));
  ASSERT_TRUE(got.imported) << error_of(got);
  ASSERT_EQ(got.jobs().size(), 2U);
  EXPECT_EQ(got.jobs()[0].phases.size(), 2U);
  EXPECT_EQ(got.report.count(kDuplicate), 1);
}

TEST(Alibaba2018, RowsThatCantBeUsedAreLeftOut) {
  const Read got =
      read(k2018,
           "task_name,instance_num,job_name,task_type,status,start_time,end_time,"
           "plan_cpu,plan_mem\n" +
               row("M1") + "M2,1,j_1,1,Terminated,100,0,50,0.2\n" +
               "M3,1,j_1,1,Terminated,100,99,50,0.2\n" + "M4,1,j_1,1,Waiting,100,100,,\n" +
               "M5,0,j_1,1,Terminated,1,2,50,1\n" + "M6,1,,1,Terminated,1,2,50,1\n" +
               ",1,j_1,1,Terminated,1,2,50,1\n" + "M7,1,j_1,1,Terminated,x,2,50,1\n" +
               "M8,1e300,j_1,1,Terminated,1,2,50,1\n" + "M9,1,j_1,1,Terminated,1,1e300,50,1\n" +
               "M10,1,j_1,1,Terminated,-1,20,50,1\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 11);
  EXPECT_EQ(got.report.count(kNeverRan), 3) << "M2, M4 and M10";
  EXPECT_EQ(got.report.count(kEndsBefore), 1);
  EXPECT_EQ(got.report.count(kNoTask), 1);
  EXPECT_EQ(got.report.json()["repairs"]["no_job"]["count"], 2);
  EXPECT_EQ(got.report.count(kUnreadable), 3) << "M7, M8, M9";
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].phases.size(), 1U);
}

TEST(Alibaba2018, OtherFaultsAreRepaired) {
  const Read got =
      read(k2018, row("M1") + row("M1", "j_2") + row("M1", "j_3") + row("M1", "j_4") +
                      "M2,,j_1,1,Failed,100,100,,\n" + "M3,2.5,j_1,1,Dead,100,101,-1,x,more\n" +
                      "M4,1,j_1,1,Terminated,100,101\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.json()["repairs"]["unfinished"]["count"], 1);
  EXPECT_EQ(got.report.count(kZeroTime), 1);
  // instances, CPU and memory of M2, CPU of M3, and CPU and memory of M4
  EXPECT_EQ(got.report.count(kMissing), 6);
  EXPECT_EQ(got.report.count(kNoNumber), 1);
  EXPECT_EQ(got.report.count(kFraction), 1);
  EXPECT_EQ(got.report.count(kUnknownStatus), 1);
  EXPECT_EQ(got.report.count(kFieldsMore), 1);
  EXPECT_EQ(got.report.count(kFieldsMissing), 1);
  const std::vector<PhaseSpec>& phases = got.jobs()[0].phases;
  ASSERT_EQ(phases.size(), 4U);
  EXPECT_EQ(phases[1].tasks, 1);
  EXPECT_EQ(phases[1].sleep.mean, 1) << "the shortest time";
  EXPECT_EQ(phases[1].request, (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
  EXPECT_EQ(phases[2].tasks, 3);
}

TEST(Alibaba2018, JobsHaveAtMost1000Phases) {
  std::string text;
  for (int i = 1; i <= 1002; ++i) text += row("M" + std::to_string(i));
  const Read got = read(k2018, text);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs()[0].phases.size(), 1000U);
  EXPECT_EQ(got.report.json()["repairs"]["many_tasks"]["count"], 2);
}

// The names of the phases stay different although they are cut to 64 characters.
TEST(Alibaba2018, NamesOfPhasesAreUnique) {
  const std::string name = "task_" + std::string(80, 'x');
  const Read got = read(k2018, row(name + "1") + row(name + "2") + row("?") + row("1"));
  ASSERT_TRUE(got.imported) << error_of(got);
  const std::vector<PhaseSpec>& phases = got.jobs()[0].phases;
  EXPECT_EQ(phases[0].name, name.substr(0, 64));
  EXPECT_EQ(phases[1].name, name.substr(0, 62) + "-2");
  EXPECT_EQ(phases[2].name, "t_");
  EXPECT_EQ(phases[3].name, "t1");
}

TEST(Alibaba2018, InstancesHaveTheirOwnTimesAndUse) {
  const Read got = read(k2018, "M1,2,j_1,1,Terminated,100,130,50,25\n" + row("R2_1"), {},
                        "i1,M1,j_1,1,Terminated,100,110,m_1,1,1,20,40,12.5,13\n"
                        "i2,M1,j_1,1,Terminated,105,125,m_2,2,2,200,40,50,60\n"
                        "i2,M1,j_1,1,Failed,101,102,m_2,1,2,20,40,12.5,13\n"
                        "i3,M1,j_1,1,Terminated,101,106,m_2,1,2,,,12.5,\n"
                        "i3,M1,j_1,1,Terminated,101,106,m_2,1,2,,,12.5,\n"
                        "i1,M1,j_9,1,Terminated,100,110,m_1,1,1,20,40,12.5,13\n"
                        "i1,M9,j_1,1,Terminated,100,110,m_1,1,1,20,40,12.5,13\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 9);
  EXPECT_EQ(got.report.json()["repairs"]["attempt"]["count"], 1);
  EXPECT_EQ(got.report.count(kDuplicate), 1) << "of i3";
  EXPECT_EQ(got.report.json()["repairs"]["no_such_task"]["count"], 2) << "j_9 and M9";
  EXPECT_EQ(got.report.count(kMissing), 1);
  const PhaseSpec& map = got.jobs()[0].phases[0];
  EXPECT_EQ(map.tasks, 3);
  ASSERT_EQ(map.each.size(), 3U);
  const EmuBytes memory(48LL << 30);  // 12.5 % of 384 GiB
  EXPECT_THAT(map.each[0].usage, ElementsAre(UsageCorner{EmuTime(0), Millicores(200), memory},
                                             UsageCorner{emu_seconds(10), Millicores(0), memory}));
  // The use is cut to the request: half a core and 96 GiB.
  EXPECT_THAT(map.each[1].usage,
              ElementsAre(UsageCorner{EmuTime(0), Millicores(500), EmuBytes(96LL << 30)},
                          UsageCorner{emu_seconds(20), Millicores(0), EmuBytes(96LL << 30)}));
  EXPECT_THAT(map.each[2].usage, IsEmpty());
  EXPECT_EQ(map.each[2].sleep.mean, 5e6);
  ASSERT_EQ(map.each[2].memory.size(), 1U);
  EXPECT_EQ(map.each[2].memory[0].second.mean, static_cast<double>(memory.count()));
  EXPECT_THAT(got.jobs()[0].phases[1].each, IsEmpty());
  EXPECT_THAT(got.report.text(),
              HasSubstr("tasks or instances that used more than they requested: 1;"));
  EXPECT_THAT(got.report.text(), HasSubstr("1 phase with another number of instances"));
}

// The instance of j_0 can be of a job that was not chosen.
TEST(Alibaba2018, InstancesOfOtherJobsAreNoRepair) {
  ImportOptions options;
  options.jobs = 1;
  const Read got = read(k2018, row("M1") + row("M1", "j_2"), options,
                        "i1,M1,j_0,1,Terminated,100,110,m_1,1,1,20,40,12.5,13\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 3);
  EXPECT_EQ(got.report.repairs(), 0);
}

TEST(Alibaba2018, OptionsChooseJobs) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "M1,1,j_" + std::to_string(i) + ",1,Terminated," + std::to_string(1000 - i) +
            ",2000,100,1\n";
  ImportOptions options;
  options.jobs = 2;
  Read got = read(k2018, text, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.found, 50);
  EXPECT_EQ(got.report.chosen, 50);
  ASSERT_EQ(got.jobs().size(), 2U);
  EXPECT_EQ(got.jobs()[0].name, "job-j_49") << "submitted at 951 s";
  EXPECT_EQ(got.jobs()[1].name, "job-j_48");
  options = {};
  options.from = emu_seconds(960);
  options.until = emu_seconds(970);
  got = read(k2018, text, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.found, 50);
  EXPECT_EQ(got.jobs().size(), 10U);
  options = {};
  options.sample = 0.5;
  got = read(k2018, text, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.found, 50);
  EXPECT_EQ(std::ssize(got.jobs()), got.report.chosen);
  EXPECT_GT(got.report.chosen, 10);
  EXPECT_LT(got.report.chosen, 40);
}

// Jobs that will surely not be among the first are dropped while the file is read.
TEST(Alibaba2018, TheFirstOfVeryManyJobsAreKept) {
  std::string text;
  for (int i = 0; i < 50'000; ++i)
    text += "M1,1,j_" + std::to_string(i) + ",1,Terminated," + std::to_string(100'000 - i) +
            ",200000,100,1\n";
  ImportOptions options;
  options.jobs = 1;
  const Read got = read(k2018, text + row("R2_1", "j_0"), options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.found, 50'000);
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].name, "job-j_49999");
}

TEST(Alibaba2017, TasksOfAJobAreIndependent) {
  const Read got = read(
      k2017,
      "task_create_time, task_end_time, job_id, task_id,number_of_instances, status, cpus, memory\n"
      "-20,40,3, 4 ,15740,Terminated,50,0.25\n"
      "-10,0,3,5,1,Running,,\n"
      "10,70,3,6,2,Running,800, 0.5\n"
      "10,10,3,7,2,Waiting,,\n"
      "10,70,,7,2,Running,800,0.5\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 5);
  EXPECT_EQ(got.report.count(kNeverRan), 2);
  EXPECT_EQ(got.report.json()["repairs"]["no_job"]["count"], 1);
  EXPECT_EQ(got.report.json()["repairs"]["unfinished"]["count"], 1);
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].name, "job-3");
  const std::vector<PhaseSpec>& phases = got.jobs()[0].phases;
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].name, "t4");
  EXPECT_EQ(phases[0].tasks, 15740);
  EXPECT_EQ(phases[0].sleep.mean, 60e6);
  EXPECT_EQ(phases[0].request, (Resources{Millicores(500), EmuBytes(64LL << 30)}));
  EXPECT_EQ(phases[1].request, (Resources{Millicores(8000), EmuBytes(128LL << 30)}));
  EXPECT_THAT(phases[1].after, IsEmpty());
}

// In instances of 2017, the average is behind the maximum, and CPU 1 is one core.
TEST(Alibaba2017, InstancesHaveTheirOwnOrderOfFields) {
  const Read got = read(k2017, "10,40,3,4,2,Terminated,100,0.5\n", {},
                        "10,30,3,4,17,Terminated,1,1,0.9,0.25,0.4,0.125\n"
                        "10,30,3,4,18,Terminated,1,1,0.9,0.25,0.4,0.125\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  const PhaseSpec& phase = got.jobs()[0].phases[0];
  EXPECT_EQ(phase.tasks, 2);
  EXPECT_THAT(phase.each, IsEmpty()) << "both are equal";
  EXPECT_THAT(phase.usage,
              ElementsAre(UsageCorner{EmuTime(0), Millicores(250), EmuBytes(32LL << 30)},
                          UsageCorner{emu_seconds(20), Millicores(0), EmuBytes(32LL << 30)}));
}

// Instances have no names, so two instances on one machine can have equal rows.
TEST(Alibaba2017, EqualInstancesAreNoDuplicates) {
  const Read got = read(k2017, "100,150,1,1,3,Terminated,100,0.5\n", {},
                        "100,150,1,1,299,Terminated,1,1,,,,\n"
                        "100,150,1,1,299,Terminated,1,1,,,,\n"
                        "100,150,1,1,299,Terminated,1,1,,,,\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.count(kDuplicate), 0);
  EXPECT_EQ(got.jobs()[0].phases[0].tasks, 3);
}

TEST(Alibaba, OtherFilesAreRefused) {
  EXPECT_EQ(error_of(read(k2017, row("M1"))),
            "tasks.csv: its first rows are not of batch_task.csv; expected 8 fields: create time, "
            "end time, job, task, instances, status, CPU, memory");
  EXPECT_THAT(error_of(read(k2018, "10,40,3,4,2,Terminated,100,0.5\n")),
              HasSubstr("expected 9 fields: task, instances, job, type, status"));
  EXPECT_THAT(error_of(read(k2018, "")), HasSubstr("expected 9 fields"));
  EXPECT_EQ(error_of(read(k2018, row("M1"), {}, "1,2\n")),
            "instances.csv: its first rows are not of batch_instance.csv; expected 14 fields");
  EXPECT_THAT(error_of(read(k2018, "M1,1,j_1,1,Terminated,9,1,100,1\n")),
              HasSubstr("has no job that can be used"));
}

TEST(Alibaba, FormatsAreRecognised) {
  const std::string task_2017 =
      "-1078,40,3,4,15740,Terminated,50,0.25\n6036,6046,4,7,3,Waiting,,\n";
  EXPECT_TRUE(is_alibaba_2017(task_2017));
  EXPECT_FALSE(is_alibaba_2018(task_2017));
  EXPECT_TRUE(is_alibaba_2018(row("M1") + row("R2_1")));
  EXPECT_FALSE(is_alibaba_2017(row("M1")));
  EXPECT_TRUE(is_alibaba_2018(
      "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n" +
      row("M1")));
  for (const char* foreign :
       {"", "\n", "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n", "{\"job.start.ms\": 0}\n",
        "job0\t49\t49\t100\t200\t300\n", "0,,1,0,,0,user,3,9,0.125,0.07,0.2,0\n",
        "name,cpu_milli,memory_mib\np,1,2\n", "a,b,c,d,e,f,g,h,i\n", "1,2,3,4,5,6,7,8\n"}) {
    EXPECT_FALSE(is_alibaba_2017(foreign)) << foreign;
    EXPECT_FALSE(is_alibaba_2018(foreign)) << foreign;
  }
}

TEST(Alibaba2018, TheScenarioIsValid) {
  const Read got = read(k2018, row("M1") + row("M2") + row("R3_1_2") + row("M1", "j_2"), {},
                        "i1,M1,j_1,1,Terminated,100,110,m_1,1,1,20,40,12.5,13\n"
                        "i2,M1,j_1,1,Terminated,100,110,m_1,1,1,,,,\n"
                        "i1,M2,j_1,1,Terminated,100,110,m_1,1,1,,,12.5,13\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  const auto checked =
      workloads::read_scenario_text(write_scenario(got.imported->scenario), "made.yaml");
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().text);
}

}  // namespace heddle::trace::alibaba_test
