// Tests the files that are derived from a run, at its end and by heddle export.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/system/real_run.h"

namespace heddle::export_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

bool is_sqlite(const std::string& path) { return text_of(path).starts_with("SQLite format 3"); }

std::size_t lines_in(const std::string& path) {
  const std::string text = text_of(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Returns whether a file is left that was written to replace another one.
bool is_left_beside(const std::string& out) {
  const std::vector<std::string> names = names_in(out);
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.ends_with(".new"); });
}

TEST(Export, SimulationsEndWithTablesIfTheyAreMadeNow) {
  Scratch scratch;
  for (const auto& [name, out] :
       {std::pair{"quickstart", "done"}, {"faults/container-overrun", "failed"}}) {
    const std::string made = simulated(scenario(name), scratch, {"--derived=now"}, out);
    EXPECT_TRUE(is_sqlite(made + "/run.sqlite")) << name;
    EXPECT_FALSE(is_left_beside(made)) << name;
  }
  EXPECT_THAT(names_in(simulated(scenario("lone-task"), scratch)),
              UnorderedElementsAre("scenario.yaml", "journal.jsonl", "samples.jsonl",
                                   "summary.json", "result.json", "logs"));
}

TEST(Export, ASummaryThatWasChangedStaysUnverified) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch);
  std::ofstream(out + "/summary.json", std::ios::app) << "\n";
  ASSERT_EQ(call({"export", out, "--swf"}, scratch).status, 0);
  EXPECT_THAT(call({"show", out}, scratch).errors, HasSubstr("unverified: summary.json has "));
}

/// Returns the jobs of a scenario file.
std::string jobs_in(const std::string& path) {
  const std::string text = text_of(path);
  return text.substr(text.find("\njobs:"));
}

class Roundtrip : public ::testing::Test {
 protected:
  void heddle_ok(const std::vector<std::string>& words) {
    const Ended end = call(words, scratch_);
    ASSERT_EQ(end.status, 0) << end.errors;
  }
  /// Imports a file and simulates the scenario; exports the results. Returns the scenario's jobs.
  std::string import_and_export(const std::string& file, const std::string& name) {
    const std::string path = scratch_ / (name + ".yaml");
    heddle_ok({"import", scratch_ / file, "--out", path});
    heddle_ok({"simulate", path, "--out", scratch_ / name});
    heddle_ok({"export", scratch_ / name, "--swf", "--batsim"});
    return jobs_in(path);
  }
  Scratch scratch_;
};

// Import of export of import gives the same jobs.
TEST_F(Roundtrip, RigidJobsAreImportedAsTheyWere) {
  scratch_.file("log.swf",
                "; MaxProcs: 4\n"
                "3 50 0 60 2 -1 1024 2 120 2048 1 12 -1 -1 4 -1 -1 -1\n"
                "8 51.5 0 10 4 -1 -1 4 -1 -1 1 7 -1 -1 1 -1 -1 -1\n");
  const std::string jobs = import_and_export("log.swf", "a");
  EXPECT_EQ(import_and_export("a/run.swf", "b"), jobs);
  const std::string batsim = import_and_export("a/batsim/workload.json", "c");
  EXPECT_EQ(import_and_export("c/batsim/workload.json", "d"), batsim);
}

// Jobs of users "ann" and "user-12" in queues "a" and "b", and back.
TEST_F(Roundtrip, NamesOfUsersAndQueuesAreKept) {
  scratch_.file("log.swf",
                "; Queue: 1 a\n; Queue: 2 b\n; Note: user 1 is user-12\n; Note: user 2 is ann\n"
                "1 0 0 60 2 -1 1024 2 120 2048 1 1 -1 -1 1 -1 -1 -1\n"
                "2 5 0 10 1 -1 -1 1 -1 -1 1 2 -1 -1 2 -1 -1 -1\n");
  const std::string jobs = import_and_export("log.swf", "a");
  expect_parts(jobs, {"user: ann", "user: user-12", "queue: b"});
  EXPECT_EQ(import_and_export("a/run.swf", "b"), jobs);
}

