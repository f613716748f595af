#include "common/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace heddle::number_test {

TEST(ReadNumber, IsTheWholeText) {
  EXPECT_EQ(read_number<int>("12"), 12);
  EXPECT_EQ(read_number<int>("-3"), -3);
  EXPECT_EQ(read_number<double>("-0.5"), -0.5);
  for (const char* other : {"", " 12", "12 ", "12x", "+12", "0x10", "1.5"})
    EXPECT_FALSE(read_number<int>(other)) << other;
}

TEST(ReadNumber, FitsTheType) {
  EXPECT_EQ(read_number<std::uint8_t>("255"), 255);
  EXPECT_FALSE(read_number<std::uint8_t>("256"));
  EXPECT_FALSE(read_number<unsigned>("-1"));
  EXPECT_FALSE(read_number<double>("1e999"));
}

}  // namespace heddle::number_test
