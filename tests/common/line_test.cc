#include "common/line.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heddle {
namespace {

// The lengths are around that of the parts in which a line is read.
TEST(Line, IsReadAsGetlineReadsIt) {
  for (const std::size_t length : {0, 1, 4094, 4095, 4096, 8189, 8190, 8191, 20'000}) {
    SCOPED_TRACE(length);
    std::string text(length, 'x');
    if (length > 1) text[length / 2] = '\0';
    for (const bool ends : {true, false}) {
      std::istringstream in("first\n\n" + text + (ends ? "\n" : ""));
      std::string line;
      ASSERT_EQ(read_line(in, line), LineRead::kLine);
      EXPECT_EQ(line, "first");
      ASSERT_EQ(read_line(in, line), LineRead::kLine);
      EXPECT_EQ(line, "");
      if (ends || length > 0) {
        ASSERT_EQ(read_line(in, line), LineRead::kLine);
        EXPECT_TRUE(line == text);
        EXPECT_EQ(in.eof(), !ends);
      }
      EXPECT_EQ(read_line(in, line), LineRead::kEnd);
      EXPECT_TRUE(in.eof());
    }
  }
}

TEST(Line, HasALimit) {
  std::istringstream in(std::string(10'000, 'x') + "\n");
  std::string line;
  EXPECT_EQ(read_line(in, line, 10'000), LineRead::kLine);
  std::istringstream longer(std::string(1'000'000, 'x'));
  EXPECT_EQ(read_line(longer, line, 10'000), LineRead::kTooLong);
  EXPECT_LT(line.size(), 20'000U);
}

}  // namespace
}  // namespace heddle
