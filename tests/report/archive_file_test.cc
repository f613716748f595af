#include "report/archive/archive_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "common/file.h"
#include "common/ustar.h"
#include "common/zstd.h"
#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::report::archive_file_test {

using Files = std::map<std::string, std::string>;

/// Returns a tar archive with one header for each file.
std::string tar_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string tar;
  for (const auto& [name, text] : files) {
    const auto bytes = static_cast<std::int64_t>(text.size());
    tar += ustar_header({name, bytes, 0}) + text + ustar_padding(bytes);
  }
  return tar + std::string(2 * kUstarBlock, '\0');
}

/// Returns the files of an archive, or the error.
Result<Files> read(const std::string& tar, const ArchiveLimits& limits = {}) {
  std::istringstream in(tar);
  Files files;
  std::string* last = nullptr;
  const Result<void> read = read_tar(in, limits,
                                     {[&](const std::string& name, bool) -> Result<void> {
                                        last = &files[name];
                                        return {};
                                      },
                                      [&](std::string_view bytes) -> Result<void> {
                                        *last += bytes;
                                        return {};
                                      }});
  if (!read) return read.error();
  return files;
}

std::string error_of(const std::string& tar, const ArchiveLimits& limits = {}) {
  const Result<Files> files = read(tar, limits);
  return files ? "" : files.error().text;
}

TEST(Archive, NamesLeadNowhere) {
  for (const char* good : {"a", "results/x-1/csv/jobs.csv", "a_b+c=d#e,f", "1/2/3/4/5/6/7/8"})
    EXPECT_EQ(problem_of_name(good), "") << good;
  for (const char* bad : {"", "/etc/passwd", "../x", "a/../b", "a//b", "a/", ".", ".hidden", "a/.b",
                          "-rf", "a b", "a\nb", "a\\b", "\xc3\xa4", "1/2/3/4/5/6/7/8/9"})
    EXPECT_NE(problem_of_name(bad), "") << bad;
  EXPECT_EQ(problem_of_name(std::string(250, 'n')), "");
  EXPECT_EQ(problem_of_name(std::string(251, 'n')), "the name has 251 bytes; expected 1 to 250");
}

