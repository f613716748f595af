#include "report/manifest.h"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/directory.h"
#include "common/result_files.h"
#include "report/catalog.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::report::manifest_test {

namespace fs = std::filesystem;

/// SHA-256 of "abc" (FIPS 180-4, appendix B.1 of its first edition).
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

constexpr const char* kText = R"({
 "heddle_result": 1,
 "heddle_version": "0.1.0",
 "kind": "run",
 "state": "done",
 "scenario": "quick",
 "policies": [
  "fifo"
 ],
 "mode": "simulated",
 "written_s": 17,
 "real_s": 2.5,
 "makespan_s": null,
 "disturbance": null,
 "command": [
  "heddle",
  "simulate",
  "a b.yaml"
 ],
 "files": [
  {
   "name": "samples.jsonl",
   "size": 3,
   "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  }
 ]
}
)";

Manifest manifest() {
  ResultEntry entry;
  entry.state = ResultState::kDone;
  entry.scenario = "quick";
  entry.policies = {"fifo"};
  entry.mode = "simulated";
  entry.written_s = 17;
  entry.real_s = 2.5;
  return {entry, "0.1.0", {"heddle", "simulate", "a b.yaml"}, {{"samples.jsonl", {3, kAbc}}}};
}

TEST(Manifest, IsReadAsWritten) {
  EXPECT_EQ(to_text(manifest()), kText);
  EXPECT_EQ(parse_manifest(kText), manifest());
}

TEST(Manifest, OtherTextsAreNone) {
  const auto with = [](const std::string& part, const std::string& by) {
    std::string text = kText;
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), by);
  };
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{\"heddle_result\": 1}"),
        with("\"heddle_result\": 1", "\"heddle_result\": 2"), with("\"run\"", "\"walk\""),
        with("\"done\"", "\"well\""), with("\"fifo\"", "3"), with("17", "-1"),
        with("\"simulate\"", "null"), with("samples.jsonl", "../samples.jsonl"),
        with("samples.jsonl", "logs/x"), with("samples.jsonl", "policy/../x"),
        with("\"size\": 3", "\"size\": -3"), with("\"sha256\"", "\"md5\"")})
    EXPECT_EQ(parse_manifest(text), std::nullopt) << text;
}

/// A directory with the files of a run.
class RunFiles : public ::testing::Test {
 protected:
  RunFiles() {
    write("r/scenario.yaml", "heddle: 1\n");
    write("r/samples.jsonl", "abc");
    write("r/notes.txt", "of somebody else");
    write("r/summary.json",
          R"({"heddle_version": "0.1.0", "scenario": "quick", "mode": "real", )"
          R"("policy": {"preset": "fifo"}, "status": "failed", "makespan_s": 12.5})");
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(dir());
    std::ofstream(place_ / name) << text;
  }
  Manifest read() const {
    const std::optional<Manifest> manifest = read_manifest(directory());
    EXPECT_TRUE(manifest);
    return manifest.value_or(Manifest());
  }
  Directory directory() const { return std::move(Directory::open(dir())).value(); }
  std::string dir() const { return place_ / "r"; }
  std::vector<std::string> found(Depth depth, const std::vector<std::string>& names = {}) const {
    return differences(directory(), read(), depth, names);
  }
  ResultEntry entry() const {
    const ResultList all = list_results({dir()});
    EXPECT_THAT(all.entries, SizeIs(1));
    return all.entries.empty() ? ResultEntry{} : all.entries.front();
  }

  tests::TemporaryDirectory place_;
};

TEST_F(RunFiles, AResultBeginsAsRunning) {
  Scenario scenario;
  scenario.name = "quick";
  scenario.policy.preset = "drf";
  ASSERT_TRUE(begin_manifest(dir(), scenario, "real"));
  const Manifest begun = read();
  EXPECT_EQ(begun.entry.state, ResultState::kRunning);
  EXPECT_EQ(begun.entry.scenario, "quick");
  EXPECT_THAT(begun.entry.policies, ElementsAre("drf"));
  EXPECT_FALSE(begun.command.empty());
  EXPECT_EQ(entry().state, ResultState::kAborted) << "no process writes it";
  ASSERT_TRUE(begin_manifest(dir(), ResultKind::kSweep, "quick", "real"));
  EXPECT_EQ(entry().state, ResultState::kInterrupted) << "its other cells can be made";
}

TEST_F(RunFiles, AResultEndsWithItsOwnFiles) {
  ASSERT_TRUE(begin_manifest(dir(), ResultKind::kRun, "quick", "real"));
  ASSERT_TRUE(end_manifest(dir()));
  const Manifest ended = read();
  EXPECT_EQ(ended.entry.state, ResultState::kFailed);
  EXPECT_EQ(ended.entry.makespan_s, 12.5);
  EXPECT_EQ(ended.files.size(), 3U) << to_text(ended);
  EXPECT_EQ(ended.files.at("samples.jsonl"), (FileMark{3, kAbc}));
  EXPECT_TRUE(entry().verified);
  EXPECT_EQ(entry().state, ResultState::kFailed);
}

