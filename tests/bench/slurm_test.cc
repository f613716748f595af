// Slurm in `heddle bench launch`: the arguments of its programs, the parsing of their output, and
// the results of an array with scripts in place of the programs.
#include "bench/slurm.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace heddle::bench::slurm_test {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

constexpr char kPending[] = "PENDING             0                   \n";
constexpr char kRunning[] = "RUNNING             0                   \n";
constexpr char kDone[] = "FAILED              32000               \n";  // exit status 125

TEST(SlurmWords, AnArrayOfSoManyAtOnce) {
  const std::vector<std::string> words = array_words("/opt/it's/heddle-task", 300, 4);
  EXPECT_THAT(words, Contains("--array=1-300%4"));
  EXPECT_THAT(words, Contains("--wrap=exec '/opt/it'\\''s/heddle-task' 1"));
  EXPECT_THAT(array_states_words("7"), Contains("--jobs=7"));
}

TEST(SlurmWords, TheJobThatWasSubmitted) {
  EXPECT_EQ(*submitted_job("17\n"), "17");
  EXPECT_EQ(*submitted_job("17;east\n"), "17");
  for (const char* other : {"", "\n", "Submitted batch job 17\n"}) {
    Result<std::string> job = submitted_job(other);
    ASSERT_FALSE(job) << other;
    EXPECT_THAT(job.error().text, HasSubstr("sbatch says"));
  }
}

TEST(SlurmStates, WhatHasNotEnded) {
  EXPECT_EQ(*not_ended(""), 0);
  EXPECT_EQ(*not_ended(std::string(kPending) + kRunning + kDone + kDone), 2);
  EXPECT_EQ(*not_ended("COMPLETING 32000\n"), 1);
}

TEST(SlurmStates, OtherEndsAreErrors) {
  for (const char* other : {"CANCELLED 0\n", "COMPLETED 0\n", "FAILED 32512\n", "NODE_FAIL 0\n"})
    EXPECT_FALSE(not_ended(std::string(kDone) + other)) << other;
  Result<int> states = not_ended("no such thing\n");
  ASSERT_FALSE(states);
  EXPECT_EQ(states.error().text, "squeue says \"no such thing\"");
}

TEST(SlurmStates, LooksAgainWhenHalfOfTheRestShouldBeThere) {
  EXPECT_EQ(until_next_look(1s, 100, 80), 500ms);
  EXPECT_EQ(until_next_look(4s, 100, 10), 222'222'222ns);
  EXPECT_EQ(until_next_look(4s, 1000, 1), 20ms);
  EXPECT_EQ(until_next_look(0s, 100, 100), 20ms);
}

/// Replaces Slurm's programs by scripts whose output the test sets.
class SlurmArraysTest : public testing::Test {
 protected:
  SlurmArraysTest() {
    std::string pattern = testing::TempDir() + "heddle-slurm-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
    play("scontrol", "echo 'Slurmctld(primary) at here is UP'");
    play("sbatch", "echo 7");
    play("scancel", "echo $1 > " + cancelled());
  }
  ~SlurmArraysTest() override { std::filesystem::remove_all(directory_); }

  void play(const std::string& program, const std::string& script) const {
    const std::string file = directory_ + "/" + program;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    ::chmod(file.c_str(), 0755);
  }
  std::string cancelled() const { return directory_ + "/cancelled"; }
  Result<real::Duration> run(const std::function<bool()>& stop = [] { return false; }) const {
    Result<SlurmArrays> slurm = SlurmArrays::find("/nowhere:" + directory_, "/bin/heddle-task");
    if (!slurm) return std::move(slurm).error();
    return slurm->run(2, 1, stop);
  }

  std::string directory_;
};

TEST_F(SlurmArraysTest, WaitsUntilAllHaveEnded) {
  const std::string looks = directory_ + "/looks";
  play("squeue", "echo look >> " + looks + "; echo FAILED 32000; [ $(wc -l < " + looks +
                     ") -ge 3 ] && echo FAILED 32000 || echo PENDING 0");
  Result<real::Duration> took = run();
  ASSERT_TRUE(took) << took.error().text;
  EXPECT_GT(*took, 60ms);
  EXPECT_FALSE(std::filesystem::exists(cancelled()));
}

TEST_F(SlurmArraysTest, CancelsWhatEndsOtherwise) {
  play("squeue", "echo FAILED 256");
  Result<real::Duration> took = run();
  ASSERT_FALSE(took);
  EXPECT_EQ(took.error().text, "a job of the array ended as FAILED, status 256");
  EXPECT_TRUE(std::filesystem::exists(cancelled()));
}

TEST_F(SlurmArraysTest, CancelsWhenTheUserWantsOut) {
  play("squeue", "echo PENDING 0");
  Result<real::Duration> took = run([] { return true; });
  ASSERT_FALSE(took);
  EXPECT_EQ(took.error().text, "interrupted");
  EXPECT_TRUE(std::filesystem::exists(cancelled()));
}

TEST_F(SlurmArraysTest, TellsWhatSbatchSaysLast) {
  play("sbatch", "echo 'sbatch: error: first' >&2; echo 'sbatch: error: No partition' >&2; exit 1");
  Result<real::Duration> took = run();
  ASSERT_FALSE(took);
  EXPECT_EQ(took.error().text, "sbatch: error: No partition");
}

TEST_F(SlurmArraysTest, NeedsAControllerThatAnswers) {
  play("scontrol", "echo 'Slurmctld(primary) at here is DOWN'");
  EXPECT_EQ(run().error().text,
            "the Slurm controller does not answer: Slurmctld(primary) at here is DOWN");
  play("scontrol", "exit 1");
  EXPECT_THAT(run().error().text, HasSubstr("scontrol"));
}

TEST(SlurmArrays, AreNotThereWhereSlurmIsNot) {
  Result<SlurmArrays> slurm = SlurmArrays::find("/nowhere", "/bin/heddle-task");
  ASSERT_FALSE(slurm);
  EXPECT_EQ(slurm.error().text, "not installed");
}

}  // namespace heddle::bench::slurm_test
