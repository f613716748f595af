#include "report/tables/sqlite.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "common/directory.h"
#include "common/file.h"
#include "report/tables/sqlite_db.h"
#include "report/tables/sqlite_schema.h"
#include "tests/report/result_dir.h"
#include "tests/support/matchers.h"

namespace heddle::report::sqlite_test {

std::string write(const ResultDir& dir) {
  const std::string path = dir / "run.sqlite";
  const Result<void> written = write_sqlite(dir.history(), dir.path(), path);
  EXPECT_TRUE(written) << (written ? "" : written.error().text);
  return path;
}

/// Returns rows as "a|b|c", with "-" for NULL.
std::vector<std::string> select(const std::string& path, const std::string& sql) {
  std::vector<std::string> all;
  try {
    const Database db = Database::open(path);
    Statement rows(db, sql);
    while (rows.next()) {
      std::string line;
      for (int i = 0; i < rows.columns(); ++i) {
        line += i > 0 ? "|" : "";
        line += rows.is_null(i) ? "-" : std::string(rows.text(i));
      }
      all.push_back(line);
    }
  } catch (const DatabaseFailure& failure) {
    all.push_back(failure.error.text);
  }
  return all;
}

TEST(Sqlite, JobsAreAsInTheSummary) {
  const ResultDir dir;
  EXPECT_THAT(
      select(write(dir), "SELECT * FROM jobs"),
      ElementsAre(
          "0|sort|default|ann|large|0.0|1.0|13.0|1.0|13.0|completed|-|3|4|0|1|0|"
          "1.0|mapreduce|-|-|-|-|-|-|-",
          "1|mix-1-late|other|bob|-|5.0|11.0|14.0|6.0|-|failed|a node, lost|1|1|0|"
          "0|0|1.0|mapreduce|-|-|-|-|-|-|-",
          "2|never|default|ann|-|50.0|-|-|-|-|pending|-|1|0|0|0|0|1.0|mapreduce|-|-|-|-|-|-|-"));
}

TEST(Sqlite, AttemptsFromDecisionToEnd) {
  const ResultDir dir;
  EXPECT_THAT(
      select(write(dir),
             "SELECT id, job_id, phase, task, attempt, node, kind, state, allocated_s, start_s, "
             "begun_s, finish_s, cores, memory, cpu_s, peak_memory, peak_method, suspensions, "
             "suspended_s, "
             "locality, launch_ms, reason, oom, exit_code, end_reason FROM attempts"),
      ElementsAre(
          "0|0|map|0|1|n1|map|completed|0.5|1.0|2.0|5.0|1.0|100|4.0|60|kernel|0|0.0|local|2.5|"
          "fits|-|0|-",
          "1|0|map|1|1|n2|map|completed|0.5|1.0|-|9.0|1.0|100|8.0|50|kernel|0|0.0|-|2.5|-|-|0|-",
          "2|0|reduce|0|1|n1|reduce|oom_killed|5.0|6.0|-|10.0|1.0|100|1.0|100|limit|1|2.0|-|2.5|"
          "-|container|137|over its limit",
          "3|0|reduce|0|2|n1|reduce|completed|10.0|11.0|-|13.0|1.0|100|2.0|70|kernel|0|0.0|-|2.5|"
          "-|-|0|-",
          // A lost container has no measurements.
          "4|1|map|0|1|n2|map|lost|10.0|11.0|-|14.0|1.0|100|-|-|-|0|0.0|-|2.5|-|-|-|-"));
}

TEST(Sqlite, ResourcesAreReleasedAtTheEndOrLater) {
  const ResultDir dir;
  RunHistory history = dir.history();
  history.attempts[0].kept = history.attempts[1].kept = true;
  history.attempts[0].released = emu_seconds(20);
  const std::string path = dir / "run.sqlite";
  ASSERT_TRUE(write_sqlite(history, dir.path(), path));
  EXPECT_THAT(select(path, "SELECT finish_s, released_s FROM attempts WHERE id < 3"),
              ElementsAre("5.0|20.0", "9.0|-", "10.0|10.0"));
}

TEST(Sqlite, DevicesOfAttempts) {
  const ResultDir dir;
  RunHistory history = dir.history();
  history.scenario.cluster.resources = {{"nvme"}, {"gpu", true}};
  for (NodeSpec& node : history.scenario.cluster.nodes) {
    node.capacity.counts.set(1, Thousandths(4000));
    node.allowance = node.capacity;
  }
  history.attempts[0].held.counts.set(0, Thousandths(2000));
  history.attempts[0].held.counts.set_devices(1, {1000, 0, 0, 1000});
  history.attempts[1].held.counts.set_devices(1, {0, 300});
  const std::string path = dir / "run.sqlite";
  ASSERT_TRUE(write_sqlite(history, dir.path(), path));
  EXPECT_THAT(select(path, "SELECT * FROM attempt_devices"),
              ElementsAre("0|gpu|0|1.0", "0|gpu|3|1.0", "1|gpu|1|0.3"));
  EXPECT_THAT(select(path, "SELECT nvme, gpu FROM attempts WHERE id < 3"),
              ElementsAre("2.0|2.0", "0.0|0.3", "0.0|0.0"));
}

TEST(Sqlite, WhatHappenedToNodesAndContainers) {
  const ResultDir dir;
  const std::string path = write(dir);
  EXPECT_THAT(select(path, "SELECT name, rack, cores, memory, speed FROM nodes"),
              ElementsAre("n1|r1|4.0|1000|1.0", "n2|r1|4.0|1000|0.5"));
  EXPECT_THAT(select(path, "SELECT * FROM node_events"),
              ElementsAre("1|0.0|n1|registered|-|-|-", "2|0.0|n2|registered|-|-|-",
                          "3|2.0|n2|load|1.5|70|-", "4|14.0|n2|lost|-|-|silent"));
  EXPECT_THAT(select(path, "SELECT * FROM suspensions"), ElementsAre("1|2|7.0|9.0|0.75"));
  EXPECT_THAT(select(path, "SELECT * FROM reservations"), ElementsAre("1|0|reduce|n1|3.0|5.0|0"));
  EXPECT_THAT(select(path, "SELECT * FROM phases WHERE job_id = 0"),
              ElementsAre("0|map|0|map|2|1.0|100|0", "0|reduce|1|reduce|1|1.0|100|0"));
}

TEST(Sqlite, FaultsAndWhenTheRunWasTakenUpAgain) {
  const ResultDir dir;
  const std::string path = write(dir);
  EXPECT_THAT(select(path, "SELECT * FROM faults"),
              ElementsAre("1|0|slow-node|n1|2.0|6.0", "2|0|slow-node|n2|2.0|-",
                          "3|1|freeze-worker|n2|4.0|7.0", "4|2|kill-master|-|12.0|12.0",
                          "5|3|kill-worker|n2|12.5|12.5"));
  EXPECT_THAT(select(path, "SELECT * FROM resumptions"), ElementsAre("1|12.0|250.0"));
}

TEST(Sqlite, DecisionsSayWhomTheyAreAbout) {
  const ResultDir dir;
  EXPECT_THAT(
      select(write(dir),
             "SELECT t_s, step, type, job_id, phase, attempt_id, node, detail, reason "
             "FROM decisions WHERE type <> 'launch' OR attempt_id = 0"),
      ElementsAre("0.5|1|launch|0|map|0|n1|-|fits",
                  "3.0|4|reserve|0|reduce|-|n1|-|no room, but \"soon\"",
                  "7.0|6|suspend|0|-|2|-|-|starved", "7.0|7|action_refused|-|-|-|-|launch|no room",
                  "9.0|8|resume|0|-|2|-|-|-", "13.0|11|job_finished|0|-|-|-|completed|-",
                  "14.0|12|kill|1|-|4|-|-|preempted, \"late\"",
                  "14.0|12|job_finished|1|-|-|-|failed|a node, lost"));
}

TEST(Sqlite, StatesSamplesAndFigures) {
  const ResultDir dir;
  const std::string path = write(dir);
  EXPECT_THAT(select(path, "SELECT * FROM states"),
              ElementsAre(R"(1|3.0|dress.job|{"job":0,"category":1,"of":2})"));
  EXPECT_THAT(select(path, "SELECT * FROM samples"),
              ElementsAre("1|2.0|n1|0.5|40", "2|2.0|n2|0.0|0", "3|3.0|n1|1.0|50"));
  EXPECT_THAT(select(path, "SELECT * FROM container_samples"),
              ElementsAre("1|2.0|0|1.0|40|0.25|0|0", "2|3.0|0|2.0|50|0.5|7|9"));
  EXPECT_THAT(
      select(path,
             "SELECT value FROM summary WHERE key IN ('scenario', 'status', 'seed', "
             "'oom_kills.container', 'policy.preset', 'makespan_s', 'suspensions."
             "stop_latency_ms.p50') ORDER BY key"),
      ElementsAre("-", "1", "fifo", "small", "18446744073709551615", "interrupted", "0.75"));
  EXPECT_THAT(select(path, "SELECT * FROM meta"),
              ElementsAre("schema|" + std::to_string(kSqliteSchema), "heddle_version|0.1.0",
                          "run|9a6f2bd3", "journal|full", "journal_cut|0", "end_s|15.0"));
}

TEST(Sqlite, ForeignKeysHoldWhereverTheJournalIsCutOff) {
  const std::vector<std::string> whole = small_journal();
  std::set<std::string> states;
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const ResultDir dir;
    const std::vector<std::string> some(whole.begin(), whole.begin() + length);
    dir.write("journal.jsonl", lines(some) + R"({"type":"laun)");
    const std::string path = write(dir);
    EXPECT_THAT(select(path, "PRAGMA foreign_key_check"), IsEmpty()) << length;
    EXPECT_THAT(select(path, "PRAGMA integrity_check"), ElementsAre("ok")) << length;
    EXPECT_THAT(select(path, "SELECT value FROM meta WHERE key = 'journal_cut'"), ElementsAre("1"));
    for (const std::string& state : select(path, "SELECT state FROM attempts"))
      states.insert(state);
  }
  EXPECT_THAT(states,
              ElementsAre("allocated", "completed", "lost", "oom_killed", "running", "suspended"));
}