// A folder of applications. The parts of the first one are read by their numbers, 2 before 10.
TEST_F(Roundtrip, ADirectoryStandsForTheFilesBelowIt) {
  const auto start = [](const std::string& id) {
    return "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.0\"}\n"
           "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"a\",\"App ID\":\"" +
           id + "\",\"Timestamp\":1600000000000,\"User\":\"ann\"}\n";
  };
  const auto task = [](int index) {
    const std::string number = std::to_string(index);
    return R"({"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"Success"},)"
           R"("Task Info":{"Task ID":)" +
           number + R"(,"Index":)" + number +
           R"(,"Launch Time":1600000000000,"Host":"h1","Speculative":false,"Finish Time":)"
           R"(1600000001000,"Failed":false,"Killed":false},"Task Metrics":{"Executor Run Time":30}})"
           "\n";
  };
  const std::string rolled = scratch_ / "logs/eventlog_v2_app-1";
  std::filesystem::create_directories(rolled);
  scratch_.file("logs/eventlog_v2_app-1/appstatus_app-1", "");
  scratch_.file("logs/eventlog_v2_app-1/events_10_app-1", task(1));
  scratch_.file("logs/eventlog_v2_app-1/events_2_app-1", start("app-1") + task(0));
  scratch_.file("logs/app-2", start("app-2") + task(0));
  scratch_.file("logs/.app-2.crc", "x");
  const Ended end = call({"import", scratch_ / "logs", "--out", scratch_ / "s.yaml"}, scratch_);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(end.errors, HasSubstr("2 jobs of 3 tasks made"));
  EXPECT_THAT(end.errors, HasSubstr("logs/eventlog_v2_app-1/events_3_app-1"));
  expect_parts(jobs_in(scratch_ / "s.yaml"), {"name: job-app-1", "name: job-app-2", "tasks: 2"});
  std::filesystem::create_directory(scratch_ / "empty");
  expect_refused(call({"import", scratch_ / "empty"}, scratch_), 2, {"empty: has no files"});
}

TEST_F(Roundtrip, ATraceOfHeddleHasItsOwnNodes) {
  const std::string out = simulated(scenario("quickstart"), scratch_);
  heddle_ok({"trace", out});
  expect_refused(call({"import", out + "/trace.jsonl", "--cores", "8"}, scratch_), 2,
                 {"--cores: a trace of heddle trace has its own nodes"});
}

TEST(Export, WritesAllFormatsAndRemakesItsOwn) {
  Scratch scratch;
  const std::string out = simulated(scenario("quickstart"), scratch);
  for (int time = 0; time < 2; ++time) {
    const Ended end = call({"export", out}, scratch);
    ASSERT_EQ(end.status, 0) << end.errors;
    EXPECT_EQ(end.output, "tables: " + out + "/run.sqlite\ncsv: " + out + "/csv/\n" +
                              "batsim: " + out + "/batsim/jobs.csv\nswf: " + out +
                              "/run.swf\ntimeline: " + out + "/timeline.json\n");
    EXPECT_EQ(end.errors, "");
  }
  const Json summary = read_json(out + "/summary.json");
  const std::size_t jobs = summary["jobs"].size();
  EXPECT_EQ(lines_in(out + "/csv/jobs.csv"), jobs + 1);
  EXPECT_EQ(lines_in(out + "/csv/attempts.csv"), summary["attempts_total"].get<std::size_t>() + 1);
  EXPECT_EQ(lines_in(out + "/batsim/jobs.csv"), jobs + 1);
  EXPECT_THAT(text_of(out + "/run.swf"), StartsWith("; Version: 2.2\n"));
}

