// Tests masters and whole runs that are killed and resumed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::recovery_test {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns a scenario with two nodes and two jobs of eight tasks, of which four run at once.
std::string scenario_text(const std::string& cpu) {
  const std::string phases =
      "    phases:\n      - {name: map, kind: map, tasks: 8, request: {cores: 1, memory: 1GiB}, "
      "cpu: " +
      cpu + "}\n";
  return "heddle: 1\nname: recovery\n"
         "emulation: {time_scale: 0.1, core_fraction: 0.03, memory_scale: 1/64}\n"
         "cluster:\n  nodes:\n    - {name: n, count: 2, cores: 2, memory: 4GiB}\n"
         "jobs:\n  - name: first\n" +
         phases + "  - name: second\n    submit: 5s\n" + phases;
}

class Recovery : public ::testing::Test {
 protected:
  std::unique_ptr<Process> start(const std::string& cpu = "5s") {
    const std::string path = scratch_.file("s.yaml", scenario_text(cpu));
    auto run = std::make_unique<Process>(heddle({"run", path, "--out", out(), "--derived=later"}),
                                         scratch_);
    // Waits until some tasks are done and others are running.
    EXPECT_TRUE(eventually([&] {
      return ended() >= 2 && count("container_started") > count("container_ended");
    })) << run->errors();
    return run;
  }
  std::string out() const { return scratch_ / "out"; }
  /// Returns the number of containers that have completed.
  int ended() const {
    int count = 0;
    for (const auto& line : read_journal(out()))
      count += line["type"] == "container_ended" && line["outcome"] == "completed";
    return count;
  }
  int count(const std::string& type) const {
    int count = 0;
    for (const auto& line : read_journal(out())) count += line["type"] == type;
    return count;
  }
  static void kill_master(const Process& run) {
    const std::vector<pid_t> masters = descendants(run.pid(), "heddle-master");
    ASSERT_EQ(masters.size(), 1U);
    ::kill(masters[0], SIGKILL);
    EXPECT_TRUE(eventually([&] { return !alive(masters[0]); }));
  }
  std::unique_ptr<Process> resume(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"resume", out()};
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<Process>(heddle(words), scratch_);
  }
  /// Checks everything that a disturbed run must show in the end.
  void expect_whole(int lives) {
    const nlohmann::json summary = read_json(out() + "/summary.json");
    EXPECT_EQ(summary["status"], "done");
    EXPECT_EQ(summary["resumed"]["count"], lives);
    EXPECT_GT(summary["resumed"]["downtime_s"], 0);
    for (const auto& job : summary["jobs"]) EXPECT_EQ(job["state"], "completed") << job;
    EXPECT_EQ(ended(), 16) << "each task once";
    EXPECT_EQ(count("job_finished"), 2);
    EXPECT_EQ(replay_trouble(out()), "");
    EXPECT_THAT(left_of(run_id(out())), IsEmpty());
  }

  Scratch scratch_;
};

TEST_F(Recovery, AMasterThatIsKilledGoesOnWithItsWorkers) {
  auto run = start();
  kill_master(*run);
  EXPECT_EQ(run->wait(), 0) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("it is restarted and resumes from the journal"));
  expect_whole(1);
  const nlohmann::json summary = read_json(out() + "/summary.json");
  EXPECT_EQ(summary["lost"], 0) << "its workers were there all the time";
  EXPECT_EQ(summary["attempts_total"], 16);
}

TEST_F(Recovery, TwiceIsTheEndUntilItIsResumed) {
  auto run = start();
  kill_master(*run);
  EXPECT_TRUE(eventually([&] { return count("resumed") == 1; })) << run->errors();
  kill_master(*run);
  EXPECT_EQ(run->wait(), 4) << run->errors();
  EXPECT_THAT(run->errors(), HasSubstr("heddle resume may continue it"));
  EXPECT_THAT(left_of(run_id(out())), IsEmpty());
  auto resumed = resume();
  EXPECT_EQ(resumed->wait(), 0) << resumed->errors();
  expect_whole(2);
  EXPECT_TRUE(std::filesystem::exists(out() + "/report.html")) << "made again at the end";

  auto again = resume();
  EXPECT_EQ(again->wait(), 2);
  EXPECT_THAT(again->errors(), HasSubstr("the run has ended (done); the run cannot be resumed"));
}

TEST_F(Recovery, ARunWhoseFirstProcessIsKilledIsResumed) {
  auto run = start();
  run->signal(SIGKILL);
  run->wait();
  // A half-written line would leave this.
  std::ofstream(out() + "/journal.jsonl", std::ios::app) << R"({"type":"contai)";
  auto resumed = resume({"--derived=later"});
  EXPECT_EQ(resumed->wait(), 0) << resumed->errors();
  expect_whole(1);
  EXPECT_GT(read_json(out() + "/summary.json")["lost"], 0) << "its tasks died with it";
}

TEST_F(Recovery, NeitherALiveRunNorADamagedJournalIsGoneOnWith) {
  auto run = start("10s");
  auto refused = resume();
  EXPECT_EQ(refused->wait(), 2);
  EXPECT_THAT(refused->errors(), HasSubstr("is still running"));
  run->signal(SIGKILL);
  run->wait();
  std::ofstream(out() + "/journal.jsonl", std::ios::app) << "{\n{}\n{}\n";
  auto resumed = resume();
  EXPECT_EQ(resumed->wait(), 4);
  EXPECT_THAT(resumed->errors(), HasSubstr("journal.jsonl:"));
  Process clean(heddle({"clean"}), scratch_);
  EXPECT_EQ(clean.wait(), 0);
}

}  // namespace heddle::recovery_test
