#include "common/proc_files.h"

#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace heddle::proc_files_test {

TEST(ProcFiles, AreReadAsInTheTable) {
  tests::expect_messages("common/proc_files.yaml", "meminfo", [](const auto& row) {
    const auto bytes = meminfo_bytes(row[0], row[1]);
    return bytes ? std::to_string(*bytes) : "none";
  });
  tests::expect_messages("common/proc_files.yaml", "busy time", [](const auto& row) {
    const auto time = busy_time(row[0], std::stol(row[1]));
    if (!time) return std::string("none");
    EXPECT_EQ(*time % std::chrono::milliseconds(1), real::Duration(0));
    return std::to_string(*time / std::chrono::milliseconds(1));
  });
}

TEST(ProcFiles, TheHostUsesSome) {
  Result<HostUse> use = host_use();
  ASSERT_TRUE(use) << use.error().text;
  EXPECT_GT(use->busy, real::Duration(0));
  EXPECT_GT(use->memory, real::Bytes(0));
}

}  // namespace heddle::proc_files_test
