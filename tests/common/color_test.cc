#include "common/command_line/color.h"

#include <gtest/gtest.h>

namespace heddle::color_test {

TEST(Color, FollowsTheOptionThenNoColorThenTheTerminal) {
  EXPECT_TRUE(wants_color(ColorWhen::kAlways, "1", "dumb", false));
  EXPECT_FALSE(wants_color(ColorWhen::kNever, nullptr, "xterm", true));
  EXPECT_TRUE(wants_color(ColorWhen::kAuto, nullptr, "xterm", true));
  EXPECT_TRUE(wants_color(ColorWhen::kAuto, "", "xterm", true));  // no-color.org: "not empty"
  EXPECT_FALSE(wants_color(ColorWhen::kAuto, "1", "xterm", true));
  EXPECT_FALSE(wants_color(ColorWhen::kAuto, nullptr, "xterm", false));
  EXPECT_FALSE(wants_color(ColorWhen::kAuto, nullptr, "dumb", true));
  EXPECT_FALSE(wants_color(ColorWhen::kAuto, nullptr, nullptr, true));
}

TEST(Color, OfErrorsAndWarnings) {
  EXPECT_EQ(paint_message("heddle: s.yaml:2: wrong"), "\033[31mheddle:\033[0m s.yaml:2: wrong");
  EXPECT_EQ(paint_message("heddle: warning: s.yaml:2"), "heddle: \033[33mwarning:\033[0m s.yaml:2");
  EXPECT_EQ(paint_message("words"), "words");
}

TEST(Color, OfCells) {
  EXPECT_EQ(paint_tables("a  failed\nb   worse   3\nbetter"),
            "a  \033[31mfailed\033[0m\nb   \033[31mworse\033[0m   3\n\033[32mbetter\033[0m");
  EXPECT_EQ(paint_tables("affected: by others\n"), "\033[33maffected: by others\033[0m\n");
  EXPECT_EQ(paint_tables("unaffected: by others\n"), "unaffected: by others\n");
}

TEST(Color, NotOfSentences) {
  for (const char* text : {"job a failed twice\n", "  \"state\": \"failed\",\n", "", "\n", "   \n",
                           "no better  than\n"})
    EXPECT_EQ(paint_tables(text), text);
}

}  // namespace heddle::color_test
