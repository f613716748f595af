// Tests a worker whose machine cannot start tasks: what it reports, and what a probe finds.
#include <sys/resource.h>

#include "tests/integration/worker_bench.h"
#include "tests/support/matchers.h"

namespace heddle::worker_machine_test {

/// Lowers a worker's limit of open files, and restores it at the end.
class FewFiles {
 public:
  explicit FewFiles(pid_t process) : process_(process) {
    EXPECT_EQ(::prlimit(process, RLIMIT_NOFILE, nullptr, &before_), 0);
    // Files that are open already stay open.
    const rlimit few{8, before_.rlim_max};
    EXPECT_EQ(::prlimit(process, RLIMIT_NOFILE, &few, nullptr), 0);
  }
  ~FewFiles() { EXPECT_EQ(::prlimit(process_, RLIMIT_NOFILE, &before_, nullptr), 0); }

 private:
  pid_t process_;
  rlimit before_{};
};

TEST_F(WorkerTest, OutOfDescriptorsItStartsNothingAndSaysWhy) {
  join();
  complete(task(1, core_seconds(1)));
  {
    FewFiles few(worker_);
    const auto ended = end_of(task(2, core_seconds(1)));
    EXPECT_EQ(ended.outcome, Outcome::kNotStarted);
    EXPECT_THAT(ended.reason, HasSubstr("Too many open files"));
    EXPECT_THAT(probe(), HasSubstr("Too many open files"));
  }
  EXPECT_EQ(probe(), "");
  complete(task(3, core_seconds(1)));
}

TEST_F(WorkerTest, WithoutItsGroupsItStartsNothingAndSaysWhy) {
  join();
  ASSERT_TRUE(home_->driver->remove(group("/n1")));
  const auto ended = end_of(task(1, core_seconds(1)));
  EXPECT_EQ(ended.outcome, Outcome::kNotStarted);
  EXPECT_THAT(ended.reason, HasSubstr("No such file or directory"));
  EXPECT_THAT(probe(), HasSubstr("No such file or directory"));
}

TEST_F(WorkerTest, AProbeLeavesNothing) {
  join();
  start(sleeper(1));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(probe(), "");
  EXPECT_EQ(task_pids().size(), 1U) << "the task's";
  // No heartbeat lists the probe; the master would take it for a container that it never launched.
  for (const wire::Heartbeat& beat : heartbeats_) EXPECT_LE(beat.containers.size(), 1U);
}

}  // namespace heddle::worker_machine_test
