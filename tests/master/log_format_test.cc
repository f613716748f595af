#include "common/log_format.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace heddle::master::log_format_test {

TEST(LogFormat, AMessageIsOneLineThatATerminalOnlyShows) {
  std::ostringstream log;
  spdlog::logger logger("test", std::make_shared<spdlog::sinks::ostream_sink_st>(log));
  logger.set_formatter(printable_format("%l: %*"));
  logger.warn("refused {}", "n1\x1b[2J\nwarning: forged");
  EXPECT_EQ(log.str(), "warning: refused n1\\u001b[2J\\nwarning: forged\n");
}

}  // namespace heddle::master::log_format_test
