// Tests heddle why as users call it, on simulated and real runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/system/process.h"

namespace heddle::why_test {

using ::testing::HasSubstr;
using Json = nlohmann::json;

/// Checks that the intervals add up to the waiting time of the summary.
void expect_whole(const Json& why) {
  double sum = 0, at = why["job"]["submit_s"];
  for (const Json& interval : why["waiting"]) {
    EXPECT_EQ(interval["from_s"], at);
    at = interval["until_s"];
    sum += interval["until_s"].get<double>() - interval["from_s"].get<double>();
  }
  EXPECT_NEAR(sum, why["job"]["waiting_s"].get<double>(), 1e-5);
  EXPECT_EQ(at, why["job"]["start_s"]);
}

double seconds_of(const Json& why, const std::string& cause) {
  for (const Json& row : why["causes"])
    if (row["cause"] == cause) return row["s"];
  return 0;
}

TEST(Why, ASimulatedRun) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("quickstart"), "--out", scratch / "out"}, scratch).status,
            0);
  const Ended text = call({"why", scratch / "out", "train"}, scratch);
  ASSERT_EQ(text.status, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("train  queue default, fifo, completed\n"));
  EXPECT_THAT(text.output, HasSubstr("waited for\n"));
  EXPECT_THAT(text.output, HasSubstr("gang: "));
  const Ended json = call({"why", scratch / "out", "2", "--json", "--all"}, scratch);
  ASSERT_EQ(json.status, 0) << json.errors;
  const Json why = Json::parse(json.output);
  EXPECT_EQ(why["job"]["name"], "train");
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "gang"), 15);
  EXPECT_GT(seconds_of(why, "reserved for others"), 30);
  EXPECT_TRUE(why["later"].is_array());
}

TEST(Why, UnknownJobsAndDirectories) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("quickstart"), "--out", scratch / "out"}, scratch).status,
            0);
  const Ended near = call({"why", scratch / "out", "trian"}, scratch);
  EXPECT_EQ(near.status, 2);
  EXPECT_THAT(near.errors,
              HasSubstr("there is no job \"trian\" in this run; did you mean \"train\"?"));
  const Ended far = call({"why", scratch / "out", "4"}, scratch);
  EXPECT_EQ(far.status, 2);
  EXPECT_THAT(far.errors, HasSubstr("jobs: count, sort, train, pi; or an index, 0 to 3"));
  EXPECT_EQ(call({"why", scratch / "none", "x"}, scratch).status, 2);
  EXPECT_EQ(call({"why", scratch / "out"}, scratch).status, 2);
}

TEST(Why, AJournalThatCannotBeReplayedTellsWhatItsLinesTell) {
  Scratch scratch;
  ASSERT_EQ(
      call({"simulate", scenario("quickstart"), "--out", scratch / "out", "--journal", "decisions"},
           scratch)
          .status,
      0);
  const Ended json = call({"why", scratch / "out", "pi", "--json"}, scratch);
  ASSERT_EQ(json.status, 0) << json.errors;
  const Json why = Json::parse(json.output);
  EXPECT_THAT(why["note"].get<std::string>(), HasSubstr("not the heartbeats"));
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "unknown"), 10);
  EXPECT_GT(seconds_of(why, "start of the process"), 0);
}

// The run was cut off at 40 s, while pi still waits: its waiting is explained up to then.
TEST(Why, ARunThatWasCutOff) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("quickstart"), "--out", scratch / "out"}, scratch).status,
            0);
  std::ifstream in(scratch / "out/journal.jsonl");
  std::string kept;
  for (std::string line; std::getline(in, line) && Json::parse(line).value("t", 0.0) < 40;)
    kept += line + "\n";
  std::ofstream(scratch / "out/journal.jsonl") << kept << R"({"type":"heartb)";
  const Ended json = call({"why", scratch / "out", "pi", "--json"}, scratch);
  ASSERT_EQ(json.status, 0) << json.errors;
  const Json why = Json::parse(json.output);
  EXPECT_TRUE(why["job"]["start_s"].is_null());
  ASSERT_FALSE(why["waiting"].empty());
  EXPECT_EQ(why["waiting"].front()["from_s"], 20.0);
  EXPECT_NEAR(why["waiting"].back()["until_s"].get<double>(), 40, 2);
  EXPECT_EQ(seconds_of(why, "unknown"), 0);
  EXPECT_THAT(call({"why", scratch / "out", "pi"}, scratch).output,
              HasSubstr("no task ever started"));
}

TEST(Why, AJournalOfWhichAnotherDecisionCameTellsTheRestByItsLines) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("quickstart"), "--out", scratch / "out"}, scratch).status,
            0);
  std::string journal = without_checksums(*read_file(scratch / "out/journal.jsonl"));
  const std::string launch = R"("job":1,"phase":0,"task":0,"attempt":1)";
  const std::size_t at = journal.find(launch);
  ASSERT_NE(at, std::string::npos);
  journal[at + launch.size() - 1] = '2';
  std::ofstream(scratch / "out/journal.jsonl") << journal;
  const Ended json = call({"why", scratch / "out", "pi", "--json"}, scratch);
  ASSERT_EQ(json.status, 0) << json.errors;
  const Json why = Json::parse(json.output);
  EXPECT_THAT(why["note"].get<std::string>(), HasSubstr("makes other decisions"));
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "reserved for others"), 5) << "before it";
  EXPECT_GT(seconds_of(why, "unknown"), 5);
}

TEST(Why, ARealRun) {
  Scratch scratch;
  const std::string small = scratch.file(
      "s.yaml",
      "heddle: 1\nname: small\nemulation: {time_scale: 0.1, core_fraction: 0.05, memory_scale: "
      "1/64}\ncluster: {nodes: [{name: n, count: 2, cores: 2, memory: 4GiB}]}\njobs:\n"
      "- name: first\n  phases:\n"
      "  - {name: map, tasks: 4, request: {cores: 1, memory: 1GiB}, cpu: 10s, memory: 600MiB}\n"
      "- name: second\n  submit: 2s\n  phases:\n"
      "  - {name: map, tasks: 2, request: {cores: 1, memory: 1GiB}, cpu: 5s, memory: 600MiB}\n");
  ASSERT_EQ(call({"run", small, "--out", scratch / "out", "--quiet"}, scratch).status, 0);
  const Ended json = call({"why", scratch / "out", "second", "--json"}, scratch);
  ASSERT_EQ(json.status, 0) << json.errors;
  const Json why = Json::parse(json.output);
  EXPECT_TRUE(why["note"].is_null()) << why["note"];
  expect_whole(why);
  EXPECT_GT(seconds_of(why, "no room"), 5);
  EXPECT_EQ(seconds_of(why, "unknown"), 0);
}

}  // namespace heddle::why_test
