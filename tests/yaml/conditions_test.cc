// Conditions of jobs on other jobs.

#include "yaml/conditions.h"

#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/scenario_texts.h"
#include "yaml/write.h"

namespace heddle::conditions_test {

/// Returns jobs of one task, each `NAME` or `NAME: {more keys}`, as a list of a scenario.
std::string jobs_text(const std::string& jobs) { return text_with_jobs("jobs:\n" + jobs); }
std::string job(const std::string& keys) {
  return "- {" + keys + ", phases: [{name: m, request: {cores: 1, memory: 1GiB}, sleep: 1s}]}\n";
}
Scenario jobs_of(const std::string& jobs) { return scenario_of(jobs_text(jobs)); }

TEST(Conditions, NameJobsBeforeAndBehind) {
  const Scenario scenario =
      jobs_of(job("name: a, after: [c]") +
              job("name: b, after: [{job: a, when: any, delay: 1min}, {job: c, when: start}]") +
              job("name: c"));
  EXPECT_THAT(scenario.jobs[0].after,
              ElementsAre(JobCondition{JobId{2}, AfterWhen::kOk, emu_seconds(0)}));
  EXPECT_THAT(scenario.jobs[1].after,
              ElementsAre(JobCondition{JobId{0}, AfterWhen::kAny, emu_seconds(60)},
                          JobCondition{JobId{2}, AfterWhen::kStart, emu_seconds(0)}));
  EXPECT_THAT(scenario.jobs[2].after, IsEmpty());
}

TEST(Conditions, AnEntryWithACountStandsForAllItsJobs) {
  const Scenario scenario =
      jobs_of(job("name: a, count: 2") + job("name: b, count: 2, after: [a]") +
              job("name: c, after: [b-1, b]"));
  for (const std::size_t i : {2, 3})
    EXPECT_THAT(scenario.jobs[i].after,
                ElementsAre(JobCondition{JobId{0}, AfterWhen::kOk, emu_seconds(0)},
                            JobCondition{JobId{1}, AfterWhen::kOk, emu_seconds(0)}));
  EXPECT_THAT(scenario.jobs[4].after,
              ElementsAre(JobCondition{JobId{2}, AfterWhen::kOk, emu_seconds(0)},
                          JobCondition{JobId{3}, AfterWhen::kOk, emu_seconds(0)}))
      << "each condition once";
}

TEST(Conditions, AreWrittenAndReadBack) {
  const Scenario scenario = jobs_of(
      job("name: a, workflow: w") +
      job("name: b, workflow: w, after: [a, {job: c, when: notok, delay: 2.5s}]") + job("name: c"));
  EXPECT_THAT(write_scenario(scenario),
              HasSubstr("after: [a, {job: c, when: notok, delay: 2.5s}]\n"));
  EXPECT_THAT(write_scenario(scenario), HasSubstr("workflow: w\n"));
  expect_round_trip(scenario);
}

TEST(Conditions, AreWrittenInTables) {
  Scenario scenario = jobs_of(job("name: a") + job("name: b, after: [a]"));
  for (int i = 0; i <= static_cast<int>(kMostListedJobs); ++i) {
    JobSpec& more = scenario.jobs.emplace_back(scenario.jobs[1]);
    more.name = "c" + std::to_string(i);
    more.after = {{JobId{0}, AfterWhen::kAny, emu_seconds(1.5)},
                  {JobId{1}, AfterWhen::kOk, emu_seconds(0)}};
  }
  EXPECT_THAT(write_scenario(scenario), HasSubstr("a:any:1.5;b,"));
  expect_round_trip(scenario);
}

TEST(Conditions, OfCells) {
  const auto parsed = parse_conditions("a;b:any;c:ok:2.5");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ((*parsed)[0].job, "a");
  EXPECT_EQ((*parsed)[1].when, AfterWhen::kAny);
  EXPECT_EQ((*parsed)[2].delay, emu_seconds(2.5));
  for (const char* wrong : {"a b", ":any", "a:never", "a:any:x", "a:any:-1", "a;;b"})
    EXPECT_FALSE(parse_conditions(wrong)) << wrong;
  EXPECT_THAT(*parse_conditions(""), IsEmpty());
}

TEST(Conditions, MistakesInTables) {
  const std::string columns = "job,submit_s,after_jobs,phase,tasks,cores,memory,sleep_s\n";
  const auto errors = [&](const std::string& rows) {
    return errors_of(
        "heddle: 1\nname: t\ncluster: {nodes: [{name: n, cores: 4, memory: 8GiB}]}\n"
        "jobs: {table: 2}\n...\n" +
        columns + rows);
  };
  EXPECT_EQ(errors("a,0,,m,1,1,1024,1\nb,0,a:any,m,1,1,1024,1\n"), "none");
  EXPECT_EQ(errors("a,0,,m,1,1,1024,1\nb,0,c,m,1,1,1024,1\n"),
            "s.yaml:8: jobs.b.after_jobs: no job is called \"c\"; expected the name of a job");
  EXPECT_THAT(
      errors("a,0,,m,1,1,1024,1\nb,0,a:later,m,1,1,1024,1\n"),
      HasSubstr("after_jobs: \"a:later\" is wrong; expected names of jobs, separated by ;"));
  EXPECT_EQ(errors("a,0,b,m,1,1,1024,1\nb,0,a,m,1,1,1024,1\n"),
            "s.yaml:7: jobs.a.after_jobs: the conditions form a cycle: a after b after a; expected "
            "an order in which the jobs can run");
}

TEST(Conditions, Mistakes) {
  const auto errors = [](const std::string& jobs) { return errors_of(jobs_text(jobs)); };
  EXPECT_THAT(
      errors(job("name: prep") + job("name: b, after: [perp]")),
      HasSubstr("jobs.b.after[0]: no job is called \"perp\"; expected the name of a job; did "
                "you mean \"prep\"?"));
  EXPECT_THAT(errors(job("name: a, after: a")),
              HasSubstr("jobs.a.after: is a single value; expected a list of jobs such as [prep]"));
  EXPECT_THAT(errors(job("name: a, after: [a]")),
              HasSubstr("the conditions form a cycle: a after a; expected an order"));
  EXPECT_THAT(
      errors(job("name: a, after: [{job: b, when: done}]") + job("name: b")),
      HasSubstr("jobs.a.after[0].when: unknown word \"done\"; expected ok or notok or any or "
                "start"));
  EXPECT_THAT(errors(job("name: a, after: [{when: any}]")),
              HasSubstr("jobs.a.after[0].job: is missing"));
  EXPECT_THAT(errors(job("name: a, after: [{job: b, delay: -1s}]") + job("name: b")),
              HasSubstr("jobs.a.after[0].delay: "));
}

TEST(Conditions, ANameOfAJobAndOfAnEntryWithACount) {
  EXPECT_THAT(
      errors_of(jobs_text(job("name: a, count: 2") + job("name: a") + job("name: b, after: [a]"))),
      HasSubstr("jobs.b.after[0]: \"a\" is a job, and also an entry with a count; expected "
                "different names"));
}

TEST(Conditions, TooMany) {
  EXPECT_THAT(
      errors_of(jobs_text(job("name: a, count: 1001") + job("name: b, count: 1000, after: [a]"))),
      HasSubstr("jobs.b.after[0]: makes more than 1000000 conditions of jobs in all"));
}

}  // namespace heddle::conditions_test
