#include "yaml/jobs_table.h"

#include "tests/support/matchers.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::jobs_table_test {

constexpr std::int64_t kGiB = 1LL << 30;

/// A scenario of four nodes with this table of `count` jobs.
std::string with_table(const std::string& table, int count = 1) {
  return "heddle: 1\nname: t\ncluster: {nodes: [{name: n, count: 4, cores: 4, memory: 8GiB}]}\n"
         "jobs: {table: " +
         std::to_string(count) + "}\n...\n" + table;
}
const std::string kColumns = "job,submit_s,phase,tasks,cores,memory,sleep_s\n";

TEST(JobsTable, ARowIsAJobOfEqualTasks) {
  const Scenario scenario = scenario_of(with_table(kColumns + "a,1.5,map,3,0.5,1073741824,20\n"));
  ASSERT_EQ(scenario.jobs.size(), 1U);
  const JobSpec& job = scenario.jobs[0];
  EXPECT_EQ(job.name, "a");
  EXPECT_EQ(job.submit, emu_seconds(1.5));
  ASSERT_EQ(job.phases.size(), 1U);
  EXPECT_EQ(job.phases[0].tasks, 3);
  EXPECT_EQ(job.phases[0].request, (Resources{Millicores(500), EmuBytes(kGiB)}));
  EXPECT_EQ(job.phases[0].sleep, (Drawn{.mean = 20e6}));
  EXPECT_THAT(job.phases[0].each, IsEmpty());
}

TEST(JobsTable, RowsWithoutJobOrPhaseContinue) {
  const Scenario scenario =
      scenario_of(with_table("job,submit_s,phase,kind,after,tasks,cores,memory,cpu_s,usage\n"
                             "a,0,map,,,2,1,1024,3,\n"
                             ",,,,,1,,,5,\n"
                             ",,red,reduce,map,1,1,1024,,0:1:10;2.5:0:20\n"
                             "b,0,map,,,1,1,1024,1,\n",
                             2));
  ASSERT_EQ(scenario.jobs.size(), 2U);
  const std::vector<PhaseSpec>& phases = scenario.jobs[0].phases;
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].tasks, 3);
  ASSERT_EQ(phases[0].each.size(), 3U);
  EXPECT_EQ(phases[0].each[1].cpu.mean, 3e6);
  EXPECT_EQ(phases[0].each[2].cpu.mean, 5e6);
  EXPECT_EQ(phases[1].kind, PhaseKind::kReduce);
  EXPECT_THAT(phases[1].after, ElementsAre(0));
  EXPECT_EQ(phases[1].usage,
            (std::vector<UsageCorner>{{EmuTime(0), Millicores(1000), EmuBytes(10)},
                                      {emu_seconds(2.5), Millicores(0), EmuBytes(20)}}));
}

/// 2001 jobs of different kinds.
std::vector<JobSpec> many_jobs() {
  std::vector<JobSpec> jobs;
  for (int i = 0; i <= static_cast<int>(kMostListedJobs); ++i) {
    JobSpec& job = jobs.emplace_back();
    job.name = "job-" + std::to_string(i);
    job.submit = EmuTime(1'000'001LL * i);
    job.user = "u" + std::to_string(i % 7);
    if (i % 2 == 0) job.walltime = EmuTime(30'000'000 + i);
    if (i % 3 == 0) job.priority = -i;
    if (i % 5 == 0) job.weight = 1.0 / 3;  // 1/3 in YAML, a decimal number in a table
    job.phases.reserve(2);
    PhaseSpec& map = job.phases.emplace_back();
    map.name = "map";
    map.tasks = 3;
    map.request = {Millicores(250), EmuBytes(kGiB)};
    map.gang = i % 4 == 0;
    map.memory = {{0, Drawn{.mean = 12345}}};
    map.cpu.mean = 1'000'000 + i;
    map.threads = 2;
    if (i % 6 != 0) continue;
    PhaseSpec& reduce = job.phases.emplace_back();
    reduce.name = "reduce";
    reduce.kind = PhaseKind::kReduce;
    reduce.after = {0};
    reduce.request = map.request;
    reduce.tasks = 2;
    reduce.each.resize(2);
    reduce.each[0].sleep.mean = 5'000'000;
    reduce.each[1].usage = {{EmuTime(0), Millicores(200), EmuBytes(7)},
                            {EmuTime(9'000'000), Millicores(0), EmuBytes(8)}};
    reduce.output.mean = 77;
  }
  return jobs;
}

