// Tests heddle why as users call it, on simulated runs.

#include <fstream>

#include "tests/support/matchers.h"
#include "tests/system/process.h"
#include "tests/system/waiting.h"

namespace heddle::why_test {

using Json = nlohmann::json;

TEST(Why, ASimulatedRun) {
  Scratch scratch;
  const std::string out = simulated(scenario("quickstart"), scratch);
  const Ended text = call({"why", out, "train"}, scratch);
  ASSERT_EQ(text.status, 0) << text.errors;
  expect_parts(text.output, {"train  queue default, fifo, completed\n", "waited for\n", "gang: "});
  const Json why = json_of({"why", out, "2", "--all"}, scratch);
  EXPECT_EQ(why["job"]["name"], "train");
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "gang"), 15);
  EXPECT_GT(seconds_of(why, "reserved for others"), 20);
  EXPECT_TRUE(why["later"].is_array());
}

TEST(Why, AJournalThatCannotBeReplayedTellsWhatItsLinesTell) {
  Scratch scratch;
  const std::string out = simulated(scenario("quickstart"), scratch, {"--journal", "decisions"});
  const Json why = json_of({"why", out, "pi"}, scratch);
  EXPECT_THAT(why["note"].get<std::string>(), HasSubstr("not the heartbeats"));
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "unknown"), 10);
  EXPECT_GT(seconds_of(why, "start of the process"), 0);
}

// The run was cut off at 40 s, while pi still waits: its waiting is explained up to then.
TEST(Why, ARunThatWasCutOff) {
  Scratch scratch;
  const std::string out = simulated(scenario("quickstart"), scratch);
  std::ifstream in(out + "/journal.jsonl");
  std::string kept;
  for (std::string line; std::getline(in, line) && Json::parse(line).value("t", 0.0) < 40;)
    kept += line + "\n";
  std::ofstream(out + "/journal.jsonl") << kept << R"({"type":"heartb)";
  const Json why = json_of({"why", out, "pi"}, scratch);
  EXPECT_TRUE(why["job"]["start_s"].is_null());
  ASSERT_FALSE(why["waiting"].empty());
  EXPECT_EQ(why["waiting"].front()["from_s"], 20.0);
  EXPECT_NEAR(why["waiting"].back()["until_s"].get<double>(), 40, 2);
  EXPECT_EQ(seconds_of(why, "unknown"), 0);
  EXPECT_THAT(call({"why", out, "pi"}, scratch).output, HasSubstr("no task ever started"));
}

TEST(Why, AJournalOfWhichAnotherDecisionCameTellsTheRestByItsLines) {
  Scratch scratch;
  const std::string out = simulated(scenario("quickstart"), scratch);
  std::string journal = without_checksums(text_of(out + "/journal.jsonl"));
  const std::string launch = R"("job":1,"phase":0,"task":0,"attempt":1)";
  const std::size_t at = journal.find(launch);
  ASSERT_NE(at, std::string::npos);
  journal[at + launch.size() - 1] = '2';
  std::ofstream(out + "/journal.jsonl") << journal;
  const Json why = json_of({"why", out, "pi"}, scratch);
  EXPECT_THAT(why["note"].get<std::string>(), HasSubstr("makes other decisions"));
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "reserved for others"), 5) << "before it";
  EXPECT_GT(seconds_of(why, "unknown"), 5);
}

}  // namespace heddle::why_test
