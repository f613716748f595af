#include "worker/data/content.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::worker::content_test {

std::string content(std::uint64_t object, std::int64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  fill_content(object, offset, bytes.data(), size);
  return bytes;
}

TEST(Content, AnyStretchIsPartOfTheWhole) {
  std::string whole = content(7, 0, 100);
  for (std::size_t offset = 0; offset < 20; ++offset)
    for (std::size_t size = 0; size < 40; ++size)
      EXPECT_EQ(content(7, static_cast<std::int64_t>(offset), size), whole.substr(offset, size));
}

TEST(Content, DiffersByObjectAndOffset) {
  EXPECT_NE(content(7, 0, 16), content(8, 0, 16));
  EXPECT_NE(content(7, 0, 16), content(7, 16, 16));
  EXPECT_NE(content(7, 0, 16), content(1ULL << 63 | 7, 0, 16));
}

/// Nodes of different builds check each other's bytes, so these values never change.
TEST(Content, IsThisForever) {
  EXPECT_EQ(content(7, 0, 8), "\x1a\x61\xc3\x6a\xba\xd5\x02\x0a");
  EXPECT_EQ(content_checksum(7, 0, 100'000), 13070606013976722877u);
  EXPECT_EQ(checksum("", 0), 0x2d06800538d394c2);  // XXH3 of nothing, with seed 0
}

TEST(Content, ChecksumIsThatOfTheBytes) {
  std::string bytes = content(3, 5, 20'001);
  EXPECT_EQ(content_checksum(3, 5, 20'001), checksum(bytes.data(), bytes.size()));
  bytes[20'000] = static_cast<char>(bytes[20'000] ^ 1);
  EXPECT_NE(content_checksum(3, 5, 20'001), checksum(bytes.data(), bytes.size()));
}

TEST(Content, FilesHaveTheTopBit) {
  EXPECT_FALSE(is_file(0x7fffffffffffffff));
  EXPECT_TRUE(is_file(0x8000000000000000));
}

}  // namespace heddle::worker::content_test