TEST(Archive, FilesAreRead) {
  const std::string long_text(100'000, 'x');
  EXPECT_THAT(read(tar_of({{"a", "1"}, {"d/b", long_text}, {"d/c", ""}})).value(),
              ElementsAre(Pair("a", "1"), Pair("d/b", long_text), Pair("d/c", "")));
  EXPECT_THAT(read(std::string(2 * kUstarBlock, '\0')).value(), IsEmpty());
}

TEST(Archive, WrongNamesAreRefusedBeforeTheirContents) {
  EXPECT_THAT(error_of(tar_of({{"../x", "1"}})),
              StartsWith("../x: the name leads elsewhere or is unusual; expected"));
  EXPECT_THAT(error_of(tar_of({{"/etc/passwd", "1"}})), StartsWith("/etc/passwd: the name leads"));
  EXPECT_THAT(error_of(tar_of({{"a\x1b[2J", "1"}})), StartsWith("a\\u001b[2J: the name leads"));
  EXPECT_EQ(error_of(tar_of({{"a", "1"}, {"a", "2"}})), "a: occurs twice; expected each name once");
  const std::string both = "a: is a file and a directory; expected one of them";
  EXPECT_EQ(error_of(tar_of({{"a", "1"}, {"a/b", "2"}})), both);
  EXPECT_EQ(error_of(tar_of({{"a/b", "1"}, {"a", "2"}})), both);
}

TEST(Archive, LimitsHold) {
  ArchiveLimits limits;
  limits.files = 2;
  EXPECT_EQ(error_of(tar_of({{"a", ""}, {"b", ""}}), limits), "");
  EXPECT_EQ(error_of(tar_of({{"a", ""}, {"b", ""}, {"c", ""}}), limits),
            "has more than 2 files, which is the limit");
  limits = {};
  limits.file_bytes = 1 << 20;
  // The contents are not there: the header alone is refused.
  EXPECT_EQ(error_of(ustar_header({"a", 3 << 20, 0}), limits),
            "a: has 3 MiB; the limit of a file is 1 MiB");
  limits = {};
  limits.all_bytes = 4 << 10;  // two headers, and two files of up to 1.5 KiB
  EXPECT_EQ(
      error_of(tar_of({{"a", std::string(1536, 'x')}, {"b", std::string(1536, 'x')}}), limits), "");
  EXPECT_THAT(
      error_of(tar_of({{"a", std::string(1536, 'x')}, {"b", std::string(1537, 'x')}}), limits),
      HasSubstr("when it is unpacked, which is the limit"));
}

TEST(Archive, TheWholeMayExpandTwoHundredTimes) {
  EXPECT_EQ(limits_of(0).all_bytes, 16 << 20);
  EXPECT_EQ(limits_of(1 << 20).all_bytes, 200 << 20);
  EXPECT_EQ(limits_of(INT64_MAX).all_bytes, std::int64_t{4} << 30);
}

TEST(Archive, AnEndThatIsMissingOrNotTheEnd) {
  const std::string tar = tar_of({{"a", "123"}});
  const std::string cut = "is cut off; expected two blocks of zeros at its end";
  for (const std::size_t size : {0U, 100U, 512U, 600U, 1024U, 1536U, 2047U})
    EXPECT_EQ(error_of(tar.substr(0, size)), cut) << size;
  EXPECT_EQ(error_of(tar), "");
  EXPECT_THAT(error_of(tar + "x"), StartsWith("has data behind its end"));
  EXPECT_EQ(error_of(tar + std::string(8 << 10, '\0')), "") << "tar fills records of 10 KiB";
  EXPECT_THAT(error_of(tar + std::string(2 << 20, '\0')), StartsWith("has data behind its end"));
}

class ArchiveFile : public ::testing::Test {
 protected:
  std::string file() const { return directory_ / "a.tar.zst"; }
  /// Unpacks the file into a new directory and returns its path, or the error.
  Result<std::string> unpack() {
    const std::string path = directory_ / ("into-" + std::to_string(count_++));
    const Result<Directory> into = Directory::make(path);
    if (!into) return into.error();
    const Result<void> unpacked = unpack_archive(file(), *into);
    if (!unpacked) return unpacked.error();
    return path;
  }
  void write_compressed(const std::string& tar) const {
    ZstdWriter zstd;
    std::string bytes(zstd.add(tar));
    bytes += zstd.finish();
    ASSERT_TRUE(replace_file(file(), bytes));
  }

  tests::TemporaryDirectory directory_;
  int count_ = 0;
};

TEST_F(ArchiveFile, TheSameFilesGiveTheSameBytesInAnyOrder) {
  ASSERT_TRUE(write_archive(file(), {{"b", "2"}, {"a/c", "1", true}}, 1000, false));
  const std::string first = read_file(file()).value();
  ASSERT_TRUE(write_archive(file(), {{"a/c", "1", true}, {"b", "2"}}, 1000, true));
  EXPECT_EQ(read_file(file()).value(), first);
  const std::string path = unpack().value();
  EXPECT_EQ(read_file(path + "/a/c").value(), "1");
  EXPECT_EQ(read_file(path + "/b").value(), "2");
  struct stat info {};
  ASSERT_EQ(::stat((path + "/a/c").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0111U, 0111U);
  ASSERT_EQ(::stat((path + "/b").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0111U, 0U);
}

TEST_F(ArchiveFile, AnExistingFileIsKeptUnlessItIsToBeOverwritten) {
  ASSERT_TRUE(replace_file(file(), "mine"));
  const Result<void> written = write_archive(file(), {{"a", "1"}}, 0, false);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().text,
            file() + ": exists already; files are only replaced with --overwrite");
  EXPECT_EQ(read_file(file()).value(), "mine");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(ArchiveFile, NothingIsLeftOfAnArchiveThatCannotBeWritten) {
  EXPECT_EQ(write_archive(file(), {{"../a", "1"}}, 0, false).error().kind, Error::Kind::kUsage);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(ArchiveFile, ErrorsNameTheFile) {
  EXPECT_THAT(unpack().error().text, AllOf(HasSubstr(file()), HasSubstr("No such file")));
  ASSERT_TRUE(replace_file(file(), "this is no archive at all"));
  EXPECT_EQ(unpack().error().text,
            file() + ": is damaged; expected a tar archive compressed with Zstandard");
  write_compressed(tar_of({{"a", "1"}}).substr(0, 700));
  EXPECT_EQ(unpack().error().text,
            file() + ": is cut off; expected two blocks of zeros at its end");
  ASSERT_TRUE(write_archive(file(), {{"a", "1"}}, 0, true));
  const std::string whole = read_file(file()).value();
  ASSERT_TRUE(replace_file(file(), whole.substr(0, whole.size() - 6)));
  EXPECT_THAT(unpack().error().text, HasSubstr("is cut off"));
}

TEST_F(ArchiveFile, ZerosThatExpandTooFarAreRefused) {
  // 20 MiB of zeros are less than 10 KiB compressed, for which the limit is 16 MiB.
  write_compressed(tar_of({{"a", std::string(20 << 20, '\0')}}));
  EXPECT_THAT(unpack().error().text, HasSubstr("has more than 16 MiB when it is unpacked"));
}

TEST_F(ArchiveFile, IsNotUnpackedThroughALink) {
  ASSERT_TRUE(write_archive(file(), {{"d/a", "1"}}, 0, false));
  const Result<Directory> into = Directory::make(directory_ / "into");
  ASSERT_TRUE(into);
  std::filesystem::create_directory(directory_ / "elsewhere");
  std::filesystem::create_symlink(directory_ / "elsewhere", directory_ / "into/d");
  EXPECT_FALSE(unpack_archive(file(), *into));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ / "elsewhere"));
}

}  // namespace heddle::report::archive_file_test
