#include "report/journal_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace heddle {
namespace {

using ::testing::ElementsAre;

struct Read {
  std::vector<std::string> types;
  std::string error;
  bool cut = false;
};

Read read(const std::string& text) {
  JournalReader reader(std::make_unique<std::istringstream>(text), "j");
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

TEST(JournalReader, GivesEveryLine) {
  Read all = read("{\"type\":\"run\"}\n{\"type\":\"end\"}\n");
  EXPECT_THAT(all.types, ElementsAre("run", "end"));
  EXPECT_EQ(all.error, "");
  EXPECT_FALSE(all.cut);
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

TEST(JournalReader, EmptyFileHasNoRecords) {
  Read all = read("");
  EXPECT_TRUE(all.types.empty());
  EXPECT_FALSE(all.cut);
}

TEST(JournalReader, StopsBeforeALineCutOff) {
  Read all = read("{\"type\":\"run\"}\n{\"type\":\"la");
  EXPECT_THAT(all.types, ElementsAre("run"));
  EXPECT_EQ(all.error, "");
  EXPECT_TRUE(all.cut);
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

TEST(JournalReader, MissingFileIsNamed) {
  auto reader = JournalReader::open("/nonexistent/journal.jsonl");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().text, "open /nonexistent/journal.jsonl: No such file or directory");
}

}  // namespace
}  // namespace heddle
