#include "bench/in_child.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace heddle::bench::in_child_test {

using wire::Json;

/// Expects that no child process is left.
void expect_no_child() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(InChild, GivesWhatWasMeasuredElsewhere) {
  const pid_t here = ::getpid();
  Result<Json> said = in_child([&]() -> Result<Json> {
    return Json{{"elsewhere", ::getpid() != here}, {"text", std::string(100'000, 'x')}};
  });
  ASSERT_TRUE(said);
  EXPECT_EQ(said->at("elsewhere"), true);
  EXPECT_EQ(said->at("text").get<std::string>().size(), 100'000u);
  expect_no_child();
}

TEST(InChild, PeaksOfMemoryAreApart) {
  auto peak = [](std::size_t bytes) {
    Result<Json> said = in_child([&]() -> Result<Json> {
      std::string memory(bytes, 'x');
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      return Json{{"kib", usage.ru_maxrss}, {"last", memory.substr(bytes - 1)}};
    });
    return said ? said->at("kib").get<std::int64_t>() : -1;
  };
  const std::int64_t large = peak(64 << 20);
  const std::int64_t small = peak(1 << 20);
  EXPECT_GT(small, 0);
  EXPECT_GT(large - small, 50 << 10);
}

TEST(InChild, ErrorsComeBack) {
  Result<Json> said = in_child([]() -> Result<Json> { return aborted_error("no luck"); });
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().text, "no luck");
  said = in_child([]() -> Result<Json> { throw std::bad_alloc(); });
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().text, "internal error: std::bad_alloc");
  expect_no_child();
}

TEST(InChild, ADeathIsToldAsWhatItIs) {
  Result<Json> killed = in_child([]() -> Result<Json> {
    ::raise(SIGKILL);
    return Json{};
  });
  ASSERT_FALSE(killed);
  EXPECT_EQ(killed.error().text, "the process that measured was killed by signal 9");
  Result<Json> silent = in_child([]() -> Result<Json> { ::_exit(0); });
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().text, "the process that measured said nothing");
  expect_no_child();
}

}  // namespace heddle::bench::in_child_test
