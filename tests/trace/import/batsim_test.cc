#include "trace/import/batsim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/import/imported.h"

namespace heddle::trace::batsim_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<Imported> import(const std::string& text, const ImportOptions& options = {}) {
  return import_text("batsim", text, options, "dir/my load.json");
}

std::string error_of(const std::string& text, const ImportOptions& options = {}) {
  const Result<Imported> imported = import(text, options);
  return imported ? "none" : imported.error().text;
}

/// A workload of four hosts with these jobs.
std::string with_jobs(const std::string& jobs) {
  return R"({"nb_res": 4, "jobs": [)" + jobs +
         R"(], "profiles": {"d": {"type": "delay", "delay": 20.25},
              "cpu": {"type": "parallel_homogeneous", "cpu": 3e9, "com": 1000}}})";
}
std::string with_profile(const std::string& profile) {
  return R"({"nb_res": 1, "jobs": [{"id": 1, "subtime": 0, "res": 1, "profile": "p"}],
             "profiles": {"p": )" +
         profile + "}}";
}
std::string job(const std::string& fields) { return "{" + fields + "}"; }

TEST(Batsim, JobsAreGangsOfHosts) {
  const Result<Imported> imported = import(
      with_jobs(R"({"id": "1", "subtime": 2.5, "walltime": 100, "res": 3, "profile": "d"})"));
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_THAT(imported->warnings, IsEmpty());
  const Scenario& scenario = imported->scenario;
  EXPECT_EQ(scenario.name, "my_load");
  EXPECT_TRUE(scenario.simulation.ideal);
  EXPECT_EQ(scenario.cluster.dispatch, Dispatch::kImmediate);
  EXPECT_EQ(scenario.policy.preset, "easy");
  ASSERT_EQ(scenario.cluster.nodes.size(), 4U);
  EXPECT_EQ(scenario.cluster.nodes[0].name, "n0");
  ASSERT_EQ(scenario.jobs.size(), 1U);
  const JobSpec& job = scenario.jobs[0];
  EXPECT_EQ(job.name, "job-1");
  EXPECT_EQ(job.submit, emu_seconds(2.5));
  EXPECT_EQ(job.walltime, emu_seconds(100));
  EXPECT_TRUE(job.rigid());
  EXPECT_EQ(job.phases[0].name, "d");
  EXPECT_EQ(job.phases[0].tasks, 3);
  EXPECT_EQ(job.phases[0].sleep.mean, 20.25e6);
  EXPECT_EQ(job.phases[0].request, scenario.cluster.nodes[0].allowance) << "a host each";
}

// 3e9 operations at 1.5e9 a second take 2 s.
TEST(Batsim, OperationsBecomeCpuTime) {
  ImportOptions options;
  options.flops = 1.5e9;
  const Result<Imported> imported =
      import(with_jobs(R"({"id": 7, "subtime": 0, "res": 1, "profile": "cpu"})"), options);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs[0].name, "job-7");
  EXPECT_EQ(imported->scenario.jobs[0].walltime, std::nullopt);
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].cpu.mean, 2e6);
  EXPECT_THAT(imported->warnings, ElementsAre("1 job communicates; this takes no time here"));
}

// docs/input-workload.rst of Batsim: the amount is divided by the number of the job's machines.
TEST(Batsim, OperationsOfAllHostsTogetherAreDivided) {
  ImportOptions options;
  options.flops = 1e9;
  const Result<Imported> imported = import(
      R"({"nb_res": 4, "jobs": [
          {"id": 1, "subtime": 0, "res": 4, "profile": "spread"},
          {"id": 2, "subtime": 1, "res": 2, "profile": "spread"},
          {"id": 3, "subtime": 2, "res": 4, "profile": "total"},
          {"id": 4, "subtime": 3, "res": 4, "profile": "each"}],
          "profiles": {
          "spread": {"type": "ParallelTaskHomogeneousProfile", "cpu": 4e9,
                     "generation_strategy": "DefinedAmountsSpreadUniformly"},
          "total": {"type": "parallel_homogeneous_total", "cpu": 8e9},
          "each": {"type": "ParallelTaskHomogeneousProfile", "cpu": 4e9,
                   "generation_strategy": "DefinedAmountsUsedForEachValue"}}})",
      options);
  ASSERT_TRUE(imported) << imported.error().text;
  const std::vector<JobSpec>& jobs = imported->scenario.jobs;
  EXPECT_EQ(jobs[0].phases[0].cpu.mean, 1e6);
  EXPECT_EQ(jobs[1].phases[0].cpu.mean, 2e6);
  EXPECT_EQ(jobs[2].phases[0].cpu.mean, 2e6);
  EXPECT_EQ(jobs[3].phases[0].cpu.mean, 4e6);
}

// 10^17 operations at 10^9 a second are 28 h on each of 1000 hosts, and 27778 h on one host.
TEST(Batsim, TheWorkOfAHostIsBounded) {
  ImportOptions options;
  options.flops = 1e9;
  const auto text = [](int hosts) {
    return R"({"nb_res": 1000, "jobs": [{"id": 1, "subtime": 0, "res": )" + std::to_string(hosts) +
           R"(, "profile": "p"}],
               "profiles": {"p": {"type": "parallel_homogeneous_total", "cpu": 1e17}}})";
  };
  const Result<Imported> imported = import(text(1000), options);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs[0].phases[0].cpu.mean, 1e11);
  EXPECT_THAT(error_of(text(1), options),
              HasSubstr("jobs[0].profile: expected at most 10000h of work for a host, at --flops"));
}

