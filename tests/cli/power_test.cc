// Lets the power fail while commands write results (DiskTree), and reads what is left. Real runs
// write their journal and samples as tests/master/recovery_test.cc says, and all other files with
// the functions that are tested here.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "common/result_files.h"
#include "report/catalog.h"
#include "report/journal_reader.h"
#include "report/manifest.h"
#include "tests/cli/answer.h"
#include "tests/cli/disk_tree.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::cli::power_test {

namespace fs = std::filesystem;

constexpr const char* kScenario = R"(
heddle: 1
name: small
seed: 3
cluster: {nodes: [{name: n, count: 3, cores: 4, memory: 4GiB}]}
policy: fifo
jobs:
  - {name: long, phases: [{name: map, tasks: 8, request: {cores: 1, memory: 512MiB}, cpu: {dist: lognormal, mean: 10s, cv: 0.3}}]}
)";
/// Number of trees that are drawn for each moment at which the power fails.
constexpr int kDraws = 1;

bool is_journal(const std::string& path) { return path.find(kJournalFile) != std::string::npos; }
bool grows(const std::string& path) { return is_journal(path) || path.ends_with(kSamplesFile); }
bool is_temporary(const std::string& path) { return path.ends_with(".new"); }

/// Returns the complete lines of a file without the hole that a power failure left at its end.
std::string lines_of(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  text.resize(text.rfind('\n') + 1);
  return text;
}

bool has_end(const std::string& journal) {
  return lines_of(journal).find("{\"type\":\"end\"") != std::string::npos;
}

/// A command, the files that it makes, and what power failures leave of them.
class Power : public ::testing::Test {
 protected:
  Power() { std::ofstream(dir_ + "/small.yaml") << kScenario; }

  /// Runs the command on a disk that has `place` and everything in it. Draws what a power failure
  /// leaves at each step, and after the end.
  void run(const std::vector<std::string>& words) {
    DiskTree disk(place_);
    std::mt19937_64 random(1);
    const auto draw = [&](std::vector<Tree>& left) {
      for (const auto& [path, contents] : disk.seen()) versions_[path].insert(contents);
      for (int i = 0; i < kDraws; ++i) left.push_back(disk.power_fails(random));
    };
    std::vector<std::string> all = {HEDDLE_BIN "/heddle"};
    all.insert(all.end(), words.begin(), words.end());
    ASSERT_EQ(run_on(disk, all, dir_, [&] { draw(left_); }), 0);
    ended_.clear();
    draw(ended_);
    final_ = disk.seen();
    ASSERT_GT(left_.size(), 20U * kDraws) << "the command writes, syncs and renames more than this";
  }

  /// Checks a tree in which a run, or a batch, is in the directory `out` or was not made.
  void check(const Tree& tree) {
    fs::remove_all(read_);
    fs::create_directory(read_);
    write_tree(tree, read_);
    for (const auto& [path, contents] : tree) {
      SCOPED_TRACE(path);
      if (is_temporary(path)) continue;
      if (grows(path)) {
        check_lines(path, contents);
      } else if (path.find("/logs/") == std::string::npos) {
        EXPECT_TRUE(versions_[path].contains(contents)) << "neither the old nor the new contents";
      }
      if (path.ends_with(kManifestFile)) check_result(fs::path(path).parent_path());
    }
  }

  void check_lines(const std::string& path, const std::string& contents) {
    EXPECT_TRUE(last(path).starts_with(lines_of(contents)));
    if (!is_journal(path)) return;
    Result<report::JournalReader> journal = report::JournalReader::open(read_ + "/" + path);
    ASSERT_TRUE(journal);
    const Result<void> read = journal->each([](const wire::Json&) { return Result<void>(); });
    EXPECT_TRUE(read) << read.error().text;
    const std::string samples = samples_path(fs::path(path).parent_path());
    if (has_end(contents)) {
      const Result<std::string> left = read_file(read_ + "/" + samples);
      EXPECT_EQ(left ? *left : left.error().text, last(samples)) << "of a run that has ended";
    }
  }

