// Tests `heddle bench` on real runs: its output, and that it leaves nothing behind.

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/matchers.h"
#include "tests/system/leftovers.h"
#include "tests/system/process.h"

namespace heddle::bench_test {

using nlohmann::json;

class Bench : public ::testing::Test {
 protected:
  Bench() { std::filesystem::create_directory(scratch_ / "tmp"); }

  /// Starts `heddle bench` with its temporary files in this test's directory.
  std::unique_ptr<Process> start(const std::vector<std::string>& words,
                                 const std::string& bench = "fidelity") {
    std::vector<std::string> all = {"env", "TMPDIR=" + (scratch_ / "tmp")};
    for (const std::string& word : heddle({"bench", bench})) all.push_back(word);
    all.insert(all.end(), words.begin(), words.end());
    return std::make_unique<Process>(all, scratch_);
  }
  /// Returns the results directory of the first run that a bench makes; "" while there is none.
  std::string first_run() const {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "tmp"))
      return entry.path().string() + "/1";
    return "";
  }
  /// Returns the run id of the worker that a bench has started; "" while there is none.
  static std::string run_of_worker(pid_t bench) {
    for (pid_t pid : descendants(bench, "heddle-worker")) {
      std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
      for (std::string word; std::getline(file, word, '\0');)
        if (word == "--run" && std::getline(file, word, '\0')) return word;
    }
    return "";
  }
  void expect_no_files() const { EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "tmp")); }

  Scratch scratch_;
};

TEST_F(Bench, PolicyQuickInJson) {
  Process process(heddle({"bench", "policy", "--quick", "--json", "--schedulers", "fifo,ikayak",
                          "--nodes", "10,100", "--pending", "100"}),
                  scratch_);
  ASSERT_EQ(process.wait(), 0) << process.errors();
  const json results = json::parse(process.output());
  EXPECT_EQ(results["bench"], "policy");
  // ikayak has a second row for each size, for a load of executors only.
  ASSERT_EQ(results["rows"].size(), 6u);
  EXPECT_EQ(results["rows"][5]["scheduler"], "ikayak (executors)");
  for (const json& row : results["rows"]) {
    EXPECT_GT(row["placements"], 0);
    EXPECT_LT(row["beat_us"], 1e5);  // depends on the machine; the bound finds gross errors
  }
}

// The size of the errors is not checked: it depends on the machine, which others may be using.
TEST_F(Bench, QuickInJson) {
  auto process = start({"--quick", "--json"});
  ASSERT_EQ(process->wait(), 0) << process->errors();
  const json results = json::parse(process->output());
  EXPECT_EQ(results["bench"], "fidelity");
  std::vector<std::string> cases;
  for (const json& row : results["rows"]) {
    cases.push_back(row["case"]);
    if (row["case"] == "command" && row["error"].is_null()) {
      EXPECT_NE(row["note"], "");  // the user of the programs may be unable to read this build
      continue;
    }
    EXPECT_EQ(row["note"], "");
    EXPECT_GT(row["tasks"], 0);
    EXPECT_GE(row["error"]["p50"], 0);
    EXPECT_LT(row["error"]["p50"], 20);
    EXPECT_LE(row["error"]["p50"], row["error"]["p99"]);
    EXPECT_LE(row["error"]["p99"], row["error"]["max"]);
    EXPECT_GE(row["lost"], 0);
    EXPECT_GE(row["foreign_cpu"], 0);
  }
  EXPECT_EQ(cases, (std::vector<std::string>{"alone", "together", "command", "alone, memory",
                                             "together, memory", "crowded", "weights", "joining"}));
  const json& memory = results["rows"][4]["memory"];
  EXPECT_GE(memory["p50"], 0);
  EXPECT_LE(memory["p50"], memory["p99"]);
  EXPECT_GE(memory["late_ms"]["p50"], 0);
  EXPECT_TRUE(results["met"].is_boolean());
  EXPECT_THAT(process->errors(), HasSubstr("heddle: joining, 10 % of a CPU"));
  expect_no_files();
}

