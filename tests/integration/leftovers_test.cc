// Tests what a worker leaves that was killed between any two of its system calls. Its run directory
// records the groups before they are made, so `heddle clean` removes all of them.

#include "host/leftovers.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "cgroup/home.h"
#include "cgroup/tree.h"
#include "host/run_directory.h"
#include "tests/support/matchers.h"

namespace heddle::leftovers_test {

namespace fs = std::filesystem;

constexpr real::Bytes kMiB(1 << 20);

class RealLeftovers : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<cgroup::Home> home = cgroup::find_home(std::nullopt);
    if (!home) GTEST_SKIP() << home.error().text;
    home_ = *std::move(home);
    std::string pattern = testing::TempDir() + "heddle-test-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    scratch_ = pattern;
  }
  void TearDown() override {
    if (!home_) return;
    cgroup::leave_home(*home_);
    fs::remove_all(scratch_);
  }

  std::string base(const std::string& login = "a") const { return scratch_ + "/" + login; }

  /// Does everything that a worker does before it can start its first task.
  Result<void> make_node(std::unique_ptr<cgroup::NodeTree>& tree) const {
    const cgroup::CpuCap cpu{real::Cpus{0.1}, std::chrono::microseconds(20'000), false};
    Result<host::RunDirectory> dir = host::RunDirectory::create(base());
    if (!dir) return std::move(dir).error();
    HEDDLE_TRY(dir->write({dir->run(), home_->address, "", {}, "n1"}));
    Result<std::unique_ptr<cgroup::NodeTree>> made =
        cgroup::NodeTree::create(*home_->driver, dir->run(), "n1", {cpu, {64 * kMiB, false}});
    if (!made) return std::move(made).error();
    tree = *std::move(made);
    lock_ = std::make_unique<host::RunDirectory>(*std::move(dir));
    Result<int> slot = tree->acquire({cpu, {16 * kMiB, false}});
    return slot ? Result<void>() : std::move(slot).error();
  }

  std::optional<cgroup::Home> home_;
  std::string scratch_;
  mutable std::unique_ptr<host::RunDirectory> lock_;
};

/// Does the work in a child and kills it before its system call number `index`; returns whether it
/// had that many. The kernel stops the child at the entry to a call, and a child that is killed
/// there does not make the call (man 2 ptrace, PTRACE_SYSCALL).
bool killed_before_call(int index, const std::function<Result<void>()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    const Result<void> done = work();
    if (!done) std::fprintf(stderr, "%s\n", done.error().text.c_str());
    ::_exit(done ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSTOPPED(status));
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  // Each call has two stops, at its entry and at its exit.
  for (int stop = 0; stop <= 2 * index; ++stop) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
      return false;
    }
    EXPECT_EQ(WSTOPSIG(status), SIGTRAP | 0x80);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  return true;
}

TEST_F(RealLeftovers, OfAWorkerKilledBeforeAnyOfItsCallsAreAllRemoved) {
  int with_groups = 0;
  for (int index = 0;; ++index) {
    const bool killed = killed_before_call(index, [&] {
      std::unique_ptr<cgroup::NodeTree> tree;
      return make_node(tree);
    });
    const std::vector<std::string> runs = host::RunDirectory::runs(base());
    for (const std::string& run : runs)
      with_groups += home_->driver->exists(cgroup::run_group(run)) ? 1 : 0;
    const host::Swept swept = host::sweep_dead_runs({base()});
    EXPECT_THAT(swept.failed, IsEmpty()) << "call " << index;
    EXPECT_THAT(swept.left, IsEmpty()) << "call " << index;
    EXPECT_THAT(host::RunDirectory::runs(base()), IsEmpty()) << "call " << index;
    for (const std::string& run : runs)
      EXPECT_FALSE(home_->driver->exists(cgroup::run_group(run))) << "call " << index;
    if (!killed || HasFailure()) break;
  }
  // Run, node and container each have a directory in each hierarchy, which takes at least one call
  // for the directory and one for its marks.
  EXPECT_GE(with_groups, 5 * static_cast<int>(home_->driver->directories("").size()));
}

TEST_F(RealLeftovers, OfAnotherLoginAreRemovedWhenItsWorkerHasDied) {
  int ready[2];
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  const pid_t worker = ::fork();
  if (worker == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::unique_ptr<cgroup::NodeTree> tree;
    if (!make_node(tree)) ::_exit(1);
    int inherited[2];
    if (::pipe2(inherited, O_CLOEXEC) < 0) ::_exit(1);
    const pid_t task = ::fork();
    if (task == 0) {
      ::close_range(3, ~0U, 0);  // as exec would
      for (;;) ::pause();
    }
    if (!home_->driver->attach(tree->group(0), task)) ::_exit(1);
    ::close(inherited[1]);
    char end = 0;
    (void)!::read(inherited[0], &end, 1);  // returns when the task has closed its descriptors
    const std::string said = lock_->run() + " " + std::to_string(task);
    if (::write(ready[1], said.data(), said.size()) != std::ssize(said)) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(ready[1]);
  char text[64] = {};
  ASSERT_GT(::read(ready[0], text, sizeof text - 1), 0);
  ::close(ready[0]);
  const std::string said = text, run = said.substr(0, said.find(' '));
  const pid_t task = std::stoi(said.substr(said.find(' ')));
  const std::string group = cgroup::run_group(run);

  host::Swept swept;
  host::sweep_stray_groups(*home_->driver, {base("b")}, swept);
  EXPECT_THAT(swept.held,
              Contains(HasSubstr("control group " + group + "/n1: in use by a living process")));
  EXPECT_EQ(::kill(task, 0), 0);
  EXPECT_NEAR(home_->driver->cpu(group + "/n1")->cpus->value, 0.1, 0.001) << "its cap was lifted";

  ::kill(worker, SIGKILL);  // the task survives
  ::waitpid(worker, nullptr, 0);
  swept = {};
  host::sweep_stray_groups(*home_->driver, {base("b")}, swept);
  EXPECT_THAT(swept.removed, Contains("control group " + group));
  EXPECT_FALSE(home_->driver->exists(group));
  for (int i = 0; i < 2000 && ::kill(task, 0) == 0; ++i) ::usleep(1000);
  EXPECT_NE(::kill(task, 0), 0);
  EXPECT_THAT(host::sweep_dead_runs({base()}).removed, ElementsAre("what run " + run + " left"));
}

}  // namespace heddle::leftovers_test