TEST_F(RunFiles, ChangesAreFound) {
  ASSERT_TRUE(end_manifest(dir()));
  EXPECT_THAT(found(Depth::kContents), ElementsAre());
  write("r/samples.jsonl", "abd");
  EXPECT_THAT(found(Depth::kSizes), ElementsAre());
  EXPECT_THAT(found(Depth::kContents),
              ElementsAre("samples.jsonl was changed after the result was written"));
  EXPECT_THAT(found(Depth::kContents, {"summary.json"}), ElementsAre());
  write("r/samples.jsonl", "ab");
  EXPECT_THAT(found(Depth::kSizes), ElementsAre("samples.jsonl has 2 bytes instead of 3"));
  EXPECT_FALSE(entry().verified);
  fs::remove(place_ / "r/samples.jsonl");
  EXPECT_THAT(found(Depth::kSizes), ElementsAre("samples.jsonl is missing"));
  fs::create_symlink(place_ / "r/notes.txt", place_ / "r/samples.jsonl");
  EXPECT_THAT(found(Depth::kContents), SizeIs(1));
}

TEST_F(RunFiles, ListingReadsSmallFilesOnly) {
  write("r/samples.jsonl", std::string(kSmallFile + 1, 'a'));
  ASSERT_TRUE(end_manifest(dir()));
  write("r/samples.jsonl", std::string(kSmallFile + 1, 'b'));
  EXPECT_TRUE(entry().verified) << "as long as before";
  EXPECT_FALSE(list_results({dir()}, Depth::kContents).entries.at(0).verified);
  write("r/scenario.yaml", "heddle: 2\n");
  EXPECT_FALSE(entry().verified);
}

TEST_F(RunFiles, DoubtsAreAboutTheNamedFiles) {
  const auto doubted = [&](const std::vector<std::string>& names) {
    return doubts(directory(), names);
  };
  EXPECT_THAT(doubted({"samples.jsonl"}),
              ElementsAre("there is no result.json that says what its files are"));
  ASSERT_TRUE(begin_manifest(dir(), ResultKind::kRun, "quick", "real"));
  EXPECT_THAT(doubted({"samples.jsonl"}),
              ElementsAre("result.json does not have its files, because the command that wrote it "
                          "did not end"));
  EXPECT_FALSE(entry().verified) << "it was killed";
  ASSERT_TRUE(end_manifest(dir()));
  EXPECT_THAT(doubted({"samples.jsonl", "summary.json", "journal.jsonl"}), ElementsAre());
  write("r/samples.jsonl", "abd");
  EXPECT_THAT(doubted({"summary.json"}), ElementsAre());
  EXPECT_THAT(doubted({"samples.jsonl"}),
              ElementsAre("samples.jsonl was changed after the result was written"));
  write("r/journal.jsonl", "{}\n");
  EXPECT_THAT(doubted({"journal.jsonl"}), ElementsAre("journal.jsonl is not in result.json"));
  fs::remove(place_ / "r/summary.json");
  EXPECT_THAT(doubted({"summary.json"}), ElementsAre("summary.json is missing"));
}

TEST_F(RunFiles, WhatKilledWritersLeftGoesWithTheNextManifest) {
  const auto old = [&](const std::string& name) {
    write("r/" + name, "a part");
    fs::last_write_time(place_ / ("r/" + name),
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
  };
  for (const char* name : {"run.sqlite.0123abcd.new", "notes.txt.0123abcd.new", "run.sqlite.new"})
    old(name);
  write("r/report.html.0123abcd.new", "now");
  old("summary.json.0123abcd.new");
  const Fd writer(::open((dir() + "/summary.json.0123abcd.new").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  ASSERT_TRUE(end_manifest(dir()));
  const auto is_left = [&](const char* name) {
    return fs::exists(place_ / ("r/" + std::string(name)));
  };
  EXPECT_FALSE(is_left("run.sqlite.0123abcd.new"));
  EXPECT_TRUE(is_left("notes.txt.0123abcd.new")) << "Heddle writes no such file";
  EXPECT_TRUE(is_left("run.sqlite.new")) << "has another name";
  EXPECT_TRUE(is_left("report.html.0123abcd.new")) << "is young";
  EXPECT_TRUE(is_left("summary.json.0123abcd.new")) << "its writer lives";
}

TEST_F(RunFiles, FilesThatAreWrittenAgainAreTakenIn) {
  ASSERT_TRUE(note_files(dir(), {"samples.jsonl"}));
  EXPECT_FALSE(fs::exists(place_ / "r/result.json")) << "nobody knows the other files";
  EXPECT_FALSE(entry().verified);
  ASSERT_TRUE(end_manifest(dir()));
  write("r/samples.jsonl", "ab");
  write("r/run.sqlite", "abc");
  ASSERT_TRUE(note_files(dir(), {"run.sqlite"}));
  EXPECT_EQ(read().files.at("run.sqlite"), (FileMark{3, kAbc}));
  EXPECT_THAT(found(Depth::kSizes), ElementsAre("samples.jsonl has 2 bytes instead of 3"));
}

TEST_F(RunFiles, AManifestIsAProof) {
  EXPECT_TRUE(is_proven(directory(), ResultKind::kRun)) << "the summary";
  fs::remove(place_ / "r/summary.json");
  EXPECT_FALSE(is_proven(directory(), ResultKind::kRun));
  ASSERT_TRUE(begin_manifest(dir(), ResultKind::kRun, "quick", "real"));
  EXPECT_TRUE(is_proven(directory(), ResultKind::kRun));
  EXPECT_FALSE(is_proven(directory(), ResultKind::kCompare));
}

}  // namespace heddle::report::manifest_test
