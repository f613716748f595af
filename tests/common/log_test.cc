#include "common/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/file.h"
#include "tests/support/temporary_directory.h"

namespace heddle::log_test {

using ::testing::HasSubstr;

TEST(Log, AMessageIsOneLineThatATerminalOnlyShows) {
  const tests::TemporaryDirectory directory;
  ASSERT_TRUE(log_to_file(directory / "log", "test"));
  set_log_pattern("%n %l: %*");
  log_warning("refused n1\x1b[2J\nwarning: forged {}");
  log_error("second");
  log_debug("not of level info");
  EXPECT_EQ(read_file(directory / "log").value(),
            "test warning: refused n1\\u001b[2J\\nwarning: forged {}\ntest error: second\n");
}

TEST(Log, AFileThatCannotBeWrittenIsAnError) {
  const tests::TemporaryDirectory directory;
  const Result<void> opened = log_to_file(directory / "missing/log", "test");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr("--log: "));
}

}  // namespace heddle::log_test