TEST_F(Bench, InterruptedLeavesNothing) {
  auto process = start({});
  std::string run;
  ASSERT_TRUE(eventually([&] {
    if (!first_run().empty() && std::filesystem::exists(first_run() + "/journal.jsonl"))
      run = run_id(first_run());
    return !run.empty() && !descendants(process->pid(), "heddle-task").empty();
  })) << process->errors();
  std::vector<pid_t> pids;
  for (const char* name : {"heddle", "heddle-master", "heddle-worker", "heddle-task"})
    for (pid_t pid : descendants(process->pid(), name)) pids.push_back(pid);
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(), 130) << process->errors();
  EXPECT_EQ(process->output(), "");
  EXPECT_THAT(process->errors(), HasSubstr("heddle: interrupted\n"));
  for (pid_t pid : pids) EXPECT_FALSE(alive(pid));
  EXPECT_THAT(left_of(run), IsEmpty());
  expect_no_files();
}

TEST_F(Bench, LaunchQuickInJson) {
  auto process = start({"--quick", "--peers", "--json"}, "launch");
  ASSERT_EQ(process->wait(), 0) << process->errors();
  const json results = json::parse(process->output());
  EXPECT_EQ(results["bench"], "launch");
  std::set<std::string> ways;
  for (const json& row : results["rows"]) {
    ways.insert(row["way"]);
    if (row["at_once"].is_null()) {
      EXPECT_NE(row["note"], "");  // a peer that is not installed, or does not work here
      continue;
    }
    EXPECT_EQ(row["tasks"], 50);
    EXPECT_GT(row["per_s"], 1);
    EXPECT_GT(row["x"], 0);
    EXPECT_LE(row["ms"]["p50"], row["ms"]["p99"]);
    EXPECT_LE(row["ms"]["p99"], row["ms"]["max"]);
  }
  EXPECT_THAT(ways, IsSupersetOf({"bare", "groups", "heddle", "cgexec", "crun", "slurm"}));
  EXPECT_EQ(results["aims"].size(), 2u);
  EXPECT_EQ(results["parts"].size(), 8u);
}

TEST_F(Bench, SuspendQuickInJson) {
  auto process = start({"--quick", "--json"}, "suspend");
  ASSERT_EQ(process->wait(), 0) << process->errors();
  const json results = json::parse(process->output());
  EXPECT_EQ(results["bench"], "suspend");
  EXPECT_EQ(results["rows"].size(), 9u);
  for (const json& row : results["rows"]) {
    EXPECT_EQ(row["times"], 20);
    for (const char* what : {"stop_ms", "run_ms"}) {
      EXPECT_GT(row[what]["p50"], 0);
      EXPECT_LE(row[what]["p50"], row[what]["p99"]);
    }
  }
  EXPECT_EQ(results["aims"].size(), 16u);
}

TEST_F(Bench, OfAWorkerInterruptedLeavesNothing) {
  for (const char* bench : {"launch", "suspend"}) {
    auto process = start({}, bench);
    std::string run;
    ASSERT_TRUE(eventually([&] {
      run = run_of_worker(process->pid());
      return !run.empty() && !descendants(process->pid(), "heddle-task").empty();
    })) << process->errors();
    std::vector<pid_t> pids;
    for (const char* name : {"heddle-worker", "heddle-task"})
      for (pid_t pid : descendants(process->pid(), name)) pids.push_back(pid);
    EXPECT_FALSE(groups_of(run).empty());
    process->signal(SIGINT);
    EXPECT_EQ(process->wait(), 130) << process->errors();
    EXPECT_THAT(process->errors(), HasSubstr("heddle: interrupted\n"));
    for (pid_t pid : pids) EXPECT_FALSE(alive(pid));
    EXPECT_THAT(left_of(run), IsEmpty());
    for (const char* base : {"/run/heddle/", "/tmp/heddle-"})
      EXPECT_FALSE(std::filesystem::exists(base + run));
  }
}

