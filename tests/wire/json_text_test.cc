#include "wire/json_text.h"

#include <gtest/gtest.h>

#include <limits>

#include "wire/fields.h"

namespace heddle::wire::json_text_test {

template <class Value>
std::string text_of(const Value& value) {
  JsonText text;
  return text.add(value).take();
}

TEST(JsonText, CommasComeByThemselves) {
  JsonText text;
  text.open('{').field("a", 1).key("b").open('[').row(1, true).row().open('{').close('}').add("x");
  text.close(']').field("c", false).end_line();
  text.open('{').field("d", 2).end_line();
  EXPECT_EQ(text.take(), "{\"a\":1,\"b\":[[1,true],[],{},\"x\"],\"c\":false}\n{\"d\":2}\n");
  EXPECT_EQ(text.take(), "");
}

TEST(JsonText, WordsAreEscapedWhereTheyMustBe) {
  EXPECT_EQ(text_of("plain: {[,"), "\"plain: {[,\"");
  EXPECT_EQ(text_of("a\"b\\c\nd"), R"("a\"b\\c\nd")");
  EXPECT_EQ(Json::parse(text_of("K\xc3\xb6ln")), "K\xc3\xb6ln");
  EXPECT_EQ(Json::parse(text_of("\xff")), "\xef\xbf\xbd");
  // A string that ends with an opening bracket is not an opening bracket.
  JsonText text;
  text.open('[').add("[").add("{").add(":").word("completed").close(']');
  EXPECT_EQ(text.take(), R"(["[","{",":","completed"])");
}

TEST(JsonText, NumbersReadBackAsThemselves) {
  for (double number : {0.1, 1.0 / 3, 1e300, 5e-324, -2.5, 123456789.125})
    EXPECT_EQ(Json::parse(text_of(number)).get<double>(), number);
  EXPECT_EQ(text_of(8.0), "8");
  EXPECT_EQ(text_of(-0.0), "0");
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(text_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(JsonText, WholeNumbersOfAllLengths) {
  std::string digits;
  for (std::uint64_t power = 1; digits.size() < 19; power *= 10) {
    digits = std::to_string(power);
    EXPECT_EQ(text_of(power), digits);
    EXPECT_EQ(text_of(power - 1), std::to_string(power - 1));
    EXPECT_EQ(text_of(-static_cast<std::int64_t>(power)), "-" + digits);
  }
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

// The same text as std::to_chars: the shortest, and the digits if both forms have the same length.
TEST(JsonText, WholeNumbersThatAreFloatingPoint) {
  EXPECT_EQ(text_of(-7.0), "-7");
  EXPECT_EQ(text_of(10'000.0), "10000");
  EXPECT_EQ(text_of(99'999.0), "99999");
  EXPECT_EQ(text_of(100'000.0), "1e+05");
  EXPECT_EQ(text_of(123'456.0), "123456");
}

TEST(JsonText, TimesAreExact) {
  EXPECT_EQ(text_of(EmuTime(0)), "0");
  EXPECT_EQ(text_of(EmuTime(12'000'001)), "12.000001");
  EXPECT_EQ(text_of(EmuTime(1'500'000)), "1.5");
  EXPECT_EQ(text_of(EmuTime(-10)), "-0.00001");
  EXPECT_EQ(text_of(EmuTime(std::numeric_limits<std::int64_t>::min())), "-9223372036854.775808");
  EXPECT_EQ(text_of(Millicores(1500)), "1.5");
  EXPECT_EQ(text_of(CoreTime(3'000'000)), "3");
  EXPECT_EQ(text_of(EmuBytes(7)), "7");
  for (std::int64_t us : {1LL, 999'999LL, 86'400'000'001LL, 3'200'000'000'123'457LL})
    EXPECT_EQ(Json::parse(text_of(EmuTime(us))).get<double>(), to_seconds(EmuTime(us))) << us;
}

}  // namespace heddle::wire::json_text_test
