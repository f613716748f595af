#include "report/catalog.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/random_id.h"
#include "core/policy/registry.h"
#include "report/entry_of_files.h"
#include "report/policy_label.h"
#include "tests/support/matchers.h"
#include "wire/journal_lines.h"

namespace heddle::report::catalog_test {

namespace fs = std::filesystem;

/// An empty directory, removed at the end.
class Place : public ::testing::Test {
 protected:
  Place() : root_(fs::temp_directory_path() / ("heddle-catalog-" + random_id())) {
    fs::create_directories(root_);
  }
  ~Place() override { fs::remove_all(root_); }

  std::string operator/(const std::string& name) const { return root_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(*this / name).parent_path());
    std::ofstream(*this / name) << text;
  }
  ResultList list() const { return list_results({root_}); }
  /// Returns the only result.
  ResultEntry only() const {
    const ResultList all = list();
    EXPECT_THAT(all.entries, SizeIs(1));
    return all.entries.empty() ? ResultEntry{} : all.entries.front();
  }

  std::string root_;
};

constexpr const char* kSummaryBegin = R"({
  "schema": 1,
  "heddle_version": "0.1.0",
  "scenario": "quick",
  "policy": {
    "preset": "capacity",
    "preemption": "kill"
  },
  "mode": "real",
  "status": "failed",
  "makespan_s": 12.5,
  "jobs": [
    {
      "name": "a")";
constexpr const char* kSummaryEnd = R"(
    }
  ],
  "attempts_total": 3,
  "overhead": {
    "wall_s": 2.5
  },
  "fidelity": {}
}
)";
constexpr const char* kCompare = R"({
 "schema": 1,
 "kind": "compare",
 "scenario": "quick",
 "mode": "simulated",
 "repeat": 1,
 "wall_s": 4.0,
 "variants": [
  "fifo",
  "fair"
 ],
 "policies": [
  {
   "name": "fifo",
   "runs": [
    {
     "dir": "fifo-1",
     "seed": 7,
     "status": STATUS
    }
   ]
  }
 ]
}
)";

std::string compare(const std::string& status) {
  std::string text = kCompare;
  return text.replace(text.find("STATUS"), 6, status);
}

TEST_F(Place, ARunHasTheFiguresOfItsSummary) {
  write("r/scenario.yaml", "heddle: 1\n");
  write("r/summary.json", std::string(kSummaryBegin) + kSummaryEnd);
  const ResultEntry run = only();
  EXPECT_EQ(run.path, *this / "r");
  EXPECT_EQ(run.kind, ResultKind::kRun);
  EXPECT_EQ(run.state, ResultState::kFailed);
  EXPECT_EQ(run.scenario, "quick");
  EXPECT_THAT(run.policies, ElementsAre("capacity+preemption=kill"));
  EXPECT_EQ(run.mode, "real");
  EXPECT_EQ(run.makespan_s, 12.5);
  EXPECT_EQ(run.real_s, 2.5);
  EXPECT_GT(run.bytes, 0);
}

TEST_F(Place, ASummaryWithManyJobsIsReadAtItsBeginningAndEnd) {
  write("r/scenario.yaml", "heddle: 1\n");
  write("r/summary.json", std::string(kSummaryBegin) + ", \"x\": \"" + std::string(3 << 20, 'x') +
                              "\"" + kSummaryEnd);
  const ResultEntry run = only();
  EXPECT_EQ(run.state, ResultState::kFailed);
  EXPECT_EQ(run.real_s, 2.5);
}

TEST_F(Place, ARunWithoutSummaryIsAborted) {
  write("r/scenario.yaml", "heddle: 1\n");
  write("r/journal.jsonl",
        R"({"type":"run","heddle_version":"0.1.0","scenario":"q","mode":"real","policy":{"preset":)"
        R"("fifo"},"jobs":[{"id":0}],"crc":"00000000"})"
        "\n");
  const ResultEntry run = only();
  EXPECT_EQ(run.state, ResultState::kAborted);
  EXPECT_EQ(run.scenario, "q");
  EXPECT_THAT(run.policies, ElementsAre("fifo"));
  EXPECT_EQ(run.makespan_s, std::nullopt);
}