TEST(JobsTable, AScenarioOfManyJobsIsReadAsItWas) {
  Scenario scenario = scenario_of(with_table(kColumns + "a,0,map,1,1,1024,1\n"));
  scenario.jobs = many_jobs();
  const std::string text = write_scenario(scenario);
  EXPECT_THAT(text, HasSubstr("jobs: {table: 2001}\n...\njob,submit_s,user,priority,weight,"));
  EXPECT_EQ(scenario_of(text), scenario);
}

TEST(JobsTable, WhatATableCannotHoldIsAList) {
  JobSpec job = many_jobs()[0];
  EXPECT_TRUE(fits_table(job));
  job.phases[0].cpu.dist = Drawn::Dist::kExponential;
  EXPECT_FALSE(fits_table(job));
  job = many_jobs()[0];
  job.phases[0].prefer = {NodeId{0}};
  EXPECT_FALSE(fits_table(job));
  job = many_jobs()[0];
  job.phases[0].after = {1};
  EXPECT_FALSE(fits_table(job));
}

struct Wrong {
  std::string table;
  std::string error;
};
class WrongTable : public testing::TestWithParam<Wrong> {};

// The first line of the table is line 6 of the file.
TEST_P(WrongTable, NamesLineAndColumn) {
  EXPECT_THAT(errors_of(with_table(GetParam().table)), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongTable,
    testing::Values(
        Wrong{"", "no table follows; expected a line ... after the document"},
        Wrong{"job,submit,phase\n", ":6: unknown column \"submit\"; did you mean \"submit_s\"?"},
        Wrong{"job,submit_s\na,0\n", ":6: column phase is missing"},
        Wrong{"job,job\n", ":6: column \"job\" occurs twice"},
        Wrong{kColumns + "a,0,map,1,1,1024,1,9\n", ":7: more cells than the 7 columns"},
        Wrong{kColumns + "a/b,0,map,1,1,1024,1\n", ":7: job: \"a/b\" is wrong"},
        Wrong{kColumns + "a,-1,map,1,1,1024,1\n", ":7: submit_s: \"-1\" is wrong"},
        Wrong{kColumns + "a,0,map,0,1,1024,1\n", ":7: tasks: \"0\" is wrong"},
        Wrong{kColumns + "a,0,map,1,nan,1024,1\n", ":7: cores: \"nan\" is wrong"},
        Wrong{kColumns + "a,0,map,1,1,,1\n", ":7: memory: \"\" is wrong"},
        Wrong{kColumns + "a,0,map,1,1,1024,x\n", ":7: sleep_s: \"x\" is wrong; expected seconds"},
        Wrong{kColumns + ",0,map,1,1,1024,1\n", ":7: job: \"\" is wrong"},
        Wrong{"job,submit_s,weight,phase,tasks,cores,memory,sleep_s\na,0,nan,map,1,1,1024,1\n",
              ":7: weight: \"nan\" is wrong; expected a number, 0.001 to 1000"},
        Wrong{kColumns + "a,0,map,1,1,1024,1\na,0,map,1,1,1024,1\n",
              ":8: jobs.a: another job has this name"},
        Wrong{kColumns + "a,0,map,1,5,1024,1\n",
              ":7: jobs.a: phase \"map\" requests 5 cores and 1KiB per task; that fits no node"},
        Wrong{kColumns + "a,0,map,1,1,1024,1\nb,0,map,1,1,1024,1\n",
              "jobs.table: is 1, but the table has 2 jobs"},
        Wrong{"job,submit_s,phase,tasks,cores,memory,queue\na,0,map,1,1,1024,q\n",
              ":7: jobs.a: no queue is called \"q\"; expected one of default"},
        Wrong{"job,submit_s,phase,tasks,cores,memory,usage\na,0,map,1,1,1024,0:1:1;1:1:1\n",
              ":7: usage: \"0:1:1;1:1:1\" is wrong"}));

}  // namespace heddle::jobs_table_test
