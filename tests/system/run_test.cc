// Tests whole runs that end by themselves: results, limits in force, out-of-memory kills.

#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::run_test {

constexpr const char* kOneNode = "nodes: [{name: n, cores: 4, memory: 8GiB}]";

class Run : public RealRun {
 protected:
  /// Runs a scenario of the checkout with more options; checks that it can be replayed.
  Ended run_shipped(const std::string& name, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"run", scenario(name), "--out", out()};
    words.insert(words.end(), more.begin(), more.end());
    const Ended end = call(words, scratch_);
    EXPECT_EQ(replay_trouble(out()), "");
    return end;
  }
};

TEST_F(Run, QuickstartEndsWithResults) {
  const Ended end = run_shipped("quickstart");
  ASSERT_EQ(end.status, 0) << end.errors;
  expect_parts(end.output, {"makespan", out()});
  for (const Json& job : summary()["jobs"]) EXPECT_EQ(job["state"], "completed") << job["name"];
  EXPECT_EQ(summary()["mode"], "real");
  EXPECT_GT(summary()["makespan_s"], 0);
  EXPECT_EQ(read_journal(out()).front()["type"], "run");
  for (const char* file : {"/scenario.yaml", "/samples.jsonl"})
    EXPECT_TRUE(std::filesystem::exists(out() + file)) << file;
  expect_nothing_left();
}

TEST_F(Run, NoForecastIfTheUserWantsNone) {
  for (const char* option : {"--no-forecast", "--quiet"}) {
    auto run = start({.cluster = kOneNode, .jobs = maps(1, "cpu: 1s")}, {option});
    EXPECT_EQ(run->wait(), 0) << run->errors();
    EXPECT_THAT(run->errors(), Not(HasSubstr("forecast")));
    std::filesystem::remove_all(out());
  }
}

TEST_F(Run, SyncedJournalIsAsAnyOther) {
  run({.cluster = kOneNode, .jobs = maps(1, "cpu: 1s")}, {"--durability", "fsync"});
}

// The resolved scenario can be run again, with the same draws.
TEST_F(Run, ResolvedScenarioRunsAgain) {
  run({.cluster = kOneNode, .jobs = maps(2, "cpu: {dist: lognormal, mean: 2s, cv: 0.5}")});
  const std::string again = scratch_ / "again";
  EXPECT_EQ(trouble_of({"run", out() + "/scenario.yaml", "--out", again}, scratch_), "");
  EXPECT_EQ(replay_trouble(again), "");
  std::vector<std::string> works[2];
  for (int i = 0; i < 2; ++i)
    for (const Json& line : read_journal(i ? again : out()))
      if (line["type"] == "launch") works[i].push_back(line["work"].dump());
  EXPECT_EQ(works[0].size(), 2U);
  EXPECT_EQ(works[0], works[1]);
}

TEST_F(Run, KernelShowsLimitsAndEveryTaskInItsOwnGroup) {
  // The tasks last 5 s, so that a machine that is slow sees all three at once.
  auto run = start_tasks(3, {.cluster = kOneNode, .jobs = maps(3, "cpu: 50s")});
  std::set<std::string> groups;
  for (pid_t pid : descendants(run->pid(), "heddle-task")) {
    std::string cpu = group_of_pid(pid, "cpu"), memory = group_of_pid(pid, "memory");
    EXPECT_THAT(cpu, HasSubstr("heddle-" + run_id(out())));
    groups.insert(cpu);
    // 1 GiB / 64, and 1 MiB of overhead.
    EXPECT_EQ(text_of(memory + "/memory.limit_in_bytes") + text_of(memory + "/memory.max"),
              std::to_string(17 << 20) + "\n");
    // The quota is 1.2 x 0.1 CPU, rounded down.
    // The file of v2 has the quota and the period, as the two files of v1.
    std::istringstream cap(text_of(cpu + "/cpu.cfs_quota_us") +
                           text_of(cpu + "/cpu.cfs_period_us") + text_of(cpu + "/cpu.max"));
    double quota = 0, period = 1;
    cap >> quota >> period;
    EXPECT_NEAR(quota / period, 0.12, 0.002);
  }
  EXPECT_EQ(groups.size(), 3U);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  expect_nothing_left();
}

TEST_F(Run, TaskOverItsOwnRequestIsOomKilledRetriedAndCounted) {
  const Ended end = run_shipped("faults/container-overrun");
  EXPECT_EQ(end.status, 1) << end.errors;
  const Json job = summary()["jobs"][0];
  EXPECT_GE(summary()["oom_kills"]["container"], 2);
  EXPECT_EQ(summary()["oom_kills"]["node"], 0);
  EXPECT_GE(job["attempts"], 2);
  EXPECT_EQ(job["state"], "failed");
  EXPECT_GT(summary()["crash_fraction"], 0);
}

TEST_F(Run, NodeOverItsCapacityIsASaturationKill) {
  const Ended end = run_shipped("faults/memory-saturation");
  EXPECT_TRUE(end.status == 0 || end.status == 1) << end.errors;
  EXPECT_GE(summary()["oom_kills"]["node"], 1);
  EXPECT_EQ(summary()["oom_kills"]["container"], 0);
}

