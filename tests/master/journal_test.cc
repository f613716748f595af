#include "master/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "common/file.h"
#include "tests/support/temporary_directory.h"

namespace heddle::master::journal_test {

class JournalTest : public ::testing::Test {
 protected:
  std::string path() const { return directory_ / "journal.jsonl"; }
  tests::TemporaryDirectory directory_;
};

TEST_F(JournalTest, LinesAreWithTheKernelAtOnce) {
  auto journal = Journal::create(path());
  ASSERT_TRUE(journal);
  ASSERT_TRUE(journal->append("one\n"));
  ASSERT_TRUE(journal->append(""));
  ASSERT_TRUE(journal->append("two\nthree\n"));
  EXPECT_EQ(*read_file(path()), "one\ntwo\nthree\n");
  EXPECT_TRUE(journal->sync());
}

TEST_F(JournalTest, NeverOverwrites) {
  ASSERT_TRUE(Journal::create(path()));
  auto second = Journal::create(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text, "create " + path() + ": File exists");
}

TEST_F(JournalTest, MissingDirectoryIsAnError) {
  EXPECT_EQ(Journal::create("/nowhere/journal.jsonl").error().text,
            "create /nowhere/journal.jsonl: No such file or directory");
}

class ReopenTest : public JournalTest {
 protected:
  /// Reopens a journal with this text; returns the new text. Lines that begin with "{" are records.
  std::string reopen(const std::string& text) {
    std::ofstream(path()) << text;
    lines_.clear();
    auto journal = Journal::reopen(path(), [&](const std::string& line) -> Result<bool> {
      if (line == "{bad}") return usage_error("bad");
      if (!line.starts_with("{")) return false;
      lines_.push_back(line);
      return true;
    });
    if (!journal) return journal.error().text;
    EXPECT_TRUE(journal->append("{new}\n"));
    return *read_file(path());
  }
  std::vector<std::string> lines_;
};

TEST_F(ReopenTest, GoesOnBehindTheLastWholeLine) {
  EXPECT_EQ(reopen("{1}\n{2}\n"), "{1}\n{2}\n{new}\n");
  EXPECT_EQ(lines_, (std::vector<std::string>{"{1}", "{2}"}));
  EXPECT_EQ(reopen("{1}\n{2}"), "{1}\n{new}\n") << "its end may be missing";
  EXPECT_EQ(reopen("{1}\n2"), "{1}\n{new}\n");
  EXPECT_EQ(reopen("{1}\n2\n{host}\n"), "{1}\n{new}\n") << "which heddle run wrote behind it";
  EXPECT_EQ(reopen(""), "{new}\n");
}

// A power failure leaves NUL bytes where data did not reach the disk. Bytes behind such a hole were
// never synced either.
TEST_F(ReopenTest, AHoleAndAllBehindItIsCutOff) {
  const std::string hole(20, '\0');
  EXPECT_EQ(reopen("{1}\n" + hole + "}\n{3}\n{4}\n"), "{1}\n{new}\n");
  EXPECT_EQ(reopen("{1}\n{2" + hole), "{1}\n{new}\n");
  EXPECT_EQ(reopen("{1}\n{2\n3}\n" + hole + "\n{4}\n"), "{1}\n{2\n{new}\n");
  EXPECT_EQ(reopen(hole), "{new}\n");
}

TEST_F(ReopenTest, DamageIsAnError) {
  EXPECT_EQ(reopen("{1}\n2\n{3}\n{4}\n"), path() + ":2: not a record");
  EXPECT_EQ(*read_file(path()), "{1}\n2\n{3}\n{4}\n");
  EXPECT_EQ(reopen("{1}\n{bad}\n"), path() + ":2: bad");
}

TEST_F(ReopenTest, OneWriterAtATime) {
  auto first = Journal::create(path());
  ASSERT_TRUE(first);
  auto second = Journal::reopen(path(), [](const std::string&) { return Result<bool>(true); });
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().text, path() + ": another master is writing it");
}

// A full disk shows as a short write or an error. The file size limit does the same without a disk.
TEST_F(JournalTest, AFileThatCannotGrowIsReportedWithItsCause) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto journal = Journal::create(path());
  ASSERT_TRUE(journal);
  rlimit small{10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  Result<void> first = journal->append("12345678\n");
  Result<void> second = journal->append("12345678\n");
  Result<void> third = journal->append("12345678\n");
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(first);
  ASSERT_FALSE(second);
  const std::string error =
      "write " + path() + ": File too large: limit of this process (ulimit -f)";
  EXPECT_EQ(second.error().text, error) << "a part of the line was written";
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().text, error);
}

}  // namespace heddle::master::journal_test