TEST(Batsim, TheNamesOfVersion5) {
  ImportOptions options;
  options.flops = 1e9;
  const Result<Imported> imported = import(
      R"({"nb_res": 1, "jobs": [{"id": "w0!a", "subtime": 0, "res": 1, "profile": "x",
          "walltime": -1}, {"id": "w0!b", "subtime": 0, "res": 1, "profile": "y"}],
          "profiles": {"x": {"type": "DelayProfile", "delay": 1},
                       "y": {"type": "ParallelTaskHomogeneousProfile", "cpu": 1e9}}})",
      options);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.jobs[0].name, "job-a");
  EXPECT_EQ(imported->scenario.jobs[0].walltime, std::nullopt);
  EXPECT_EQ(imported->scenario.jobs[1].phases[0].cpu.mean, 1e6);
  EXPECT_THAT(imported->warnings, IsEmpty());
}

// Batsim compares the ids of jobs that are submitted together as text.
TEST(Batsim, JobsAreInTheOrderOfSubmission) {
  std::string jobs;
  for (const char* fields :
       {R"("id": "2", "subtime": 5)", R"("id": "10", "subtime": 5)", R"("id": "3", "subtime": 1)"})
    jobs += (jobs.empty() ? "" : ",") + job(std::string(fields) + R"(, "res": 1, "profile": "d")");
  ImportOptions options;
  options.flops = 1e9;
  const Result<Imported> imported = import(with_jobs(jobs), options);
  ASSERT_TRUE(imported) << imported.error().text;
  std::vector<std::string> names;
  for (const JobSpec& one : imported->scenario.jobs) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("job-3", "job-10", "job-2"));
}

TEST(Batsim, TheNumberOfHosts) {
  ImportOptions options;
  options.nodes = 2;
  options.flops = 1e9;
  const Result<Imported> imported =
      import(with_jobs(R"({"id": 7, "subtime": 0, "res": 1, "profile": "d"})"), options);
  ASSERT_TRUE(imported) << imported.error().text;
  EXPECT_EQ(imported->scenario.cluster.nodes.size(), 2U);
  EXPECT_EQ(error_of(R"({"jobs": [], "profiles": {}})"),
            "dir/my load.json: workload.nb_res: expected the number of hosts, here or as --nodes");
  EXPECT_EQ(error_of(R"({"jobs": [], "profiles": {}})", options),
            "dir/my load.json: has no job that can be used");
}

// Schedulers of Batsim reject such jobs.
TEST(Batsim, JobsThatAreLargerThanTheClusterAreLeftOut) {
  const Result<Imported> imported =
      import(with_jobs(R"({"id": 1, "subtime": 0, "res": 5, "profile": "d"},
                          {"id": 2, "subtime": 0, "res": 4, "profile": "d"})"));
  ASSERT_TRUE(imported) << imported.error().text;
  ASSERT_EQ(imported->scenario.jobs.size(), 1U);
  EXPECT_EQ(imported->scenario.jobs[0].name, "job-2");
}

TEST(Batsim, WhatDoesNotFitIsRefused) {
  const std::string file = "dir/my load.json: ";
  EXPECT_EQ(error_of("{"), file + "is not JSON; expected a workload of Batsim");
  EXPECT_EQ(error_of("[]"), file + "workload: expected an object");
  EXPECT_EQ(error_of(with_profile(R"({"type": "composed", "seq": []})")),
            file +
                "profiles.p.type: expected delay, parallel_homogeneous or "
                "parallel_homogeneous_total; \"composed\" has no counterpart in a scenario");
  EXPECT_EQ(error_of(with_profile(R"({"type": "parallel_homogeneous", "cpu": 1})")),
            file +
                "profiles.p.cpu: expected --flops with the operations per second of a host, "
                "because this profile counts operations");
  EXPECT_EQ(error_of(with_profile(R"({"type": "delay"})")), file + "profiles.p.delay: missing");
  ImportOptions options;
  options.flops = 1e9;
  EXPECT_EQ(error_of(with_profile(R"({"type": "parallel_homogeneous", "cpu": 1,
                                      "generation_strategy": "Random"})"),
                     options),
            file +
                "profiles.p.generation_strategy: expected DefinedAmountsSpreadUniformly or "
                "DefinedAmountsUsedForEachValue");
  const auto of_job = [&](const std::string& fields) {
    return error_of(with_jobs(job(fields)), options);
  };
  EXPECT_EQ(of_job(R"("subtime": 0, "res": 1, "profile": "d")"),
            file + "jobs[0].id: expected an id");
  EXPECT_EQ(of_job(R"("id": "a/b", "subtime": 0, "res": 1, "profile": "d")"),
            file + "jobs[0].id: expected letters, digits, '.', '_' and '-'");
  EXPECT_EQ(of_job(R"("id": 1, "subtime": 0, "res": 0, "profile": "d")"),
            file + "jobs[0].res: expected a whole number from 1 to 20000");
  EXPECT_EQ(of_job(R"("id": 1, "subtime": 0, "res": 1, "profile": "e")"),
            file + "jobs[0].profile: expected one of the profiles, but there is no \"e\"");
  const std::string good = job(R"("id": 1, "subtime": 0, "res": 1, "profile": "d")");
  EXPECT_EQ(error_of(with_jobs(good + "," + good), options),
            file + "jobs[1].id: expected another id: \"1\" occurs twice");
}

}  // namespace heddle::trace::batsim_test
