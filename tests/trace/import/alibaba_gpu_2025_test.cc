#include "trace/import/alibaba_gpu_2025.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/scenario/yaml/writer.h"
#include "tests/trace/import/imported.h"
#include "workloads/scenario_file.h"

namespace heddle::trace::alibaba_gpu_2025_test {

using ::testing::HasSubstr;

const std::string kHeader =
    "instance_sn,role,app_name,cpu_request,cpu_limit,gpu_request,gpu_limit,rdma_request,rdma_limit,"
    "memory_request,memory_limit,disk_request,disk_limit,max_instance_per_node,creation_time,"
    "scheduled_time,deletion_time\n";

/// Returns a row. `times`: of creation, scheduling and deletion.
std::string row(const std::string& id, const std::string& times, const std::string& cpu = "64",
                const std::string& memory = "320.0") {
  return id + ",CN,app_1," + cpu + ",64,0,0,1,1," + memory + ",320.0,255.0,300.0,-1," + times +
         "\n";
}

/// The result of an import, and its report.
struct Read {
  Result<Imported> imported;
  ImportReport report;
  const std::vector<JobSpec>& jobs() const { return imported->scenario.jobs; }
};

Read read(const std::string& text, const ImportOptions& options = {}) {
  std::vector<Input> files;
  files.emplace_back("f.csv", text);
  ImportReport report;
  Result<Imported> imported =
      import_trace(**find_import_format("alibaba-gpu-2025"), files, options, report);
  return {std::move(imported), std::move(report)};
}
std::string error_of(const Read& read) {
  return read.imported ? "none" : read.imported.error().text;
}

TEST(AlibabaGpu2025, InstancesBecomeJobs) {
  const Read got =
      read(kHeader + row("instance_1", "100.0,110.0,160.5") +
           "instance_2,HN,app_2,12,12,1,1,25,25,120.5,120.5,1,1,8,130.0,130.0,140.0\n");
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.repairs(), 0);
  ASSERT_EQ(got.jobs().size(), 2U);
  const JobSpec& job = got.jobs()[0];
  EXPECT_EQ(job.name, "job-instance_1");
  EXPECT_EQ(job.queue, "CN");
  EXPECT_EQ(job.user, "app_1");
  EXPECT_EQ(job.submit, EmuTime(0)) << "shifted";
  ASSERT_EQ(job.phases.size(), 1U);
  EXPECT_EQ(job.phases[0].tasks, 1);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(64'000), EmuBytes(320LL << 30)}));
  EXPECT_EQ(job.phases[0].sleep.mean, 50.5e6);
  EXPECT_EQ(got.jobs()[1].submit, emu_seconds(30));
  EXPECT_EQ(got.jobs()[1].phases[0].request,
            (Resources{Millicores(12'000), EmuBytes(241LL << 29)}));
  EXPECT_EQ(got.imported->scenario.cluster.nodes.size(), 2500U);
  EXPECT_THAT(got.report.text(), HasSubstr("1 instance with GPUs"));
  EXPECT_THAT(got.report.text(), HasSubstr("1 instance with a limit on instances of a node"));
}

// The trace ends at 200 s, the last time of any row.
TEST(AlibabaGpu2025, InstancesReachOverTheEndsOfTheTrace) {
  const Read got =
      read(kHeader + row("a", ",,") + row("b", ",,50.0") + row("c", "60.0,70.0,") +
           row("d", "150.0,150.0,200.0") + row("e", "NaN,NaN,NaN") + row("f", "-1,-1,-1"));
  ASSERT_TRUE(got.imported) << error_of(got);
  const wire::Json repairs = got.report.json()["repairs"];
  EXPECT_EQ(repairs["before_the_trace"]["count"], 4);
  EXPECT_EQ(repairs["after_the_trace"]["count"], 4);
  ASSERT_EQ(got.jobs().size(), 6U);
  const auto is = [&](std::size_t job, const std::string& name, double submit, double time) {
    EXPECT_EQ(got.jobs()[job].name, "job-" + name);
    EXPECT_EQ(got.jobs()[job].submit, emu_seconds(submit));
    EXPECT_EQ(got.jobs()[job].phases[0].sleep.mean, time * 1e6) << name;
  };
  is(0, "a", 0, 200);
  is(1, "b", 0, 50);
  is(2, "e", 0, 200);
  is(3, "f", 0, 200);
  is(4, "c", 60, 130);
  is(5, "d", 150, 50);
}

TEST(AlibabaGpu2025, FaultsAreRepaired) {
  const Read got = read(kHeader + row("a", "0,0,10", "", "x") +  // 1 core and 1 GiB
                        row("a", "0,0,10") +                     // again
                        row("b", "0,20,10") +                    // ends before it starts
                        row("c", "0,0,soon") + row("d", "0,0,1e30") + row("", "0,0,10") +
                        row("e", "5,5,5") + "f,CN,app_1,64\n" + row("g", "0,0,10,1", "1e300"));
  ASSERT_TRUE(got.imported) << error_of(got);
  EXPECT_EQ(got.report.rows, 9);
  EXPECT_EQ(got.report.count(kMissing), 2) << "a and f";
  EXPECT_EQ(got.report.count(kNoNumber), 1);
  EXPECT_EQ(got.report.count(kDuplicate), 1);
  EXPECT_EQ(got.report.count(kEndsBefore), 1);
  EXPECT_EQ(got.report.count(kUnreadable), 3);
  EXPECT_EQ(got.report.count(kZeroTime), 1);
  EXPECT_EQ(got.report.count(kFieldsMissing), 1);
  EXPECT_EQ(got.report.count(kFieldsMore), 1);
  EXPECT_EQ(got.report.count(kCut), 1) << "10 000 cores are more than a node has";
  ASSERT_EQ(got.jobs().size(), 4U);
  EXPECT_EQ(got.jobs()[0].phases[0].request, (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
}

TEST(AlibabaGpu2025, OptionsChooseJobs) {
  ImportOptions options;
  options.users = {"app_1"};
  options.from = emu_seconds(5);
  options.nodes = 3;
  options.cores = Millicores(64'000);
  const Read got = read(kHeader + row("a", "0,0,10") + row("b", "5,5,10"), options);
  ASSERT_TRUE(got.imported) << error_of(got);
  ASSERT_EQ(got.jobs().size(), 1U);
  EXPECT_EQ(got.jobs()[0].name, "job-b");
  ASSERT_EQ(got.imported->scenario.cluster.nodes.size(), 3U);
  EXPECT_EQ(got.imported->scenario.cluster.nodes[0].allowance,
            (Resources{Millicores(64'000), EmuBytes(1LL << 40)}));
}

TEST(AlibabaGpu2025, OtherFilesAreRefused) {
  EXPECT_THAT(error_of(read("1,2,3\n")), HasSubstr("expected instance_sn,role,app_name"));
  EXPECT_TRUE(is_alibaba_gpu_2025(kHeader));
  for (const char* foreign :
       {"", "name,cpu_milli,memory_mib,num_gpu\n", "instance_sn,role,app_name,cpu_request\n",
        "job_name,organization,gpu_model,cpu_request\n", "{\"instance_sn\": 1}\n"})
    EXPECT_FALSE(is_alibaba_gpu_2025(foreign)) << foreign;
  std::vector<Input> files;
  files.emplace_back("a.csv", kHeader);
  files.emplace_back("b.csv", kHeader);
  ImportReport report;
  EXPECT_THAT(
      import_trace(**find_import_format("alibaba-gpu-2025"), files, {}, report).error().text,
      HasSubstr("more than one file"));
}

TEST(AlibabaGpu2025, TheScenarioIsValid) {
  ImportOptions options;
  options.work = ImportOptions::Work::kCpu;
  const Read got = read(kHeader + row("a", ",,") + row("b", "5.5,6,1000000.0"), options);
  ASSERT_TRUE(got.imported) << error_of(got);
  const auto checked =
      workloads::read_scenario_text(write_scenario(got.imported->scenario), "made.yaml");
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().text);
}

}  // namespace heddle::trace::alibaba_gpu_2025_test