TEST_F(Bench, AMachineThatCannotSaysWhatIsMissing) {
  auto process = start({"--quick", "--cgroup", "/proc/nowhere"});
  EXPECT_EQ(process->wait(), 3);
  EXPECT_THAT(process->errors(), HasSubstr("\nheddle: "));
  EXPECT_THAT(process->errors(), HasSubstr("/proc/nowhere"));
  expect_no_files();
}

TEST_F(Bench, HeartbeatsInJson) {
  auto process =
      start({"--workers", "2", "--containers", "0,3", "--real", "1", "--seconds", "2", "--json"},
            "heartbeat");
  ASSERT_EQ(process->wait(), 0) << process->errors();
  const json results = json::parse(process->output());
  ASSERT_EQ(results["rows"].size(), 3u);
  for (const json& row : results["rows"]) {
    EXPECT_GE(row["beats"], row["worker"] == "real" ? 1 : 2) << row;
    EXPECT_GT(row["master_us"], 0) << row;
    EXPECT_GT(row["worker_us"], 0) << row;
    if (row["worker"] == "real") continue;
    EXPECT_LE(row["trip_ms"]["p50"], row["trip_ms"]["p99"]);
    EXPECT_GT(row["echo"]["us"], 0);
    EXPECT_GT(row["received_bytes"], 50);
  }
  EXPECT_GT(results["rows"][1]["sent_bytes"], results["rows"][0]["sent_bytes"]);
  expect_no_files();
}

TEST_F(Bench, HeartbeatsByTcp) {
  auto process = start(
      {"--workers", "2", "--containers", "1", "--real", "0", "--seconds", "2", "--tcp", "--json"},
      "heartbeat");
  ASSERT_EQ(process->wait(), 0) << process->errors();
  const json row = json::parse(process->output())["rows"].at(0);
  EXPECT_EQ(row["transport"], "tcp");
  EXPECT_GT(row["answered"], 0);
  expect_no_files();
}

TEST_F(Bench, HeartbeatsInterruptedLeaveNothing) {
  auto process = start({"--workers", "8", "--containers", "1"}, "heartbeat");
  ASSERT_TRUE(eventually([&] { return descendants(process->pid(), "heddle-bench").size() == 8; }))
      << process->errors();
  std::vector<pid_t> pids = descendants(process->pid(), "heddle-bench");
  for (pid_t pid : descendants(process->pid(), "heddle-master")) pids.push_back(pid);
  EXPECT_EQ(pids.size(), 9u);
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(), 130) << process->errors();
  EXPECT_THAT(process->errors(), HasSubstr("interrupted\n"));
  for (pid_t pid : pids) EXPECT_FALSE(alive(pid));
  expect_no_files();
}

TEST_F(Bench, StartsInJson) {
  auto process = start({"--nodes", "5", "--json"}, "start");
  ASSERT_EQ(process->wait(), 0) << process->errors();
  const json results = json::parse(process->output()), row = results["rows"].at(0);
  EXPECT_EQ(results["bench"], "start");
  EXPECT_EQ(row["nodes"], 5);
  for (const char* key : {"start_s", "end_s", "early_end_s"}) EXPECT_GT(row[key], 0) << key;
  EXPECT_NEAR(row["node_mib"], row["memory_mib"].get<double>() / 5, 1e-3);
  ASSERT_EQ(results["aims"].size(), 2u);
  for (const json& aim : results["aims"])
    EXPECT_EQ(aim["met"], aim["value"].get<double>() <= 2) << aim;
  expect_no_files();
}

