#include "common/ustar.h"

#include "tests/support/matchers.h"

namespace heddle::ustar_test {

const UstarFile kFile{"results/a.txt", 5, 1'700'000'000, false};

/// Returns the header with the byte at `place` replaced, and with the checksum that fits.
std::string changed(std::string header, std::size_t place, char byte) {
  header[place] = byte;
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char text[8];
  std::snprintf(text, sizeof text, "%06o", sum);
  header.replace(148, 7, std::string(text) + '\0');
  return header;
}

std::string error_of(const std::string& header) {
  const Result<std::optional<UstarFile>> file = read_ustar_header(header);
  return file ? "" : file.error().text;
}

TEST(Ustar, AHeaderHasTheFieldsOfTheStandard) {
  const std::string header = ustar_header(kFile);
  ASSERT_EQ(header.size(), 512U);
  EXPECT_EQ(header.substr(0, 14), std::string("results/a.txt") + '\0');
  EXPECT_EQ(header.substr(100, 8), std::string("0000644") + '\0');
  EXPECT_EQ(header.substr(124, 12), std::string("00000000005") + '\0');
  // 1 700 000 000 is 14524770400 in octal.
  EXPECT_EQ(header.substr(136, 12), std::string("14524770400") + '\0');
  EXPECT_EQ(header[156], '0');
  EXPECT_EQ(header.substr(257, 8), std::string("ustar\0", 6) + "00");
  EXPECT_EQ(header.substr(265, 64), std::string(64, '\0')) << "no names of owners";
}

TEST(Ustar, WhatIsWrittenIsRead) {
  EXPECT_THAT(read_ustar_header(ustar_header(kFile)).value(), ::testing::Optional(kFile));
  const UstarFile program{"p", kMostUstarBytes, 0, true};
  EXPECT_THAT(read_ustar_header(ustar_header(program)).value(), ::testing::Optional(program));
}

TEST(Ustar, LongNamesAreDividedAtASlash) {
  const std::string name = std::string(150, 'd') + "/" + std::string(99, 'n');
  EXPECT_TRUE(fits_ustar(name));
  EXPECT_EQ(read_ustar_header(ustar_header({name, 0, 0})).value()->name, name);
  EXPECT_TRUE(fits_ustar(std::string(100, 'n')));
  EXPECT_FALSE(fits_ustar(std::string(101, 'n')));
  EXPECT_FALSE(fits_ustar(std::string(156, 'd') + "/" + std::string(99, 'n')));
  EXPECT_FALSE(fits_ustar("d/" + std::string(101, 'n')));
}

TEST(Ustar, ContentsArePaddedToWholeBlocks) {
  EXPECT_EQ(ustar_padding(0).size(), 0U);
  EXPECT_EQ(ustar_padding(1).size(), 511U);
  EXPECT_EQ(ustar_padding(512).size(), 0U);
  EXPECT_EQ(ustar_padding(513).size(), 511U);
}

TEST(Ustar, ABlockOfZerosIsTheEnd) {
  EXPECT_EQ(read_ustar_header(std::string(512, '\0')).value(), std::nullopt);
}

TEST(Ustar, OnlyRegularFilesAreRead) {
  const std::string header = ustar_header(kFile);
  const std::pair<char, const char*> wrong[] = {
      {'1', "a hard link"}, {'2', "a symbolic link"}, {'3', "a device"},          {'4', "a device"},
      {'5', "a directory"}, {'6', "a pipe"},          {'x', "an entry of type x"}};
  for (const auto& [type, what] : wrong)
    EXPECT_EQ(error_of(changed(header, 156, type)),
              "results/a.txt: is " + std::string(what) + "; expected only regular files");
  EXPECT_EQ(error_of(changed(header, 156, '\0')), "") << "as the oldest archives have it";
}

TEST(Ustar, ADamagedHeaderIsAnError) {
  const std::string damaged = "a header is damaged; expected a tar archive of the format ustar";
  std::string header = ustar_header(kFile);
  header[3] = 'X';
  EXPECT_EQ(error_of(header), damaged) << "the checksum is another one";
  EXPECT_EQ(error_of(changed(ustar_header(kFile), 257, 'X')), damaged) << "no magic";
  EXPECT_EQ(error_of(std::string(100, 'x')), damaged) << "too short";
  EXPECT_EQ(error_of(changed(ustar_header(kFile), 124, '\x80')),
            "results/a.txt: its size is damaged, or is 8 GiB or more");
}

}  // namespace heddle::ustar_test
