#include "common/task_user.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Every system has root and nobody; 4000000000 is nobody's number.

TEST(TaskUser, RootRunsCommandsAsNobody) {
  Result<TaskUser> user = find_task_user({{}, false, 0, ""});
  ASSERT_TRUE(user) << user.error().text;
  EXPECT_EQ(user->uid, 65534U);
  EXPECT_EQ(user->gid, 65534U);
}

TEST(TaskUser, OrAsWhoCalledSudo) {
  EXPECT_EQ(find_task_user({{}, false, 0, "4000000000"})->uid, 4000000000U);
  // Root calling sudo, or no number: nobody.
  for (const char* sudo : {"0", "x", "-1", "4294967295", "1 "})
    EXPECT_EQ(find_task_user({{}, false, 0, sudo})->uid, 65534U) << sudo;
}

TEST(TaskUser, ByNameAndByNumber) {
  EXPECT_EQ(find_task_user({"nobody", false, 0, "4000000000"})->uid, 65534U);
  EXPECT_EQ(find_task_user({"65534", false, 0, ""})->home,
            find_task_user({"nobody", false, 0, ""})->home);
  // Not in the user database: no group of anyone's.
  Result<TaskUser> unknown = find_task_user({"4000000000", false, 0, ""});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->uid, 4000000000U);
  EXPECT_EQ(unknown->gid, 65534U);
  EXPECT_EQ(unknown->home, "/");
}

TEST(TaskUser, UnknownNames) {
  for (const char* name : {"no-such-user", "", "-1", "4294967295", "1000x"}) {
    Result<TaskUser> user = find_task_user({name, true, 0, ""});
    ASSERT_FALSE(user) << name;
    EXPECT_EQ(user.error().kind, Error::Kind::kUsage);
    EXPECT_EQ(user.error().text, "--task-user: no user is called \"" + std::string(name) +
                                     "\"; expected a name or a number");
  }
}

TEST(TaskUser, RootOnlyIfAllowed) {
  for (const char* name : {"root", "0", "00"}) {
    Result<TaskUser> user = find_task_user({name, false, 0, ""});
    ASSERT_FALSE(user) << name;
    EXPECT_EQ(user.error().text,
              "--task-user: commands would run as root; give another user, or "
              "--allow-root-commands");
    EXPECT_EQ(find_task_user({name, true, 0, ""})->uid, 0U);
  }
  // Allowed is not asked for.
  EXPECT_EQ(find_task_user({{}, true, 0, ""})->uid, 65534U);
}

TEST(TaskUser, OthersCanOnlyBeThemselves) {
  EXPECT_EQ(find_task_user({{}, false, 4000000000, ""})->uid, 4000000000U);
  EXPECT_EQ(find_task_user({{}, false, 4000000000, "65534"})->uid, 4000000000U);
  EXPECT_EQ(find_task_user({"4000000000", false, 4000000000, ""})->uid, 4000000000U);
  EXPECT_EQ(find_task_user({"nobody", false, 4000000000, ""}).error().text,
            "--task-user nobody: only root can run commands as another user");
}

}  // namespace
}  // namespace heddle
