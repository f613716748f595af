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
    const Answer answer = run("whatif log.swf --quiet --json --perturb 0 " + words, "2>&1");
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

// On one processor, the jobs of user 1 fit nowhere, and those of user 2 run one after the other.
TEST_F(WhatIfCommand, JobsThatAreTooLargeForAVariantDoNotComplete) {
  const Answer answer =
      run("whatif log.swf --quiet --json --perturb 0 --over cluster.nodes.n.count=1 --out out");
  EXPECT_EQ(answer.status, 1) << "jobs did not complete";
  const Json variant = wire::parse_json(answer.text).at("variants")[0];
  EXPECT_EQ(variant.at("lost_jobs"), Json({"job-1", "job-4"}));
  EXPECT_EQ(variant.at("not_started"), 2);
  EXPECT_EQ(variant.at("impacts").size(), 2U) << "all, and user 2";
  EXPECT_EQ(variant.at("impacts")[1].at("mean_s"), 45.0) << "0 s, and from 20 s to 110 s";
}

TEST_F(WhatIfCommand, AChangeThatMeansNothingIsNoDifference) {
  const std::string words = "whatif log.swf --quiet --json ";
  const Json answer =
      wire::parse_json(run(words + "--variant 'same: cluster.heartbeat=1s' --out out").text);
  EXPECT_EQ(answer.at("calibrated").at("perturbed"), 16);
  for (const Json& impact : answer.at("variants")[0].at("impacts"))
    EXPECT_EQ(impact.at("verdict"), "same");
  const Json more =
      wire::parse_json(run(words + "--perturb 8 --over cluster.nodes.n.count=4 --out two").text);
  EXPECT_EQ(more.at("variants")[0].at("perturbed"), 8);
  EXPECT_EQ(more.at("variants")[0].at("impacts")[2].at("verdict"), "wins");
  EXPECT_LT(more.at("variants")[0].at("impacts")[2].at("difference_range").at("most_s"), -80);
}

/// A log of Slurm, in which job 2 goes before job 1 because its QOS counts.
constexpr const char* kSacct =
    "JobID|User|QOS|Submit|Start|End|State|AllocCPUS\n"
    "1|ann|low|2026-01-05T10:00:00|2026-01-05T10:00:00|2026-01-05T10:01:00|COMPLETED|1\n"
    "2|ann|low|2026-01-05T10:00:10|2026-01-05T10:02:00|2026-01-05T10:03:00|COMPLETED|1\n"
    "3|bob|high|2026-01-05T10:00:20|2026-01-05T10:01:00|2026-01-05T10:02:00|COMPLETED|1\n";

TEST_F(WhatIfCommand, TheRulesAreThoseOfSlurmConf) {
  write("sacct.txt", kSacct);
  write("slurm.conf", "NodeName=a CPUs=1\nPriorityWeightQOS=100\n");
  write("qos.txt", "Name|Priority|UsageFactor\nlow|1|1\nhigh|10|1\n");
  const std::string files = "whatif slurm.conf sacct.txt qos.txt --quiet --json --perturb 0 --out ";
  const Json answer = wire::parse_json(run(files + "out").text);
  EXPECT_EQ(answer.at("calibration").at("rules"), "conf");
  EXPECT_THAT(answer.at("calibration").at("policy").get<std::string>(),
              StartsWith("slurm+backfill_interval=30+priority_age=0+"));
  EXPECT_EQ(answer.at("calibration").at("user_error_s"), 0.0);
  const Json tried = wire::parse_json(run(files + "two --rules easy,conf").text).at("tried");
  EXPECT_EQ(tried[0].at("user_error_s"), 40.0)
      << "30 s for the two of ann, and 60 s for that of bob";
  EXPECT_EQ(tried[1].at("user_error_s"), 0.0);
}

TEST_F(WhatIfCommand, SaysWhichNodesHaveOtherNames) {
  write("sacct.txt", kSacct);
  write("slurm.conf", "NodeName=cn1 CPUs=1\n");
  const std::string files = "whatif sacct.txt slurm.conf --quiet --out out ";
  const Answer wrong =
      run(files + "--variant 'down: faults=[{fault: partition, node: cn1, at: 1s, for: 9s}]'");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.text, HasSubstr("; nodes of the log have other names here: cn1 is n1\n"));
  EXPECT_FALSE(fs::exists(directory_ / "out"));
  EXPECT_THAT(run(files).text, HasSubstr("\nnodes of the log have other names here: cn1 is n1\n"));
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
  EXPECT_THAT(first.text,
              HasSubstr("\nresults: out/whatif.json, out/log.csv, out/compare.html (one simulation "
                        "of each, without moved times)\n"));
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