TEST_F(Place, FilesThatCannotBeReadAreDamaged) {
  write("a/scenario.yaml", "");
  write("a/summary.json", "{\"schema\": ");
  write("b/scenario.yaml", "");
  write("b/journal.jsonl", std::string(4096, '\0'));
  write("c/compare.json", "[1]\n");
  write("d/sweep.json", compare("null"));  // of another kind
  const ResultList all = list();
  ASSERT_THAT(all.entries, SizeIs(4));
  for (const ResultEntry& entry : all.entries)
    EXPECT_EQ(entry.state, ResultState::kDamaged) << entry.path;
}

TEST_F(Place, AComparisonHidesItsRuns) {
  write("c/compare.json", compare("\"done\""));
  write("c/fifo-1/scenario.yaml", "heddle: 1\n");
  write("c/fifo-1/summary.json", std::string(kSummaryBegin) + kSummaryEnd);
  const ResultEntry all = only();
  EXPECT_EQ(all.kind, ResultKind::kCompare);
  EXPECT_EQ(all.state, ResultState::kDone);
  EXPECT_THAT(all.policies, ElementsAre("fifo", "fair"));
  EXPECT_EQ(all.real_s, 4.0);
}

TEST_F(Place, AComparisonWithMissingRunsWasInterrupted) {
  write("c/compare.json", compare("null"));
  EXPECT_EQ(only().state, ResultState::kInterrupted);
}

TEST_F(Place, AComparisonNamedLikeAPartOfAnExperimentIsNone) {
  write("real/compare.json", compare("\"done\""));
  EXPECT_EQ(only().kind, ResultKind::kCompare);
  EXPECT_EQ(only().path, *this / "real");
}

TEST_F(Place, AnExperimentThatHasNotEndedIsRecognized) {
  std::string text = compare("null");
  text.replace(text.find("\"variants\""), 0, "\"experiment\": true,\n ");
  write("e/simulated/compare.json", text);
  EXPECT_EQ(only().kind, ResultKind::kExperiment);
  EXPECT_EQ(only().state, ResultState::kInterrupted);
}

TEST_F(Place, AnExperimentHasTheStateOfItsWorstComparison) {
  write("e/claims.md", "");
  write("e/simulated/compare.json", compare("\"done\""));
  write("e/simulated-large/compare.json", compare("\"failed\""));
  const ResultEntry experiment = only();
  EXPECT_EQ(experiment.path, *this / "e");
  EXPECT_EQ(experiment.kind, ResultKind::kExperiment);
  EXPECT_EQ(experiment.state, ResultState::kFailed);
  EXPECT_EQ(experiment.mode, "simulated");
  EXPECT_EQ(experiment.real_s, 8.0);
}

TEST_F(Place, AResultIsRunningWhileItsDirectoryIsLocked) {
  write("c/compare.json", compare("null"));
  const Result<Directory> directory = Directory::open(*this / "c");
  ASSERT_TRUE(directory);
  {
    const Result<std::optional<Fd>> lock = lock_directory(*directory);
    ASSERT_TRUE(lock && *lock);
    EXPECT_EQ(only().state, ResultState::kRunning);
    const Result<std::optional<Fd>> second = lock_directory(*directory);
    ASSERT_TRUE(second);
    EXPECT_FALSE(*second);
  }
  EXPECT_EQ(only().state, ResultState::kInterrupted);
}

