#include "cli/run/line_writer.h"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "common/zstd.h"
#include "report/journal_reader.h"

namespace heddle::cli {
namespace {

/// A file in memory.
class Memory : public master::LineFile {
 public:
  explicit Memory(std::string& bytes) : bytes_(bytes) {}
  Result<void> append(std::string_view bytes) override {
    bytes_ += bytes;
    return {};
  }
  Result<void> sync() override { return {}; }

 private:
  std::string& bytes_;
};

class Full : public master::LineFile {
 public:
  Result<void> append(std::string_view) override { return aborted_error("the disk is full"); }
  Result<void> sync() override { return {}; }
};

/// 3000 lines of about 1000 bytes, twelve times as many as the thread gets at once.
std::string lines() {
  std::string lines;
  for (int i = 0; i < 3000; ++i)
    lines += "{\"line\":" + std::to_string(i) + ",\"text\":\"" + std::string(980, 'x') + "\"}\n";
  return lines;
}

/// Writes the lines one by one. Returns the bytes of the file.
std::string written(LineWriter::Form form) {
  std::string bytes;
  LineWriter writer(std::make_unique<Memory>(bytes), form);
  const std::string all = lines();
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at) + 1;
    writer.append(std::string_view(all).substr(at, end - at));
    at = end;
  }
  writer.finish();
  EXPECT_FALSE(writer.failure());
  return bytes;
}

/// Returns the numbers of the lines, which must have correct checksums.
std::vector<int> numbers(const std::string& text) {
  std::vector<int> numbers;
  report::JournalReader reader(std::make_unique<std::istringstream>(text), "journal");
  EXPECT_TRUE(reader.each([&](const wire::Json& record) -> Result<void> {
    numbers.push_back(record.at("line"));
    return {};
  }));
  EXPECT_FALSE(reader.cut());
  return numbers;
}

std::vector<int> all_numbers() {
  std::vector<int> all(3000);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string decompressed(const std::string& bytes) {
  ZstdReader reader(std::make_unique<std::stringbuf>(bytes));
  std::ostringstream text;
  text << &reader;
  return text.str();
}

TEST(LineWriter, WritesTheLinesAsTheyAre) { EXPECT_EQ(written(LineWriter::Form::kPlain), lines()); }

TEST(LineWriter, EachLineOfAJournalHasAChecksum) {
  EXPECT_EQ(numbers(written(LineWriter::Form::kJournal)), all_numbers());
}

TEST(LineWriter, OnlyTheLastLineOfACompressedJournalHasAChecksum) {
  const std::string bytes = written(LineWriter::Form::kCompressedJournal);
  EXPECT_LT(bytes.size(), lines().size() / 10);
  const std::string text = decompressed(bytes);
  EXPECT_EQ(numbers(text), all_numbers());
  EXPECT_EQ(text.find("\"crc\""), text.rfind("\"crc\""));
  std::string other = text;
  other[other.find("1500") + 3] = '1';
  report::JournalReader reader(std::make_unique<std::istringstream>(other), "journal");
  const Result<void> read = reader.each([](const wire::Json&) -> Result<void> { return {}; });
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().text, HasSubstr("journal:3000: the checksum does not match"));
}

TEST(LineWriter, ACompressedJournalWithoutLinesIsEmpty) {
  std::string bytes;
  LineWriter writer(std::make_unique<Memory>(bytes), LineWriter::Form::kCompressedJournal);
  writer.finish();
  EXPECT_EQ(decompressed(bytes), "");
}

TEST(LineWriter, TellsWhyTheFileCouldNotBeWritten) {
  LineWriter writer(std::make_unique<Full>(), LineWriter::Form::kPlain);
  for (int i = 0; i < 20; ++i) writer.append(lines());  // does not wait for ever
  writer.finish();
  ASSERT_TRUE(writer.failure());
  EXPECT_EQ(writer.failure()->text, "the disk is full");
}

}  // namespace
}  // namespace heddle::cli
