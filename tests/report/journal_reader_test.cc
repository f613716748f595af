#include "report/journal_reader.h"

#include <fstream>
#include <sstream>
#include <vector>

#include "common/zstd.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::report::journal_reader_test {

struct Read {
  std::vector<std::string> types;
  std::string error;
  bool cut = false;
};

Read read(JournalReader reader) {
  Read all;
  for (;;) {
    auto record = reader.next();
    if (!record) {
      all.error = record.error().text;
      break;
    }
    if (!*record) break;
    all.types.push_back((**record)["type"]);
  }
  all.cut = reader.cut();
  return all;
}

Read read(const std::string& text) {
  return read(JournalReader(std::make_unique<std::istringstream>(text), "j"));
}

TEST(JournalReader, GivesEveryLine) {
  Read all = read("{\"type\":\"run\"}\n{\"type\":\"end\"}\n");
  EXPECT_THAT(all.types, ElementsAre("run", "end"));
  EXPECT_EQ(all.error, "");
  EXPECT_FALSE(all.cut);
}

TEST(JournalReader, ReadsJournalsOfTheVersionBefore) {
  // Version 0.0 wrote neither formats nor checksums.
  JournalReader reader(std::make_unique<std::istringstream>(
                           "{\"type\":\"run\",\"heddle_version\":\"0.0.9\"}\n{\"type\":\"end\"}\n"),
                       "j");
  for (const char* type : {"run", "end"}) {
    Result<std::optional<wire::Json>> record = reader.next();
    ASSERT_TRUE(record && *record);
    EXPECT_EQ((**record)["type"], type);
  }
  EXPECT_EQ(reader.other_version(),
            "Heddle 0.0.9 wrote the journal, and this is Heddle " HEDDLE_VERSION
            ", whose policies can decide differently");
}

TEST(JournalReader, RefusesJournalsOfANewerFormat) {
  const Read all =
      read("{\"type\":\"run\",\"heddle_version\":\"99.0.0\",\"format\":3}\n{\"type\":\"end\"}\n");
  EXPECT_TRUE(all.types.empty());
  EXPECT_EQ(all.error,
            "j:1: the journal has format 3 and was written by Heddle 99.0.0; this is "
            "Heddle " HEDDLE_VERSION
            ", which reads formats up to 2; expected a newer version of Heddle");
  EXPECT_EQ(read("{\"type\":\"run\",\"format\":\"two\"}\n").error,
            "j:1: format: expected a whole number, got \"two\"");
}

TEST(JournalReader, KnowsItsOwnVersion) {
  JournalReader reader(
      std::make_unique<std::istringstream>("{\"type\":\"run\",\"heddle_version\":\"" HEDDLE_VERSION
                                           "\",\"format\":1}\n"),
      "j");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.other_version(), "");
}

TEST(JournalReader, SkipsWhatBeginsLikeThat) {
  JournalReader reader(std::make_unique<std::istringstream>(
                           "{\"type\":\"a\",\"n\":1}\n{\"type\":\"ab\"}\n{\"type\":\"a\",\"n\":2"),
                       "j");
  reader.skip({R"({"type":"a",)"});
  Result<std::optional<wire::Json>> record = reader.next();
  ASSERT_TRUE(record && *record);
  EXPECT_EQ((**record)["type"], "ab");
  EXPECT_EQ(reader.where(), "j:2");
  record = reader.next();  // cut off, not skipped
  ASSERT_TRUE(record);
  EXPECT_FALSE(*record);
  EXPECT_TRUE(reader.cut());
}

TEST(JournalReader, TheLastArrayOfCompleteLinesCanBeTakenAsEmpty) {
  JournalReader reader(
      std::make_unique<std::istringstream>("{\"t\":1,\"uses\":[[1,2],[nonsense]]}\n"
                                           "{\"t\":2,\"uses\":[3],\"more\":4}\n"
                                           "{\"t\":3,\"uses\":[[5]"),
      "j");
  reader.empty_last("uses");
  Result<std::optional<wire::Json>> record = reader.next();
  ASSERT_TRUE(record && *record);
  EXPECT_EQ(**record, (wire::Json{{"t", 1}, {"uses", wire::Json::array()}}));
  record = reader.next();  // the array is not the last member
  ASSERT_TRUE(record && *record);
  EXPECT_EQ(**record, (wire::Json{{"t", 2}, {"uses", {3}}, {"more", 4}}));
  record = reader.next();
  ASSERT_TRUE(record);
  EXPECT_FALSE(*record);
  EXPECT_TRUE(reader.cut());
}

TEST(JournalReader, EmptyFileHasNoRecords) {
  Read all = read("");
  EXPECT_TRUE(all.types.empty());
  EXPECT_FALSE(all.cut);
}

/// Text without an end, as 170 KB of Zstandard can have.
class Endless : public std::streambuf {
  int_type underflow() override {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
    return traits_type::to_int_type(text_[0]);
  }
  std::string text_ = std::string(1 << 16, 'x');
};

TEST(JournalReader, ALineHasALimit) {
  Endless text;
  JournalReader reader(std::make_unique<std::istream>(&text), "j");
  const auto record = reader.next();
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().text, "j:1: a line of more than 256 MiB");
}

TEST(JournalReader, StopsBeforeALineCutOff) {
  Read all = read("{\"type\":\"run\"}\n{\"type\":\"la");
  EXPECT_THAT(all.types, ElementsAre("run"));
  EXPECT_EQ(all.error, "");
  EXPECT_TRUE(all.cut);
}

