#include "common/text.h"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "tests/support/messages.h"

namespace heddle::text_test {

TEST(NearestWord, IsAsInTheTable) {
  tests::expect_messages("common/text.yaml", "nearest", [](const auto& row) {
    std::istringstream words(row[1]);
    return nearest_word(row[0], {std::istream_iterator<std::string>(words), {}});
  });
}

TEST(NearestWord, GivesUpOnWordsLongerThanAnyOfOurs) {
  std::string endless(10 << 20, 'a');
  EXPECT_EQ(nearest_word(endless, {"a", endless}), "");
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join({"a", "b"}, " or "), "a or b");
}

TEST(NestedDeeper, CountsBracketsOutsideOfStrings) {
  EXPECT_FALSE(nested_deeper("[[1, 2], {}]", 2));
  EXPECT_TRUE(nested_deeper("[[1, 2], {}]", 1));
  EXPECT_TRUE(nested_deeper(R"({"a": [{}]})", 2));
  EXPECT_FALSE(nested_deeper(R"(["[[[[", "\"[[["])", 1));
  EXPECT_TRUE(nested_deeper(R"(["\\", [[]]])", 2));
  EXPECT_TRUE(nested_deeper(std::string(100000, '['), 64));
}

TEST(ValidName, LettersDigitsAndThreeSigns) {
  for (const char* good : {"a", "A", "7", "n1", "word-count_2.0"}) EXPECT_TRUE(valid_name(good));
  for (const char* bad : {"", "-a", ".a", "_a", "a b", "a/b", "a\n", "\xc3\xa4", "../x"})
    EXPECT_FALSE(valid_name(bad)) << bad;
}

TEST(ValidName, AtMost64) {
  EXPECT_TRUE(valid_name(std::string(64, 'a')));
  EXPECT_FALSE(valid_name(std::string(65, 'a')));
}

TEST(Printable, WhatATerminalWouldObeyIsWritten) {
  tests::expect_messages_of("common/text.yaml", "printable",
                            [](const std::string& text) { return printable(text); });
  EXPECT_EQ(printable(std::string_view("nul\0", 4)), "nul\\u0000");
}

TEST(Printable, BytesThatAreNoUtf8AreWritten) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m")
      << "CSI of a terminal of eight bits";
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc3("), "\\xc3(");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "overlong";
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(PathText, IsUtf8AndLeadsBackToThePath) {
  for (const auto& [path, text] : {std::pair{"/a b/\xC3\xA9", "/a b/\xC3\xA9"},
                                   {"/a\xFF/\xC3", "/a%ff/%c3"},
                                   {"50%/%41", "50%25/%2541"},
                                   {"", ""}}) {
    EXPECT_EQ(path_text(path), text);
    EXPECT_EQ(path_from(text), path);
  }
  EXPECT_EQ(path_from("a%"), "a%");
  EXPECT_EQ(path_from("a%g0%1"), "a%g0%1");
}

TEST(FindNoText, ABadByteOrNul) {
  using namespace std::string_view_literals;
  EXPECT_EQ(find_no_text(""), std::string_view::npos);
  EXPECT_EQ(find_no_text("a\t\xC3\xA9\xF0\x9F\xA7\xB5\n"), std::string_view::npos);
  EXPECT_EQ(find_no_text("\xC3\xA9\xE9"), 2U);
  EXPECT_EQ(find_no_text("ab\xC3"), 2U);
  EXPECT_EQ(find_no_text("ab\0c"sv), 2U);
}

TEST(Printable, LineEndsAreWrittenInALine) {
  EXPECT_EQ(printable_line("a\nb"), "a\\nb");
  EXPECT_EQ(printable_line("größe\x1b"), "größe\\u001b");
  EXPECT_EQ(blanked("a\x1b[1m\nb\xc2\x9b\x9bö"), "a [1m b  ö");
}

TEST(ShellWord, IsQuotedWhereAShellCouldReadMore) {
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("/sys/fs/cgroup/heddle.u-1"), "/sys/fs/cgroup/heddle.u-1");
  EXPECT_EQ(shell_word("/a b"), "'/a b'");
  EXPECT_EQ(shell_word("$(reboot)"), "'$(reboot)'");
}

}  // namespace heddle::text_test
