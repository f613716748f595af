// Tests how `heddle` starts the programs that have its other commands.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/base/command_table.h"
#include "tests/cli/answer.h"
#include "tests/support/matchers.h"

namespace heddle::cli::programs_test {

namespace fs = std::filesystem;

class Programs : public ::testing::Test {
 protected:
  Programs() { fs::create_directories(dir_ + "/build/bin"); }
  ~Programs() override { fs::remove_all(dir_); }

  /// Copies heddle alone, and runs the copy.
  Answer alone(const std::string& words) const {
    fs::copy_file(HEDDLE_BIN "/heddle", dir_ + "/build/bin/heddle",
                  fs::copy_options::skip_existing);
    return answer_of(dir_ + "/build/bin/heddle " + words + " 2>&1");
  }

  std::string dir_ =
      (fs::path(::testing::TempDir()) / ("heddle-programs-" + std::to_string(::getpid()))).string();
};

TEST_F(Programs, EachCommandHasOne) {
  for (const CommandInfo& command : commands())
    EXPECT_TRUE(fs::exists(HEDDLE_BIN "/" + command.program)) << command.name;
}

// Each command fails here in its own way, so it was carried out.
TEST_F(Programs, CarryOutTheirCommands) {
  const std::pair<const char*, const char*> cases[] = {
      {"demo --simulate --no-open --out /proc", "/proc"},
      {"compare /none.yaml --policies fifo,fair", "/none.yaml"},
      {"sweep /none.yaml --over policy=fifo", "/none.yaml"},
      {"experiment /none.yaml", "/none.yaml"},
      {"cell /none 0", "/none"},
      {"gather /none", "/none"},
      {"status /none", "/none"},
      {"league /none.yaml", "/none.yaml"},
      {"ls /none", "/none"},
      {"show /none", "/none"},
      {"rm /none", "/none"},
      {"report /none", "/none"},
      {"replay /none", "/none"},
      {"export /none", "/none"},
      {"trace /none", "/none"},
      {"import /none", "/none"},
      {"whatif /none", "/none"},
      {"train /none --out /none", "/none"},
      {"top /none", "/none"},
      {"serve --token-file /none", "/none"},
      {"bench --compare /none /none", "/none"},
  };
  for (const auto& [words, named] : cases) {
    SCOPED_TRACE(words);
    const Answer answer = heddle(words);
    EXPECT_TRUE(answer.status == 2 || answer.status == 3 || answer.status == 4) << answer.status;
    EXPECT_THAT(answer.text, StartsWith("heddle: "));
    EXPECT_THAT(answer.text, HasSubstr(named));
  }
}

TEST_F(Programs, AreFoundThroughALinkAndThroughThePath) {
  fs::create_symlink(HEDDLE_BIN "/heddle", dir_ + "/linked");
  EXPECT_EQ(answer_of(dir_ + "/linked gather /none 2>&1").text, heddle("gather /none").text);
  EXPECT_EQ(answer_of("cd / && PATH=" HEDDLE_BIN ":$PATH heddle gather /none 2>&1").text,
            heddle("gather /none").text);
}

TEST_F(Programs, OptionsBeforeTheCommandReachThem) {
  EXPECT_THAT(heddle("--color always gather /none").text, StartsWith("\033[31mheddle:\033[0m "));
}

TEST_F(Programs, AMissingOneIsNamedWithWhatToDo) {
  const std::string path = dir_ + "/build/bin/heddle-serve";
  const std::string missing = "heddle: start " + path + ": No such file or directory; ";
  const Answer installed = alone("serve");
  EXPECT_EQ(installed.status, 3);
  EXPECT_EQ(installed.text, missing + "install Heddle again, with all of its programs\n");
  std::ofstream(dir_ + "/build/CMakeCache.txt") << "";
  const Answer built = alone("serve");
  EXPECT_EQ(built.status, 3);
  EXPECT_EQ(built.text, missing + "scripts/build release heddle-serve builds it\n");
}

// The program's own files are not copied with it.
TEST_F(Programs, AMissingScenarioIsNamedWithThePlacesOfHeddlesOwn) {
  const std::string name = "scenarios/no-such.yaml";
  const Answer copied = alone("simulate " + name);
  EXPECT_EQ(copied.status, 2);
  EXPECT_THAT(copied.text, HasSubstr("; Heddle's own scenarios were looked for as " + dir_ +
                                     "/build/share/heddle/" + name + " and " + dir_ +
                                     "/share/heddle/" + name + "\n"));
  std::ofstream(dir_ + "/build/CMakeCache.txt") << "";
  EXPECT_THAT(alone("simulate " + name).text,
              HasSubstr("; Heddle's own scenarios were looked for as " + dir_ + "/" + name + "\n"));
}

TEST_F(Programs, HelpAndUsageErrorsNeedNone) {
  EXPECT_EQ(alone("help serve").text, heddle("help serve").text);
  EXPECT_EQ(alone("serve --help").text, heddle("help serve").text);
  const Answer wrong = alone("serve --prot 1");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.text,
            "heddle: unknown option \"--prot\"; did you mean \"--port\"? (see heddle serve "
            "--help)\n");
}

}  // namespace heddle::cli::programs_test
