#include "common/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::crc32c_test {

std::uint32_t crc_of(const std::string& bytes) {
  Crc32c crc;
  crc.add(bytes);
  return crc.value();
}

// Values from RFC 3720, appendix B.4, and the check value of the CRC catalogue (CRC-32/ISCSI).
TEST(Crc32c, GivesThePublishedValues) {
  std::string ascending(32, '\0');
  for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = static_cast<char>(i);
  EXPECT_EQ(crc_of(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc_of(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(crc_of(ascending), 0x46dd794eU);
  EXPECT_EQ(crc_of("123456789"), 0xe3069283U);
  EXPECT_EQ(crc_of(""), 0U);
}

// Values from RFC 3720, appendix B.4. Processors without the instruction use the table.
TEST(Crc32c, TheTableGivesThePublishedValues) {
  const std::uint32_t beginning = ~std::uint32_t{0};
  EXPECT_EQ(~crc32c_by_table(beginning, std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(~crc32c_by_table(beginning, std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(~crc32c_by_table(crc32c_by_table(beginning, "12345"), "6789"), 0xe3069283U);
}

TEST(Crc32c, PiecesGiveWhatTheWholeGives) {
  Crc32c crc;
  for (const char* piece : {"123", "", "4567", "89"}) crc.add(piece);
  EXPECT_EQ(crc.value(), 0xe3069283U);
}

}  // namespace heddle::crc32c_test
