#include "common/zstd.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

std::string compressed(const std::vector<std::string>& parts) {
  ZstdWriter writer;
  std::string bytes;
  for (const std::string& part : parts) bytes += writer.add(part);
  return bytes += writer.finish();
}

struct Text {
  std::string text;
  bool bad = false;
};

Text read(const std::string& bytes) {
  ZstdReader reader(std::make_unique<std::stringbuf>(bytes));
  std::istream in(&reader);
  Text read;
  for (char one = 0; in.get(one);) read.text += one;
  read.bad = in.bad();
  return read;
}

/// Text of several blocks (a block has at most 128 KiB; RFC 8878, section 3.1.1.2.4) that does not
/// compress to nothing.
std::string long_text() {
  std::string text;
  for (std::uint32_t i = 0; text.size() < 600'000; ++i)
    text += std::to_string(i * 2654435761U) + "\n";
  return text;
}

TEST(Zstd, TextComesBack) {
  for (const auto& parts : std::vector<std::vector<std::string>>{
           {}, {""}, {"one line\n"}, {"some ", "", "pieces\n"}, {long_text(), long_text()}}) {
    std::string whole;
    for (const std::string& part : parts) whole += part;
    EXPECT_EQ(read(compressed(parts)).text, whole);
    EXPECT_FALSE(read(compressed(parts)).bad);
  }
}

// The magic number of a frame (RFC 8878, section 3.1.1). Other programs recognize the file by it.
TEST(Zstd, ItIsAFrame) { EXPECT_EQ(compressed({"x"}).substr(0, 4), "\x28\xb5\x2f\xfd"); }

TEST(Zstd, ASecondFrameIsReadAfterTheFirst) {
  EXPECT_EQ(read(compressed({"one"}) + compressed({"two"})).text, "onetwo");
}

TEST(Zstd, ATruncatedFileIsReadUpToItsLastBlock) {
  const std::string text = long_text(), bytes = compressed({text});
  const Text cut = read(bytes.substr(0, bytes.size() * 3 / 4));
  EXPECT_FALSE(cut.bad);
  EXPECT_GT(cut.text.size(), text.size() / 4);
  EXPECT_LT(cut.text.size(), text.size());
  EXPECT_TRUE(text.starts_with(cut.text));
  EXPECT_EQ(read("").text, "");
}

TEST(Zstd, DamagedBytesMakeTheStreamBad) {
  std::string bytes = compressed({long_text()});
  bytes[bytes.size() - 2] = static_cast<char>(bytes[bytes.size() - 2] ^ 1);  // in the checksum
  EXPECT_TRUE(read(bytes).bad);
  EXPECT_TRUE(read("not compressed").bad);
}

}  // namespace
}  // namespace heddle
