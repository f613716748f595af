#include <gtest/gtest.h>

#include "core/scenario/quantity_text.h"

namespace heddle::scenario_quantity_test {

constexpr std::int64_t kMiB = 1LL << 20;

TEST(Durations, EveryUnit) {
  EXPECT_EQ(*parse_duration("12s"), emu_seconds(12));
  EXPECT_EQ(*parse_duration("500ms"), EmuTime(500000));
  EXPECT_EQ(*parse_duration("7us"), EmuTime(7));
  EXPECT_EQ(*parse_duration("2min"), emu_seconds(120));
  EXPECT_EQ(*parse_duration("1h"), emu_seconds(3600));
  EXPECT_EQ(*parse_duration("1.5 s"), emu_seconds(1.5));
  EXPECT_EQ(*parse_duration("0"), EmuTime(0));
  EXPECT_EQ(*parse_duration("0.1s"), EmuTime(100000));
  EXPECT_EQ(*parse_duration("0.0000006s"), EmuTime(1));  // to the nearest microsecond
}

TEST(Durations, PrintedShortestAndExact) {
  EXPECT_EQ(print_duration(EmuTime(0)), "0s");
  EXPECT_EQ(print_duration(emu_seconds(12)), "12s");
  EXPECT_EQ(print_duration(emu_seconds(0.5)), "0.5s");
  EXPECT_EQ(print_duration(EmuTime(1234567)), "1.234567s");
  EXPECT_EQ(print_duration(EmuTime(7)), "7us");
  EXPECT_EQ(print_duration(emu_seconds(3600)), "1h");
  EXPECT_EQ(print_duration(emu_seconds(90)), "90s");
}

TEST(Durations, ReadBackAsTheyWere) {
  std::uint64_t value = 1;
  for (int i = 0; i < 2000; ++i) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    EmuTime time(static_cast<std::int64_t>(value >> 1) % (10000LL * 3600000000 >> (i % 40)));
    EXPECT_EQ(*parse_duration(print_duration(time)), time) << print_duration(time);
  }
}

TEST(Durations, Refused) {
  auto error = [](const char* text) { return parse_duration(text).error().text; };
  const std::string expected = "; expected a duration such as 12s, 500ms, 2min or 1h";
  EXPECT_EQ(error("12"), "\"12\" has no unit" + expected);
  EXPECT_EQ(error("-5s"), "\"-5s\" is negative" + expected);
  EXPECT_EQ(error("fast"), "\"fast\" is not a number" + expected);
  EXPECT_EQ(error(""), "\"\" is not a number" + expected);
  EXPECT_EQ(error("."), "\".\" is not a number" + expected);
  EXPECT_EQ(error("1.s"), "\"1.s\" is not a number" + expected);
  EXPECT_EQ(error("1.2.3s"), "\"1.2.3s\" has an unknown unit \".3s\"" + expected);
  EXPECT_EQ(error("nan"), "\"nan\" is not a number" + expected);
  EXPECT_EQ(error("1e3s"), "\"1e3s\" has an unknown unit \"e3s\"" + expected);
  EXPECT_EQ(error("5sm"),
            "\"5sm\" has an unknown unit \"sm\"" + expected + "; did you mean \"s\"?");
  EXPECT_EQ(error("20000h"), "\"20000h\" is too large; expected at most 10000h");
  EXPECT_EQ(error("99999999999999999999s"), "\"99999999999999999999s\" is not a number" + expected);
  EXPECT_EQ(parse_duration("12").error().kind, Error::Kind::kUsage);
}

TEST(Bytes, EveryUnit) {
  EXPECT_EQ(*parse_bytes("700MiB"), EmuBytes(700 * kMiB));
  EXPECT_EQ(*parse_bytes("1GiB"), EmuBytes(1024 * kMiB));
  EXPECT_EQ(*parse_bytes("1.5GiB"), EmuBytes(1536 * kMiB));
  EXPECT_EQ(*parse_bytes("2GB"), EmuBytes(2000000000));
  EXPECT_EQ(*parse_bytes("3kB"), EmuBytes(3000));
  EXPECT_EQ(*parse_bytes("3KiB"), EmuBytes(3072));
  EXPECT_EQ(*parse_bytes("5B"), EmuBytes(5));
  EXPECT_EQ(*parse_bytes("4MB"), EmuBytes(4000000));
  EXPECT_EQ(*parse_bytes("1TB"), EmuBytes(1000000000000));
  EXPECT_EQ(*parse_bytes("1024TiB"), EmuBytes(1LL << 50));
  EXPECT_EQ(*parse_bytes("0"), EmuBytes(0));
}

TEST(Bytes, PrintedShortestAndExact) {
  EXPECT_EQ(print_bytes(EmuBytes(0)), "0B");
  EXPECT_EQ(print_bytes(EmuBytes(1024 * kMiB)), "1GiB");
  EXPECT_EQ(print_bytes(EmuBytes(1500 * kMiB)), "1500MiB");
  EXPECT_EQ(print_bytes(EmuBytes(1000 * kMiB)), "1000MiB");
  EXPECT_EQ(print_bytes(EmuBytes(2000000000)), "2GB");
  EXPECT_EQ(print_bytes(EmuBytes(1234567)), "1234567B");
  for (std::int64_t n = 1; n < (1LL << 50); n = n * 3 + 1)
    EXPECT_EQ(*parse_bytes(print_bytes(EmuBytes(n))), EmuBytes(n));
}

