#include "workloads/task/mount_line.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::task::mount_line_test {

/// Returns the line's mount point; "none" if the line mounts no control groups.
std::string point_of(const char* line, unsigned size = 64) {
  std::string point(size, '?');
  return control_group_mount(line, point.data(), size) ? point.c_str() : "none";
}

// The first line is from man 5 proc, with other types.
TEST(MountLine, ControlGroupsOfBothVersions) {
  EXPECT_EQ(point_of("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - cgroup /dev/root rw\n"),
            "/mnt2");
  EXPECT_EQ(point_of("41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"),
            "/sys/fs/cgroup/unified");
  EXPECT_EQ(point_of("32 31 0:29 / /c rw shared:3 propagate_from:2 - cgroup cgroup rw,cpu\n"),
            "/c");
}

TEST(MountLine, OthersAreNot) {
  EXPECT_EQ(point_of("36 35 98:0 / /mnt rw - ext4 /dev/root rw\n"), "none");
  EXPECT_EQ(point_of("36 35 98:0 / /mnt rw - cgroup3 x rw\n"), "none");
  // A device may have any name.
  EXPECT_EQ(point_of("36 35 98:0 / /mnt rw - tmpfs cgroup rw\n"), "none");
  for (const char* line :
       {"", "\n", "36 35", "36 35 98:0 / /mnt", " - cgroup x rw", "36 35 98:0 - cgroup / /mnt rw"})
    EXPECT_EQ(point_of(line), "none") << line;
}

TEST(MountLine, SpecialCharactersAreOctal) {
  EXPECT_EQ(point_of(R"(36 35 98:0 / /a\040b\134c\011 rw - cgroup x rw)"), "/a b\\c\t");
  EXPECT_EQ(point_of(R"(36 35 98:0 / /a\04 rw - cgroup x rw)"), R"(/a\04)");
}

TEST(MountLine, PointsThatDoNotFitAreLeftOut) {
  EXPECT_EQ(point_of("36 35 98:0 / /mnt rw - cgroup x rw", 5), "/mnt");
  EXPECT_EQ(point_of("36 35 98:0 / /mnt rw - cgroup x rw", 4), "none");
}

}  // namespace heddle::task::mount_line_test
