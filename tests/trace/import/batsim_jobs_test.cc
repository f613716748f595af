#include "trace/import/batsim_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/import/formats.h"
#include "trace/import/spark.h"

namespace heddle::trace::batsim_jobs_test {

using ::testing::HasSubstr;

struct Made {
  Result<Imported> imported;
  ImportReport report;
  std::int64_t count(std::string_view key) const { return report.count({key, ""}); }
  const Scenario& scenario() const { return imported->scenario; }
  const JobSpec& job(std::size_t i = 0) const { return imported->scenario.jobs.at(i); }
};

Made import(std::string text, const ImportOptions& options = {}) {
  const ImportFormat format{"batsim-jobs", "", "", &is_batsim_jobs, &import_batsim_jobs};
  std::vector<Input> inputs;
  inputs.emplace_back("out/jobs.csv", std::move(text));
  ImportReport report;
  Result<Imported> imported = import_trace(format, inputs, options, report);
  return {std::move(imported), std::move(report)};
}

/// Columns of Batsim 4.
constexpr const char* kColumns =
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,consumed_energy,allocated_resources,metadata\n";

/// Rows with the needed columns only.
constexpr const char* kFew =
    "job_id,submission_time,requested_number_of_resources,requested_time,final_state,"
    "execution_time,allocated_resources\n";

TEST(BatsimJobs, RowsAreRigidJobs) {
  const Made made = import(
      std::string(kColumns) +
      "w0!7,w0,d20,5.500000,3,100.000000,1,COMPLETED_SUCCESSFULLY,8.000000,20.250000,28.250000,"
      "2.500000,22.750000,1.123457,-1.000000,0-1 5,\"\"\n"
      "8,w0,not a name,10.5,1,-1.000000,0,COMPLETED_FAILED,20.5,1.5,22,10,11.5,7.666667,-1,3,\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.report.repairs(), 0);
  EXPECT_EQ(made.report.rows, 2);
  const Scenario& scenario = made.scenario();
  EXPECT_EQ(scenario.name, "jobs");
  EXPECT_EQ(scenario.policy.preset, "easy");
  EXPECT_TRUE(scenario.simulation.ideal);
  ASSERT_EQ(scenario.cluster.nodes.size(), 6U) << "the highest id is 5";
  EXPECT_EQ(scenario.cluster.nodes[5].allowance,
            (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
  ASSERT_EQ(scenario.jobs.size(), 2U);
  const JobSpec& job = made.job(0);
  EXPECT_EQ(job.name, "job-7");
  EXPECT_EQ(job.queue, "w0");
  EXPECT_EQ(job.user, "user");
  EXPECT_EQ(job.submit, EmuTime(0)) << "5.5 s becomes 0";
  EXPECT_EQ(job.walltime, emu_seconds(100));
  EXPECT_TRUE(job.rigid());
  EXPECT_EQ(job.phases[0].name, "d20");
  EXPECT_EQ(job.phases[0].tasks, 3);
  EXPECT_EQ(job.phases[0].sleep.mean, 20.25e6);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(1000), EmuBytes(1LL << 30)}));
  EXPECT_EQ(made.job(1).submit, emu_seconds(5));
  EXPECT_EQ(made.job(1).walltime, std::nullopt);
  EXPECT_EQ(made.job(1).phases[0].name, "p");
}

TEST(BatsimJobs, ColumnsCanHaveTheirOldNamesAndAnyOrder) {
  const Made made = import(
      "allocated_processors,execution_time,jobID,submission_time,requested_number_of_processors\r\n"
      "\"20 19\",4,a,1497296309,2\r\n"
      "\"3,4\",4,b,1497296310,2\r\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.report.repairs(), 0);
  EXPECT_EQ(made.scenario().cluster.nodes.size(), 21U);
  EXPECT_EQ(made.job(0).name, "job-a");
  EXPECT_EQ(made.job(0).queue, "default");
  EXPECT_EQ(made.job(1).submit, emu_seconds(1));
  EXPECT_EQ(made.job(1).phases[0].sleep.mean, 4e6);
}

TEST(BatsimJobs, ASubmissionOfMinusOneIsMissing) {
  const Made made = import(std::string(kFew) +
                           "1,1500000000,1,10,COMPLETED_SUCCESSFULLY,4,0\n"
                           "2,-1,1,10,COMPLETED_SUCCESSFULLY,4,0\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.report.jobs, 2);
  EXPECT_EQ(made.count("no_submission"), 1);
  EXPECT_EQ(made.job(1).submit, EmuTime(0)) << "that of the row above";
}

TEST(BatsimJobs, WithoutASubmissionAboveAJobIsLeftOut) {
  const Made made = import(std::string(kFew) +
                           "1,-1,1,10,COMPLETED_SUCCESSFULLY,4,0\n"
                           "2,1500000000,1,10,COMPLETED_SUCCESSFULLY,4,0\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.report.jobs, 1);
  EXPECT_EQ(made.count("no_first_submission"), 1);
  EXPECT_EQ(made.job(0).submit, EmuTime(0));
}

TEST(BatsimJobs, JobsThatDidNotRunAreLeftOut) {
  const Made made = import(std::string(kFew) +
                           "1,0,1,10,REJECTED,,\n"
                           "2,0,1,10,COMPLETED_KILLED,4,0\n"
                           "3,0,1,10,COMPLETED_KILLED,10,0\n"  // killed at its walltime
                           "4,0,1,10,COMPLETED_WALLTIME_REACHED,10.000001,0\n"
                           "5,0,1,10,COMPLETED_SUCCESSFULLY,-1,0\n"
                           "6,0,1,10,COMPLETED_SUCCESSFULLY,,0\n"
                           "7,0,1,inf,RUNNING,3,0\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.report.jobs, 3);
  EXPECT_EQ(made.count("rejected"), 1);
  EXPECT_EQ(made.count("killed"), 1);
  EXPECT_EQ(made.count("never_ran"), 2);
  EXPECT_EQ(made.count("unknown_status"), 1);
  EXPECT_THAT(made.report.text(), HasSubstr("stopped at their walltime: 2"));
  EXPECT_EQ(made.job(2).name, "job-7");
  EXPECT_EQ(made.job(2).walltime, std::nullopt);
}

TEST(BatsimJobs, RowsAreRepaired) {
  const Made made = import(std::string(kFew) +
                           "1,5,1,x,,3,0\n"     // no number
                           "2,4,1.4,10,,3,0\n"  // earlier, and a fraction
                           "3,6,,10,,3,0-3\n"   // as many as it was allocated
                           "3,6,1,10,,3,0\n"    // occurs twice
                           "4,6,1,10,,0,0\n"    // takes no time
                           "5,6,1,10,,3,0-\n"   // no interval set
                           "6,6,1,10,,3,7-6\n"  // not one either
                           "7,6,0,10,,3,\n"     // no resource
                           "8,nan,1,10,,3,0\n"  // no submission
                           "9,6,1,10,,1e300,0\n"
                           "10,6,1e300,10,,3,0\n"
                           "11,6,1,10,,3\n"
                           "12,6,1,10,,3,0,1\n"
                           ",6,1,10,,3,0\n"
                           ",,,\n\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.report.rows, 14);
  EXPECT_EQ(made.count("no_number"), 2);
  EXPECT_EQ(made.count("out_of_order"), 1);
  EXPECT_EQ(made.count("fraction"), 1);
  EXPECT_EQ(made.count("missing"), 1);
  EXPECT_EQ(made.count("duplicate"), 1);
  EXPECT_EQ(made.count("zero_run_time"), 1);
  EXPECT_EQ(made.count("allocation"), 2);
  EXPECT_EQ(made.count("no_task"), 1);
  EXPECT_EQ(made.count("unreadable"), 3);
  EXPECT_EQ(made.count("fields_missing"), 1);
  EXPECT_EQ(made.count("fields_more"), 1);
  EXPECT_EQ(made.report.jobs, 9);
  EXPECT_EQ(made.job(0).name, "job-2");
  EXPECT_EQ(made.job(0).phases[0].tasks, 1);
  EXPECT_EQ(made.job(2).phases[0].tasks, 4);
  EXPECT_EQ(made.job(3).phases[0].sleep.mean, 1);
  EXPECT_EQ(made.job(8).name, "job-14") << "the number of the row";
  EXPECT_EQ(made.scenario().cluster.nodes.size(), 4U);
}

TEST(BatsimJobs, TimesCanComeFromStartAndFinish) {
  const Made made = import(
      "job_id,submission_time,requested_number_of_resources,starting_time,execution_time,"
      "finish_time\n1,0,2,5,,7.5\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.count("missing"), 1);
  EXPECT_EQ(made.job().phases[0].sleep.mean, 2.5e6);
  EXPECT_EQ(made.scenario().cluster.nodes.size(), 2U) << "the largest job";
}

TEST(BatsimJobs, OptionsChooseAndSetTheCluster) {
  ImportOptions options;
  options.from = emu_seconds(10);
  options.cores = Millicores(4000);
  options.work = ImportOptions::Work::kCpu;
  const std::string text = std::string(kFew) + "1,5,1,10,,3,0\n2,10,1,10,,3,8\n";
  const Made made = import(text, options);
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.report.found, 2);
  ASSERT_EQ(made.scenario().jobs.size(), 1U);
  EXPECT_EQ(made.job().phases[0].cpu.mean, 3e6);
  EXPECT_EQ(made.job().phases[0].sleep.mean, 0);
  // 9 resources on nodes of 4 cores.
  ASSERT_EQ(made.scenario().cluster.nodes.size(), 3U);
  EXPECT_EQ(made.scenario().cluster.nodes[0].allowance,
            (Resources{Millicores(4000), EmuBytes(4LL << 30)}));
  options = {};
  options.nodes = 30;
  EXPECT_EQ(import(text, options).scenario().cluster.nodes.size(), 30U);
  EXPECT_THAT(import(std::string(kFew) + "1,5,50000,10,,3,\n").imported.error().text,
              HasSubstr("has 50000 resources; expected --cores N"));
}

TEST(BatsimJobs, WorkloadsAreQueues) {
  ImportOptions options;
  options.queues = {"b"};
  const Made made = import(
      "job_id,workload_name,submission_time,requested_number_of_resources,execution_time\n"
      "1,a,0,1,3\n1,b,0,1,4\n",
      options);
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.count("duplicate"), 0) << "an id is unique in a workload";
  ASSERT_EQ(made.scenario().jobs.size(), 1U);
  EXPECT_EQ(made.job().phases[0].sleep.mean, 4e6);
}

TEST(BatsimJobs, WorkloadsNeedNotBeText) {
  const Made made = import(
      "job_id,workload_name,submission_time,requested_number_of_resources,execution_time\n"
      "\xFF,a\xFF,0,1,3\n");
  ASSERT_TRUE(made.imported) << made.imported.error().text;
  EXPECT_EQ(made.job().name, "job-_");
  EXPECT_EQ(made.job().queue, "a_xff");
  EXPECT_THAT(made.report.json().dump(), HasSubstr("xff"));
}

TEST(BatsimJobs, OtherFilesAreRefused) {
  EXPECT_EQ(import("1,2,3\n").imported.error().text,
            "out/jobs.csv: its first row doesn't name the columns of a jobs.csv; expected "
            "submission_time, execution_time and requested_number_of_resources");
  EXPECT_THAT(import("").imported.error().text, HasSubstr("its first row doesn't name"));
  EXPECT_THAT(import(kColumns).imported.error().text, HasSubstr("no job that can be used"));
}

TEST(BatsimJobs, FilesAreRecognised) {
  EXPECT_TRUE(is_batsim_jobs(kColumns));
  EXPECT_TRUE(
      is_batsim_jobs("jobID,submission_time,requested_number_of_processors,"
                     "requested_time,execution_time,waiting_time,allocated_processors"));
  EXPECT_TRUE(is_batsim_jobs(
      "\"job_id\",\"submission_time\",\"requested_number_of_resources\",\"execution_time\"\n"));
  EXPECT_FALSE(is_batsim_jobs(""));
  EXPECT_FALSE(is_batsim_jobs("1,2,3\n"));
  EXPECT_FALSE(is_batsim_jobs("submission_time,execution_time\n"));
  EXPECT_FALSE(is_batsim_jobs("job_id,submission_time,makespan,requested_number_of_resources\n"));
  EXPECT_FALSE(is_batsim_jobs("name,cpu_milli,memory_mib,num_gpu\n"));
  EXPECT_FALSE(is_batsim_jobs("; Version: 2.2\n"));
  EXPECT_FALSE(is_spark(kColumns));
}

}  // namespace heddle::trace::batsim_jobs_test
