#include "cli/machine/distribution.h"

#include <gtest/gtest.h>

namespace heddle::cli::distribution_test {

TEST(DistributionOf, NamesTheDistributionOrTheOneItIsBasedOn) {
  EXPECT_EQ(distribution_of("NAME=\"Debian GNU/Linux\"\nID=debian\n"), Distribution::kDebian);
  EXPECT_EQ(distribution_of("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), Distribution::kDebian);
  EXPECT_EQ(distribution_of("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"),
            Distribution::kFedora);
  EXPECT_EQ(distribution_of("ID=manjaro\nID_LIKE=arch"), Distribution::kArch);
  EXPECT_EQ(distribution_of("ID=void\nVARIANT_ID=debian\n"), Distribution::kUnknown);
  EXPECT_EQ(distribution_of(""), Distribution::kUnknown);
}

TEST(CommandOn, NamesTheCommandOfTheDistribution) {
  const Commands commands = install("systemd", "systemd-udev", "-");
  EXPECT_EQ(command_on(Distribution::kDebian, commands), "apt install systemd");
  EXPECT_EQ(command_on(Distribution::kFedora, commands), "dnf install systemd-udev");
}

TEST(CommandOn, ListsAllCommandsIfTheDistributionIsUnknownOrHasNone) {
  const Commands commands = install("clang-tidy", "clang-tools-extra", "-");
  const char* all =
      "Debian, Ubuntu: apt install clang-tidy\nFedora: dnf install clang-tools-extra\n";
  EXPECT_EQ(command_on(Distribution::kUnknown, commands), all);
  EXPECT_EQ(command_on(Distribution::kArch, commands), all);
}

}  // namespace heddle::cli::distribution_test
