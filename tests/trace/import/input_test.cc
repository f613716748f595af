#include "trace/import/input.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "common/zstd.h"
#include "tests/support/matchers.h"

namespace heddle::trace::input_test {

TEST(Input, LinesWithOrWithoutTheirEnds) {
  Input input("t",
              "\xEF\xBB\xBF"
              "one\r\n\ntwo");
  EXPECT_EQ(input.head(), "one\r\n\ntwo");
  EXPECT_EQ(input.line(), "one");
  EXPECT_EQ(input.line(), "");
  EXPECT_EQ(input.line(), "two");
  EXPECT_EQ(input.where(), "t:3");
  EXPECT_EQ(input.line(), std::nullopt);
}

TEST(Input, LinesThatAreLongerThanABuffer) {
  const std::string longest(3 << 20, 'x');
  Input input("t", longest + "\ny\n");
  EXPECT_EQ(input.line(), longest);
  EXPECT_EQ(input.line(), "y");
}

TEST(Input, ALineHasALimit) {
  Input input("t", std::string(kLongestLine + (2 << 20), 'x'));
  EXPECT_THROW(input.line(), BadTrace);
}

TEST(Input, ObjectsOfASequence) {
  Input input("t", "[{\"a\": \"}\\\"\"},\n\n {\"b\": {\"c\": 1}}] ");
  EXPECT_EQ(input.object(), R"({"a": "}\""})");
  EXPECT_EQ(input.where(), "t:1");
  EXPECT_EQ(input.object(), R"({"b": {"c": 1}})");
  EXPECT_EQ(input.where(), "t:3");
  EXPECT_EQ(input.object(), std::nullopt);
}

TEST(Input, WhatIsNoObjectIsRefused) {
  Input text("t", "\n x{}");
  EXPECT_THROW(text.object(), BadTrace);
  EXPECT_EQ(text.where(), "t:2");
  Input cut("t", "{\"a\": 1");
  EXPECT_THROW(cut.object(), BadTrace);
}

class InputFile : public testing::Test {
 protected:
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  void TearDown() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "heddle-input-" + std::to_string(::getpid());
};

TEST_F(InputFile, CompressedTextIsLimited) {
  ZstdWriter writer;
  std::string bytes(writer.add(std::string(1 << 20, 'x') + "\n"));
  bytes += writer.finish();
  write(bytes);
  Result<Input> input = Input::open(path_);
  ASSERT_TRUE(input) << input.error().text;
  EXPECT_EQ(input->line()->size(), std::size_t{1} << 20);
  Result<Input> limited = Input::open(path_, 1000);
  ASSERT_TRUE(limited);
  EXPECT_THROW(limited->line(), BadTrace);
}

// 2 GiB of one letter are some 70 KB.
TEST_F(InputFile, TextThatIsThousandsOfTimesTheFileIsRefused) {
  ZstdWriter writer;
  std::string bytes;
  const std::string line = std::string((1 << 20) - 1, 'x') + "\n";
  for (int i = 0; i < 2048; ++i) bytes += writer.add(line);
  bytes += writer.finish();
  write(bytes);
  Result<Input> input = Input::open(path_);
  ASSERT_TRUE(input) << input.error().text;
  int lines = 0;
  try {
    while (input->line()) ++lines;
    ADD_FAILURE() << "all lines were read";
  } catch (const BadTrace& bad) {
    EXPECT_THAT(bad.text, HasSubstr("more than 1 GiB and to more than 1000 times its size"));
  }
  EXPECT_GE(lines, 1000);
  EXPECT_LE(lines, 1024);
}

TEST_F(InputFile, DamagedBytesAreToldOf) {
  write(std::string("\x1f\x8b", 2) + "no gzip");
  Result<Input> input = Input::open(path_);
  ASSERT_TRUE(input);
  try {
    (void)input->line();
    FAIL();
  } catch (const BadTrace& bad) {
    EXPECT_THAT(bad.text, HasSubstr("can't be decompressed"));
  }
}

TEST_F(InputFile, TheShareThatWasReadIsTold) {
  write(std::string(5 << 20, '\n'));
  Result<Input> input = Input::open(path_);
  ASSERT_TRUE(input);
  std::vector<double> shares;
  input->on_progress([&](double share) { shares.push_back(share); });
  while (input->line()) {
  }
  ASSERT_GE(shares.size(), 5U);
  EXPECT_DOUBLE_EQ(shares.back(), 1);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

// A cut file would otherwise be a shorter trace. JournalReader accepts such files, because a run
// can end early.
TEST_F(InputFile, CutZstandardIsToldOf) {
  ZstdWriter writer;
  std::string bytes(writer.add("1\n"));
  bytes += writer.finish();
  bytes += writer.add("2\n");
  bytes += writer.finish();
  write(bytes);
  Result<Input> whole = Input::open(path_);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->rest(), "1\n2\n");
  write(bytes.substr(0, bytes.size() - 1));
  Result<Input> cut = Input::open(path_);
  ASSERT_TRUE(cut);
  try {
    (void)cut->rest();
    FAIL();
  } catch (const BadTrace& bad) {
    EXPECT_THAT(bad.text, HasSubstr("the compressed text is cut off"));
  }
}

// A pipe can't go back to its beginning.
TEST_F(InputFile, PipesAreReadFromTheirBeginning) {
  ZstdWriter writer;
  std::string compressed(writer.add("one\ntwo\n"));
  compressed += writer.finish();
  for (const std::string& bytes : {std::string("one\ntwo\n"), compressed}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), std::ssize(bytes));
    ::close(ends[1]);
    Result<Input> input = Input::open("/dev/fd/" + std::to_string(ends[0]));
    ASSERT_TRUE(input) << input.error().text;
    EXPECT_EQ(input->rest(), "one\ntwo\n");
    ::close(ends[0]);
  }
}

// A read of the kernel's log waits for the next message.
TEST_F(InputFile, AFileWithoutAnEnd) {
  const std::string log = "/dev/kmsg";
  if (::access(log.c_str(), R_OK) != 0) GTEST_SKIP() << log << " can't be read here";
  Result<Input> input = Input::open(log);
  std::string said = input ? "" : input.error().text;
  try {
    if (input) input->rest();
  } catch (const BadTrace& fault) {
    said = fault.text;
  }
  EXPECT_THAT(said, HasSubstr("can't be read: "));
}

TEST_F(InputFile, MissingFilesAndDirectories) {
  EXPECT_THAT(Input::open("/nonexistent/x").error().text,
              HasSubstr("/nonexistent/x: can't be read"));
  EXPECT_THAT(Input::open("/").error().text, HasSubstr("it is a directory"));
}

}  // namespace heddle::trace::input_test