  /// Returns the last contents that the file had, also if it was moved since.
  const std::string& last(const std::string& path) {
    const auto longest = std::ranges::max_element(versions_[path], {}, &std::string::size);
    return *longest;
  }

  /// A result that says that it has ended is whole.
  void check_result(const std::string& below) {
    const Result<Directory> directory = Directory::open(read_ + "/" + below);
    ASSERT_TRUE(directory);
    const std::optional<report::Manifest> manifest = report::read_manifest(*directory);
    ASSERT_TRUE(manifest);
    EXPECT_THAT(report::differences(*directory, *manifest, report::Depth::kContents), IsEmpty());
    const std::optional<report::ResultEntry> entry = report::result_in(*directory);
    ASSERT_TRUE(entry);
    if (entry->state == report::ResultState::kDone) {
      EXPECT_TRUE(entry->verified);
    }
  }

  void check_all() {
    for (const Tree& tree : left_) {
      check(tree);
      if (HasFailure()) return;
    }
    for (const Tree& tree : ended_) EXPECT_EQ(tree, final_) << "the command had ended";
  }

  tests::TemporaryDirectory directory_;
  const std::string& dir_ = directory_.path();
  std::string place_ = make("place"), read_ = dir_ + "/read";
  std::map<std::string, std::set<std::string>> versions_;  ///< contents that each file ever had
  std::vector<Tree> left_, ended_;
  Tree final_;

 private:
  std::string make(const std::string& name) const {
    fs::create_directory(dir_ + "/" + name);
    return dir_ + "/" + name;
  }
};

TEST_F(Power, FailsWhileASimulationWritesItsResults) {
  run({"simulate", "small.yaml", "--out", "place/results/out", "--derived", "now", "--quiet"});
  for (const char* file : {kManifestFile, kScenarioFile, kJournalFile, kSamplesFile, kSummaryFile,
                           kTablesFile, kTimelineFile, kPageFile})
    EXPECT_TRUE(final_.contains(std::string("results/out/") + file)) << file;
  check_all();
}

TEST_F(Power, FailsWhileAnExportWritesItsFiles) {
  ASSERT_EQ(heddle("simulate " + dir_ + "/small.yaml --quiet --out " + place_ + "/out").status, 0);
  run({"export", "place/out", "--swf", "--starts", "--timeline"});
  check_all();
}

TEST_F(Power, FailsWhileABatchIsMade) {
  const std::vector<std::string> words = {"compare",    "small.yaml", "--policies", "fifo,fair",
                                          "--simulate", "--repeat",   "1",          "--jobs",
                                          "1",          "--out",      "place/out"};
  run(words);
  ASSERT_TRUE(final_.contains("out/cells/fair-1.json"));
  ASSERT_TRUE(final_.contains("out/fair-1/summary.json"));
  check_all();
  std::string command =
      "cd " + dir_ + " && rm -rf place/out && cp -r read/out place/out && " HEDDLE_BIN "/heddle";
  for (const std::string& word : words) command += " " + word;
  for (std::size_t i = 0; i < left_.size(); ++i) {
    const Tree& tree = left_[i];
    for (const std::string variant : {"fifo-1", "fair-1"}) {
      const std::string run = "out/" + variant + "/";
      // A run that has its place is whole, and a run that has a record has its place.
      if (std::ranges::any_of(tree, [&](const auto& file) { return file.first.starts_with(run); }))
        for (const auto& [path, contents] : final_)
          if (path.starts_with(run)) {
            EXPECT_EQ(tree.contains(path) ? tree.at(path) : "missing", contents);
          }
      if (tree.contains("out/cells/" + variant + ".json")) {
        EXPECT_TRUE(tree.contains(run + kSummaryFile));
      }
    }
    // The same command makes what is missing.
    if (i % (left_.size() / 5) != 0 || !tree.contains("out/compare.json")) continue;
    check(tree);
    const Answer again = answer_of(command + " 2>&1");
    EXPECT_EQ(again.status, 0) << again.text;
    for (const char* file : {"out/fifo-1/journal.jsonl", "out/fair-1/journal.jsonl"})
      EXPECT_EQ(*read_file(place_ + "/" + file), final_.at(file));
  }
}

}  // namespace heddle::cli::power_test
