// Tests heddle whatif as a program.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/cli/answer.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_directory.h"
#include "wire/fields.h"

namespace heddle::cli::whatif_test {

namespace fs = std::filesystem;
using wire::Json;

/// Two processors. User 1 has a job of 100 s on both, submitted at 0, and one submitted at 30. User
/// 2 has jobs of one processor, submitted at 10 and 20, for 100 s and 50 s. Under easy, those of
/// user 2 start together at 100, and the last one at 200, as the waits in the log say.
constexpr const char* kLog =
    "; MaxProcs: 2\n"
    "1 0 0 100 2 -1 -1 2 100 -1 1 1 1 -1 1 -1 -1 -1\n"
    "2 10 90 100 1 -1 -1 1 100 -1 1 2 1 -1 1 -1 -1 -1\n"
    "3 20 80 50 1 -1 -1 1 50 -1 1 2 1 -1 1 -1 -1 -1\n"
    "4 30 170 100 2 -1 -1 2 100 -1 1 1 1 -1 1 -1 -1 -1\n";

class WhatIfCommand : public ::testing::Test {
 protected:
  WhatIfCommand() {
    write("log.swf", kLog);
    write("unknown.swf", "; MaxProcs: 2\n1 0 -1 100 2 -1 -1 2 100 -1 1 1 1 -1 1 -1 -1 -1\n");
    write("cancelled.swf", "; MaxProcs: 2\n1 0 5 -1 2 -1 -1 2 100 -1 5 1 1 -1 1 -1 -1 -1\n");
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }
  /// Runs heddle in the directory.
  Answer run(const std::string& words, const std::string& redirections = "2>&1") const {
    return answer_of("cd " + directory_.path() + " && " HEDDLE_BIN "/heddle " + words + " " +
                     redirections);
  }
  Json json(const std::string& words) const {
    const Answer answer = run("whatif log.swf --quiet --json " + words, "2>&1");
    EXPECT_EQ(answer.status, 0) << answer.text;
    return wire::parse_json(answer.text);
  }