TEST(Sqlite, NoSamplesAreNone) {
  const ResultDir dir;
  std::filesystem::remove(dir / "samples.jsonl");
  EXPECT_THAT(select(write(dir), "SELECT count(*) FROM samples"), ElementsAre("0"));
}

TEST(Sqlite, WhatASimulationCostComesFromItsSummary) {
  const ResultDir dir;
  std::vector<std::string> journal = small_journal();
  journal[0].replace(journal[0].find("\"real\""), 6, "\"simulated\"");
  dir.write("journal.jsonl", lines(journal));
  dir.write("summary.json", R"({"makespan_s":7,"host":{"cpus":2},"overhead":{"wall_s":0.5}})");
  const std::string path = write(dir);
  EXPECT_THAT(select(path,
                     "SELECT value FROM summary WHERE key IN ('host.cpus', 'makespan_s', "
                     "'overhead.wall_s') ORDER BY key"),
              ElementsAre("2", "-", "0.5"));
  dir.write("summary.json", "no JSON");
  EXPECT_THAT(select(write(dir), "SELECT value FROM summary WHERE key = 'host.cpus'"),
              ElementsAre("-"));
}

/// Returns the temporary files that were to replace the database.
std::vector<std::string> left_beside(const ResultDir& dir) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    if (is_temporary_of(entry.path().filename().string(), "run.sqlite"))
      names.push_back(entry.path().filename());
  return names;
}

