#include "trace/import/alibaba_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/yaml/writer.h"
#include "tests/trace/import/imported.h"
#include "workloads/scenario_file.h"

namespace heddle::trace::alibaba_gpu_test {

using ::testing::HasSubstr;

const ImportFormat kFormat{"alibaba-gpu-2023", "", "", &is_alibaba_gpu_2023,
                           &import_alibaba_gpu_2023};
const std::string kHeader =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n";

/// The result of an import, and its report.
struct Read {
  Result<Imported> imported;
  ImportReport report;
  const std::vector<JobSpec>& jobs() const { return imported->scenario.jobs; }
};

Read read_files(const std::vector<std::string>& texts, const ImportOptions& options = {}) {
  std::vector<Input> files;
  for (const std::string& text : texts)
    files.emplace_back("f" + std::to_string(files.size()) + ".csv", text);
  ImportReport report;
  Result<Imported> imported = import_trace(kFormat, files, options, report);
  return {std::move(imported), std::move(report)};
}
Read read(const std::string& rows, const ImportOptions& options = {}) {
  return read_files({kHeader + rows}, options);
}
std::string error_of(const Read& read) {
  return read.imported ? "none" : read.imported.error().text;
}

TEST(AlibabaGpu, PodsBecomeJobs) {
  const Read got = read(
      "pod-0,12500,16384,1,1000,A|B,LS,Running,10,5010,20\n"
      "pod-1,500,512,8,1000,,BE,Failed,30,40,30\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.repairs(), 0);
  const Scenario& scenario = got.imported->scenario;
  EXPECT_EQ(scenario.cluster.nodes.size(), 100U);
  EXPECT_EQ(scenario.queues.size(), 2U);
  ASSERT_EQ(got.jobs().size(), 2U);
  const JobSpec& job = got.jobs()[0];
  EXPECT_EQ(job.name, "job-pod-0");
  EXPECT_EQ(job.queue, "LS");
  EXPECT_EQ(job.submit, EmuTime(0));
  ASSERT_EQ(job.phases.size(), 1U);
  EXPECT_EQ(job.phases[0].tasks, 1);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(12500), EmuBytes(16LL << 30)}));
  EXPECT_EQ(job.phases[0].sleep.mean, 4990e6);
  EXPECT_EQ(got.jobs()[1].submit, emu_seconds(20));
  EXPECT_EQ(got.jobs()[1].queue, "BE");
  EXPECT_THAT(got.report.text(), HasSubstr("2 pods with 9 GPUs"));
}

// 2 s on 12.5 cores are 25 core-seconds.
TEST(AlibabaGpu, PodsComputeIfTheOptionsSaySo) {
  ImportOptions options;
  options.work = ImportOptions::Work::kCpu;
  const Read got = read("pod-0,12500,16384,0,0,,LS,Running,0,2,0\n", options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs()[0].phases[0].cpu.mean, 25e6);
}

