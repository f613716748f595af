#include "host/task_user.h"

#include <gtest/gtest.h>

namespace heddle::host::task_user_test {

// Every system has root and nobody; no user has the number 4000000000.

/// Returns the user that is found. REQUIRES: there is one.
TaskUser found(const TaskUserQuestion& question) {
  Result<std::optional<TaskUser>> user = find_task_user(question);
  EXPECT_TRUE(user && *user) << (user ? "none" : user.error().text);
  return user && *user ? **user : TaskUser();
}

TEST(TaskUser, RootHasNoDefaultButWhoCalledSudo) {
  for (const char* automatic : {"", "auto"}) {
    std::optional<std::string> name;
    if (*automatic != '\0') name = automatic;
    EXPECT_EQ(found({name, false, 0, "4000000000"}).uid, 4000000000U);
    // If root called sudo, or the value is no number, the run takes an id of its own.
    for (const char* sudo : {"", "0", "x", "-1", "4294967295", "1 "}) {
      Result<std::optional<TaskUser>> user = find_task_user({name, false, 0, sudo});
      ASSERT_TRUE(user) << user.error().text;
      EXPECT_FALSE(*user) << sudo;
    }
  }
}

TEST(TaskUser, ByNameAndByNumber) {
  EXPECT_EQ(found({"nobody", false, 0, "4000000000"}).uid, 65534U);
  EXPECT_EQ(found({"65534", false, 0, ""}).home, found({"nobody", false, 0, ""}).home);
  // A number that is not in the user database gets the group of nobody.
  const TaskUser unknown = found({"4000000000", false, 0, ""});
  EXPECT_EQ(unknown.uid, 4000000000U);
  EXPECT_EQ(unknown.gid, 65534U);
  EXPECT_EQ(unknown.home, "/");
  EXPECT_FALSE(unknown.own);
}

// `heddle run` passes the id that it has taken to its workers as a number.
TEST(TaskUser, IdsOfARunsOwn) {
  for (const char* number : {"60706", "61183"}) {
    const TaskUser user = found({number, false, 0, ""});
    EXPECT_TRUE(user.own);
    EXPECT_EQ(std::to_string(user.uid), number);
    EXPECT_EQ(user.gid, user.uid);
    EXPECT_EQ(user.home, "/tmp");
  }
  for (const char* number : {"60705", "61184"}) EXPECT_FALSE(found({number, false, 0, ""}).own);
}

TEST(TaskUser, UnknownNames) {
  for (const char* name : {"no-such-user", "", "-1", "4294967295", "1000x"}) {
    Result<std::optional<TaskUser>> user = find_task_user({name, true, 0, ""});
    ASSERT_FALSE(user) << name;
    EXPECT_EQ(user.error().kind, Error::Kind::kUsage);
    EXPECT_EQ(user.error().text, "--task-user: no user is called \"" + std::string(name) +
                                     "\"; expected auto, a name or a number");
  }
}

TEST(TaskUser, RootOnlyIfAllowed) {
  for (const char* name : {"root", "0", "00"}) {
    Result<std::optional<TaskUser>> user = find_task_user({name, false, 0, ""});
    ASSERT_FALSE(user) << name;
    EXPECT_EQ(user.error().text,
              "--task-user: commands would run as root; give another user, or "
              "--allow-root-commands");
    EXPECT_EQ(found({name, true, 0, ""}).uid, 0U);
  }
  // Allowing root does not select it.
  EXPECT_FALSE(*find_task_user({{}, true, 0, ""}));
}

TEST(TaskUser, OthersCanOnlyBeThemselves) {
  EXPECT_EQ(found({{}, false, 4000000000, ""}).uid, 4000000000U);
  EXPECT_EQ(found({"auto", false, 4000000000, "65534"}).uid, 4000000000U);
  EXPECT_EQ(found({"4000000000", false, 4000000000, ""}).uid, 4000000000U);
  EXPECT_EQ(find_task_user({"nobody", false, 4000000000, ""}).error().text,
            "--task-user nobody: only root can run commands as another user");
}

}  // namespace heddle::host::task_user_test