TEST(Export, MakesASummaryWhereThereIsNone) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch);
  Json first = read_json(out + "/summary.json");
  fs::remove(out + "/summary.json");
  ASSERT_EQ(call({"export", out, "--csv"}, scratch).status, 0);
  Json again = read_json(out + "/summary.json");
  // A simulation's journal lacks the values that depend on the machine.
  for (const char* not_there : {"host", "overhead"}) first.erase(not_there), again.erase(not_there);
  EXPECT_EQ(again, first);
}

TEST(Export, OneFormatElsewhereOverwritesNothing) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch);
  ASSERT_EQ(call({"export", out, "--swf", "--out", scratch / "there"}, scratch).status, 0);
  EXPECT_THAT(names_in(scratch / "there"), UnorderedElementsAre("run.sqlite", "run.swf"));
  fs::remove(scratch / "there/run.sqlite");
  scratch.file("there/run.swf", "mine");
  expect_refused(call({"export", out, "--out", scratch / "there"}, scratch), 2,
                 {"there/run.swf exists already"});
  EXPECT_THAT(names_in(scratch / "there"), UnorderedElementsAre("run.swf"));
  EXPECT_EQ(text_of(scratch / "there/run.swf"), "mine");
}

TEST(Export, BrokenJournalIsNamed) {
  Scratch scratch;
  const std::string out = simulated(scenario("lone-task"), scratch);
  scratch.file("out/journal.jsonl",
               "{\"type\":\"reserve\",\"job\":7,\"phase\":0,\"node\":0,\"t\":1,"
               "\"step\":1}\n");
  expect_refused(call({"export", out}, scratch), 4,
                 {"journal.jsonl:1: job 7 is not in the scenario"});
  EXPECT_FALSE(fs::exists(out + "/run.sqlite"));
}

// A limit on the size of files, in KiB, stands for a full disk: the journal fits, the tables do
// not.
TEST(Export, TablesThatCannotBeWrittenAreAWarning) {
  Scratch scratch;
  const std::string words =
      heddle({})[0] + " simulate " + scenario("lone-task") + " --derived now --out ";
  for (const std::string signal : {"trap '' XFSZ; ", ""}) {
    const std::string out = scratch / ("out" + std::to_string(signal.size()));
    Process process({"bash", "-c", signal + "ulimit -f 40; exec " + words + out}, scratch);
    EXPECT_EQ(process.wait(), 0);
    EXPECT_THAT(process.errors(),
                AllOf(HasSubstr("warning: not made: run.sqlite"), HasSubstr("heddle export")));
    for (const std::string& name : names_in(out))
      EXPECT_FALSE(name == "run.sqlite" || name.ends_with(".new")) << name;
    EXPECT_EQ(read_json(out + "/summary.json")["status"], "done");
  }
}

TEST(Export, InterruptedRunHasNoneUntilExported) {
  Scratch scratch;
  const ScenarioText many = {.cluster = "nodes: [{name: n, count: 100, cores: 8, memory: 16GiB}]",
                             .jobs = maps(20000, "cpu: 10s, memory: 1GiB")};
  const std::string out = scratch / "out";
  Process process(
      heddle({"simulate", scratch.file("many.yaml", many.text()), "--derived=now", "--out", out}),
      scratch);
  ASSERT_TRUE(
      eventually([&] { return fs::exists(out + "/summary.json"); }, std::chrono::seconds(100)));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(std::chrono::seconds(3)), 130);
  EXPECT_THAT(process.errors(), HasSubstr("not made: run.sqlite"));
  EXPECT_FALSE(fs::exists(out + "/run.sqlite"));
  EXPECT_FALSE(is_left_beside(out));
  EXPECT_EQ(read_json(out + "/summary.json")["status"], "done");
  ASSERT_EQ(call({"export", out, "--batsim"}, scratch).status, 0);
  EXPECT_TRUE(is_sqlite(out + "/run.sqlite"));
}

}  // namespace heddle::export_test
