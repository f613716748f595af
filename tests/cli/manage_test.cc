// Tests the commands that list, print and remove results.
#include "cli/manage/manage.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/manage/removal.h"
#include "common/exit_status.h"
#include "common/file.h"
#include "common/result_files.h"
#include "host/run_directory.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/text.h"

namespace heddle::cli::manage_test {

namespace fs = std::filesystem;
using report::ResultEntry;
using report::ResultKind;
using report::ResultState;

ResultEntry entry(const std::string& path, std::int64_t written_s, ResultState state,
                  std::vector<std::string> policies = {"fifo"}) {
  ResultEntry one;
  one.path = path;
  one.written_s = written_s;
  one.state = state;
  one.policies = std::move(policies);
  return one;
}

std::vector<std::string> paths(const std::vector<ResultEntry>& entries) {
  std::vector<std::string> all;
  for (const ResultEntry& one : entries) all.push_back(one.path);
  return all;
}

// Listing.

TEST(Ls, FiltersByPolicyAndState) {
  const std::vector<ResultEntry> all = {entry("a", 3, ResultState::kDone, {"fair+delay=count"}),
                                        entry("b", 2, ResultState::kFailed, {"fifo", "fair"}),
                                        entry("c", 1, ResultState::kDone, {"fairest"}),
                                        entry("d", 1, ResultState::kDone, {})};
  EXPECT_THAT(paths(filtered(all, "", "")), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(paths(filtered(all, "fair", "")), ElementsAre("a", "b"));
  EXPECT_THAT(paths(filtered(all, "fair", "failed")), ElementsAre("b"));
  EXPECT_THAT(paths(filtered(all, "drf", "")), IsEmpty());
}

TEST(Ls, AnUnknownValueIsADash) {
  ResultEntry one = entry("results/x", 0, ResultState::kDamaged, {});
  one.bytes = 1536;
  const std::string table = format_results({one});
  EXPECT_THAT(table, HasSubstr("results/x  run   -         -       -"));
  EXPECT_THAT(table, HasSubstr("-           -  damaged  1.5 KiB\n"));
}

TEST(Ls, AnEndedResultWithoutProofIsUnverified) {
  ResultEntry proven = entry("a", 0, ResultState::kDone);
  proven.verified = true;
  EXPECT_THAT(format_results({proven}), Not(HasSubstr("unverified")));
  EXPECT_THAT(format_results({entry("a", 0, ResultState::kDone)}), HasSubstr("done (unverified)"));
  EXPECT_THAT(format_results({entry("a", 0, ResultState::kRunning)}), Not(HasSubstr("unverified")));
}

TEST(Ls, ARunThatOthersMayHaveChangedSaysSo) {
  ResultEntry one = entry("a", 0, ResultState::kDone);
  one.verified = true;
  one.disturbance = "affected";
  EXPECT_THAT(format_results({one}), HasSubstr("done, affected"));
  one.disturbance = "clean";
  EXPECT_THAT(format_results({one}), Not(HasSubstr("clean")));
}

TEST(Ls, ManyPoliciesAreCounted) {
  EXPECT_THAT(
      format_results({entry("s", 0, ResultState::kDone, {"a=1", "a=2", "a=3", "a=4", "a=5"})}),
      HasSubstr("a=1, a=2, a=3 and 2 more"));
}

TEST(Ls, LongNamesAreShortenedAlsoWithoutATerminal) {
  ResultEntry one = entry("results/" + std::string(4000, 'x') + "-end", 0, ResultState::kDone);
  one.scenario = std::string(3000, 's');
  const std::string table = format_results({one, entry("results/b", 0, ResultState::kDone)});
  for (const std::string& line : heddle::lines_of(table)) EXPECT_LT(line.size(), 450U) << line;
  EXPECT_THAT(table, HasSubstr("x-end"));
  EXPECT_THAT(table, HasSubstr("long names are shortened (--wide shows all)"));
  EXPECT_THAT(format_results({one}, 0, true), HasSubstr(one.path));
  EXPECT_THAT(format_results({entry(std::string(200, 'x'), 0, ResultState::kDone)}),
              HasSubstr(std::string(200, 'x')));
}

TEST(Ls, SizesHaveUnits) {
  EXPECT_EQ(size_text(0), "0.0 KiB");
  EXPECT_EQ(size_text(1024), "1.0 KiB");
  EXPECT_EQ(size_text(3 * 1024 * 1024 / 2), "1.5 MiB");
  EXPECT_EQ(size_text(1LL << 50), "1024.0 TiB");
}

// Removing.

TEST(Rm, AgesHaveAUnit) {
  EXPECT_EQ(*parse_age("90s"), 90);
  EXPECT_EQ(*parse_age("5min"), 300);
  EXPECT_EQ(*parse_age("2h"), 7200);
  EXPECT_EQ(*parse_age("30d"), 2'592'000);
  EXPECT_EQ(*parse_age("1w"), 604'800);
  for (const char* wrong : {"", "30", "d", "-1d", "1.5d", "3m", "99999999999999999999d", "30 d"})
    EXPECT_FALSE(parse_age(wrong)) << wrong;
  EXPECT_EQ(parse_age("3m").error().text,
            "--older-than 3m: expected a whole number with a unit (s, min, h, d, w), such as 30d");
}

TEST(Rm, OldResultsAreChosen) {
  const std::vector<ResultEntry> all = {
      entry("new", 1000, ResultState::kDone), entry("running", 990, ResultState::kRunning),
      entry("middle", 500, ResultState::kFailed), entry("old", 100, ResultState::kDone)};
  EXPECT_THAT(paths(old_results(all, 1000, 500, std::nullopt)), ElementsAre("old"));
  EXPECT_THAT(paths(old_results(all, 1000, std::nullopt, 1)), ElementsAre("middle", "old"));
  EXPECT_THAT(paths(old_results(all, 1000, 500, 1)), ElementsAre("old"));
  EXPECT_THAT(paths(old_results(all, 1000, 500, 3)), IsEmpty());
  EXPECT_THAT(paths(old_results(all, 1000, std::nullopt, 0)), ElementsAre("new", "middle", "old"));
}

TEST(Rm, OwnFilesHaveKnownNames) {
  EXPECT_TRUE(is_own_file(ResultPart::kRun, "journal.jsonl.zst"));
  EXPECT_TRUE(is_own_file(ResultPart::kRun, "summary.json.0123abcd.new"));
  EXPECT_FALSE(is_own_file(ResultPart::kRun, "notes.txt"));
  EXPECT_FALSE(is_own_file(ResultPart::kRun, "compare.json"));
  EXPECT_TRUE(is_own_file(ResultPart::kBatch, "compare.json"));
  EXPECT_TRUE(is_own_file(ResultPart::kBatch, ".fifo-1.yaml"));
  EXPECT_TRUE(is_own_file(ResultPart::kBatch, ".a=1,b=x_y-12.yaml"));
  for (const char* name :
       {"s.yaml", ".yaml", ".mine.yaml", ".-1.yaml", ".fifo-.yaml", ".a b-1.yaml"})
    EXPECT_FALSE(is_own_file(ResultPart::kBatch, name)) << name;
  EXPECT_TRUE(is_own_file(ResultPart::kBatch, "plan.yaml"));
  for (const char* name : {"fifo-1.json", "fifo-1.failed.json", "fifo-1.json.0123abcd.new",
                           "task-1s-0.out", "tasks-1s.txt", "gather.sh"})
    EXPECT_TRUE(is_own_file(ResultPart::kCells, name)) << name;
  for (const char* name : {"notes.txt", "fifo-1.json.bak", "fifo-1.yaml", "run.sh"})
    EXPECT_FALSE(is_own_file(ResultPart::kCells, name)) << name;
  EXPECT_TRUE(is_own_file(ResultPart::kScratch, "scenario.yaml"));
  EXPECT_FALSE(is_own_file(ResultPart::kScratch, "notes.txt"));
  EXPECT_TRUE(is_own_file(ResultPart::kLogs, "worker-n1.log"));
  EXPECT_FALSE(is_own_file(ResultPart::kLogs, "notes.txt"));
  EXPECT_TRUE(is_attempt("sort-map-12-1", {"sort-map", "my-job-map"}));
  EXPECT_TRUE(is_attempt("my-job-map-0-3", {"sort-map", "my-job-map"}));
  for (const char* name :
       {"mine", "plots-2025-1", "my-plots-2025-1", "-1-2", "sort-map-12-", "1-2", ""})
    EXPECT_FALSE(is_attempt(name, {"sort-map"})) << name;
  EXPECT_TRUE(is_own_file(ResultPart::kCsv, "jobs.csv"));
  EXPECT_FALSE(is_own_file(ResultPart::kCsv, "plot.png"));
}

/// An empty directory, removed at the end.
class Removing : public ::testing::Test {
 protected:
  Removing() { options_.yes = true; }

  std::string operator/(const std::string& name) const { return root_ / name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(*this / name).parent_path());
    std::ofstream(*this / name) << text;
  }
  void make_run(const std::string& name) const {
    write(name + "/scenario.yaml", "heddle: 1\n");
    write(name + "/summary.json", R"({"heddle_version": "0.1.0", "status": "done"})");
    write(name + "/journal.jsonl", "");
    write(name + "/logs/master.log", "");
    write(name + "/csv/jobs.csv", "");
  }
  /// Makes a run whose scenario has the job `sort` with the phase `map`, which runs a command.
  void make_run_of_commands(const std::string& name) const {
    make_run(name);
    write(name + "/scenario.yaml",
          "heddle: 1\nname: test\n"
          "cluster: {nodes: [{name: n, count: 2, cores: 4, memory: 8GiB}]}\n"
          "jobs:\n- name: sort\n  phases:\n"
          "  - {name: map, kind: command, request: {cores: 1, memory: 1GiB}, command: [sort]}\n");
  }
  void make_comparison(const std::string& name) const {
    write(name + "/compare.json", "{\n \"kind\": \"compare\"\n}\n");
    make_run(name + "/fifo-1");
  }
  /// Runs `heddle rm`. Returns the error, or "".
  std::string rm(const std::vector<std::string>& names) {
    options_.dirs.clear();
    for (const std::string& name : names) options_.dirs.push_back(*this / name);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const Result<int> status = rm_command(options_);
    printed_ = ::testing::internal::GetCapturedStdout();
    said_ = ::testing::internal::GetCapturedStderr();
    if (!status) return status.error().text;
    EXPECT_EQ(*status, kExitDone);
    return "";
  }
  bool there(const std::string& name) const { return fs::exists(fs::symlink_status(*this / name)); }

  const tests::TemporaryDirectory root_;
  RmOptions options_;
  std::string printed_, said_;
};

TEST_F(Removing, ARunGoes) {
  make_run("r");
  EXPECT_EQ(rm({"r/"}), "");
  EXPECT_FALSE(there("r"));
  EXPECT_THAT(printed_, HasSubstr("removed " + *this / "r"));
}

TEST_F(Removing, TheFilesOfCommandsGoWithTheirRun) {
  make_run_of_commands("r");
  write("r/logs/sort-map-0-1/out/part-1", "");
  fs::create_symlink("/nowhere", *this / "r/logs/sort-map-0-1/link");
  EXPECT_EQ(rm({"r"}), "");
  EXPECT_FALSE(there("r"));
}

TEST_F(Removing, OnlyDirectoriesOfTheRunsCommandsGo) {
  make_run_of_commands("r");
  write("r/logs/sort-map-0-1", "a file");
  write("r/logs/my-plots-2025-1/a.png", "mine");
  EXPECT_EQ(rm({"r"}), "");
  EXPECT_TRUE(there("r/logs/sort-map-0-1"));
  EXPECT_TRUE(there("r/logs/my-plots-2025-1/a.png"));
}

TEST_F(Removing, MountsAreKept) {
  make_run_of_commands("r");
  write("r/logs/sort-map-0-1/part-1", "");
  write("outside/file", "mine");
  const std::string mounts[] = {*this / "r/csv", *this / "r/logs/sort-map-0-1/data"};
  fs::create_directory(mounts[1]);
  for (const std::string& mount : mounts)
    if (::mount((*this / "outside").c_str(), mount.c_str(), nullptr, MS_BIND, nullptr) != 0)
      GTEST_SKIP() << "this process cannot mount";
  options_.all = true;
  const std::string error = rm({"r"});
  for (const std::string& mount : mounts) EXPECT_EQ(::umount(mount.c_str()), 0) << mount;
  EXPECT_EQ(error, "");
  for (const std::string& mount : mounts)
    EXPECT_THAT(said_, HasSubstr(mount + ": a file system is mounted there; it is kept"));
  EXPECT_TRUE(there("outside/file"));
  EXPECT_FALSE(there("r/logs/sort-map-0-1/part-1"));
  EXPECT_FALSE(there("r/journal.jsonl"));
  EXPECT_EQ(rm({"r"}), "");
  EXPECT_FALSE(there("r"));
}

TEST_F(Removing, AComparisonGoesWithItsRuns) {
  make_comparison("c");
  EXPECT_EQ(rm({"c"}), "");
  EXPECT_FALSE(there("c"));
}

TEST_F(Removing, AnExperimentGoesWithItsComparisons) {
  make_comparison("e/simulated");
  make_comparison("e/real");
  write("e/claims.md", "");
  EXPECT_EQ(rm({"e"}), "");
  EXPECT_FALSE(there("e"));
}

TEST_F(Removing, AnExperimentOnAnEngineGoesWithTheFilesOfItsJobs) {
  make_comparison("e/simulated");
  for (const char* file : {"claims.md", "plan.json", "slurm.json", "job.yaml", "cells/tasks-1s.txt",
                           "cells/tasks-1s.sh", "cells/task-1s-0.out", "cells/gather.sh"})
    write(std::string("e/") + file, "");
  EXPECT_EQ(rm({"e"}), "");
  EXPECT_FALSE(there("e"));
}

TEST_F(Removing, FilesOfTheUserStayAndAreNamed) {
  make_comparison("c");
  write("c/fifo-1/notes.txt", "mine");
  write("c/plots/a.png", "mine");
  EXPECT_EQ(rm({"c"}), "");
  EXPECT_TRUE(there("c/fifo-1/notes.txt"));
  EXPECT_TRUE(there("c/plots/a.png"));
  EXPECT_FALSE(there("c/fifo-1/journal.jsonl"));
  EXPECT_THAT(said_, HasSubstr("c/fifo-1/notes.txt: is kept, because Heddle did not make it"));
  EXPECT_THAT(said_, HasSubstr("c/plots: is kept, because Heddle did not make it"));
  EXPECT_THAT(printed_, HasSubstr(" except what is kept"));
}

TEST_F(Removing, WhatWasKeptCanBeRemovedLater) {
  make_run("r");
  write("r/notes.txt", "mine");
  make_comparison("c");
  write("c/fifo-1/logs/notes.txt", "mine");
  make_comparison("e/simulated");
  make_comparison("e/real");
  write("e/claims.md", "");
  write("e/notes.txt", "mine");
  EXPECT_EQ(rm({"r", "c", "e"}), "");
  EXPECT_EQ(rm({"r", "c", "e"}), "");
  EXPECT_FALSE(there("r/logs"));
  EXPECT_FALSE(there("e/real/fifo-1"));
  for (const char* name : {"r/notes.txt", "c/fifo-1/logs/notes.txt", "e/notes.txt"})
    EXPECT_TRUE(there(name)) << name;
  options_.all = true;
  EXPECT_EQ(rm({"r", "c", "e"}), "");
  for (const char* name : {"r", "c", "e"}) EXPECT_FALSE(there(name)) << name;
}

TEST_F(Removing, AllAlsoRemovesFilesOfTheUser) {
  make_run("r");
  write("r/mine/a/b.txt", "mine");
  options_.all = true;
  EXPECT_EQ(rm({"r"}), "");
  EXPECT_FALSE(there("r"));
}

TEST_F(Removing, LinksAreNotFollowed) {
  make_run("r");
  write("outside/a.csv", "mine");
  fs::remove_all(*this / "r/csv");
  fs::create_directory_symlink(*this / "outside", *this / "r/csv");
  fs::remove(*this / "r/journal.jsonl");
  fs::create_symlink(*this / "outside/a.csv", *this / "r/journal.jsonl");
  options_.all = true;
  EXPECT_EQ(rm({"r"}), "");
  EXPECT_FALSE(there("r"));
  EXPECT_TRUE(there("outside/a.csv"));
}

TEST_F(Removing, ALinkToAResultIsRefused) {
  make_run("r");
  fs::create_directory_symlink(*this / "r", *this / "link");
  EXPECT_THAT(rm({"link"}), HasSubstr("link: is a link; expected the directory itself"));
  EXPECT_TRUE(there("r/summary.json"));
}

TEST_F(Removing, PipesAreFilesOfTheUser) {
  make_run("r");
  fs::remove(*this / "r/journal.jsonl");
  ASSERT_EQ(::mkfifo((*this / "r/journal.jsonl").c_str(), 0600), 0);
  EXPECT_EQ(rm({"r"}), "");
  EXPECT_TRUE(there("r/journal.jsonl"));
}

TEST_F(Removing, OtherDirectoriesAreRefused) {
  write("project/scenario.yaml", "heddle: 1\n");
  write("project/logs/mine.log", "");
  write("project/code.cc", "");
  write("empty/x", "");
  write("damaged/scenario.yaml", "heddle: 1\n");
  write("damaged/summary.json", "{");
  make_run("results/r");
  for (const char* name : {"project", "empty", "damaged", "results"})
    EXPECT_THAT(rm({name}), HasSubstr("no file in the directory proves that Heddle wrote it"))
        << name;
  EXPECT_THAT(rm({"none"}), HasSubstr("No such file or directory"));
  EXPECT_THAT(rm({"results/r/.."}), HasSubstr("expected the name of a directory"));
  EXPECT_TRUE(there("project/scenario.yaml"));
  EXPECT_TRUE(there("damaged/scenario.yaml"));
  EXPECT_TRUE(there("results/r/summary.json"));
}

TEST_F(Removing, NothingIsRemovedIfOneIsRefused) {
  make_run("a");
  write("b/x", "");
  EXPECT_NE(rm({"a", "b"}), "");
  EXPECT_TRUE(there("a/summary.json"));
}

TEST_F(Removing, AResultInUseIsRefused) {
  make_run("r");
  const Result<Directory> directory = Directory::open(*this / "r");
  ASSERT_TRUE(directory);
  const Result<std::optional<Fd>> lock = lock_directory(*directory);
  ASSERT_TRUE(lock && *lock);
  EXPECT_THAT(rm({"r"}), HasSubstr("r: a process is writing this result"));
  EXPECT_TRUE(there("r/summary.json"));
}

TEST_F(Removing, AResultWithARunInUseIsRefused) {
  make_comparison("e/simulated");
  make_comparison("e/real");
  write("e/claims.md", "");
  const Result<Directory> directory = Directory::open(*this / "e/real/fifo-1");
  ASSERT_TRUE(directory);
  const Result<std::optional<Fd>> lock = lock_directory(*directory);
  ASSERT_TRUE(lock && *lock);
  for (const char* name : {"e", "e/real"})
    EXPECT_THAT(rm({name}), HasSubstr("e/real/fifo-1: is in use")) << name;
  EXPECT_TRUE(there("e/simulated/fifo-1/summary.json"));
  EXPECT_TRUE(there("e/real/fifo-1/summary.json"));
}

TEST_F(Removing, ADryRunRemovesNothing) {
  make_run("results/r");
  write("results/r/notes.txt", "");
  options_.dry_run = true;
  options_.keep = 0;
  EXPECT_EQ(rm({"results"}), "");
  EXPECT_THAT(printed_, HasSubstr("would remove "));
  EXPECT_THAT(said_, HasSubstr("notes.txt"));
  EXPECT_TRUE(there("results/r/summary.json"));
}

TEST_F(Removing, TheNewestStay) {
  for (const char* name : {"results/a", "results/b", "results/c"}) {
    make_run(name);
    const std::int64_t time = 1000 + name[8];  // a is the oldest
    const timespec times[] = {{time, 0}, {time, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (*this / name + "/summary.json").c_str(), times, 0), 0);
  }
  options_.keep = 1;
  EXPECT_EQ(rm({"results"}), "");
  EXPECT_FALSE(there("results/a"));
  EXPECT_FALSE(there("results/b"));
  EXPECT_TRUE(there("results/c"));
}

TEST(Rm, NothingNamedIsAnError) {
  EXPECT_EQ(rm_command({}).error().text,
            "nothing to remove; expected directories of results, --older-than or --keep");
}

// Printing.

TEST_F(Removing, NamesThatAreNotTextArePrintedAsJson) {
  make_run("r\xff");
  make_comparison("e/real\xff");
  write("e/claims.md", "");
  ::testing::internal::CaptureStdout();
  const Result<int> listed = ls_command({{root_.path()}, "", "", true});
  const Result<int> shown = show_command({*this / "e", true});
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(listed && shown);
  EXPECT_THAT(printed, HasSubstr("/r\xef\xbf\xbd\""));
  EXPECT_THAT(printed, HasSubstr("\"real\xef\xbf\xbd\""));
}

TEST_F(Removing, ShowNamesWhatIsWrong) {
  ShowOptions options;
  options.dir = *this / "none";
  EXPECT_THAT(show_command(options).error().text, HasSubstr("expected a directory of results"));
  options.dir = root_.path();
  EXPECT_THAT(show_command(options).error().text, HasSubstr("not a directory of results"));
  make_run("r");  // its summary lacks most keys
  options.dir = *this / "r";
  EXPECT_THAT(show_command(options).error().text, HasSubstr("a file of the result is damaged"));
  fs::resize_file(*this / "r/summary.json", kMostResultBytes + 1);  // takes no room on the disk
  EXPECT_THAT(show_command(options).error().text, HasSubstr("summary.json: larger than 1024 MiB"));
  write("c/compare.json", "[]");
  options.dir = *this / "c";
  EXPECT_THAT(show_command(options).error().text,
              HasSubstr("compare.json: the file is damaged; expected JSON"));
}

TEST_F(Removing, ShowPrintsTheFileAsJson) {
  make_comparison("c");
  ShowOptions options{*this / "c", true};
  ::testing::internal::CaptureStdout();
  const Result<int> status = show_command(options);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "{\n  \"kind\": \"compare\"\n}\n");
  EXPECT_TRUE(status);
}

/// Sets a variable of the environment until the end of the test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// The master of a run whose `heddle run` was killed still writes, and nobody holds the lock.
TEST_F(Removing, AResultWithARunWhoseMasterLivesIsRefused) {
  make_comparison("e");
  fs::create_directory(*this / "runtime");
  fs::permissions(*this / "runtime", fs::perms::owner_all);
  const Variable runtime("XDG_RUNTIME_DIR", *this / "runtime");
  const Result<host::RunDirectory> dir =
      host::RunDirectory::create(host::base_directories().front());
  ASSERT_TRUE(dir);
  ASSERT_TRUE(dir->write(
      {dir->run(), "v2:/", *this / "e/fifo-1", {*host::mark_of(::getpid(), "heddle-master")}}));
  EXPECT_THAT(rm({"e"}), HasSubstr("e/fifo-1: is in use"));
  EXPECT_TRUE(there("e/fifo-1/summary.json"));
}

}  // namespace heddle::cli::manage_test
