#include "host/output_pipe.h"

#include <gtest/gtest.h>

namespace heddle::host::output_pipe_test {

TEST(TextEnds, ShortTextIsKept) {
  TextEnds ends(3, 4);
  for (const char* text : {"ab", "cd", "efg"}) ends.add(text);
  EXPECT_EQ(ends.text(), "abcdefg");
}

TEST(TextEnds, TheMiddleOfLongTextIsLeftOut) {
  TextEnds ends(3, 4);
  ends.add("abcdefgh");
  EXPECT_EQ(ends.text(), "abc\n[heddle: 1 bytes are left out here]\nefgh");
  for (int i = 0; i < 1000; ++i) ends.add("01234567");
  EXPECT_EQ(ends.text(), "abc\n[heddle: 8001 bytes are left out here]\n4567");
}

}  // namespace heddle::host::output_pipe_test
