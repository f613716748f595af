// Tests the files that are derived from a run, at its end and by heddle export.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "common/file.h"
#include "tests/system/process.h"

namespace heddle::export_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;
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

TEST(Export, SimulationEndsWithTables) {
  Scratch scratch;
  const Ended end = call({"simulate", scenario("quickstart"), "--out", scratch / "out"}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_EQ(end.errors, "");
  EXPECT_TRUE(is_sqlite(scratch / "out/run.sqlite"));
  EXPECT_FALSE(is_left_beside(scratch / "out"));
}

TEST(Export, DerivedLaterMakesNone) {
  Scratch scratch;
  const Ended end = call(
      {"simulate", scenario("lone-task"), "--derived=later", "--out", scratch / "out"}, scratch);
  ASSERT_EQ(end.status, 0) << end.errors;
  EXPECT_THAT(names_in(scratch / "out"),
              UnorderedElementsAre("scenario.yaml", "journal.jsonl", "samples.jsonl",
                                   "summary.json", "logs"));
}

TEST(Export, RealRunAndFailedRunEndWithTables) {
  Scratch scratch;
  ASSERT_EQ(
      call({"run", scenario("lone-task"), "--quiet", "--out", scratch / "one"}, scratch).status, 0);
  EXPECT_TRUE(is_sqlite(scratch / "one/run.sqlite"));
  ASSERT_EQ(
      call({"simulate", scenario("faults/container-overrun"), "--out", scratch / "two"}, scratch)
          .status,
      1);
  EXPECT_TRUE(is_sqlite(scratch / "two/run.sqlite"));
}

/// Returns the jobs of a scenario file.
std::string jobs_in(const std::string& path) {
  const std::string text = text_of(path);
  return text.substr(text.find("\njobs:"));
}

// Import of export of import gives the same jobs.
TEST(Export, RigidJobsAreImportedAsTheyWere) {
  Scratch scratch;
  scratch.file("log.swf",
               "; MaxProcs: 4\n"
               "3 50 0 60 2 -1 1024 2 120 2048 1 12 -1 -1 4 -1 -1 -1\n"
               "8 51.5 0 10 4 -1 -1 4 -1 -1 1 7 -1 -1 1 -1 -1 -1\n");
  const auto run = [&](const std::vector<std::string>& words) {
    const Ended end = call(words, scratch);
    ASSERT_EQ(end.status, 0) << end.errors;
  };
  run({"import", scratch / "log.swf", "--out", scratch / "a.yaml"});
  run({"simulate", scratch / "a.yaml", "--out", scratch / "out"});
  run({"export", scratch / "out", "--swf", "--batsim"});
  run({"import", scratch / "out/run.swf", "--out", scratch / "b.yaml"});
  EXPECT_EQ(jobs_in(scratch / "b.yaml"), jobs_in(scratch / "a.yaml"));
  run({"import", scratch / "out/batsim/workload.json", "--out", scratch / "c.yaml"});
  run({"simulate", scratch / "c.yaml", "--out", scratch / "again"});
  run({"export", scratch / "again", "--batsim"});
  run({"import", scratch / "again/batsim/workload.json", "--out", scratch / "d.yaml"});
  EXPECT_EQ(jobs_in(scratch / "d.yaml"), jobs_in(scratch / "c.yaml"));
}

// Jobs of users "ann" and "user-12" in queues "a" and "b", and back.
TEST(Export, NamesOfUsersAndQueuesAreKept) {
  Scratch scratch;
  scratch.file("log.swf",
               "; Queue: 1 a\n; Queue: 2 b\n; Note: user 1 is user-12\n; Note: user 2 is ann\n"
               "1 0 0 60 2 -1 1024 2 120 2048 1 1 -1 -1 1 -1 -1 -1\n"
               "2 5 0 10 1 -1 -1 1 -1 -1 1 2 -1 -1 2 -1 -1 -1\n");
  const auto run = [&](const std::vector<std::string>& words) {
    const Ended end = call(words, scratch);
    ASSERT_EQ(end.status, 0) << end.errors;
  };
  run({"import", scratch / "log.swf", "--out", scratch / "a.yaml"});
  EXPECT_THAT(jobs_in(scratch / "a.yaml"), HasSubstr("user: ann"));
  EXPECT_THAT(jobs_in(scratch / "a.yaml"), HasSubstr("user: user-12"));
  EXPECT_THAT(jobs_in(scratch / "a.yaml"), HasSubstr("queue: b"));
  run({"simulate", scratch / "a.yaml", "--out", scratch / "out"});
  run({"export", scratch / "out", "--swf"});
  run({"import", scratch / "out/run.swf", "--out", scratch / "b.yaml"});
  EXPECT_EQ(jobs_in(scratch / "b.yaml"), jobs_in(scratch / "a.yaml"));
}

TEST(Import, LeavesNoFileAfterAnError) {
  Scratch scratch;
  std::ofstream(scratch / "log.swf")
      << "; MaxProcs: 8\n7 10 5 60 2 -1 1024 3 120 2048 1 12 -1 -1 4 -1 -1 -1\n";
  const auto wrong = [&](std::vector<std::string> options, const std::string& text, int status) {
    std::vector<std::string> words = {"import",           "swf",      scratch / "log.swf", "--out",
                                      scratch / "o.yaml", "--report", scratch / "o.json"};
    words.insert(words.end(), options.begin(), options.end());
    const Ended end = call(words, scratch);
    EXPECT_EQ(end.status, status) << end.errors;
    EXPECT_THAT(end.errors, HasSubstr(text));
    EXPECT_FALSE(fs::exists(scratch / "o.yaml"));
    EXPECT_FALSE(fs::exists(scratch / "o.json"));
  };
  wrong({"--memory", "1KiB"}, "requests", 2);
  wrong({"--users", "nobody"}, "--users nobody: no job of the trace has it", 2);
  wrong({"--from", "60s", "--until", "30s"}, "--until 30s: expected a time after --from 60s", 2);
  wrong({"--from", "1500000000s"}, "1 job found, but none is chosen by --from", 2);
  wrong({"--policy", "fif"}, "did you mean \"fifo\"?", 2);
  ASSERT_EQ(trouble_of({"simulate", scenario("quickstart"), "--out", scratch / "out"}, scratch),
            "");
  ASSERT_EQ(trouble_of({"trace", scratch / "out"}, scratch), "");
  const Ended cores = call({"import", scratch / "out/trace.jsonl", "--cores", "8"}, scratch);
  EXPECT_EQ(cores.status, 2);
  EXPECT_THAT(cores.errors, HasSubstr("--cores: a trace of heddle trace has its own nodes"));
}

TEST(Export, WritesAllFormatsAndRemakesItsOwn) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("quickstart"), "--derived=later", "--out", scratch / "out"},
                 scratch)
                .status,
            0);
  for (int time = 0; time < 2; ++time) {
    const Ended end = call({"export", scratch / "out"}, scratch);
    ASSERT_EQ(end.status, 0) << end.errors;
    EXPECT_EQ(end.output,
              "tables: " + scratch / "out/run.sqlite\ncsv: " + scratch / "out/csv/\n" +
                  "batsim: " + scratch / "out/batsim/jobs.csv\nswf: " +
                  scratch / "out/run.swf\ntimeline: " + scratch / "out/timeline.json\n");
    EXPECT_EQ(end.errors, "");
  }
  const Json summary = read_json(scratch / "out/summary.json");
  const std::size_t jobs = summary["jobs"].size();
  EXPECT_EQ(lines_in(scratch / "out/csv/jobs.csv"), jobs + 1);
  EXPECT_EQ(lines_in(scratch / "out/csv/attempts.csv"),
            summary["attempts_total"].get<std::size_t>() + 1);
  EXPECT_EQ(lines_in(scratch / "out/batsim/jobs.csv"), jobs + 1);
  EXPECT_THAT(text_of(scratch / "out/run.swf"), StartsWith("; Version: 2.2\n"));
}

