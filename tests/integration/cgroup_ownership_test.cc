#include <grp.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>

#include "cgroup/ownership.h"
#include "tests/integration/cgroup_bench.h"
#include "tests/support/matchers.h"

namespace heddle::cgroup::cgroup_ownership_test {

using std::chrono::milliseconds;

class RealOwnership : public RealGroups {
 protected:
  std::unique_ptr<NodeTree> make() { return make_node({cpu_cap(0.2), {64 * kMiB, false}}); }
  std::string node() { return run_group(run()) + "/n1"; }
  std::vector<LeftGroup> remove(bool recorded, milliseconds limit = milliseconds(5000)) {
    Result<std::vector<LeftGroup>> left = remove_run(driver(), run(), "", recorded, limit);
    EXPECT_TRUE(left) << left.error().text;
    return left ? *left : std::vector<LeftGroup>();
  }
};

/// Runs the work in a child process; returns its result.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Runs the work in a child process, and calls `meanwhile` before the child's first system call of
/// this number. Returns the work's result.
int in_child_with(int number, const std::function<int()>& work,
                  const std::function<void()>& meanwhile) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  for (bool waits = true; WIFSTOPPED(status); ::waitpid(child, &status, 0)) {
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
    if (waits && WSTOPSIG(status) == (SIGTRAP | 0x80) &&
        registers.orig_rax == static_cast<unsigned long long>(number)) {
      meanwhile();
      waits = false;
    }
    ::ptrace(waits ? PTRACE_SYSCALL : PTRACE_CONT, child, nullptr, nullptr);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(RealOwnership, EachDirectoryIsMarkedAndHeldWhileTheTreeLives) {
  auto tree = make();
  const int directories = static_cast<int>(driver().directories(node()).size());
  for (const std::string& group : {run_group(run()), node()}) {
    Result<Owner> owner = driver().owner(group);
    ASSERT_TRUE(owner) << owner.error().text;
    EXPECT_EQ(*owner, (Owner{directories, directories, true, true})) << group;
  }
  EXPECT_EQ(driver().hold(node()).error().code, EWOULDBLOCK);
  tree.reset();  // the process of the node dies
  Result<std::vector<Fd>> held = driver().hold(node());
  ASSERT_TRUE(held) << held.error().text;
  EXPECT_EQ(std::ssize(*held), directories);
  EXPECT_EQ(driver().hold(run_group(run()) + "/none").error().code, ENOENT);
}

// A lock on a directory that was removed keeps nobody out of the new one at its path.
TEST_F(RealOwnership, AGroupThatIsReplacedBeforeItIsLockedIsNotHeld) {
  for (const std::string& group : {run_group(run()), node()}) ASSERT_TRUE(driver().create(group));
  int replaced = 0;
  EXPECT_EQ(in_child_with(
                SYS_flock,
                [&] {
                  const Result<std::vector<Fd>> held = driver().hold(node());
                  return !held && held.error().code == ENOENT ? 0 : 1;
                },
                [&] { replaced += driver().remove(node()) && driver().create(node()) ? 1 : 0; }),
            0);
  EXPECT_EQ(replaced, 1);
  EXPECT_TRUE(driver().hold(node())) << "the new group";
}

TEST_F(RealOwnership, OtherNamespacesMeetTheLock) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may make namespaces";
  auto tree = make();
  const int slot = acquire(*tree, {cpu_cap(0.1), {16 * kMiB, false}});
  const pid_t task = start(tree->group(slot), [] { ::pause(); });
  EXPECT_EQ(in_child([&] {
              if (::unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWCGROUP) != 0) return 1;
              return in_child([&] {  // the first process of the new PID namespace
                const std::vector<LeftGroup> expected = {{node(), LeftGroup::Why::kHeld}};
                return remove(false, milliseconds(20)) == expected &&
                               remove(true, milliseconds(20)) == expected
                           ? 0
                           : 2;
              });
            }),
            0);
  EXPECT_TRUE(alive(task));
  EXPECT_NEAR(driver().cpu(tree->group(slot))->cpus->value, 0.1, 0.001) << "its cap was lifted";
  tree.reset();
  EXPECT_THAT(remove(false), IsEmpty());
  EXPECT_EQ(await_end(task), SIGKILL);
  EXPECT_FALSE(driver().exists(run_group(run())));
}

TEST_F(RealOwnership, AnotherUserCanNeitherHoldNorMark) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  auto tree = make();
  EXPECT_EQ(in_child([&] {
              constexpr uid_t kNobody = 65534;
              if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)
                return 1;
              if (driver().hold(node()).error().code != EACCES) return 2;
              Result<bool> marked = driver().mark(node());
              return !marked && marked.error().code == EPERM ? 0 : 3;
            }),
            0);
}

// The group has a run's name but is somebody else's, and a process is in it.
TEST_F(RealOwnership, AStrangersGroupIsLeftAsItIs) {
  const std::string top = run_group(run());
  for (const std::string& group : {top, node()}) ASSERT_TRUE(driver().create(group));
  ASSERT_TRUE(driver().set_cpu(node(), cpu_cap(0.1)));
  const pid_t stranger = start(node(), [] { ::pause(); });
  for (bool recorded : {false, true})
    EXPECT_THAT(remove(recorded), ElementsAre(LeftGroup{top, LeftGroup::Why::kUnproven}));
  Result<std::unique_ptr<NodeTree>> tree =
      NodeTree::create(driver(), run(), "n1", {cpu_cap(0.2), {64 * kMiB, false}});
  EXPECT_FALSE(tree);
  EXPECT_TRUE(alive(stranger));
  EXPECT_NEAR(driver().cpu(node())->cpus->value, 0.1, 0.001);
  EXPECT_EQ(driver().owner(top)->marked + driver().owner(node())->marked, 0);

  ::kill(stranger, SIGKILL);
  EXPECT_EQ(await_end(stranger), SIGKILL);
  const std::string command = removal_command(driver(), top);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_FALSE(driver().exists(top));
}

// On v1 a kill can leave groups like these: marked in one hierarchy, created in the next, missing
// in the others.
TEST_F(RealOwnership, HalfMadeGroupsAreRemovedByTheirRecord) {
  ASSERT_TRUE(make_run_group(driver(), run_group(run())));
  const std::vector<std::string> directories = driver().directories(node());
  for (std::size_t made = 1; made <= directories.size(); ++made) {
    if (made > 1) {
      ASSERT_TRUE(make_run_group(driver(), run_group(run())));
    }
    for (std::size_t i = 0; i < made; ++i)
      ASSERT_EQ(::mkdir(directories[i].c_str(), 0755), 0) << directories[i];
    EXPECT_THAT(remove(true), IsEmpty());
    EXPECT_FALSE(driver().exists(run_group(run())));
  }
}

}  // namespace heddle::cgroup::cgroup_ownership_test
