#include "cli/machine/doctor.h"

#include <gtest/gtest.h>

namespace heddle::cli::doctor_test {

const std::vector<Check> kChecks = {
    {"pidfd_open", true, true, "works", "", ""},
    {"CPU burst", false, false, "no burst file", "times are off", "Linux 5.14 or newer"}};

TEST(Doctor, TableThenWhatIsMissing) {
  EXPECT_EQ(format_checks(kChecks),
            "what        there  found\n"
            "pidfd_open  yes    works\n"
            "CPU burst   no     no burst file\n"
            "\n"
            "CPU burst\n"
            "  without it: times are off\n"
            "  to get it:  Linux 5.14 or newer\n");
}

TEST(Doctor, RequiredThingsStandOut) {
  std::vector<Check> checks = {{"x", true, false, "-", "nothing can run", "get x"}};
  EXPECT_EQ(format_checks(checks),
            "what  there    found\n"
            "x     MISSING  -\n"
            "\n"
            "x (required)\n"
            "  without it: nothing can run\n"
            "  to get it:  get x\n");
  EXPECT_EQ(checks_json(checks)["ok"], false);
}

TEST(Doctor, LongFindingsStandBelow) {
  std::string reason(61, 'r');
  EXPECT_EQ(format_checks({{"x", false, false, reason, "little", "get x"}}),
            "what  there  found\n"
            "x     no     see below\n"
            "\n"
            "x\n"
            "  found:      " +
                reason +
                "\n"
                "  without it: little\n"
                "  to get it:  get x\n");
}

TEST(Doctor, RemediesMayHaveSeveralLines) {
  EXPECT_EQ(format_checks({{"x", false, false, "-", "little", "do this\n  get x\n"}}),
            "what  there  found\n"
            "x     no     -\n"
            "\n"
            "x\n"
            "  without it: little\n"
            "  to get it:  do this\n"
            "                get x\n");
}

TEST(Doctor, OptionalThingsMayBeMissing) {
  EXPECT_EQ(checks_json(kChecks)["ok"], true);
  EXPECT_EQ(checks_json(kChecks)["checks"][1].dump(),
            R"({"name":"CPU burst","required":false,"ok":false,"found":"no burst file",)"
            R"("cost":"times are off","remedy":"Linux 5.14 or newer"})");
}

}  // namespace heddle::cli::doctor_test
