#include "cli/results/past_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace heddle::cli::past_run_test {

class PastRunTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(dir_); }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  /// Writes a journal of these lines; returns the run's id and kind of journal, or the error.
  std::string past(const std::string& lines) const {
    std::ofstream(dir_ + "/journal.jsonl") << lines;
    Result<PastRun> past = past_run(dir_, scenario_);
    return past ? past->run + " " + past->journal : past.error().text;
  }
  std::string nothing(const std::string& why) const {
    return dir_ + ": " + why + "; the run cannot be resumed";
  }

  std::string dir_ = ::testing::TempDir() + "past." + std::to_string(::getpid());
  Scenario scenario_;
};

std::string run_line(const std::string& mode = "real", const std::string& journal = "full",
                     const std::string& id = "0a1b2c3d") {
  return R"({"type":"run","run":")" + id + R"(","mode":")" + mode + R"(","journal":")" + journal +
         "\"}\n";
}
std::string end_line(const std::string& status) {
  return R"({"type":"end","status":")" + status + "\"}\n";
}
const std::string kResumed = "{\"type\":\"resumed\"}\n";

TEST_F(PastRunTest, WhatDidNotEndMayGoOn) {
  const std::string fine = "0a1b2c3d full";
  EXPECT_EQ(past(run_line()), fine);
  EXPECT_EQ(past(run_line() + "{\"type\":\"host\"}\n{\"ty"), fine) << "cut off";
  EXPECT_EQ(past(run_line() + end_line("aborted")), fine);
  EXPECT_EQ(past(run_line() + end_line("interrupted")), fine);
  EXPECT_EQ(past(run_line() + end_line("aborted") + kResumed), fine);
}

TEST_F(PastRunTest, WhatHasEndedMayNot) {
  EXPECT_EQ(past(run_line() + end_line("done")), nothing("the run has ended (done)"));
  EXPECT_EQ(past(run_line() + end_line("aborted") + kResumed + end_line("failed")),
            nothing("the run has ended (failed)"));
}

TEST_F(PastRunTest, WhatIsNoRunToGoOnWith) {
  EXPECT_EQ(past(""), nothing("the journal is not of a real run"));
  EXPECT_EQ(past(run_line("simulated")), nothing("the journal is not of a real run"));
  EXPECT_EQ(past(run_line("real", "full", "../x")), nothing("the journal is not of a real run"));
  scenario_.cluster.dispatch = Dispatch::kHeartbeat;
  EXPECT_EQ(past(run_line("real", "decisions")),
            nothing("the journal has only decisions (--journal decisions), not the heartbeats on "
                    "which they were made"));
  scenario_.cluster.dispatch = Dispatch::kImmediate;
  EXPECT_EQ(past(run_line("real", "decisions")), "0a1b2c3d decisions");
}

TEST_F(PastRunTest, DamageIsToldWithItsPlace) {
  EXPECT_EQ(past(run_line() + "x\n" + kResumed + kResumed),
            dir_ + "/journal.jsonl:2: not a JSON object");
  EXPECT_EQ(past("{\"type\":7}\n"),
            dir_ + "/journal.jsonl:1: record.type: expected a text of at most 4096 bytes");
}

}  // namespace heddle::cli::past_run_test
