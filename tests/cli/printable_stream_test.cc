#include "cli/base/printable_stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>

namespace heddle::cli::printable_stream_test {

class PrintableStreamTest : public ::testing::Test {
 protected:
  std::string written() {
    std::fflush(file_.get());
    return {text_, size_};
  }
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{::open_memstream(&text_, &size_),
                                                        &std::fclose};
  std::ostringstream stream_;

  ~PrintableStreamTest() override {
    file_.reset();
    std::free(text_);
  }
};

TEST_F(PrintableStreamTest, NothingReachesATerminalThatItWouldObey) {
  PrintableStream printable(stream_, file_.get());
  stream_ << "job \x1b]0;title\x07 failed: " << 7 << '\n';
  EXPECT_EQ(written(), "job \\u001b]0;title\\u0007 failed: 7\n");
}

TEST_F(PrintableStreamTest, CharactersThatComeInPartsAreWhole) {
  PrintableStream printable(stream_, file_.get());
  stream_ << "gr\xc3";
  EXPECT_EQ(written(), "");
  stream_ << "\xb6\xc3\x9f"
             "e\n";
  EXPECT_EQ(written(), "größe\n");
}

TEST_F(PrintableStreamTest, JsonStaysTheSameJson) {
  PrintableStream printable(stream_, file_.get());
  stream_ << "{\"reason\": \"\x7f\xc2\x9b"
             "31m\"}\n";
  EXPECT_EQ(written(), "{\"reason\": \"\\u007f\\u009b31m\"}\n");
}

TEST_F(PrintableStreamTest, GivesTheStreamBack) {
  {
    PrintableStream printable(stream_, file_.get());
    stream_ << "no line end";
  }
  stream_ << "own";
  EXPECT_EQ(written(), "no line end");
  EXPECT_EQ(stream_.str(), "own");
}

}  // namespace heddle::cli::printable_stream_test
