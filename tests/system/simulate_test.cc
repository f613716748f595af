// Tests heddle simulate as users call it: results, exit statuses, errors.

#include <csignal>
#include <filesystem>

#include "common/file.h"
#include "tests/support/matchers.h"
#include "tests/system/process.h"

namespace heddle::simulate_test {

using Json = nlohmann::json;

Ended simulate(std::vector<std::string> arguments, const Scratch& scratch) {
  arguments.insert(arguments.begin(), "simulate");
  return call(std::move(arguments), scratch);
}

TEST(Simulate, WritesWhatARunWrites) {
  Scratch scratch;
  Ended end = simulate({scenario("papers/dress-fig1"), "--out", scratch / "out"}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.output, HasSubstr("makespan 40.0 s"));
  EXPECT_THAT(end.output, HasSubstr("results: " + scratch / "out"));
  EXPECT_EQ(end.errors, "");
  Json summary = read_json(scratch / "out/summary.json");
  EXPECT_EQ(summary["mode"], "simulated");
  EXPECT_EQ(summary["status"], "done");
  EXPECT_EQ(summary["makespan_s"], 40);
  std::vector<double> waits;
  for (const Json& job : summary["jobs"]) waits.push_back(job["waiting_s"]);
  EXPECT_THAT(waits, ElementsAre(0, 9, 28, 27));
  EXPECT_GT(summary["overhead"]["decisions"], 0);
  EXPECT_TRUE(summary["overhead"]["decision_us"]["p99"].is_number());
  EXPECT_TRUE(summary["host"]["cpus"].is_number());
  EXPECT_TRUE(std::filesystem::is_directory(scratch / "out/logs"));
  EXPECT_EQ(read_journal(scratch / "out").back()["type"], "end");
  EXPECT_THAT(text_of(scratch / "out/samples.jsonl"), StartsWith("{\"t\":"));
}

TEST(Simulate, DressFigure1IsWithinASecondForReal) {
  Scratch scratch;
  ASSERT_EQ(trouble_of({"run", scenario("papers/dress-fig1"), "--set", "emulation.time_scale=0.2",
                        "--out", scratch / "out"},
                       scratch),
            "");
  Json summary = read_json(scratch / "out/summary.json");
  EXPECT_NEAR(summary["makespan_s"].get<double>(), 40, 1);
  const double waits[] = {0, 9, 28, 27};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(summary["jobs"][i]["waiting_s"].get<double>(), waits[i], 1) << i;
}

TEST(Simulate, ResolvedScenarioReproducesTheBytes) {
  Scratch scratch;
  simulated(scenario("quickstart"), scratch, {"--seed", "3", "--policy", "fair"}, "one");
  simulated(scratch / "one/scenario.yaml", scratch, {}, "two");
  for (const char* file : {"/journal.jsonl", "/samples.jsonl", "/scenario.yaml"})
    EXPECT_EQ(text_of(scratch / "one" + file), text_of(scratch / "two" + file)) << file;
  Json one = read_json(scratch / "one/summary.json"), two = read_json(scratch / "two/summary.json");
  EXPECT_EQ(one["seed"], 3);
  for (Json* summary : {&one, &two}) {
    summary->erase("overhead");
    summary->erase("host");
  }
  EXPECT_EQ(one, two);
}

TEST(Simulate, FailedJobIsStatusOne) {
  Scratch scratch;
  Ended end =
      simulate({scenario("faults/container-overrun"), "--out", scratch / "out", "--json"}, scratch);
  EXPECT_EQ(end.status, 1);
  Json summary = Json::parse(end.output);
  EXPECT_EQ(summary["oom_kills"]["container"], 3);
  EXPECT_EQ(summary["jobs"][1]["state"], "completed");
}

/// Writes a scenario with hours of work, memory that grows and a heartbeat per millisecond, which
/// takes minutes to simulate; returns its path.
std::string endless(const Scratch& scratch) {
  return scratch.file(
      "long.yaml",
      "heddle: 1\nname: long\ncluster: {heartbeat: 1ms, nodes: [{name: n, count: "
      "100, cores: 4, memory: 8GiB}]}\njobs:\n- name: j\n  phases:\n  - {name: m, "
      "tasks: 400, request: {cores: 1, memory: 1GiB}, cpu: 9000s, memory: [[0, 1MiB], "
      "[1, 900MiB]]}\n");
}

TEST(Simulate, InterruptKeepsWhatThereIs) {
  Scratch scratch;
  Process process(heddle({"simulate", endless(scratch), "--out", scratch / "out"}), scratch);
  ASSERT_TRUE(eventually([&] {
    std::error_code error;
    return std::filesystem::file_size(scratch / "out/samples.jsonl", error) > 0 && !error;
  }));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(std::chrono::seconds(20)), 130);
  Json summary = read_json(scratch / "out/summary.json");
  EXPECT_EQ(summary["status"], "interrupted");
  EXPECT_EQ(summary["jobs"][0]["state"], "running");
}

// The file cannot grow beyond the limit: the write fails as on a full disk, and the error says why.
TEST(Simulate, AFullDiskOrALimitIsStatusFour) {
  Scratch scratch;
  std::vector<std::string> command = {"/bin/sh", "-c",
                                      "trap '' XFSZ; ulimit -f 200; exec \"$0\" \"$@\""};
  for (const std::string& word : heddle({"simulate", endless(scratch), "--out", scratch / "out"}))
    command.push_back(word);
  expect_refused(end_of(command, scratch), 4,
                 {"File too large: limit of this process (ulimit -f)"});
  EXPECT_TRUE(std::filesystem::exists(scratch / "out/summary.json"));
}

}  // namespace heddle::simulate_test
