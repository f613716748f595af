// Tests command lines that are refused: status and message, and that nothing is made. usage.yaml
// has the command lines.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/messages.h"
#include "tests/system/process.h"
#include "tests/system/small_scenario.h"

namespace heddle::usage_test {

namespace fs = std::filesystem;

/// Runs `heddle` by a shell in the scratch directory.
Ended shell(const std::string& arguments, const Scratch& scratch) {
  return end_of(
      {"sh", "-c",
       "cd " + scratch / "" + " && export PATH=" HEDDLE_BIN ":$PATH && heddle " + arguments},
      scratch);
}

/// Makes the files and results that the command lines name.
void make_files(const Scratch& scratch) {
  scratch.file("small.yaml", kSmall);
  scratch.file("command.yaml",
               std::string(kSmall) +
                   "  - {name: j, phases: [{name: c, kind: command, request: {cores: 1, memory: "
                   "1GiB}, command: [touch, " +
                   scratch / "ran" + "]}]}\n");
  scratch.file("bad.yaml", "heddle: 1\nname: x\ncluter: {}\n");
  scratch.file("two.yaml", "title: none");
  scratch.file("log.swf", "; MaxProcs: 8\n7 10 5 60 2 -1 1024 3 120 2048 1 12 -1 -1 4 -1 -1 -1\n");
  for (const char* directory : {"empty", "full", "odd"}) fs::create_directory(scratch / directory);
  for (const char* file : {"mine", "full/mine", "mine.html"}) scratch.file(file, "keep me");
  scratch.file("odd/compare.json", "{\"kind\": 3}");
  for (const std::string& line :
       {"simulate " + scenario("quickstart") + " --out q",
        std::string("compare small.yaml --policies fifo --repeat 1 --simulate --out compared"),
        std::string("sweep small.yaml --over policy.strict_order=true,false --repeat 1 --simulate "
                    "--out swept")}) {
    const Ended end = shell(line + " --quiet", scratch);
    ASSERT_EQ(end.status, 0) << end.errors;
  }
}

TEST(Usage, IsCheckedBeforeAnythingIsMade) {
  Scratch scratch;
  ASSERT_NO_FATAL_FAILURE(make_files(scratch));
  for (const char* section : {"run", "simulate", "compare", "sweep", "experiment", "league",
                              "report", "export", "import", "verify", "why", "top"})
    tests::expect_messages("system/usage.yaml", section, [&](const std::vector<std::string>& row) {
      const Ended end = shell(row.at(0), scratch);
      EXPECT_EQ(std::to_string(end.status), row.at(1)) << row.at(0);
      for (const char* made : {"out", "ran", "o.yaml", "o.json"})
        EXPECT_FALSE(fs::exists(scratch / made)) << row.at(0) << " made " << made;
      return end.errors;
    });
  for (const char* file : {"mine", "full/mine", "mine.html"})
    EXPECT_EQ(text_of(scratch / file), "keep me");
}

}  // namespace heddle::usage_test
