// Tests masters and whole runs that are killed and resumed.

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::recovery_test {

/// Returns a scenario with two nodes and two jobs of eight tasks, of which four run at once.
ScenarioText two_jobs(const std::string& cpu) {
  std::string second = maps(8, "cpu: " + cpu, "    submit: 5s\n");
  second.replace(second.find("name: j"), 7, "name: second");
  return {.emulation = "time_scale: 0.1, core_fraction: 0.03, memory_scale: 1/64",
          .jobs = maps(8, "cpu: " + cpu) + second};
}

class Recovery : public RealRun {
 protected:
  /// Starts a run and waits until some tasks are done and others are running.
  std::unique_ptr<Process> start_jobs(const std::string& cpu = "5s") {
    auto run = start(two_jobs(cpu), {"--derived=later"});
    EXPECT_TRUE(eventually([&] {
      return completed() >= 2 && count("container_started") > count("container_ended");
    })) << run->errors();
    return run;
  }
  /// Returns the number of containers that have completed.
  int completed() const {
    int count = 0;
    for (const Json& line : lines("container_ended")) count += line["outcome"] == "completed";
    return count;
  }
  static void kill_master(const Process& run) {
    const pid_t master = master_of(run);
    ASSERT_GT(master, 1);
    ::kill(master, SIGKILL);
    EXPECT_TRUE(eventually([&] { return !alive(master); }));
  }
  static void kill_first_process(Process& run) {
    run.signal(SIGKILL);
    run.wait();
  }
  Ended resume(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"resume", out()};
    words.insert(words.end(), more.begin(), more.end());
    return call(words, scratch_);
  }
  void expect_resume_refused(int status, const std::string& reason) {
    const Ended refused = resume();
    EXPECT_EQ(refused.status, status);
    EXPECT_THAT(refused.errors, HasSubstr(reason));
  }
  /// Checks everything that a disturbed run must show in the end.
  void expect_whole(int lives) {
    EXPECT_EQ(summary()["status"], "done");
    EXPECT_EQ(summary()["resumed"]["count"], lives);
    EXPECT_GT(summary()["resumed"]["downtime_s"], 0);
    for (const Json& job : summary()["jobs"]) EXPECT_EQ(job["state"], "completed") << job;
    EXPECT_EQ(completed(), 16) << "each task once";
    EXPECT_EQ(count("job_finished"), 2);
    expect_nothing_left();
  }
};

TEST_F(Recovery, AMasterThatIsKilledGoesOnWithItsWorkers) {
  auto run = start_jobs();
  kill_master(*run);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("it is restarted and resumes from the journal"));
  expect_whole(1);
  EXPECT_EQ(summary()["lost"], 0) << "its workers were there all the time";
  EXPECT_EQ(summary()["attempts_total"], 16);
}

TEST_F(Recovery, TheFourthTimeIsTheEndUntilItIsResumed) {
  auto run = start_jobs("10s");
  for (int restarts = 1; restarts <= 3; ++restarts) {
    kill_master(*run);
    EXPECT_TRUE(eventually_has("resumed", restarts)) << run->errors();
  }
  kill_master(*run);
  EXPECT_EQ(run->wait(), 4) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("heddle resume may continue it"));
  EXPECT_THAT(left_of(run_id(out())), IsEmpty());
  const Ended resumed = resume();
  EXPECT_EQ(resumed.status, 0) << resumed.errors;
  expect_whole(4);
  EXPECT_TRUE(std::filesystem::exists(out() + "/report.html")) << "made again at the end";
  expect_resume_refused(2, "the run has ended (done); the run cannot be resumed");
}

TEST_F(Recovery, ARunWhoseFirstProcessIsKilledIsResumed) {
  kill_first_process(*start_jobs());
  // A half-written line would leave this.
  std::ofstream(out() + "/journal.jsonl", std::ios::app) << R"({"type":"contai)";
  const Ended resumed = resume({"--derived=later"});
  EXPECT_EQ(resumed.status, 0) << resumed.errors;
  expect_whole(1);
  EXPECT_GT(summary()["lost"], 0) << "its tasks died with it";
}

TEST_F(Recovery, NeitherALiveRunNorADamagedJournalIsGoneOnWith) {
  auto run = start_jobs("10s");
  expect_resume_refused(2, "is still running");
  kill_first_process(*run);
  std::ofstream(out() + "/journal.jsonl", std::ios::app) << "{\n{}\n{}\n";
  expect_resume_refused(4, "journal.jsonl:");
  EXPECT_EQ(clean(), 0);
}

}  // namespace heddle::recovery_test
