#include "common/text.h"

#include <gtest/gtest.h>

namespace heddle::text_test {

TEST(NearestWord, FindsTheSlipOfAFinger) {
  const std::vector<std::string> words = {"heartbeat", "nodes", "node_timeout", "dispatch"};
  EXPECT_EQ(nearest_word("heartbeet", words), "heartbeat");
  EXPECT_EQ(nearest_word("haertbeat", words), "heartbeat");  // two letters exchanged
  EXPECT_EQ(nearest_word("node", words), "nodes");
  EXPECT_EQ(nearest_word("dispatch", words), "dispatch");
}

TEST(NearestWord, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_word("colour", {"heartbeat", "nodes"}), "");
  EXPECT_EQ(nearest_word("", {"nodes"}), "");
  EXPECT_EQ(nearest_word("nodes", {}), "");
}

TEST(NearestWord, AllowsOneErrorInAShortWordAndAThirdInALongOne) {
  EXPECT_EQ(nearest_word("ab", {"ac"}), "ac");
  EXPECT_EQ(nearest_word("ab", {"cd"}), "");
  EXPECT_EQ(nearest_word("abcdef", {"abcdxy"}), "abcdxy");
  EXPECT_EQ(nearest_word("abcdef", {"abcxyz"}), "");
}

TEST(NearestWord, CapitalsAndBeginningsAreNear) {
  EXPECT_EQ(nearest_word("FIFO", {"drf", "fifo"}), "fifo");
  EXPECT_EQ(nearest_word("ffd", {"drf", "ffd-dp"}), "ffd-dp");
  EXPECT_EQ(nearest_word("n", {"n1", "m1"}), "n1");
}

TEST(NearestWord, WordsWithNothingInCommonAreNotNear) {
  EXPECT_EQ(nearest_word("p", {"a", "b"}), "");
}

TEST(NearestWord, FirstOfEquallyNearAndNearerBeforeFirst) {
  EXPECT_EQ(nearest_word("cat", {"bat", "rat"}), "bat");
  EXPECT_EQ(nearest_word("fairly", {"fairies", "fairl"}), "fairl");
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
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(printable("bell\x07 tab\t del\x7f cr\r"), "bell\\u0007 tab\t del\\u007f cr\\u000d");
  EXPECT_EQ(printable(std::string_view("nul\0", 4)), "nul\\u0000");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m")
      << "CSI in one character";
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "gpj.exe"),
            "\\u202egpj.exe")
      << "right-to-left override";
  EXPECT_EQ(printable("\xe2\x81\xa6 \xd8\x9c \xe2\x80\xa8"), "\\u2066 \\u061c \\u2028");
}

TEST(Printable, OtherTextStays) {
  for (const char* text : {"", "plain", "größe · 3 × 4 … █▒░", "日本語 🙂", "\\u001b"})
    EXPECT_EQ(printable(text), text);
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

TEST(FindNoText, ABadByteOrNul) {
  using namespace std::string_view_literals;
  EXPECT_EQ(find_no_text(""), std::string_view::npos);
  EXPECT_EQ(find_no_text("a\t\xC3\xA9\xF0\x9F\xA7\xB5\n"), std::string_view::npos);
  EXPECT_EQ(find_no_text("\xC3\xA9\xE9"), 2U);
  EXPECT_EQ(find_no_text("ab\xC3"), 2U);
  EXPECT_EQ(find_no_text("ab\0c"sv), 2U);
}

TEST(Printable, LineEndsStayInATextAndNotInALine) {
  EXPECT_EQ(printable("a\nb\n"), "a\nb\n");
  EXPECT_EQ(printable_line("a\nb"), "a\\nb");
  EXPECT_EQ(printable_line("größe\x1b"), "größe\\u001b");
  EXPECT_EQ(blanked("a\x1b[1m\nb\xc2\x9b\x9bö"), "a [1m b  ö");
}

}  // namespace heddle::text_test