TEST_F(Place, TheNewestComesFirst) {
  for (const char* name : {"a", "b", "c"}) write(name + std::string("/compare.json"), compare("1"));
  const auto date = [&](const std::string& name, std::int64_t seconds) {
    const timespec times[] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (*this / name).c_str(), times, 0), 0);
  };
  date("a/compare.json", 1000);
  date("b/compare.json", 3000);
  date("c/compare.json", 1000);
  const ResultList all = list();
  ASSERT_THAT(all.entries, SizeIs(3));
  EXPECT_EQ(all.entries[0].path, *this / "b");
  EXPECT_EQ(all.entries[0].written_s, 3000);
  EXPECT_EQ(all.entries[1].path, *this / "a");
  EXPECT_EQ(all.entries[2].path, *this / "c");
}

TEST_F(Place, LinksAreNotFollowed) {
  write("outside/compare.json", compare("\"done\""));
  fs::create_directories(*this / "in/fake");
  fs::create_directory_symlink(*this / "outside", *this / "in/link");
  fs::create_symlink(*this / "outside/compare.json", *this / "in/fake/compare.json");
  EXPECT_THAT(list_results({*this / "in"}).entries, IsEmpty());
}

TEST_F(Place, PipesAreNotOpened) {
  write("r/scenario.yaml", "heddle: 1\n");
  fs::create_directories(*this / "r/logs");
  fs::create_directories(*this / "s");
  ASSERT_EQ(::mkfifo((*this / "r/summary.json").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((*this / "s/compare.json").c_str(), 0600), 0);
  EXPECT_EQ(only().state, ResultState::kAborted);
}

TEST_F(Place, UnreadableDirectoriesAreNamed) {
  write("c/compare.json", compare("\"done\""));
  fs::create_directories(*this / "closed");
  ASSERT_EQ(::chmod((*this / "closed").c_str(), 0), 0);
  const ResultList all = list();
  ASSERT_EQ(::chmod((*this / "closed").c_str(), 0700), 0);
  if (::geteuid() == 0) GTEST_SKIP() << "root can read every directory";
  EXPECT_THAT(all.entries, SizeIs(1));
  EXPECT_THAT(all.problems, ElementsAre(HasSubstr("closed: Permission denied")));
}

TEST_F(Place, AMissingDirectoryIsAProblem) {
  const ResultList all = list_results({*this / "none"});
  EXPECT_THAT(all.entries, IsEmpty());
  EXPECT_THAT(all.problems, ElementsAre(HasSubstr("none: No such file or directory")));
}

TEST_F(Place, AResultHasOneEntry) {
  write("c/compare.json", compare("\"done\""));
  EXPECT_THAT(list_results({root_, *this / "c", root_}).entries, SizeIs(1));
}

TEST_F(Place, OtherDirectoriesAreNoResults) {
  write("project/scenario.yaml", "heddle: 1\n");
  write("a/b/c/d/e/f/compare.json", compare("\"done\""));  // too deep
  write(".hidden/compare.json", compare("\"done\""));
  EXPECT_THAT(list().entries, IsEmpty());
}

TEST(PolicyLabel, NamesWhatDiffersFromThePreset) {
  const wire::Json all = wire::policy_json(*parse_policy("capacity+preemption=kill"));
  EXPECT_EQ(policy_label(all), "capacity+preemption=kill");
  EXPECT_EQ(policy_label({{"preset", "of-tomorrow"}, {"x", "1"}}), "of-tomorrow");
  EXPECT_EQ(policy_label(wire::Json(3)), "");
}

TEST(PolicyLabel, HasTheProgramOfAnExternalPolicy) {
  const wire::Json own = wire::policy_json(*parse_policy("exec:/d/srw.py+arg.ageing=0.1"));
  EXPECT_EQ(own.at("arg.ageing"), "0.1");
  EXPECT_EQ(policy_label(own), "srw+ageing=0.1");
  EXPECT_EQ(policy_name(own), "srw+ageing=0.1");
  EXPECT_EQ(policy_name(wire::policy_json(*parse_policy("fifo+reserve=false"))), "fifo");
  // Results of earlier versions have no label.
  EXPECT_EQ(policy_label({{"preset", "external"}, {"external", {{"program", "/d/srw.py"}}}}),
            "external");
}

}  // namespace heddle::report::catalog_test
