#include "workloads/task/mount_line.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/messages.h"

namespace heddle::task::mount_line_test {

/// Returns the line's mount point; "none" if the line mounts no control groups.
std::string point_of(const char* line, unsigned size = 64) {
  std::string point(size, '?');
  return control_group_mount(line, point.data(), size) ? point.c_str() : "none";
}

TEST(MountLine, OthersAreNot) {
  for (const char* line :
       {"", "\n", "36 35", "36 35 98:0 / /mnt", " - cgroup x rw", "36 35 98:0 - cgroup / /mnt rw"})
    EXPECT_EQ(point_of(line), "none") << line;
}

TEST(MountLine, PointsThatDoNotFitAreLeftOut) {
  EXPECT_EQ(point_of("36 35 98:0 / /mnt rw - cgroup x rw", 5), "/mnt");
  EXPECT_EQ(point_of("36 35 98:0 / /mnt rw - cgroup x rw", 4), "none");
}

TEST(MountLine, Messages) {
  tests::expect_messages_of("workloads/mount_line.yaml", "points",
                            [](const std::string& line) { return point_of(line.c_str()); });
}

}  // namespace heddle::task::mount_line_test
