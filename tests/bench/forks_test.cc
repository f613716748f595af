#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
#include <stdexcept>

#include "bench/workbench.h"
#include "tests/bench/failure.h"

namespace heddle::bench::forks_test {

using wire::Json;

/// Expects that no child process is left.
void expect_no_child() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Forks, ShareMemoryAndGoWithTheirOwner) {
  const Shared<std::atomic<int>> shared;
  std::atomic<int>& there = *shared;
  {
    Forks forks;
    for (int i = 0; i < 2; ++i)
      forks.start([&] {
        ++there;
        for (;;) ::pause();
      });
    while (there < 2) ::usleep(1000);
    EXPECT_TRUE(forks.all_run());
    EXPECT_GT(forks.cpu_s(), 0);
  }
  expect_no_child();
}

TEST(Forks, OneThatHasEndedIsNoticed) {
  Forks forks;
  forks.start([] { throw std::runtime_error("as a test"); });
  while (forks.all_run()) ::usleep(1000);
  EXPECT_GE(forks.cpu_s(), 0);
}

TEST(Forks, NobodyHasNoCpuTime) { EXPECT_EQ(process_cpu_s(1 << 22), 0); }  // above all ids

TEST(InChild, GivesWhatWasMeasuredElsewhere) {
  const pid_t here = ::getpid();
  const Json said = in_child([&] {
    return Json{{"elsewhere", ::getpid() != here}, {"text", std::string(100'000, 'x')}};
  });
  EXPECT_EQ(said.at("elsewhere"), true);
  EXPECT_EQ(said.at("text").get<std::string>().size(), 100'000u);
  expect_no_child();
}

TEST(InChild, PeaksOfMemoryAreApart) {
  auto peak = [](std::size_t bytes) {
    const Json said = in_child([&] {
      std::string memory(bytes, 'x');
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      return Json{{"kib", usage.ru_maxrss}, {"last", memory.substr(bytes - 1)}};
    });
    return said.at("kib").get<std::int64_t>();
  };
  const std::int64_t large = peak(64 << 20);
  const std::int64_t small = peak(1 << 20);
  EXPECT_GT(small, 0);
  EXPECT_GT(large - small, 50 << 10);
}

TEST(InChild, ErrorsComeBack) {
  EXPECT_EQ(failure_of([] { in_child([]() -> Json { throw Failed("no luck"); }); }), "no luck");
  EXPECT_EQ(failure_of([] { in_child([]() -> Json { throw std::bad_alloc(); }); }),
            "internal error: std::bad_alloc");
  expect_no_child();
}

TEST(InChild, ADeathIsToldAsWhatItIs) {
  EXPECT_EQ(failure_of([] {
              in_child([] {
                ::raise(SIGKILL);
                return Json();
              });
            }),
            "the process that measured was killed by signal 9");
  EXPECT_EQ(failure_of([] { in_child([]() -> Json { ::_exit(0); }); }),
            "the process that measured said nothing");
  expect_no_child();
}

}  // namespace heddle::bench::forks_test