// Without the last bytes, all lines are there, but they may not have been the last ones.
TEST(JournalReader, ACompressedJournalCanBeCutOffBetweenLines) {
  const tests::TemporaryDirectory directory;
  const std::string path = directory / "journal.jsonl.zst";
  ZstdWriter writer;
  std::string bytes(writer.add("{\"type\":\"run\"}\n{\"type\":\"end\"}\n"));
  bytes += writer.finish();
  for (const std::size_t lost : {0, 1, 4}) {
    std::ofstream(path) << bytes.substr(0, bytes.size() - lost);
    Result<JournalReader> opened = JournalReader::open(path);
    ASSERT_TRUE(opened);
    const Read all = read(*std::move(opened));
    EXPECT_THAT(all.types, ElementsAre("run", "end"));
    EXPECT_EQ(all.cut, lost > 0) << lost;
  }
}

TEST(JournalReader, WholeLastLineWithoutNewlineCounts) {
  EXPECT_THAT(read("{\"type\":\"run\"}").types, ElementsAre("run"));
}

TEST(JournalReader, HostRecordAfterACutLineIsRead) {
  Read all = read("{\"type\":\"run\"}\n{\"type\":\"la\n{\"type\":\"host\"}\n");
  EXPECT_THAT(all.types, ElementsAre("run", "host"));
  EXPECT_TRUE(all.cut);
}

TEST(JournalReader, BadLineInTheMiddleIsAnErrorWithItsNumber) {
  Read all = read("{\"type\":\"run\"}\nnonsense\n{\"type\":\"end\"}\n");
  EXPECT_THAT(all.types, ElementsAre("run"));
  EXPECT_EQ(all.error, "j:2: not a JSON object");
}

TEST(JournalReader, LineThatIsNoObjectIsAnError) {
  EXPECT_EQ(read("[1]\n{\"type\":\"end\"}\n").error, "j:1: not a JSON object");
}

// The checksums depend on the lines before. They were computed by a separate bitwise
// implementation.
const std::string kRun = "{\"type\":\"run\",\"crc\":\"6c331fef\"}\n";
const std::string kLaunch = "{\"type\":\"launch\",\"crc\":\"16a8916e\"}\n";
const std::string kEnd = "{\"type\":\"end\",\"crc\":\"7f09f1ae\"}\n";
/// The line after kRun and a line that was cut off after `{"type":"la`.
const std::string kHost = "{\"type\":\"host\",\"crc\":\"0c324573\"}\n";

TEST(JournalReader, ChecksumsAreCheckedAndTakenOff) {
  EXPECT_THAT(read(kRun + kLaunch + kEnd).types, ElementsAre("run", "launch", "end"));
  JournalReader reader(std::make_unique<std::istringstream>(kRun), "j");
  Result<std::optional<wire::Json>> record = reader.next();
  ASSERT_TRUE(record && *record);
  EXPECT_EQ((*record)->dump(), R"({"type":"run"})");
}

TEST(JournalReader, AChangedOrMissingLineIsNamed) {
  std::string changed = kLaunch;
  changed[9] = 'L';
  const Read read_changed = read(kRun + changed + kEnd);
  EXPECT_THAT(read_changed.types, ElementsAre("run"));
  EXPECT_EQ(read_changed.error,
            "j:2: the checksum does not match: the line was changed, or lines before it are "
            "missing");
  EXPECT_THAT(read(kRun + kEnd).error, StartsWith("j:2: the checksum does not match"));
  EXPECT_THAT(read(kLaunch + kEnd).error, StartsWith("j:1: the checksum does not match"));
  EXPECT_THAT(read(kRun + kLaunch + kLaunch).error, StartsWith("j:3: the checksum does not match"));
  // A last line that was changed does not count as cut off.
  EXPECT_THAT(read(kRun + "nonsense" + kLaunch).error,
              StartsWith("j:2: the checksum does not match"));
  EXPECT_EQ(read(kRun + "{\"type\":\"end\"}\n").error,
            "j:2: the line has no checksum; expected \"crc\" as its last field, as in the lines "
            "before");
}

TEST(JournalReader, LinesThatAreSkippedAreCheckedToo) {
  std::string changed = kLaunch;
  changed[9] = 'L';
  JournalReader reader(std::make_unique<std::istringstream>(kRun + changed + kEnd), "j");
  reader.skip({R"({"type":"La)"});
  ASSERT_TRUE(reader.next());
  const Result<std::optional<wire::Json>> second = reader.next();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text, StartsWith("j:2: the checksum does not match"));
}

TEST(JournalReader, ACutOffLineHasNoChecksum) {
  const Read last = read(kRun + "{\"type\":\"la");
  EXPECT_THAT(last.types, ElementsAre("run"));
  EXPECT_TRUE(last.cut);
  EXPECT_EQ(last.error, "");
  const Read with_host = read(kRun + "{\"type\":\"la\n" + kHost);
  EXPECT_THAT(with_host.types, ElementsAre("run", "host"));
  EXPECT_TRUE(with_host.cut);
  EXPECT_EQ(with_host.error, "");
}

// A power failure leaves zeros in pages that were not written.
TEST(JournalReader, StopsBeforeAHole) {
  const Read hole = read(kRun + kLaunch.substr(0, 9) + std::string(30, '\0') + "d\"}\n" + kEnd);
  EXPECT_THAT(hole.types, ElementsAre("run"));
  EXPECT_TRUE(hole.cut);
  EXPECT_EQ(hole.error, "");
}

TEST(JournalReader, MissingFileIsNamed) {
  auto reader = JournalReader::open("/nonexistent/journal.jsonl");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().text, "open /nonexistent/journal.jsonl: No such file or directory");
}

}  // namespace heddle::report::journal_reader_test