// A task has at most 256 threads, and takes as long as in the trace.
TEST(AlibabaGpu, PodsOfMoreThan256CoresTakeAsLong) {
  ImportOptions options;
  options.work = ImportOptions::Work::kCpu;
  options.cores = Millicores(400'000);
  const Read got = read("pod-0,300000,16384,0,0,,LS,Running,0,300,0\n", options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs()[0].phases[0].threads, 256);
  EXPECT_EQ(got.jobs()[0].phases[0].cpu.mean, 256 * 300e6);
}

TEST(AlibabaGpu, FaultsAreRepaired) {
  const Read got = read(
      "pod-0,1000,1024,0,0,,LS,Pending,10,25,\n"  // never scheduled: 15 s
      "pod-1,1000,1024,0,0,,LS,Running,20,,20\n"  // no deletion
      "pod-2,1000,1024,0,0,,LS,Running,20,19,20\n"
      "pod-3,1000,1024,0,0,,LS,Running,20,20,20\n"
      "pod-3,1000,1024,0,0,,LS,Running,20,20,20\n"
      "pod-4,,0,0,0,,,Running,5,6,5\n"  // 1 core and 1 GiB
      "pod-5,x,1024,0,0,,LS,Running,20,21\n"
      "pod-6,1,1024,0,0,,LS,Running,x,21,1\n"
      "pod-7,1,1024,0,0,,LS,Running,1,1e30,1\n"
      ",1,1024,0,0,,LS,Running,1,2,1\n"
      "pod-8,1e300,1e300,0,0,,LS,Running,30,31,30,more\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 11);
  EXPECT_EQ(got.report.json()["repairs"]["never_scheduled"]["count"], 2) << "pod-0 and pod-5";
  EXPECT_EQ(got.report.json()["repairs"]["no_end"]["count"], 1);
  EXPECT_EQ(got.report.count(kEndsBefore), 1);
  EXPECT_EQ(got.report.count(kZeroTime), 1);
  EXPECT_EQ(got.report.count(kDuplicate), 1);
  EXPECT_EQ(got.report.count(kMissing), 2);
  EXPECT_EQ(got.report.count(kNoNumber), 1);
  EXPECT_EQ(got.report.count(kUnreadable), 3);
  EXPECT_EQ(got.report.count(kOutOfOrder), 1) << "pod-4";
  EXPECT_EQ(got.report.count(kFieldsMissing), 1);
  EXPECT_EQ(got.report.count(kFieldsMore), 1);
  EXPECT_EQ(got.report.count(kCut), 1);
  ASSERT_EQ(got.jobs().size(), 5U);
  EXPECT_EQ(got.jobs()[0].name, "job-pod-4");
  EXPECT_EQ(got.jobs()[0].queue, "default");
  EXPECT_EQ(got.jobs()[0].phases[0].request, (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
  EXPECT_EQ(got.jobs()[1].phases[0].sleep.mean, 15e6);
  EXPECT_EQ(got.jobs()[2].phases[0].sleep.mean, 1) << "the shortest time";
}

TEST(AlibabaGpu, Minus1IsNoTime) {
  const Read got = read(
      "pod-0,1000,1024,0,0,,LS,Running,20,30,25\n"
      "pod-1,1000,1024,0,0,,LS,Running,-1,40,26\n"
      "pod-2,1000,1024,0,0,,LS,Running,30,40,-1\n"
      "pod-3,1000,1024,0,0,,LS,Running,30,-1,30\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.count(kNoSubmission), 1);
  EXPECT_EQ(got.report.json()["repairs"]["never_scheduled"]["count"], 1);
  EXPECT_EQ(got.report.json()["repairs"]["no_end"]["count"], 1);
  EXPECT_EQ(got.report.repairs(), 3);
  ASSERT_EQ(got.jobs().size(), 3U);
  EXPECT_EQ(got.jobs()[2].phases[0].sleep.mean, 10e6) << "from creation to deletion";
  EXPECT_EQ(got.jobs()[1].submit, EmuTime(0)) << "20 s, shifted";
  EXPECT_EQ(got.jobs()[1].phases[0].sleep.mean, 14e6);
}

TEST(AlibabaGpu, WithoutASubmissionAboveAPodIsLeftOut) {
  const Read got = read(
      "pod-0,1000,1024,0,0,,LS,Running,-1,12000090,12000001\n"
      "pod-1,1000,1024,0,0,,LS,Running,12000000,12000060,12000000\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.count(kNoFirstSubmission), 1);
  EXPECT_EQ(got.report.repairs(), 1);
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].name, "job-pod-1");
}

TEST(AlibabaGpu, MachinesHaveAtLeastAMebibyte) {
  EXPECT_EQ(error_of(read_files({kHeader + "pod-0,1000,1,0,0,,LS,Running,10,20,10\n",
                                 "sn,cpu_milli,memory_mib,gpu,model\nopenb-1,32000,0.5,0,\n"})),
            "machine 1 of the trace has 512KiB of memory; expected at least 1MiB (--memory)");
}

TEST(AlibabaGpu, MachinesBecomeTheCluster) {
  const std::string nodes =
      "sn,cpu_milli,memory_mib,gpu,model\nopenb-1,32000,262144,0,\nopenb-2,96000,393216,8,G2\n";
  const std::string pods = kHeader + "pod-0,12500,16384,1,1000,,LS,Running,10,5010,20\n";
  Read got = read_files({pods, nodes});
  ASSERT_TRUE(got.imported) << error_of(got);
  ASSERT_EQ(got.imported->scenario.cluster.nodes.size(), 2U);
  EXPECT_EQ(got.imported->scenario.cluster.nodes[1].allowance,
            (Resources{Millicores(96'000), EmuBytes(384LL << 30)}));
  ImportOptions options;
  options.nodes = 3;
  options.memory = EmuBytes(64LL << 30);
  got = read_files({nodes, pods}, options);
  ASSERT_TRUE(got.imported) << error_of(got);
  ASSERT_EQ(got.imported->scenario.cluster.nodes.size(), 3U);
  EXPECT_EQ(got.imported->scenario.cluster.nodes[2].name, "n2");
  EXPECT_EQ(got.imported->scenario.cluster.nodes[2].allowance,
            (Resources{Millicores(32'000), EmuBytes(64LL << 30)}))
      << "the first machine again";
}

TEST(AlibabaGpu, OptionsChooseJobs) {
  ImportOptions options;
  options.queues = {"BE"};
  const Read got = read(
      "pod-0,1000,1024,0,0,,LS,Running,10,20,10\n"
      "pod-1,1000,1024,0,0,,BE,Running,10,20,10\n",
      options);
  ASSERT_TRUE(got.imported) << error_of(got);
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].name, "job-pod-1");
  EXPECT_EQ(got.report.found, 2);
}

TEST(AlibabaGpu, OtherFilesAreRefused) {
  EXPECT_EQ(error_of(read_files({"1,2,3\n"})),
            "f0.csv: its first line is not the header of openb_pod_list; expected "
            "name,cpu_milli,memory_mib,num_gpu,…");
  EXPECT_EQ(error_of(read_files({"name,cpu_milli,memory_mib,num_gpu,gpu_milli\np,1,2,0,0\n"})),
            "f0.csv:1: has no column creation_time; expected a list with creation, deletion and "
            "scheduled times, such as openb_pod_list_default.csv");
  EXPECT_THAT(error_of(read_files({kHeader, "1,2,3\n"})),
              HasSubstr("f1.csv: its first line is not the header"));
  EXPECT_THAT(error_of(read("")), HasSubstr("has no job that can be used"));
}

TEST(AlibabaGpu, TheFormatIsRecognised) {
  EXPECT_TRUE(is_alibaba_gpu_2023(kHeader));
  EXPECT_TRUE(is_alibaba_gpu_2023("name,cpu_milli,memory_mib,num_gpu,gpu_milli\n"));
  for (const char* foreign :
       {"", "sn,cpu_milli,memory_mib,gpu,model\n", "M1,1,j_1,1,Terminated,1,2,100,1\n",
        "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n", "{\"name\": 1}\n"})
    EXPECT_FALSE(is_alibaba_gpu_2023(foreign)) << foreign;
}

// 96 cores for 100 days are 230400 core-hours, more than `cpu` can be.
TEST(AlibabaGpu, TheScenarioIsValid) {
  ImportOptions options;
  options.work = ImportOptions::Work::kCpu;
  const Read got = read(
      "pod-0,96000,16384,0,0,,LS,Running,0,8640000,0\n"
      "pod-1,500,16384,0,0,,LS,Running,0,10,0\n",
      options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.jobs()[0].phases[0].usage[0].cores, Millicores(96'000));
  EXPECT_EQ(got.jobs()[0].phases[0].usage[1].at, emu_seconds(8'640'000));
  EXPECT_EQ(got.jobs()[1].phases[0].cpu.mean, 5e6);
  const auto checked =
      workloads::read_scenario_text(write_scenario(got.imported->scenario), "made.yaml");
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().text);
}

}  // namespace heddle::trace::alibaba_gpu_test
