#include "trace/import/alibaba_spot_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/yaml/writer.h"
#include "tests/trace/import/imported.h"
#include "workloads/scenario_file.h"

namespace heddle::trace::alibaba_spot_gpu_test {

using ::testing::HasSubstr;

const std::string kHeader =
    "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,"
    "job_type\n";

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
  Result<Imported> imported =
      import_trace(**find_import_format("alibaba-spot-gpu-2026"), files, options, report);
  return {std::move(imported), std::move(report)};
}
Read read(const std::string& rows, const ImportOptions& options = {}) {
  return read_files({kHeader + rows}, options);
}
std::string error_of(const Read& read) {
  return read.imported ? "none" : read.imported.error().text;
}

TEST(AlibabaSpotGpu, JobsAreRigid) {
  ImportOptions options;
  options.memory_per_core = EmuBytes(2LL << 30);
  const Read got =
      read("239255,13,A10,20,1,1,10,2764799,HP\n437260,57,A100,15,1,16,30.5,41060,Spot\n", options);
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.repairs(), 0);
  const Scenario& scenario = got.imported->scenario;
  EXPECT_EQ(scenario.policy.preset, "easy");
  EXPECT_EQ(scenario.cluster.nodes.size(), 100U);
  EXPECT_EQ(scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(128'000), EmuBytes(256LL << 30)}));
  ASSERT_EQ(got.jobs().size(), 2U);
  EXPECT_EQ(got.jobs()[0].queue, "HP");
  EXPECT_EQ(got.jobs()[0].priority, 1);
  EXPECT_EQ(got.jobs()[0].user, "user-13");
  const JobSpec& job = got.jobs()[1];
  EXPECT_EQ(job.name, "job-437260");
  EXPECT_EQ(job.queue, "Spot");
  EXPECT_EQ(job.priority, 0);
  EXPECT_EQ(job.submit, emu_seconds(20.5));
  EXPECT_TRUE(job.rigid());
  EXPECT_EQ(job.phases[0].tasks, 16);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(15'000), EmuBytes(30LL << 30)}));
  EXPECT_EQ(job.phases[0].sleep.mean, 41060e6);
  EXPECT_THAT(got.report.text(), HasSubstr("2 jobs with GPUs"));
}

TEST(AlibabaSpotGpu, FaultsAreRepaired) {
  const Read got = read(
      "1,1,A10,,1,x,0,10,HP\n"        // 1 core; 1 worker
      "1,1,A10,1,1,1,0,10,HP\n"       // again
      "2,1,A10,1,1,2.4,5,0,HP\n"      // 2 workers; 0 s
      "3,1,A10,1,1,1,4,10,HP\n"       // before the row above
      "4,1,A10,1,1,1,6,,HP\n"         // no duration
      "5,1,A10,1,1,1,6,-1,HP\n"       // the same
      "6,1,A10,1,1,1,later,10,HP\n"   // no submission
      "7,1,A10,1,1,1,7,ten,HP\n"      // no number
      "8,1,A10,1,1,1e9,7,10,HP\n"     // too many workers
      ",1,A10,1,1,1,7,10,HP\n"        // no name
      "9,1,A10,200,1,1,7,10,,more\n"  // more than a node has; no type
      "10,1,A10,1,1,1,8\n");          // cut off
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 12);
  EXPECT_EQ(got.report.count(kMissing), 1);
  EXPECT_EQ(got.report.count(kNoNumber), 1);
  EXPECT_EQ(got.report.count(kDuplicate), 1);
  EXPECT_EQ(got.report.count(kFraction), 1);
  EXPECT_EQ(got.report.count(kZeroTime), 1);
  EXPECT_EQ(got.report.count(kOutOfOrder), 1);
  EXPECT_EQ(got.report.count(kNeverRan), 3) << "4, 5 and 10";
  EXPECT_EQ(got.report.count(kUnreadable), 4);
  EXPECT_EQ(got.report.count(kFieldsMore), 1);
  EXPECT_EQ(got.report.count(kFieldsMissing), 1);
  EXPECT_EQ(got.report.count(kCut), 1);
  ASSERT_EQ(got.jobs().size(), 4U);
  EXPECT_EQ(got.jobs()[0].phases[0].tasks, 1);
  EXPECT_EQ(got.jobs()[2].phases[0].tasks, 2);
  EXPECT_EQ(got.jobs()[2].phases[0].sleep.mean, 1) << "the shortest time";
  EXPECT_EQ(got.jobs()[3].queue, "default");
}

TEST(AlibabaSpotGpu, NodesBecomeTheCluster) {
  const std::string nodes =
      "gpu_model,gpu_capacity_num,cpu_num,node_name\nA10,1,128,0\nA100,8,192,1\nA10,1,,2\n";
  const Read got = read_files({nodes, kHeader + "1,1,A10,192,1,1,0,10,HP\n"});
  ASSERT_TRUE(got.imported) << error_of(got);
  ASSERT_EQ(got.imported->scenario.cluster.nodes.size(), 3U);
  EXPECT_EQ(got.imported->scenario.cluster.nodes[1].allowance,
            (Resources{Millicores(192'000), EmuBytes(192LL << 30)}));
  EXPECT_EQ(got.imported->scenario.cluster.nodes[2].allowance.cores, Millicores(128'000));
  EXPECT_EQ(got.report.count(kMissing), 1);
  EXPECT_EQ(got.report.count(kCut), 0);
  EXPECT_THAT(got.report.text(), HasSubstr("cluster: 3 nodes, from the list of 3 nodes"));
}

TEST(AlibabaSpotGpu, OptionsChooseJobs) {
  ImportOptions options;
  options.queues = {"Spot"};
  const Read got = read("1,1,A10,1,1,1,0,10,HP\n2,1,A10,1,1,1,0,10,Spot\n", options);
  ASSERT_TRUE(got.imported) << error_of(got);
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].name, "job-2");
  EXPECT_EQ(got.report.found, 2);
}

TEST(AlibabaSpotGpu, OtherFilesAreRefused) {
  EXPECT_THAT(error_of(read_files({kHeader, "1,2,3\n"})),
              HasSubstr("f1.csv: its first line is not the header of job_info_df.csv or"));
  EXPECT_THAT(error_of(read("")), HasSubstr("has no job that can be used"));
  EXPECT_TRUE(is_alibaba_spot_gpu_2026(kHeader));
  for (const char* foreign : {"", "gpu_model,gpu_capacity_num,cpu_num,node_name\n",
                              "name,cpu_milli,memory_mib,num_gpu\n", "job1\t1\t2\t3\t4\t5\n"})
    EXPECT_FALSE(is_alibaba_spot_gpu_2026(foreign)) << foreign;
}

TEST(AlibabaSpotGpu, TheScenarioIsValid) {
  const Read got = read("1,a b,A10,0.0001,1,3,0,1e-9,HP\n2,1,A10,1,1,1,9.5,10,Spot\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  const auto checked =
      workloads::read_scenario_text(write_scenario(got.imported->scenario), "made.yaml");
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().text);
}

}  // namespace heddle::trace::alibaba_spot_gpu_test