TEST_F(Run, ResultsThatAreMovedAreFound) {
  auto run = start_tasks(1, {.cluster = kOneNode, .jobs = maps(2, "cpu: 10s")});
  const std::string id = run_id(out());
  const std::string moved = scratch_ / "moved";
  std::filesystem::rename(out(), moved);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("the results were moved during the run, to " + moved));
  EXPECT_EQ(Json::parse(text_of(moved + "/summary.json"))["jobs"][0]["state"], "completed");
  EXPECT_EQ(replay_trouble(moved), "");
  EXPECT_FALSE(std::filesystem::exists(out()));
  EXPECT_THAT(left_of(id), IsEmpty());
}

TEST_F(Run, ResultsThatAreRemovedAreToldOf) {
  auto run = start_tasks(1, {.cluster = kOneNode, .jobs = maps(2, "cpu: 10s")});
  const std::string id = run_id(out());
  std::filesystem::remove_all(out());
  EXPECT_EQ(run->wait(), 4);
  EXPECT_THAT(run->errors(), HasSubstr(out() + ": the directory was removed"));
  EXPECT_FALSE(std::filesystem::exists(out()));
  EXPECT_THAT(left_of(id), IsEmpty());
}

// Without the directory, there is no place for the files of commands. So no task can start, which
// alone would be the fault of the machine.
TEST_F(Run, RemovedResultsAreAlsoTheReasonIfNoTaskCanStart) {
  auto run = start({.cluster = kOneNode,
                    .jobs = "- name: j\n  submit: 10s\n  max_attempts: 20\n  phases:\n"
                            "  - {name: c, kind: command, tasks: 40, command: [sleep, '0.2'],\n"
                            "     request: {cores: 1, memory: 1GiB}}\n"},
                   {"--allow-commands"});
  ASSERT_TRUE(eventually_has("node_registered", 1)) << run->errors();
  const std::string away = scratch_ / "away";
  std::filesystem::rename(out(), away);
  std::error_code error;
  while (std::filesystem::remove_all(away, error) > 0 || error) error.clear();
  EXPECT_EQ(run->wait(), 4) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("no node takes tasks any more"));
  EXPECT_THAT(run->errors(), HasSubstr(out() + ": the directory was removed"));
}

TEST_F(Run, AJournalThatIsReplacedIsToldOf) {
  auto run = start_tasks(1, {.cluster = kOneNode, .jobs = maps(2, "cpu: 10s")});
  const std::string journal = out() + "/journal.jsonl", copy = scratch_ / "copy";
  std::filesystem::copy_file(journal, copy);
  std::filesystem::rename(copy, journal);
  EXPECT_EQ(run->wait(), 4) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr(journal + ": does not have the end of the run"));
}

TEST_F(Run, SamplesThatAreRemovedAreToldOf) {
  auto run = start_tasks(1, {.cluster = kOneNode, .jobs = maps(2, "cpu: 10s")});
  std::filesystem::remove(out() + "/samples.jsonl");
  EXPECT_EQ(run->wait(), 4) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("samples.jsonl: the file was removed during the run"));
}

TEST_F(Run, AJournalThatIsRemovedIsToldOf) {
  auto run = start_tasks(1, {.cluster = kOneNode, .jobs = maps(2, "cpu: 10s")});
  const std::string id = run_id(out());
  std::filesystem::remove(out() + "/journal.jsonl");
  EXPECT_EQ(run->wait(), 4);
  EXPECT_THAT(run->errors(), HasSubstr("journal.jsonl: the file was removed"));
  EXPECT_THAT(left_of(id), IsEmpty());
}

TEST_F(Run, TwoRunsSideBySideDoNotMeet) {
  const std::string path =
      scratch_.file("s.yaml", ScenarioText{.cluster = kOneNode, .jobs = maps(2, "cpu: 5s")}.text());
  const std::string one = scratch_ / "one", two = scratch_ / "two";
  Process first(heddle({"run", path, "--out", one}), scratch_);
  Process second(heddle({"run", path, "--out", two}), scratch_);
  EXPECT_EQ(first.wait(), 0) << first.errors();
  EXPECT_EQ(second.wait(), 0) << second.errors();
  EXPECT_NE(run_id(one), run_id(two));
  for (const std::string& out : {one, two}) {
    const Json summary = read_json(out + "/summary.json");
    EXPECT_EQ(summary["jobs"][0]["state"], "completed");
    EXPECT_EQ(summary["attempts_total"], 2);
    EXPECT_EQ(replay_trouble(out), "");
  }
}

// A task that fails by itself (here: killed from outside) is distinguished from Heddle's own kills
// and retried.
TEST_F(Run, TaskKilledFromOutsideIsRetried) {
  auto run = start_tasks(1, {.cluster = kOneNode, .jobs = maps(1, "cpu: 10s")});
  ::kill(descendants(run->pid(), "heddle-task").at(0), SIGSEGV);
  ASSERT_EQ(run->wait(), 0) << run->errors();
  std::vector<std::string> outcomes;
  for (const Json& line : lines("container_ended")) outcomes.push_back(line["outcome"]);
  EXPECT_THAT(outcomes, ElementsAre("failed", "completed"));
  expect_nothing_left();
}

}  // namespace heddle::run_test
