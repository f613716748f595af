#include "common/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

namespace heddle::result_test {

TEST(Result, HoldsAValue) {
  Result<int> result = 7;
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, 7);
}

TEST(Result, HoldsAnError) {
  Result<int> result = usage_error("no");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "no");
  EXPECT_EQ(result.error().kind, Error::Kind::kUsage);
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, OfNothing) {
  Result<void> good;
  EXPECT_TRUE(good);
  Result<void> bad = machine_error("none");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().kind, Error::Kind::kMachine);
}

Result<int> twice(bool fail, int* reached) {
  HEDDLE_TRY(fail ? Result<void>(aborted_error("first")) : Result<void>());
  ++*reached;
  return 2;
}

TEST(Result, TryLeavesWithTheError) {
  int reached = 0;
  EXPECT_EQ(twice(true, &reached).error().text, "first");
  EXPECT_EQ(reached, 0);
  EXPECT_EQ(*twice(false, &reached), 2);
  EXPECT_EQ(reached, 1);
}

TEST(Error, ContextGoesInFrontAndKeepsTheKind) {
  Error error = system_error("write memory.max", EACCES).in("container 7").in("start task");
  EXPECT_EQ(error.text, "start task: container 7: write memory.max: Permission denied");
  EXPECT_EQ(error.kind, Error::Kind::kMachine);
  EXPECT_EQ(error.code, EACCES);
}

TEST(Error, OfTheSystemIsTheMachinesOrAnAbort) {
  for (int code : {EACCES, EPERM, EROFS, ENOSYS, ENODEV, EOPNOTSUPP, EADDRINUSE})
    EXPECT_EQ(system_error("x", code).kind, Error::Kind::kMachine) << code;
  for (int code : {ENOSPC, EIO, ENOENT, EINTR})
    EXPECT_EQ(system_error("x", code).kind, Error::Kind::kAborted) << code;
}

}  // namespace heddle::result_test