TEST(Sqlite, ReplacesTheFileBeforeAndLeavesNothingBeside) {
  const ResultDir dir;
  dir.write("run.sqlite", "of old");
  EXPECT_THAT(select(write(dir), "SELECT count(*) FROM jobs"), ElementsAre("3"));
  EXPECT_THAT(left_beside(dir), IsEmpty());
}

TEST(Sqlite, IsNotWrittenThroughALink) {
  const ResultDir dir;
  dir.write("victim", "precious");
  for (const char* planted : {"run.sqlite", "run.sqlite.new", "run.sqlite-journal"})
    std::filesystem::create_symlink(dir / "victim", dir / planted);
  EXPECT_THAT(select(write(dir), "SELECT count(*) FROM jobs"), ElementsAre("3"));
  EXPECT_FALSE(std::filesystem::is_symlink(dir / "run.sqlite"));
  EXPECT_EQ(*read_file(dir / "victim"), "precious");
}

TEST(Sqlite, BadSamplesAreNamed) {
  const ResultDir dir;
  dir.write("run.sqlite", "of old");
  dir.write("samples.jsonl", "{\"t\":1,\"node\":7}\n");
  const Result<void> written = write_sqlite(dir.history(), dir.path(), dir / "run.sqlite");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("samples.jsonl:1"));
  EXPECT_THAT(left_beside(dir), IsEmpty());
  EXPECT_EQ(*read_file(dir / "run.sqlite"), "of old");
}

// A limit on the size of files acts like a full disk: both make a write fail half-way.
TEST(Sqlite, FullDiskIsAnErrorAndLeavesNothing) {
  const ResultDir dir;
  const RunHistory history = dir.history();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{10'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const Result<void> written = write_sqlite(history, dir.path(), dir / "run.sqlite");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("run.sqlite: File too large"));
  EXPECT_EQ(written.error().kind, Error::Kind::kAborted);
  EXPECT_THAT(left_beside(dir), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(dir / "run.sqlite"));
}

TEST(Sqlite, PlaceThatIsNotThereIsNamed) {
  const ResultDir dir;
  const Result<void> written = write_sqlite(dir.history(), dir.path(), dir / "none/run.sqlite");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("none/run.sqlite"));
}

/// Returns the tables and their columns, in order, from the "### name" and "| `column` |" lines of
/// a section.
std::map<std::string, std::vector<std::string>> told(const std::string& markdown) {
  std::map<std::string, std::vector<std::string>> tables;
  std::istringstream in(markdown.substr(markdown.find("\n## Tables") + 1));
  std::string line, table;
  for (std::getline(in, line); std::getline(in, line) && !line.starts_with("## ");) {
    if (line.starts_with("### ")) table = line.substr(4);
    if (line.starts_with("| `")) tables[table].push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return tables;
}

TEST(Sqlite, DocsTellEveryTableAndColumn) {
  const ResultDir dir;
  const std::string path = write(dir);
  auto docs = told(*read_file(HEDDLE_SOURCE_DIR "/docs/reference/results.md"));
  for (const std::string& table :
       select(path, "SELECT name FROM sqlite_master WHERE type = 'table'"))
    EXPECT_EQ(docs["`" + table + "`"],
              select(path, "SELECT name FROM pragma_table_info('" + table + "')"))
        << table;
}

}  // namespace heddle::report::sqlite_test