TEST(Bytes, Refused) {
  auto error = [](const char* text) { return parse_bytes(text).error().text; };
  const std::string expected = "; expected bytes such as 700MiB, 1.5GiB or 2GB";
  EXPECT_EQ(error("1G"), "\"1G\" has an unknown unit \"G\"" + expected + "; did you mean \"GB\"?");
  EXPECT_EQ(error("1gib"),
            "\"1gib\" has an unknown unit \"gib\"" + expected + "; did you mean \"GiB\"?");
  EXPECT_EQ(error("700"), "\"700\" has no unit" + expected);
  EXPECT_EQ(error("1025TiB"), "\"1025TiB\" is too large; expected at most 1024TiB");
}

TEST(Cores, WholeAndFractions) {
  EXPECT_EQ(*parse_cores("1"), Millicores(1000));
  EXPECT_EQ(*parse_cores("0.5"), Millicores(500));
  EXPECT_EQ(*parse_cores("0"), Millicores(0));
  EXPECT_EQ(*parse_cores("2.125"), Millicores(2125));
  EXPECT_EQ(print_cores(Millicores(4000)), "4");
  EXPECT_EQ(print_cores(Millicores(500)), "0.5");
  EXPECT_EQ(print_cores(Millicores(1)), "0.001");
  EXPECT_EQ(parse_cores("4cores").error().text,
            "\"4cores\" is not a number; expected cores such as 1 or 0.5");
  EXPECT_EQ(parse_cores("-1").error().text, "\"-1\" is negative; expected cores such as 1 or 0.5");
}

TEST(Fractions, EveryForm) {
  EXPECT_EQ(*parse_fraction("1/64"), 1.0 / 64);
  EXPECT_EQ(*parse_fraction("0.05"), 0.05);
  EXPECT_EQ(*parse_fraction("100%"), 1.0);
  EXPECT_EQ(*parse_fraction("7%"), 0.07);
  EXPECT_EQ(*parse_fraction("1e-3"), 0.001);
  EXPECT_EQ(*parse_fraction("3"), 3.0);
  EXPECT_EQ(*parse_fraction("0"), 0.0);
}

TEST(Fractions, PrintedShortestAndExact) {
  EXPECT_EQ(print_fraction(1.0 / 64), "1/64");
  EXPECT_EQ(print_fraction(0.05), "0.05");
  EXPECT_EQ(print_fraction(0.1), "0.1");
  EXPECT_EQ(print_fraction(1.0), "1");
  EXPECT_EQ(print_fraction(0), "0");
  EXPECT_EQ(print_fraction(1.0 / 3), "1/3");
  for (double value : {0.1 + 0.2, 1e-6, 123.456, 2.0 / 3, 0.0123})
    EXPECT_EQ(*parse_fraction(print_fraction(value)), value);
}

TEST(Fractions, Refused) {
  const std::string expected = "; expected a fraction such as 1/64, 0.05 or 5%";
  for (const char* text : {"", "x", "1/0", "1/x", "/2", "nan", "inf", "1e999", "5%%", "1/64%"})
    EXPECT_EQ(parse_fraction(text).error().text,
              "\"" + std::string(text) + "\" is not a number" + expected);
  EXPECT_EQ(parse_fraction("-0.1").error().text, "\"-0.1\" is negative" + expected);
}

TEST(Rates, BytesAndBits) {
  EXPECT_EQ(*parse_byte_rate("200MB/s"), 200e6);
  EXPECT_EQ(*parse_byte_rate("1MiB/s"), 1048576.0);
  EXPECT_EQ(*parse_bit_rate("1Gbit/s"), 1e9);
  EXPECT_EQ(*parse_bit_rate("100Mbit"), 1e8);
  EXPECT_EQ(print_byte_rate(200e6), "200MB/s");
  EXPECT_EQ(print_bit_rate(2.5e9), "2500Mbit/s");
  EXPECT_EQ(parse_byte_rate("200MB").error().text,
            "\"200MB\" has an unknown unit \"MB\"; expected bytes per second such as 200MB/s");
  EXPECT_EQ(parse_bit_rate("1Gb/s").error().text,
            "\"1Gb/s\" has an unknown unit \"Gb/s\"; expected bits per second such as 1Gbit/s");
}

TEST(Quantities, LongTextsAreCutInMessages) {
  std::string error = parse_duration(std::string(100000, 'x')).error().text;
  EXPECT_LT(error.size(), 200U);
}

TEST(Quantity, UsualNamesOfUnitsAreExplained) {
  const std::string expected = "; expected a duration such as 12s, 500ms, 2min or 1h";
  EXPECT_EQ(parse_duration("5m").error().text,
            "\"5m\" has an unknown unit \"m\"" + expected + "; did you mean \"min\"?");
  EXPECT_EQ(parse_duration("8sec").error().text,
            "\"8sec\" has an unknown unit \"sec\"" + expected + "; did you mean \"s\"?");
  EXPECT_EQ(parse_duration("2 hours").error().text,
            "\"2 hours\" has an unknown unit \"hours\"" + expected + "; did you mean \"h\"?");
  EXPECT_EQ(parse_bytes("2sec").error().text,
            "\"2sec\" has an unknown unit \"sec\"; expected bytes such as 700MiB, 1.5GiB or 2GB");
}

}  // namespace heddle::scenario_quantity_test
