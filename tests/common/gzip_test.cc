#include "common/gzip.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::gzip_test {

/// "one\n" by gzip 1.12 (gzip -n). RFC 1952, section 2.3: header, deflated bytes, CRC-32, size.
const std::string kOne(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\xcf\x4b\xe5\x02\x00\x9f\xa8\x17\xf8\x04\x00\x00"
    "\x00",
    24);

struct Text {
  std::string text;
  bool bad = false;
};

Text read(const std::string& bytes) {
  GzipReader reader(std::make_unique<std::stringbuf>(bytes));
  std::istream in(&reader);
  Text read;
  for (char one = 0; in.get(one);) read.text += one;
  read.bad = in.bad();
  return read;
}

TEST(Gzip, ReadsMembersOneAfterTheOther) {
  EXPECT_EQ(read(kOne).text, "one\n");
  EXPECT_EQ(read(kOne + kOne).text, "one\none\n");
  EXPECT_FALSE(read(kOne).bad);
  EXPECT_EQ(read("").text, "");
}

TEST(Gzip, AnEarlyEndIsAnError) { EXPECT_TRUE(read(kOne.substr(0, 20)).bad); }

TEST(Gzip, DamagedBytesAreAnError) {
  std::string damaged = kOne;
  damaged[17] ^= 1;  // in the checksum
  EXPECT_TRUE(read(damaged).bad);
}

}  // namespace heddle::gzip_test
