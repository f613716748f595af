#include "master/run_files.h"

#include <fstream>

#include "common/file.h"
#include "tests/master/small_run.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::master::run_files_test {

/// Records the calls to it, in order.
class NotedFile : public LineFile {
 public:
  NotedFile(std::string name, std::vector<std::string>& notes)
      : name_(std::move(name)), notes_(notes) {}
  Result<void> append(std::string_view lines) override {
    if (!lines.empty()) notes_.push_back(name_ + " " + std::string(lines));
    return {};
  }
  Result<void> sync() override {
    notes_.push_back("sync " + name_);
    return {};
  }

 private:
  std::string name_;
  std::vector<std::string>& notes_;
};

// CRC-32C of `{"a":1`, and of everything before `,"crc"` of the second line, by a bitwise
// implementation.
constexpr const char* kOne = "journal {\"a\":1,\"crc\":\"149cdbb2\"}\n";
constexpr const char* kTwo = "journal {\"b\":2,\"crc\":\"447cdf40\"}\n";

class RunFilesTest : public ::testing::Test {
 protected:
  RunFiles files(Durability durability) {
    return {std::make_unique<NotedFile>("journal", notes_),
            std::make_unique<NotedFile>("samples", notes_),
            {},
            durability};
  }
  static Effects effects(const std::string& journal, const std::string& samples, bool sends) {
    Effects effects{journal, samples, {}, {}, false};
    if (sends) effects.send.emplace_back("a", wire::Rejoin{});
    return effects;
  }
  std::vector<std::string> notes_;
};

TEST_F(RunFilesTest, LinesGetTheirChecksums) {
  RunFiles written = files(Durability::kWrite);
  EXPECT_TRUE(written.keep(effects("{\"a\":1}\n", "{}\n", true)));
  EXPECT_TRUE(written.end("{\"b\":2}\n"));
  EXPECT_THAT(notes_, ElementsAre(kOne, "samples {}\n", "sync samples", kTwo, "sync journal"));
}

TEST_F(RunFilesTest, FsyncComesBeforeAnythingLeaves) {
  RunFiles synced = files(Durability::kFsync);
  EXPECT_TRUE(synced.keep(effects("{\"a\":1}\n", "", true)));
  EXPECT_THAT(notes_, ElementsAre(kOne, "sync journal"));
  notes_.clear();
  EXPECT_TRUE(synced.keep(effects("{\"b\":2}\n", "", false)));
  EXPECT_THAT(notes_, ElementsAre(kTwo)) << "nothing leaves";
  EXPECT_TRUE(synced.keep(effects("", "{}\n", true)));
  EXPECT_THAT(notes_, ElementsAre(kTwo, "samples {}\n", "sync journal")) << "what was before";
  notes_.clear();
  EXPECT_TRUE(synced.keep(effects("", "", true)));
  EXPECT_THAT(notes_, IsEmpty()) << "there is nothing new";
}

// The previous master may have died between the write and the sync.
TEST_F(RunFilesTest, WhatAFormerMasterWroteIsSyncedBeforeAnythingLeaves) {
  RunFiles synced = files(Durability::kFsync);
  EXPECT_TRUE(synced.keep(effects("", "", true)));
  EXPECT_THAT(notes_, ElementsAre("sync journal"));
}

class ReopenedFilesTest : public ::testing::Test {
 protected:
  ReopenedFilesTest() {
    Result<RunFiles> files = RunFiles::create(out_, Durability::kFsync);
    LiveRun run(scenario_, {"r"}, {});
    EXPECT_TRUE(files && files->keep(run.open()));
  }

  std::string journal() const { return *read_file(out_ + "/journal.jsonl"); }
  void set_journal(const std::string& text) const {
    std::ofstream(out_ + "/journal.jsonl", std::ios::binary) << text;
  }
  /// Returns the error of reopening the journal; "" if there is none.
  std::string reopen() const {
    LiveRun run(scenario_, {"r"}, {});
    std::optional<EmuTime> sampled;
    Result<RunFiles> files = RunFiles::reopen(out_, Durability::kWrite, run, sampled);
    if (!files) return files.error().text;
    Result<Effects> resumed = run.resume(sampled, {});
    if (!resumed) return resumed.error().text;
    EXPECT_TRUE(files->keep(*resumed));
    return "";
  }

  Scenario scenario_ = small_run(1);
  tests::TemporaryDirectory scratch_;
  const std::string& out_ = scratch_.path();
};

TEST_F(ReopenedFilesTest, TheChecksumsGoOn) {
  EXPECT_THAT(journal(), HasSubstr("\"crc\":\""));
  EXPECT_EQ(reopen(), "");
  EXPECT_THAT(journal(), HasSubstr("\"type\":\"resumed\""));
  EXPECT_EQ(reopen(), "") << "with what was added";
}

TEST_F(ReopenedFilesTest, AJournalWithoutChecksumsIsContinuedWithThem) {
  std::string old = journal();
  const std::size_t at = old.rfind(",\"crc\"");
  old.replace(at, old.size() - at, "}\n");
  set_journal(old);
  EXPECT_EQ(reopen(), "");
  EXPECT_TRUE(journal().starts_with(old));
  EXPECT_EQ(reopen(), "");
}

TEST_F(ReopenedFilesTest, AChangedLineIsNamed) {
  std::string changed = journal();
  changed.replace(changed.find("\"seed\":"), 7, "\"sEed\":");
  set_journal(changed);
  EXPECT_EQ(reopen(), out_ +
                          "/journal.jsonl:1: the checksum does not match: the line was changed, or "
                          "lines before it are missing");
  EXPECT_EQ(journal(), changed) << "it is left as it is";
}

TEST_F(ReopenedFilesTest, ALineThatWasCutOffIsWrittenAgain) {
  const std::string whole = journal();
  set_journal(whole.substr(0, whole.size() - 30));
  EXPECT_EQ(reopen(), "");
  EXPECT_TRUE(journal().starts_with("{\"type\":\"run\""));
}

}  // namespace heddle::master::run_files_test
