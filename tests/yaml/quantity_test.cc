#include <gtest/gtest.h>

#include <sstream>

#include "core/scenario/quantity_text.h"
#include "tests/support/messages.h"

namespace heddle::quantity_test {

constexpr const char* kRows = "yaml/quantity.yaml";

std::string text_of(double number) {
  std::ostringstream text;
  text.precision(17);
  text << number;
  return text.str();
}
template <class Unit>
std::string text_of(const Unit& quantity) {
  return std::to_string(quantity.count());
}

/// Returns the quantity as a number, or the error.
template <class Quantity>
std::string read(const Result<Quantity>& parsed) {
  if (parsed) return text_of(*parsed);
  EXPECT_EQ(parsed.error().kind, Error::Kind::kUsage);
  return parsed.error().text;
}

TEST(Quantities, AreRead) {
  using Text = const std::string&;
  tests::expect_messages_of(kRows, "durations",
                            [](Text text) { return read(parse_duration(text)); });
  tests::expect_messages_of(kRows, "bytes", [](Text text) { return read(parse_bytes(text)); });
  tests::expect_messages_of(kRows, "cores", [](Text text) { return read(parse_cores(text)); });
  tests::expect_messages_of(kRows, "fractions",
                            [](Text text) { return read(parse_fraction(text)); });
  tests::expect_messages_of(kRows, "byte rates",
                            [](Text text) { return read(parse_byte_rate(text)); });
  tests::expect_messages_of(kRows, "bit rates",
                            [](Text text) { return read(parse_bit_rate(text)); });
}

TEST(Quantities, ArePrintedShortestAndExact) {
  tests::expect_messages_of(kRows, "printed durations", [](const std::string& us) {
    return print_duration(EmuTime(std::stoll(us)));
  });
  tests::expect_messages_of(kRows, "printed bytes", [](const std::string& bytes) {
    return print_bytes(EmuBytes(std::stoll(bytes)));
  });
  tests::expect_messages_of(kRows, "printed cores", [](const std::string& millicores) {
    return print_cores(Millicores(std::stoll(millicores)));
  });
  EXPECT_EQ(print_fraction(1.0 / 64), "1/64");
  EXPECT_EQ(print_fraction(0.05), "0.05");
  EXPECT_EQ(print_fraction(0.1), "0.1");
  EXPECT_EQ(print_fraction(1.0), "1");
  EXPECT_EQ(print_fraction(0), "0");
  EXPECT_EQ(print_fraction(1.0 / 3), "1/3");
  EXPECT_EQ(print_byte_rate(200e6), "200MB/s");
  EXPECT_EQ(print_bit_rate(2.5e9), "2500Mbit/s");
}

TEST(Quantities, ReadBackAsTheyWere) {
  std::uint64_t value = 1;
  for (int i = 0; i < 2000; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    EmuTime time(static_cast<std::int64_t>(value >> 1) % (10000LL * 3600000000 >> (i % 40)));
    EXPECT_EQ(*parse_duration(print_duration(time)), time) << print_duration(time);
  }
  for (std::int64_t n = 1; n < (1LL << 50); n = n * 3 + 1)
    EXPECT_EQ(*parse_bytes(print_bytes(EmuBytes(n))), EmuBytes(n));
  for (double fraction : {0.1 + 0.2, 1e-6, 123.456, 2.0 / 3, 0.0123})
    EXPECT_EQ(*parse_fraction(print_fraction(fraction)), fraction);
}

TEST(Quantities, LongTextsAreCutInMessages) {
  EXPECT_LT(parse_duration(std::string(100000, 'x')).error().text.size(), 200U);
}

}  // namespace heddle::quantity_test
