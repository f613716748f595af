// Tests --open and heddle demo, with a browser that writes down how it was started.

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/file.h"
#include "tests/cli/answer.h"
#include "tests/support/matchers.h"
#include "wire/fields.h"

namespace heddle::cli::open_test {

namespace fs = std::filesystem;

constexpr const char* kTask = HEDDLE_SOURCE_DIR "/scenarios/lone-task.yaml";

/// A directory for results, with a browser and the browser's notes.
class Opening : public ::testing::Test {
 protected:
  Opening() {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    // The browser can belong to another user.
    ::chmod(dir_.c_str(), 0777);
    std::ofstream(dir_ + "/browser")
        << "#!/bin/sh\n"
           "fds=$(for fd in 0 1 2; do readlink /proc/$$/fd/$fd; done)\n"
           "{ echo \"$1\"; id -u; cut -d' ' -f6 /proc/$$/stat; echo \"$fds\"\n"
           "} > \"$0.writing\" && mv \"$0.writing\" \"$0.notes\"\n";
    ::chmod((dir_ + "/browser").c_str(), 0755);
  }
  ~Opening() override { fs::remove_all(dir_); }

  /// Runs heddle with the browser. `environment`: more variables.
  Answer opened(const std::string& words, const std::string& environment = "") const {
    return answer_of("BROWSER=" + dir_ + "/browser " + environment + " " HEDDLE_BIN "/heddle " +
                     words + " 2>&1");
  }
  /// Returns the lines that the browser has written. The browser is not a child of heddle, so it
  /// can end later.
  std::vector<std::string> notes() const {
    const std::string path = dir_ + "/browser.notes";
    for (int look = 0; look < 3000 && !fs::exists(path); ++look)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream in(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    lines.resize(6);
    return lines;
  }

  std::string dir_ =
      (fs::path(::testing::TempDir()) / ("heddle-open-" + std::to_string(::getpid()))).string();
  std::string out_ = dir_ + "/out";
};

TEST_F(Opening, SimulateOpensItsPage) {
  const Answer answer =
      opened("simulate " + std::string(kTask) + " --quiet --open --json --out " + out_);
  EXPECT_EQ(answer.status, 0) << answer.text;
  const std::vector<std::string> lines = notes();
  EXPECT_EQ(lines[0], fs::absolute(out_ + "/report.html"));
  EXPECT_TRUE(fs::exists(lines[0]));
  EXPECT_NE(lines[2], std::to_string(::getsid(0))) << "it has its own session";
  for (std::size_t fd : {3, 4, 5}) EXPECT_EQ(lines[fd], "/dev/null");
  EXPECT_THAT(answer.text, Not(HasSubstr("browser")));
}

TEST_F(Opening, MakesThePageThatIsMadeLater) {
  EXPECT_EQ(
      opened("simulate " + std::string(kTask) + " --derived=later --open --out " + out_).status, 0);
  EXPECT_EQ(notes()[0], out_ + "/report.html");
  EXPECT_TRUE(fs::exists(out_ + "/report.html"));
  EXPECT_FALSE(fs::exists(out_ + "/run.sqlite"));
}

TEST_F(Opening, CompareOpensItsPage) {
  const Answer answer =
      opened("compare " + std::string(kTask) +
             " --policies fifo,fair --simulate --repeat 1 --quiet --open --out " + out_);
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(notes()[0], out_ + "/compare.html");
}

TEST_F(Opening, ChangesNoExitStatus) {
  // The task needs more memory than its request of 1 GiB.
  const std::string fails = "simulate " + std::string(kTask) +
                            " --quiet --open --set jobs.lone.phases.map.memory=2GiB --out " + out_;
  EXPECT_EQ(opened(fails).status, 1);
  EXPECT_EQ(notes()[0], out_ + "/report.html");
  fs::remove_all(out_);
  const Answer missing = answer_of("BROWSER=/none " HEDDLE_BIN "/heddle " + fails + " 2>&1");
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.text, HasSubstr("no browser is opened: start /none: No such file"));
  EXPECT_THAT(missing.text, HasSubstr("open " + out_ + "/report.html in a browser"));
}

TEST_F(Opening, SaysWhereThePageIsWithoutADisplay) {
  const Answer answer =
      answer_of("env -u BROWSER -u DISPLAY -u WAYLAND_DISPLAY " HEDDLE_BIN "/heddle simulate " +
                std::string(kTask) + " --quiet --open --out " + out_ + " 2>&1");
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.text, HasSubstr("no browser is opened: there is no display"));
  EXPECT_THAT(answer.text, HasSubstr("open " + out_ + "/report.html in a browser"));
}

TEST_F(Opening, BelongsToTheUserWhoCalledSudo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const Answer answer = opened("simulate " + std::string(kTask) + " --quiet --open --out " + out_,
                               "SUDO_UID=65534 SUDO_GID=65534");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(notes()[1], "65534");
}

// A round takes 10 s and up to 1 s until the next heartbeat. drf needs 4 rounds, fifo and fair need
// 6 (docs/tutorial/lessons/sharing.md). Under fifo, B waits for two rounds.
TEST_F(Opening, DemoComparesThreePolicies) {
  const Answer answer =
      answer_of("cd " + dir_ + " && " HEDDLE_BIN "/heddle demo --simulate --no-open --quiet 2>&1");
  EXPECT_EQ(answer.status, 0) << answer.text;
  for (const char* word : {"B waits s", "\nfifo ", "\nfair ", "\ndrf ", "What to look at",
                           "What to try next", "/fifo-1 B\n"})
    EXPECT_THAT(answer.text, HasSubstr(word));
  EXPECT_FALSE(fs::exists(dir_ + "/browser.notes"));
  const fs::path results = dir_ + "/results";
  ASSERT_TRUE(fs::exists(results)) << answer.text;
  const std::string made = fs::directory_iterator(results)->path();
  EXPECT_THAT(made, HasSubstr("/results/demo-"));
  EXPECT_TRUE(fs::exists(made + "/compare.html"));
  const wire::Json json = wire::Json::parse(*read_file(made + "/compare.json"));
  const wire::Json& makespans = json.at("metrics").at(0);
  ASSERT_EQ(makespans.at("key"), "makespan_s");
  const std::pair<double, double> expected[] = {{60, 66}, {60, 66}, {40, 44}};
  for (std::size_t i = 0; i < 3; ++i) {
    const double makespan = makespans.at("policies").at(i).at("median");
    EXPECT_GE(makespan, expected[i].first);
    EXPECT_LE(makespan, expected[i].second);
  }
}

TEST_F(Opening, DemoOpensItsPage) {
  const Answer answer = opened("demo --simulate --quiet --out " + out_);
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(notes()[0], out_ + "/compare.html");
  const Answer again = heddle("demo --simulate --no-open --out " + std::string(HEDDLE_BIN));
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.text, HasSubstr("results are never overwritten"));
}

}  // namespace heddle::cli::open_test