  tests::TemporaryDirectory directory_;
};

TEST_F(WhatIfCommand, CalibratesWithTheLog) {
  const Json calibration = json("--out out").at("calibration");
  EXPECT_EQ(calibration.at("rules"), "easy");
  ASSERT_EQ(calibration.at("groups").size(), 3U);
  for (const Json& group : calibration.at("groups")) {
    EXPECT_EQ(group.at("log").at("mean_s"), 85.0) << "0 and 170, and 90 and 80";
    EXPECT_EQ(group.at("error_s"), 0.0);
    EXPECT_EQ(group.at("ks_distance"), 0.0);
  }
  // 550 of 600 processor-seconds.
  EXPECT_EQ(calibration.at("utilisation").at("log").at("mean"), 0.916667);
  EXPECT_EQ(calibration.at("utilisation").at("simulated").at("mean"), 0.916667);
  for (const char* file : {"whatif.json", "log.csv", "compare.json", "compare.html"})
    EXPECT_TRUE(fs::exists(directory_ / (std::string("out/") + file))) << file;
  EXPECT_THAT(*read_file(directory_ / "out/log.csv"),
              HasSubstr("\njob-4,user-1,queue-1,,,2,30,30,200,300\n"));
}

// On four processors, the jobs of user 2 start at once. The last job starts when the first one
// ends.
TEST_F(WhatIfCommand, SaysWhoWins) {
  const Json answer = json("--over cluster.nodes.n.count=4 --price 1/node-hour --out out");
  ASSERT_EQ(answer.at("variants").size(), 1U);
  const Json& variant = answer.at("variants")[0];
  EXPECT_EQ(variant.at("name"), "count=4");
  EXPECT_EQ(variant.at("makespan_s"), 200.0);
  EXPECT_EQ(variant.at("cost"), 0.222222);
  EXPECT_EQ(answer.at("calibrated").at("cost"), 0.166667);
  const Json& impacts = variant.at("impacts");
  ASSERT_EQ(impacts.size(), 3U);
  EXPECT_EQ(impacts[1].at("difference_s"), -50.0);
  EXPECT_EQ(impacts[1].at("verdict"), "wins");
  EXPECT_EQ(impacts[2].at("difference_s"), -85.0);
  EXPECT_EQ(impacts[2].at("gain"), 2);
}

// If the largest job goes first, job 4 starts at 100, and those of user 2 at 200. The mean wait of
// user 1 is then 35 s, and that of user 2 is 185 s, so they are off by 50 s and 100 s.
TEST_F(WhatIfCommand, TakesTheNearestRules) {
  const std::string largest =
      "easy+order=priority+priority_age=0+priority_fairshare=0+priority_size=1000";
  const Json answer =
      json("--rules " + largest + ",easy --policies easy," + largest + " --out out");
  EXPECT_EQ(answer.at("calibration").at("rules"), "easy");
  ASSERT_EQ(answer.at("tried").size(), 2U);
  EXPECT_EQ(answer.at("tried")[0].at("user_error_s"), 75.0);
  EXPECT_EQ(answer.at("tried")[1].at("user_error_s"), 0.0);
  ASSERT_EQ(answer.at("variants").size(), 1U) << "the rules themselves are no variant";
  EXPECT_EQ(answer.at("variants")[0].at("name"), largest);
  EXPECT_EQ(answer.at("variants")[0].at("impacts")[1].at("verdict"), "wins");
}

TEST_F(WhatIfCommand, LosesANode) {
  const Json answer =
      json("--variant 'down: faults=[{fault: partition, node: n1, at: 110s, for: 60s}]' --out out");
  EXPECT_GT(answer.at("variants")[0].at("makespan_s").get<double>(), 300.0);
  EXPECT_EQ(answer.at("variants")[0].at("impacts")[1].at("verdict"), "loses");
}

// Nothing listens at the endpoint.
TEST_F(WhatIfCommand, SaysWhichVariantsAreMissing) {
  const Answer answer =
      run("whatif log.swf --quiet --repeat 1 --out out --policies "
          "external=ipc:///tmp/none+policy_timeout=0.2,fifo");
  EXPECT_EQ(answer.status, 4) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("1 of 3 runs is missing: none+policy_timeout=0.2 ended at"));
  EXPECT_THAT(answer.text, HasSubstr("\n  fifo"));
}

TEST_F(WhatIfCommand, TheSameCommandResumesAndShowPrintsItAgain) {
  const std::string words = "whatif log.swf --quiet --policies conservative --out out";
  const Answer first = run(words);
  EXPECT_EQ(first.status, 0) << first.text;
  EXPECT_THAT(first.text, HasSubstr("\nresults: out/whatif.json, out/log.csv, out/compare.html\n"));
  EXPECT_EQ(run(words).text, first.text);
  const Answer shown = run("show out");
  EXPECT_EQ(shown.status, 0) << shown.text;
  EXPECT_THAT(first.text, StartsWith(shown.text));
  EXPECT_EQ(wire::parse_json(run("show out --json").text),
            wire::parse_json(*read_file(directory_ / "out/whatif.json")));
  write("out/whatif.json", "{}");
  EXPECT_THAT(run("show out").text, HasSubstr("whatif.json"));
}

TEST_F(WhatIfCommand, ResultsCanBeRemoved) {
  EXPECT_EQ(run("whatif log.swf --quiet --out out").status, 0);
  EXPECT_EQ(run("rm out --yes").status, 0);
  EXPECT_FALSE(fs::exists(directory_ / "out"));
}

TEST_F(WhatIfCommand, ErrorsLeaveNothing) {
  tests::expect_messages_of("cli/usage.yaml", "whatifs", [&](const std::string& words) {
    const Answer answer = run("whatif --quiet " + words);
    EXPECT_EQ(answer.status, 2) << words << ": " << answer.text;
    return "\n" + answer.text;
  });
  EXPECT_FALSE(fs::exists(directory_ / "results"));
}

}  // namespace heddle::cli::whatif_test