TEST(Export, MakesASummaryWhereThereIsNone) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("lone-task"), "--quiet", "--out", scratch / "out"}, scratch)
                .status,
            0);
  Json first = read_json(scratch / "out/summary.json");
  fs::remove(scratch / "out/summary.json");
  ASSERT_EQ(call({"export", scratch / "out", "--csv"}, scratch).status, 0);
  Json again = read_json(scratch / "out/summary.json");
  // A simulation's journal lacks the values that depend on the machine.
  for (const char* not_there : {"host", "overhead"}) first.erase(not_there), again.erase(not_there);
  EXPECT_EQ(again, first);
}

TEST(Export, OneFormatElsewhereOverwritesNothing) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("lone-task"), "--derived=later", "--out", scratch / "out"},
                 scratch)
                .status,
            0);
  ASSERT_EQ(call({"export", scratch / "out", "--swf", "--out", scratch / "there"}, scratch).status,
            0);
  EXPECT_THAT(names_in(scratch / "there"), UnorderedElementsAre("run.sqlite", "run.swf"));
  fs::remove(scratch / "there/run.sqlite");
  scratch.file("there/run.swf", "mine");
  const Ended end = call({"export", scratch / "out", "--out", scratch / "there"}, scratch);
  EXPECT_EQ(end.status, 2);
  EXPECT_THAT(end.errors, HasSubstr("there/run.swf exists already"));
  EXPECT_THAT(names_in(scratch / "there"), UnorderedElementsAre("run.swf"));
  EXPECT_EQ(text_of(scratch / "there/run.swf"), "mine");
}

