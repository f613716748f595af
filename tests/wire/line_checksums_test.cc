#include "wire/line_checksums.h"

#include <vector>

#include "tests/support/matchers.h"

namespace heddle::wire::line_checksums_test {

using Verdict = LineChecksums::Verdict;

// The checksums are CRC-32C of `{"a":1`, and of `{"a":1,"crc":"149cdbb2"}`, a newline and `{"b":2`,
// computed by a separate bitwise implementation.
const std::string kOne = R"({"a":1,"crc":"149cdbb2"})";
const std::string kTwo = R"({"b":2,"crc":"447cdf40"})";
/// The line after `{"a":1}` without a checksum.
const std::string kTwoBehindOld = R"({"b":2,"crc":"329e9bf4"})";

std::vector<Verdict> verdicts(const std::vector<std::string>& lines) {
  LineChecksums checksums;
  std::vector<Verdict> all;
  for (std::string line : lines) all.push_back(checksums.check_and_strip(line));
  return all;
}

TEST(LineChecksums, EachCoversTheFileUpToIt) {
  LineChecksums checksums;
  EXPECT_EQ(checksums.add_checksums("{\"a\":1}\n{\"b\":2}\n"), kOne + "\n" + kTwo + "\n");
  LineChecksums in_parts;
  EXPECT_EQ(in_parts.add_checksums("{\"a\":1}\n"), kOne + "\n");
  EXPECT_EQ(in_parts.add_checksums(""), "");
  EXPECT_EQ(in_parts.add_checksums("{\"b\":2}\n"), kTwo + "\n");
}

TEST(LineChecksums, AreTakenOff) {
  LineChecksums checksums;
  std::string line = kOne;
  EXPECT_EQ(checksums.check_and_strip(line), Verdict::kCorrect);
  EXPECT_EQ(line, R"({"a":1})");
  line = kTwo;
  EXPECT_EQ(checksums.check_and_strip(line), Verdict::kCorrect);
  EXPECT_EQ(line, R"({"b":2})");
}

TEST(LineChecksums, AnotherLineShows) {
  std::string changed = kOne;
  changed[5] = '2';
  EXPECT_THAT(verdicts({changed, kTwo}), ElementsAre(Verdict::kWrong, Verdict::kWrong));
  EXPECT_THAT(verdicts({kTwo}), ElementsAre(Verdict::kWrong)) << "the first is missing";
  EXPECT_THAT(verdicts({kOne, kOne}), ElementsAre(Verdict::kCorrect, Verdict::kWrong));
  EXPECT_THAT(verdicts({kTwo, kOne}), ElementsAre(Verdict::kWrong, Verdict::kWrong));
  std::string other_crc = kOne;
  other_crc[14] = '0';
  EXPECT_THAT(verdicts({other_crc}), ElementsAre(Verdict::kWrong));
}

TEST(LineChecksums, OldJournalsHaveNoneUntilTheyAreContinued) {
  const std::string old = R"({"a":1})";
  EXPECT_THAT(verdicts({old, old}), ElementsAre(Verdict::kNone, Verdict::kNone));
  EXPECT_THAT(verdicts({old, kTwoBehindOld}), ElementsAre(Verdict::kNone, Verdict::kCorrect));
  EXPECT_THAT(verdicts({kOne, R"({"b":2})"}), ElementsAre(Verdict::kCorrect, Verdict::kMissing));
  LineChecksums checksums;
  std::string line = old;
  EXPECT_EQ(checksums.check_and_strip(line), Verdict::kNone);
  EXPECT_EQ(line, old);
  EXPECT_EQ(checksums.add_checksums("{\"b\":2}\n"), kTwoBehindOld + "\n");
}

TEST(LineChecksums, WhatOnlyLooksLikeOneIsPartOfTheLine) {
  for (const std::string text :
       {R"("crc":"149cdbb2"})", R"({"crc":"149cdbb2"})", R"({"a":1,"crc":"149cdbb"})",
        R"({"a":1,"crc":"149cdbb2","b":2})", "", "}"}) {
    std::string line = text;
    LineChecksums checksums;
    EXPECT_EQ(checksums.check_and_strip(line), Verdict::kNone) << text;
    EXPECT_EQ(line, text);
  }
}

}  // namespace heddle::wire::line_checksums_test
