#include "common/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temporary_directory.h"

namespace heddle::file_test {

class FileTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return scratch_ / name; }
  std::size_t files() const {
    auto begin = std::filesystem::directory_iterator(folder_);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  tests::TemporaryDirectory scratch_;
  const std::string& folder_ = scratch_.path();
};

TEST_F(FileTest, ReplacedFileReadsBack) {
  const std::string text = std::string(100000, 'x') + std::string("\0end", 4);
  ASSERT_TRUE(replace_file(path("a"), "old"));
  ASSERT_TRUE(replace_file(path("a"), text));
  EXPECT_EQ(*read_file(path("a")), text);
  EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, WhatOthersNameIsReadIfItIsAFileAndNotLarge) {
  ASSERT_TRUE(replace_file(path("a"), "12345"));
  EXPECT_EQ(*read_named_file(path("a"), 5), "12345");
  const auto refused = [](const std::string& name, std::size_t most) {
    Result<std::string> text = read_named_file(name, most);
    return text ? "" : text.error().text;
  };
  ASSERT_TRUE(replace_file(path("large"), std::string((2 << 20) + 1, 'x')));
  EXPECT_EQ(refused(path("large"), 2 << 20), path("large") + ": larger than 2 MiB");
  EXPECT_EQ(refused("/dev/zero", 5), "/dev/zero: not a file");
  EXPECT_EQ(refused(folder_, 5), folder_ + ": not a file");
  EXPECT_EQ(refused(path("none"), 5), "open " + path("none") + ": No such file or directory");
}

// A pipe has no writer here, so that reading it would wait for ever. Only what a user names on the
// command line may be a pipe.
TEST_F(FileTest, APipeAmongResultsIsNoFile) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(path("pipe")).error().text, path("pipe") + ": not a file");
  EXPECT_EQ(read_found_file(path("pipe"), 5).error().text, path("pipe") + ": not a file");
  EXPECT_EQ(open_to_read(path("pipe")).error().text, path("pipe") + ": not a file");
  std::thread writer([&] { std::ofstream(path("pipe")) << "12345"; });
  EXPECT_EQ(*read_named_file(path("pipe"), 5), "12345");
  writer.join();
}

TEST_F(FileTest, ReadsFilesWhoseSizeIsNotKnown) {
  auto text = read_file("/proc/self/status");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("Pid:"), std::string::npos);
}

TEST_F(FileTest, ReadingWhatIsNotThereSaysWhich) {
  auto text = read_file(path("none"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().text, "open " + path("none") + ": No such file or directory");
  EXPECT_EQ(text.error().code, ENOENT);
}

TEST_F(FileTest, ControlFileMustExistAndTakesTheValue) {
  EXPECT_EQ(write_control(path("none"), "1").error().code, ENOENT);
  EXPECT_EQ(files(), 0U);
  ASSERT_TRUE(replace_file(path("limit"), ""));
  ASSERT_TRUE(write_control(path("limit"), "4096"));
  EXPECT_EQ(*read_file(path("limit")), "4096");
}

TEST_F(FileTest, RefusedValueIsNamed) {
  auto written = write_control("/dev/full", "12");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().text, "write \"12\" to /dev/full: No space left on device");
}

TEST_F(FileTest, FailedReplacementLeavesTheOldFileAndNothingElse) {
  std::filesystem::create_directory(path("folder"));
  auto written = replace_file(path("folder"), "text");  // renames onto a directory
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, EISDIR);
  EXPECT_TRUE(std::filesystem::is_directory(path("folder")));
  EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, ReplacementInAFolderThatIsNotThere) {
  auto written = replace_file(path("none/a"), "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ENOENT);
}

}  // namespace heddle::file_test
