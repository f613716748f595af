#include "host/own_user.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::host::own_user_test {

/// Ids that no system uses.
constexpr UserRange kTwo{3'999'999'998, 3'999'999'999};

class OwnUserTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root has ids to give";
  }
  Result<OwnUser> take(unsigned start, UserRange range = kTwo) {
    return OwnUser::take(start, base_ / "locks", range);
  }

  tests::TemporaryDirectory base_;
};

TEST_F(OwnUserTest, IsTheRunsAlone) {
  Result<OwnUser> user = take(0);
  ASSERT_TRUE(user) << user.error().text;
  EXPECT_EQ(user->user().uid, 3'999'999'998U);
  EXPECT_EQ(user->user().gid, 3'999'999'998U);
  EXPECT_EQ(user->user().home, "/tmp");
  EXPECT_TRUE(user->user().own);
  Result<OwnUser> other = take(0);
  ASSERT_TRUE(other) << other.error().text;
  EXPECT_EQ(other->user().uid, 3'999'999'999U);
  EXPECT_EQ(take(0).error().text,
            "an id for commands: all from 3999999998 to 3999999999 are in use; give --task-user "
            "NAME");
  // The id is released with the object, and only then.
  std::optional<OwnUser> kept(*std::move(user));
  EXPECT_FALSE(take(0));
  kept.reset();
  EXPECT_EQ(take(0)->user().uid, 3'999'999'998U);
}

TEST_F(OwnUserTest, BeginsWhereItIsTold) {
  EXPECT_EQ(take(1)->user().uid, 3'999'999'999U);
  EXPECT_EQ(take(2)->user().uid, 3'999'999'998U);
  EXPECT_EQ(take(4'294'967'295U)->user().uid, 3'999'999'999U);
}

TEST_F(OwnUserTest, IdsOfTheUserDatabaseAreLeftAlone) {
  // The ids are those of root and nobody.
  EXPECT_FALSE(take(0, {0, 0}));
  EXPECT_FALSE(take(0, {65534, 65534}));
}

TEST_F(OwnUserTest, LocksThatOthersCouldTakeAreRefused) {
  std::filesystem::create_directory(base_ / "locks");
  ::chmod((base_ / "locks").c_str(), 0755);
  const Error error = take(0).error();
  EXPECT_EQ(error.kind, Error::Kind::kMachine);
  EXPECT_THAT(error.text, HasSubstr("/locks: expected a directory that root owns, with mode 0700"));
  std::filesystem::remove(base_ / "locks");
  std::filesystem::create_directory_symlink("/", base_ / "locks");
  EXPECT_FALSE(take(0));
}

}  // namespace heddle::host::own_user_test