TEST(Export, BadUsageIsStatusTwo) {
  Scratch scratch;
  const Ended none = call({"export", scratch / "none"}, scratch);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, HasSubstr("not a result directory"));
  EXPECT_EQ(call({"export"}, scratch).status, 2);
  EXPECT_EQ(call({"export", scratch / "none", "--parquet"}, scratch).status, 2);
  ASSERT_EQ(call({"simulate", scenario("lone-task"), "--derived=later", "--out", scratch / "out"},
                 scratch)
                .status,
            0);
  const Ended file =
      call({"export", scratch / "out", "--out", scratch.file("mine", "keep me")}, scratch);
  EXPECT_EQ(file.status, 2);
  EXPECT_THAT(file.errors, HasSubstr("not a directory"));
}

TEST(Export, BrokenJournalIsNamed) {
  Scratch scratch;
  ASSERT_EQ(call({"simulate", scenario("lone-task"), "--derived=later", "--out", scratch / "out"},
                 scratch)
                .status,
            0);
  scratch.file("out/journal.jsonl",
               "{\"type\":\"reserve\",\"job\":7,\"phase\":0,\"node\":0,\"t\":1,"
               "\"step\":1}\n");
  const Ended end = call({"export", scratch / "out"}, scratch);
  EXPECT_EQ(end.status, 4);
  EXPECT_THAT(end.errors, HasSubstr("journal.jsonl:1: job 7 is not in the scenario"));
  EXPECT_FALSE(fs::exists(scratch / "out/run.sqlite"));
}

// A limit on the size of files, in KiB, stands for a full disk: the journal fits, the tables do
// not.
TEST(Export, TablesThatCannotBeWrittenAreAWarning) {
  Scratch scratch;
  const std::string words = heddle({})[0] + " simulate " + scenario("lone-task") + " --out ";
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
  const std::string many = scratch.file(
      "many.yaml",
      "heddle: 1\nname: many\ncluster: {nodes: [{name: n, count: 100, cores: 8, memory: 16GiB}]}\n"
      "jobs:\n- name: j\n  phases:\n"
      "  - {name: map, tasks: 20000, request: {cores: 1, memory: 1GiB}, cpu: 10s, memory: 1GiB}\n");
  Process process(heddle({"simulate", many, "--out", scratch / "out"}), scratch);
  ASSERT_TRUE(eventually([&] { return fs::exists(scratch / "out/summary.json"); },
                         std::chrono::seconds(100)));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(std::chrono::seconds(3)), 130);
  EXPECT_THAT(process.errors(), HasSubstr("not made: run.sqlite"));
  EXPECT_FALSE(fs::exists(scratch / "out/run.sqlite"));
  EXPECT_FALSE(is_left_beside(scratch / "out"));
  EXPECT_EQ(read_json(scratch / "out/summary.json")["status"], "done");
  ASSERT_EQ(call({"export", scratch / "out", "--batsim"}, scratch).status, 0);
  EXPECT_TRUE(is_sqlite(scratch / "out/run.sqlite"));
}

}  // namespace heddle::export_test