TEST_F(Bench, StartsInterruptedLeaveNothing) {
  auto process = start({"--nodes", "50"}, "start");
  ASSERT_TRUE(eventually([&] { return descendants(process->pid(), "heddle-worker").size() > 10; }))
      << process->errors();
  const std::vector<pid_t> pids = descendants(process->pid(), "heddle-worker");
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(), 130) << process->errors();
  EXPECT_THAT(process->errors(), HasSubstr("interrupted\n"));
  for (pid_t pid : pids) EXPECT_FALSE(alive(pid));
  expect_no_files();
}

TEST_F(Bench, ScenariosOfStartsFitThisMachine) {
  for (const char* nodes : {"1", "100", "2000", "5000"}) {
    const std::string file = scratch_ / (std::string(nodes) + ".yaml");
    Process make({"/usr/bin/python3", "-c",
                  "import sys, json; sys.path.insert(0, sys.argv[1]); import start; "
                  "json.dump(start.scenario(int(sys.argv[2])), open(sys.argv[3], 'w'))",
                  HEDDLE_SOURCE_DIR "/bench/scripts", nodes, file},
                 scratch_);
    ASSERT_EQ(make.wait(), 0) << make.errors();
    Process validate(heddle({"validate", file}), scratch_);
    EXPECT_EQ(validate.wait(), 0) << nodes << ": " << validate.errors();
  }
}

// Speed and evenness depend on the machine, so the bounds only find gross errors.
TEST_F(Bench, DataInJson) {
  auto process = start(
      {"--megabytes", "20", "--seconds", "0.5", "--transfers", "2,100", "--rate", "20", "--json"},
      "io");
  ASSERT_EQ(process->wait(), 0) << process->errors();
  const json results = json::parse(process->output());
  ASSERT_EQ(results["rows"].size(), 8u);
  for (const json& row : results["rows"]) {
    EXPECT_GT(row["rate"], 1e6) << row;
    EXPECT_GT(row["bare"]["rate"], 1e6) << row;
    EXPECT_GT(row["cpu_s_per_gb"]["holder"], 0) << row;
    EXPECT_GT(row["cpu_s_per_gb"]["asker"], 0) << row;
    EXPECT_EQ(row["error"].is_null(), row["paced"].is_null()) << row;
    if (!row["paced"].is_null()) {
      EXPECT_LT(row["error"]["p50"], 2);
    }
  }
  EXPECT_TRUE(results["met"].is_boolean());
  expect_no_files();
}

TEST_F(Bench, DataInterruptedLeavesNothing) {
  auto process = start({"--megabytes", "60000"}, "io");
  ASSERT_TRUE(eventually([&] { return descendants(process->pid(), "heddle-bench").size() == 2; }))
      << process->errors();
  const std::vector<pid_t> pids = descendants(process->pid(), "heddle-bench");
  process->signal(SIGINT);
  EXPECT_EQ(process->wait(), 130) << process->errors();
  for (pid_t pid : pids) EXPECT_FALSE(alive(pid));
  expect_no_files();
}

TEST_F(Bench, BadOptionsAreRefusedBeforeAnythingRuns) {
  for (const char* wrong : {"--fractions=0", "--fractions=2", "--fractions=2.5%,much",
                            "--seconds=0", "--seconds=1,long", "--seconds=100", "--nodes=3"}) {
    auto process = start({wrong});
    EXPECT_EQ(process->wait(), 2) << wrong;
    EXPECT_NE(process->errors(), "") << wrong;
  }
  for (const char* bench : {"launch", "suspend"}) {
    auto process = start({"--quick", "--cgroup", "/proc/nowhere"}, bench);
    EXPECT_EQ(process->wait(), 3);
    EXPECT_THAT(process->errors(), HasSubstr("/proc/nowhere"));
  }
  auto process = start({"--fractions=2"});
  process->wait();
  EXPECT_EQ(process->errors(),
            "heddle: --fractions: expected a share of a CPU from 0.1 % to 100 %, got \"2\"\n");
  expect_no_files();
}

}  // namespace heddle::bench_test
