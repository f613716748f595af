// Tests starting and reaping real processes, without groups (worker_agent_test.cc tests those).
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/support/matchers.h"
#include "worker/clone3_call.h"
#include "worker/launcher.h"
#include "worker/process_state.h"
#include "worker/start_thread.h"

namespace heddle::worker::worker_launcher_test {

LaunchPlan shell(const std::string& script) {
  LaunchPlan plan;
  plan.program = "/bin/sh";
  plan.arguments = {"-c", script};
  return plan;
}

Ended wait_for(const Child& child) {
  pollfd ready{child.pidfd.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&ready, 1, 10'000), 1);
  Result<std::optional<Ended>> ended = Launcher::reap(child);
  EXPECT_TRUE(ended && *ended);
  return ended && *ended ? **ended : Ended{};
}

/// Returns whether this process has no child, not even one that waits to be reaped.
bool childless() { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

/// Returns the process's descriptors, such as "3 /dev/null".
std::vector<std::string> descriptors(pid_t pid) {
  std::vector<std::string> list;
  std::filesystem::path directory = "/proc/" + std::to_string(pid) + "/fd";
  std::error_code gone;  // a descriptor may be closed meanwhile
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    list.push_back(entry.path().filename().string() + " " +
                   std::filesystem::read_symlink(entry.path(), gone).string());
  return list;
}

/// Returns the directory of this process's group in the hierarchy of cgroup v2, pure or hybrid; ""
/// if there is no such hierarchy.
std::string own_v2_directory() {
  std::ifstream mounts("/proc/self/mountinfo"), groups("/proc/self/cgroup");
  std::string mount, group;
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream words(line);  // id, parent, device, root, mount point
    for (int i = 0; i < 5; ++i) words >> mount;
  }
  for (std::string line; std::getline(groups, line);)
    if (line.starts_with("0::")) group = line.substr(3);
  return mount.empty() ? "" : mount + group;
}

/// Opens a new file to which a child writes when it joins a group.
Fd join_file(const std::string& path) {
  return Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

class LauncherTest : public testing::Test {
 protected:
  Child launch(const LaunchPlan& plan) {
    Result<Child> child = launcher_.launch(plan);
    EXPECT_TRUE(child) << child.error().text;
    return child ? *std::move(child) : Child{};
  }
  Launcher launcher_ = *Launcher::create();
};

TEST_F(LauncherTest, ExitStatus) {
  Child child = launch(shell("exit 3"));
  Ended ended = wait_for(child);
  EXPECT_FALSE(ended.by_signal);
  EXPECT_EQ(ended.value, 3);
  EXPECT_TRUE(childless());
}

TEST_F(LauncherTest, SignalAndCpu) {
  Child child = launch(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; kill -11 $$"));
  Ended ended = wait_for(child);
  EXPECT_TRUE(ended.by_signal);
  EXPECT_EQ(ended.value, SIGSEGV);
  EXPECT_GT(ended.cpu, std::chrono::milliseconds(1));
}

TEST_F(LauncherTest, ReapDoesNotWait) {
  Child child = launch(shell("sleep 60"));
  Result<std::optional<Ended>> running = Launcher::reap(child);
  ASSERT_TRUE(running);
  EXPECT_FALSE(*running);
  Launcher::abandon(child);
  EXPECT_TRUE(childless());
}

TEST_F(LauncherTest, ExecErrorIsReportedAndReaped) {
  LaunchPlan plan;
  plan.program = "/nonexistent/task";
  Result<Child> child = launcher_.launch(plan);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().text, "exec (/nonexistent/task): No such file or directory");
  EXPECT_TRUE(childless());
}

TEST_F(LauncherTest, AttachErrorIsReportedAndReaped) {
  LaunchPlan plan = shell("exit 0");
  plan.attach.emplace_back(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  Result<Child> child = launcher_.launch(plan);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().text, "join its cgroup (/bin/sh): No space left on device");
  EXPECT_TRUE(childless());
}

TEST_F(LauncherTest, JoinsBeforeExec) {
  std::string path = testing::TempDir() + "heddle-attach-" + std::to_string(::getpid());
  LaunchPlan plan = shell("[ \"$(cat " + path + ")\" = 0 ] || exit 9");
  plan.attach.emplace_back(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  Child child = launch(plan);
  EXPECT_EQ(wait_for(child).value, 0);
  ::unlink(path.c_str());
}

// Joining through /dev/full fails, so the child was in the group from its beginning.
TEST_F(LauncherTest, StartsInItsGroupOnV2) {
  const std::string own = own_v2_directory();
  if (own.empty()) GTEST_SKIP() << "no hierarchy of cgroup v2";
  const std::string name = "heddle-launcher-test-" + std::to_string(::getpid());
  ASSERT_EQ(::mkdir((own + "/" + name).c_str(), 0755), 0) << own << ": " << std::strerror(errno);
  const std::string path = testing::TempDir() + name;
  LaunchPlan plan = shell("grep ^0:: /proc/self/cgroup > " + path);
  plan.directory = Fd(::open((own + "/" + name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  plan.attach.emplace_back(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  Result<Child> child = launcher_.launch(plan);
  const int status = child ? wait_for(*child).value : -1;
  Result<std::string> group = read_file(path);
  ::unlink(path.c_str());
  EXPECT_EQ(::rmdir((own + "/" + name).c_str()), 0) << std::strerror(errno);
  ASSERT_TRUE(child) << child.error().text;
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(group) << group.error().text;
  EXPECT_THAT(*group, EndsWith("/" + name + "\n"));
}

TEST_F(LauncherTest, JoinsIfTheKernelDoesNotStartItInTheDirectory) {
  const std::string path = testing::TempDir() + "heddle-joins-" + std::to_string(::getpid());
  LaunchPlan plan = shell("[ \"$(cat " + path + ")\" = 0 ] || exit 9");
  plan.directory = Fd(::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));  // no group: EBADF
  plan.attach.push_back(join_file(path));
  Child child = launch(plan);
  EXPECT_EQ(wait_for(child).value, 0);
  ::unlink(path.c_str());
}

TEST_F(LauncherTest, NeverStartsOutsideOfItsGroup) {
  LaunchPlan plan = shell("exit 0");
  plan.directory = Fd(::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  Result<Child> child = launcher_.launch(plan);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().text, "make a process: Bad file descriptor");
  EXPECT_TRUE(childless());
}

TEST(Clone3, JoinsInsteadOnlyIfTheCallIsRefused) {
  for (int error : {ENOSYS, E2BIG, EINVAL, EPERM, EBADF}) EXPECT_TRUE(joins_instead(error));
  for (int error : {EAGAIN, EBUSY, ENODEV, ENOMEM, EOPNOTSUPP, EACCES})
    EXPECT_FALSE(joins_instead(error));
}

TEST_F(LauncherTest, HasItsDescriptorsAndNoOthers) {
  Fd page(::eventfd(0, EFD_CLOEXEC));
  Fd doorbell(::eventfd(0, EFD_CLOEXEC));
  EXPECT_GE(page.get(), kFirstFreeFd);
  Fd inherited(::open("/dev/zero", O_RDONLY));
  LaunchPlan plan;
  plan.program = "/bin/sleep";
  plan.arguments = {"60"};
  plan.page = page.get();
  plan.doorbell = doorbell.get();
  Child child = launch(plan);
  // The process opens and closes libraries and locale files while it starts.
  std::vector<std::string> list = descriptors(child.pid);
  for (int i = 0; i < 1000 && list.size() > 5; ++i) {
    ::usleep(1000);
    list = descriptors(child.pid);
  }
  Launcher::abandon(child);
  EXPECT_THAT(list, UnorderedElementsAre("0 /dev/null", "1 /dev/null", "2 /dev/null",
                                         "3 anon_inode:[eventfd]", "4 anon_inode:[eventfd]"));
}

TEST_F(LauncherTest, SignalsAreDefaultAndGroupIsItsOwn) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  auto ignored = ::signal(SIGPIPE, SIG_IGN);
  launcher_ = *Launcher::create();
  std::string path = testing::TempDir() + "heddle-status-" + std::to_string(::getpid());
  Child child = launch(shell("cat /proc/self/status /proc/$$/stat > " + path));
  EXPECT_EQ(wait_for(child).value, 0);
  ::signal(SIGPIPE, ignored);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  std::string text = *read_file(path);
  ::unlink(path.c_str());
  EXPECT_THAT(text, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_THAT(text, HasSubstr("SigIgn:\t0000000000000000"));
  // stat: pid (sh) state parent group
  std::string group = " " + std::to_string(::getpid()) + " " + std::to_string(child.pid) + " ";
  EXPECT_THAT(text.substr(text.find("(sh)")), HasSubstr(group));
}

TEST_F(LauncherTest, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  pid_t middle = ::fork();
  if (middle == 0) {
    Result<Child> child = launcher_.launch(shell("sleep 60"));
    pid_t pid = child ? child->pid : -1;
    if (::write(ends[1], &pid, sizeof pid) < 0) ::_exit(1);
    ::raise(SIGKILL);
  }
  pid_t grandchild = -1;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof grandchild), ssize_t(sizeof grandchild));
  ::close(ends[0]);
  ::close(ends[1]);
  ::waitpid(middle, nullptr, 0);
  ASSERT_GT(grandchild, 0);
  // The grandchild is gone, or a zombie of the process that adopted it.
  auto alive = [&] {
    Result<std::string> stat = read_file("/proc/" + std::to_string(grandchild) + "/stat");
    return stat && state_of(*stat) != 'Z';
  };
  for (int i = 0; i < 1000 && alive(); ++i) ::usleep(1000);
  EXPECT_FALSE(alive());
}

TEST(StartThread, StartsInOrderAndEndsWithWhatItStarted) {
  const Launcher launcher = *Launcher::create();
  std::unique_ptr<StartThread> starts = *StartThread::run(launcher);
  EXPECT_THAT(starts->take(), IsEmpty());
  starts->begin(shell("sleep 60"));
  LaunchPlan none;
  none.program = "/nonexistent";
  starts->begin(std::move(none));
  std::vector<Started> over = starts->await();
  while (over.size() < 2)
    for (Started& one : starts->await()) over.push_back(std::move(one));
  ASSERT_TRUE(over[0].child) << over[0].child.error().text;
  ASSERT_FALSE(over[1].child);
  EXPECT_THAT(over[1].child.error().text, HasSubstr("/nonexistent"));
  EXPECT_LE(over[0].at, over[1].at);
  starts.reset();
  const Ended ended = wait_for(*over[0].child);
  EXPECT_TRUE(ended.by_signal);
  EXPECT_EQ(ended.value, SIGKILL);
}

TEST(IsStopped, TellsRunningFromStoppedFromGone) {
  EXPECT_FALSE(is_stopped(::getpid()));
  pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  EXPECT_FALSE(is_stopped(child));
  ::kill(child, SIGSTOP);
  ::waitpid(child, nullptr, WUNTRACED);
  EXPECT_TRUE(is_stopped(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_stopped(child));
}

}  // namespace heddle::worker::worker_launcher_test
