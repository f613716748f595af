#include "bench/forks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <stdexcept>

namespace heddle::bench::forks_test {

TEST(Forks, ShareMemoryAndGoWithTheirOwner) {
  SharedMemory memory(sizeof(std::atomic<int>));
  auto& there = *static_cast<std::atomic<int>*>(memory.data());
  {
    Forks forks;
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(forks.start([&] {
        ++there;
        for (;;) ::pause();
      }));
    while (there < 2) ::usleep(1000);
    EXPECT_TRUE(forks.all_run());
    EXPECT_GT(forks.cpu_s(), 0);
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Forks, OneThatHasEndedIsNoticed) {
  Forks forks;
  Result<pid_t> pid = forks.start([] { throw std::runtime_error("as a test"); });
  ASSERT_TRUE(pid);
  while (forks.all_run()) ::usleep(1000);
  EXPECT_GE(forks.cpu_s(), 0);
}

TEST(Forks, NobodyHasNoCpuTime) { EXPECT_EQ(process_cpu_s(1 << 22), 0); }  // above all ids

}  // namespace heddle::bench::forks_test
