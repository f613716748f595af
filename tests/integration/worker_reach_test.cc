// Tests what a command can reach, with one test or more for each row of the table in
// docs/how-to/own-programs.md.
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/directory.h"
#include "common/file.h"
#include "host/own_user.h"
#include "tests/integration/command_bench.h"
#include "tests/support/matchers.h"
#include "worker/command.h"
#include "worker/isolation.h"
#include "worker/launcher.h"
#include "worker/syscall_filter.h"

namespace heddle::worker_reach_test {

namespace fs = std::filesystem;

constexpr real::Bytes kMiB{1 << 20};

/// Returns how often `part` occurs in `text`.
int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++found;
  return found;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename());
  return names;
}

class Reach : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (!home_ || IsSkipped()) return;
    if (Result<void> there = worker::try_namespaces(); !there) GTEST_SKIP() << there.error().text;
  }

  /// Runs commands as root, so that a failure is not for lack of a permission.
  void as_root() {
    options_["--task-user"] = "root";
    options_["--allow-root-commands"] = "";
  }
  std::string errors(std::int64_t container) const { return *read_file(logs(container, "stderr")); }
  wire::LaunchCommand limited(wire::LaunchCommand launch, real::Bytes output_limit) {
    launch.output_limit = output_limit;
    return launch;
  }
  /// Returns a name that no other test uses.
  std::string left() const { return "heddle-left-" + std::to_string(::getpid()); }
};

// Files -------------------------------------------------------------------------------------------

TEST_F(Reach, TemporaryDirectoriesAreItsOwn) {
  join(options_);
  EXPECT_EQ(run("touch /tmp/" + left() + " /var/tmp/" + left() + " /dev/shm/" + left() +
                " && ls -A /dev/shm /var/tmp"),
            "/dev/shm:\n" + left() + "\n\n/var/tmp:\n" + left() + "\n");
  for (const char* directory : {"/tmp/", "/var/tmp/", "/dev/shm/"})
    EXPECT_FALSE(fs::exists(directory + left())) << directory;
  std::ofstream(directory_ + "/of-the-machine") << "x";
  EXPECT_EQ(end_of(program(2, {"cat", directory_ + "/of-the-machine"})).exit_code, 1);
  EXPECT_THAT(errors(2), HasSubstr("No such file or directory"));
}

TEST_F(Reach, WhatIsInTemporaryFilesIsChargedAndFreed) {
  join(options_);
  auto ended = end_of(shell(1, "head -c 8000000 /dev/zero > /tmp/f; sleep 0.3"));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_GE(ended.usage.peak_memory, EmuBytes(8'000'000LL * 64));
  Result<cgroup::MemoryStats> memory = home_->driver->memory_stats(group("/n1/c0"));
  ASSERT_TRUE(memory) << memory.error().text;
  EXPECT_LT(memory->current, real::Bytes(4 << 20));
}

TEST_F(Reach, SettingsOfTheKernelAreReadOnly) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run commands as root";
  as_root();
  join(options_);
  // If a write is possible, the written value changes nothing outside.
  std::string text =
      "v=$(cat /proc/sys/kernel/core_pattern); echo \"$v\" > "
      "/proc/sys/kernel/core_pattern; ";
  const std::vector<std::string> groups = home_->driver->directories(group("/n1"));
  for (const std::string& directory : groups) text += "echo 0 > " + directory + "/cgroup.procs; ";
  run(text + "mkdir " + groups[0] + "/escape; true");
  EXPECT_EQ(count(errors(1), "Read-only file system"), 2 + static_cast<int>(groups.size()))
      << errors(1);
}

TEST_F(Reach, SeesNothingOfTheRunButItsOwnDirectory) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make results outside of /tmp here";
  as_root();
  const std::string results = "/var/lib/" + left();
  fs::create_directories(results + "/logs/job-map-0-1");
  std::ofstream(results + "/journal") << "x";
  options_["--command-logs"] = results + "/logs";
  options_["--cover"] = results;
  join(options_);
  const auto ended =
      end_of(shell(1, "ls -A .. ../..; echo > ../../journal; echo > ../new; touch mine"));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  const std::string logs = results + "/logs/job-map-1-1/";
  EXPECT_EQ(*read_file(logs + "stdout"), "..:\njob-map-1-1\n\n../..:\nlogs\n");
  EXPECT_EQ(count(*read_file(logs + "stderr"), "Read-only file system"), 2);
  EXPECT_THAT(names_in(results), UnorderedElementsAre("journal", "logs"));
  EXPECT_THAT(names_in(logs), UnorderedElementsAre("stdout", "stderr", "mine"));
  leave();
  fs::remove_all(results);
}

TEST_F(Reach, AnIdOfTheRunsOwnWritesNowhereElse) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has ids to give";
  options_.erase("--task-user");
  const std::string lock = "/var/lock/" + left();
  const char* sudo = ::getenv("SUDO_UID");
  const std::string before = sudo != nullptr ? sudo : "";
  ::unsetenv("SUDO_UID");
  join(options_);
  if (!before.empty()) ::setenv("SUDO_UID", before.c_str(), 1);
  std::istringstream said(
      run("id -u; id -g; echo $HOME; touch here ~/there && echo can; touch " + lock + "; true"));
  uid_t user = 0, group_id = 0;
  std::string home, can;
  said >> user >> group_id >> home >> can;
  EXPECT_THAT(user, AllOf(Ge(host::UserRange().first), Le(host::UserRange().last)));
  EXPECT_EQ(group_id, user);
  EXPECT_EQ(home, "/tmp");
  EXPECT_EQ(can, "can");
  EXPECT_THAT(errors(1), HasSubstr("Read-only file system"));
  EXPECT_FALSE(fs::exists(lock));
  // The next run that gets the same user id cannot open this directory.
  struct stat status {};
  ASSERT_EQ(::stat(logs(1).c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0U);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
}

// Output ------------------------------------------------------------------------------------------

TEST_F(Reach, StandardOutputCanBeOpenedByName) {
  join(options_);
  EXPECT_EQ(run("echo a > /dev/stdout"), "a\n");
}

TEST_F(Reach, OutputIsCountedAndEnded) {
  join(options_);
  auto ended = end_of(limited(program(1, {"yes"}), kMiB));
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.exit_code, 128 + SIGKILL);
  EXPECT_EQ(ended.reason, "ended: it wrote more than its output_limit of 1 MiB");
  EXPECT_EQ(fs::file_size(logs(1, "stdout")), 1U << 20);
  EXPECT_THAT(task_pids(), IsEmpty());
  // A command may write exactly as much as the limit.
  ended = end_of(limited(program(2, {"head", "-c", "1048576", "/dev/zero"}), kMiB));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_EQ(fs::file_size(logs(2, "stdout")), 1U << 20);
}

TEST_F(Reach, FilesCountAsOutputAndGoWhereTheyAreTooMuch) {
  join(options_);
  auto ended = end_of(limited(
      shell(1, "mkdir d; i=0; while :; do i=$((i+1)); head -c 100000 /dev/zero > d/$i; done"),
      kMiB));
  EXPECT_THAT(ended.reason, StartsWith("ended: it wrote more than its output_limit of 1 MiB: its "
                                       "files take "));
  EXPECT_THAT(names_in(logs(1)), UnorderedElementsAre("stdout", "stderr"));
  // The limit also holds if the program ends before it can be killed.
  ended = end_of(
      limited(shell(2, "for i in 1 2 3; do head -c 500000 /dev/zero > $i; done; echo kept"), kMiB));
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_THAT(names_in(logs(2)), UnorderedElementsAre("stdout", "stderr"));
  // Holes take no space, and what a link leads to is not counted.
  ended = end_of(limited(shell(3, "truncate -s 1000000 hole; ln -s /usr all; echo kept"), kMiB));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_TRUE(fs::is_symlink(logs(3, "all")));
}

TEST_F(Reach, RemovedFilesThatAreOpenAndReservedBlocksCountAsOutput) {
  join(options_);
  const std::string reason = "ended: it wrote more than its output_limit of 1 MiB: its files take ";
  auto ended = end_of(limited(shell(1,
                                    "for i in 3 4; do eval \"exec $i>f; rm f; head -c 700000 "
                                    "/dev/zero >&$i\"; done; exec sleep 1000"),
                              kMiB));
  EXPECT_THAT(ended.reason, StartsWith(reason));
  ended = end_of(limited(shell(2, ": > f; fallocate --keep-size --length 3MiB f"), kMiB));
  if (!errors(2).empty()) GTEST_SKIP() << "this file system reserves no blocks: " << errors(2);
  EXPECT_THAT(ended.reason, StartsWith(reason + "3"));
  EXPECT_THAT(names_in(logs(2)), UnorderedElementsAre("stdout", "stderr"));
}

TEST_F(Reach, AFileIsNoLargerThanTheLimit) {
  join(options_);
  auto ended =
      end_of(limited(shell(1, "ulimit -f; head -c 2000000 /dev/zero > big; echo $?"), kMiB));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_EQ(output(1), "2048\n" + std::to_string(128 + SIGXFSZ) + "\n");  // in units of 512 bytes
  EXPECT_EQ(fs::file_size(logs(1, "big")), 1U << 20);
  ended = end_of(limited(program(2, {"dd", "if=/dev/zero", "of=big", "bs=64k", "count=64"}), kMiB));
  EXPECT_EQ(ended.reason, "ended: it wrote more than its output_limit of 1 MiB");
}

// Processes ---------------------------------------------------------------------------------------

TEST_F(Reach, SeesOnlyItsOwnProcesses) {
  join(options_);
  EXPECT_EQ(run("for p in /proc/[0-9]*; do echo $p; done; cat /proc/1/comm; ls /proc/1/fd 2>&1 "
                "| grep -c denied"),
            "/proc/1\n/proc/2\nheddle-task\n1\n");
}

TEST_F(Reach, KillOfAllReachesItsOwnContainerOnly) {
  if (::geteuid() == 0) as_root();
  join(options_);
  command(shell(1, "sleep 1000 & wait"));
  ASSERT_TRUE(soon([&] { return task_pids().size() == 2; }));
  const std::vector<pid_t> other = task_pids();
  auto ended = end_of(
      shell(2, "sleep 1000 & sleep 1000 & kill -s KILL -- -1; wait; kill -s KILL 1; echo on"));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_EQ(output(2), "on\n");
  EXPECT_EQ(task_pids(), other);
  kill(1);
}

// The command's own signals can neither end the supervisor nor make it seem that the worker ended
// it.
TEST_F(Reach, TheSupervisorHearsTheWorkerOnly) {
  if (::geteuid() == 0) as_root();
  join(options_);
  auto ended = end_of(shell(1, "kill -s TERM 1; kill -s INT 1; sleep 0.3; exit 7"));
  EXPECT_EQ(ended.exit_code, 7) << ended.reason;
}

TEST_F(Reach, HasNoCapabilityEvenAsRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run commands as root";
  as_root();
  join(options_);
  const std::string text =
      run("cat /proc/self/status; touch f; chown nobody f 2>&1; mknod d c 1 3 2>&1; true");
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"})
    EXPECT_THAT(text, HasSubstr(std::string(set) + ":\t0000000000000000"));
  EXPECT_EQ(count(text, "Operation not permitted"), 2) << text;
}

TEST_F(Reach, SystemCallsForOthersAreRefused) {
  if (::geteuid() == 0) as_root();
  join(options_);
  run("unshare --user true; unshare --mount true; nsenter --net=/proc/self/ns/net true; "
      "mount -t tmpfs none /tmp; true");
  EXPECT_GE(count(errors(1), "Operation not permitted") + count(errors(1), "permission denied") +
                count(errors(1), "must be superuser"),
            4)
      << errors(1);
}

// Network, IPC, devices ---------------------------------------------------------------------------

TEST_F(Reach, TheNetworkIsTheMachines) {
  join(options_);
  EXPECT_EQ(run("readlink /proc/self/ns/net"),
            fs::read_symlink("/proc/self/ns/net").string() + "\n");
}

TEST_F(Reach, IpcIsItsOwn) {
  const int segment = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0666);
  ASSERT_GE(segment, 0);
  auto segments = [] { return count(*read_file("/proc/sysvipc/shm"), "\n"); };
  const int before = segments();
  join(options_);
  const std::string list = "tail -n +2 /proc/sysvipc/shm | wc -l; ";
  EXPECT_EQ(run(list + "ipcmk -M 4096 > made; " + list), "0\n1\n");
  EXPECT_EQ(segments(), before);
  leave();
  ::shmctl(segment, IPC_RMID, nullptr);
}

TEST_F(Reach, DevicesAreThoseOfItsUser) {
  join(options_);
  EXPECT_EQ(run("echo x > /dev/null && echo null; head -c 3 /dev/zero | wc -c; cat /dev/mem; true"),
            "null\n3\n");
  EXPECT_THAT(errors(1), HasSubstr("/dev/mem: "));
}

/// Returns what the calls fail with under the filter: "" if all fail as they should, else a line
/// for each other call. The calling process can be used for nothing else.
std::string calls_under_filter(const Fd& filter) {
  std::vector<sock_filter> code(static_cast<std::size_t>(::lseek(filter.get(), 0, SEEK_END)) /
                                sizeof(sock_filter));
  if (::pread(filter.get(), code.data(), code.size() * sizeof(sock_filter), 0) <= 0)
    return "no code";
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  ::setsid();  // vhangup would end a terminal's session
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
    return "the filter cannot be used";
  std::string wrong;
  // Without the filter, no argument of these calls is right.
  const auto call = [&](const std::string& name, int expected, long number, long first = -1,
                        long second = -1) {
    errno = 0;
    const long result = ::syscall(number, first, second, -1L, -1L, -1L, -1L);
    if (number == SYS_clone && result == 0) ::_exit(0);  // the new process
    if (result != -1 || errno != expected)
      wrong += name + ": " + (result == -1 ? std::strerror(errno) : "done") + "\n";
  };
#define REFUSED(name) call(#name, EPERM, SYS_##name)
  REFUSED(acct);
  REFUSED(add_key);
  REFUSED(bpf);
  REFUSED(chroot);
  REFUSED(clock_adjtime);
  REFUSED(clock_settime);
  REFUSED(delete_module);
  REFUSED(finit_module);
  REFUSED(fsconfig);
  REFUSED(fsmount);
  REFUSED(fsopen);
  REFUSED(fspick);
  REFUSED(init_module);
  REFUSED(io_uring_enter);
  REFUSED(io_uring_register);
  REFUSED(io_uring_setup);
  REFUSED(kcmp);
  REFUSED(kexec_load);
  REFUSED(keyctl);
  REFUSED(mount);
  REFUSED(mount_setattr);
  REFUSED(move_mount);
  REFUSED(open_by_handle_at);
  REFUSED(open_tree);
  REFUSED(perf_event_open);
  REFUSED(pidfd_getfd);
  REFUSED(pivot_root);
  REFUSED(quotactl);
  REFUSED(reboot);
  REFUSED(request_key);
  REFUSED(setns);
  REFUSED(settimeofday);
  REFUSED(swapoff);
  REFUSED(swapon);
  REFUSED(syslog);
  REFUSED(umount2);
  REFUSED(userfaultfd);
  REFUSED(vhangup);
#undef REFUSED
  // The flags of clone3 are behind a pointer, which a filter cannot follow. The C library uses
  // clone if the kernel has no clone3.
  call("clone3", ENOSYS, SYS_clone3);
  constexpr long kTimeNamespace = 0x80;
  for (const long flag :
       {long{CLONE_NEWNS}, long{CLONE_NEWCGROUP}, long{CLONE_NEWUTS}, long{CLONE_NEWIPC},
        long{CLONE_NEWUSER}, long{CLONE_NEWPID}, long{CLONE_NEWNET}, kTimeNamespace}) {
    const std::string with = " with the flag " + std::to_string(flag);
    call("unshare" + with, EPERM, SYS_unshare, flag);
    if (flag != kTimeNamespace) call("clone" + with, EPERM, SYS_clone, flag | SIGCHLD, 0);
  }
  // The kernel reads the lower half of a request only.
  for (const long upper : {0L, 1L << 32}) {
    call("TIOCSTI", EPERM, SYS_ioctl, -1, upper | TIOCSTI);
    call("TIOCLINUX", EPERM, SYS_ioctl, -1, upper | TIOCLINUX);
  }
  call("another request", EBADF, SYS_ioctl, -1, TIOCGWINSZ);
  return wrong;
}

TEST(SyscallFilter, RefusesWhatItNames) {
  const Result<Fd> filter = worker::make_syscall_filter();
  ASSERT_TRUE(filter) << filter.error().text;
  Fd said(::memfd_create("said", MFD_CLOEXEC));
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string wrong = calls_under_filter(*filter);
    (void)::pwrite(said.get(), wrong.data(), wrong.size(), 0);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*read_file(proc_path_of(said)), "");
}

// By an ordinary user -----------------------------------------------------------------------------

/// Runs a command without a group as nobody, in namespaces within a user namespace, in `directory`.
/// Returns "" or what went wrong. The calling process can be used for nothing else.
std::string run_as_nobody(const std::string& directory, const std::string& text) {
  constexpr uid_t kNobody = 65534;
  if (::setgroups(0, nullptr) < 0 || ::setgid(kNobody) < 0 || ::setuid(kNobody) < 0)
    return "can't be nobody";
  ::prctl(PR_SET_DUMPABLE, 1);  // as a process that a user has started
  if (Result<void> entered = worker::enter_user_namespace(); !entered) return entered.error().text;
  Result<worker::Launcher> launcher = worker::Launcher::create();
  Result<Fd> filter = worker::make_syscall_filter();
  Fd page(::memfd_create("page", MFD_CLOEXEC));
  Fd doorbell(::eventfd(0, EFD_CLOEXEC));
  TaskPage contents;
  if (!launcher || !filter || ::pwrite(page.get(), &contents, sizeof contents, 0) < 0)
    return "no launcher, filter or page";
  wire::LaunchCommand launch;
  launch.job = "j";
  launch.phase = "p";
  launch.command = {"sh", "-c", text};
  worker::CommandCage cage;
  cage.user = {kNobody, kNobody, "/"};
  worker::LaunchPlan plan;
  plan.program = HEDDLE_TASK_PATH;
  plan.arguments = worker::supervisor_arguments(launch, cage, {});
  plan.resource = Fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  plan.page = page.get();
  plan.doorbell = doorbell.get();
  plan.extra = filter->get();
  plan.supervisor = plan.own_namespaces = true;
  Result<worker::Child> child = launcher->launch(plan);
  if (!child) return child.error().text;
  pollfd ended{child->pidfd.get(), POLLIN, 0};
  ::poll(&ended, 1, 10'000);
  Result<std::optional<worker::Ended>> end = worker::Launcher::reap(*child);
  auto* said = static_cast<TaskPage*>(
      ::mmap(nullptr, sizeof(TaskPage), PROT_READ, MAP_SHARED, page.get(), 0));
  if (const int error = said->report.start_error.load(); error != 0)
    return system_error(text_of(said->report.failed_step.load()), error).text;
  if (!end || !*end) return "it did not end";
  return (*end)->value == 0 ? "" : "it ended with status " + std::to_string((*end)->value);
}

TEST(ReachOfAnOrdinaryUser, IsTheSame) {
  if (::geteuid() != 0) GTEST_SKIP() << "a run of such a user's tests it then";
  if (::access(HEDDLE_TASK_PATH, X_OK) != 0) GTEST_SKIP() << "no heddle-task";
  const std::string directory = testing::TempDir() + "heddle-nobody-" + std::to_string(::getpid());
  fs::create_directory(directory);
  ASSERT_EQ(::chown(directory.c_str(), 65534, 65534), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string trouble = run_as_nobody(
        directory,
        "id -u; pwd; for p in /proc/[0-9]*; do echo $p; done; grep -E '^(CapEff|CapBnd|Seccomp):' "
        "/proc/self/status; cat /proc/sys/user/max_user_namespaces; unshare --user true; kill -s "
        "KILL 1; touch /tmp/x; ls -A /tmp");
    std::ofstream(directory + "/trouble") << trouble;
    ::_exit(trouble.empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << *read_file(directory + "/trouble");
  const std::string path = fs::canonical(directory);
  const std::string name = fs::path(path).filename();
  EXPECT_EQ(*read_file(directory + "/stdout"),
            "65534\n" + path +
                "\n/proc/1\n/proc/2\nCapEff:\t0000000000000000\nCapBnd:\t"
                "0000000000000000\nSeccomp:\t2\n0\n" +
                name + "\nx\n");
  EXPECT_THAT(*read_file(directory + "/stderr"),
              HasSubstr("unshare failed: Operation not permitted"));
  fs::remove_all(directory);
}

TEST(ReachOfAnOrdinaryUser, DoctorsTrialsWorkHere) {
  if (::geteuid() != 0) GTEST_SKIP() << "what an ordinary user may do, the machine decides";
  for (const auto& [name, tried] : {std::pair{"namespaces", worker::try_namespaces()},
                                    {"bounding set", worker::try_bounding_set()},
                                    {"filter", worker::try_filter()}})
    EXPECT_TRUE(tried) << name << ": " << tried.error().text;
}

// Without namespaces ------------------------------------------------------------------------------

TEST_F(Reach, WithoutNamespacesOnlyIfThatIsAllowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give up making namespaces";
  const std::string program = script(std::string("exec setpriv --bounding-set=-sys_admin ") +
                                     HEDDLE_WORKER_PATH + " \"$@\"");
  start_worker(options_, program);
  EXPECT_EQ(await_exit(), 3);

  options_["--allow-unisolated-commands"] = "";
  hellos_.clear();
  start_worker(options_, program);
  serve_until([&] { return !hellos_.empty(); }, "a hello");
  send(welcome_);
  serve_until([&] { return !heartbeats_.empty(); }, "a heartbeat");
  const std::string text = run("readlink /proc/self/ns/pid; cat /proc/self/status");
  EXPECT_THAT(text, HasSubstr(fs::read_symlink("/proc/self/ns/pid").string()));
  EXPECT_THAT(text, AllOf(HasSubstr("CapBnd:\t0000000000000000"), HasSubstr("Seccomp:\t2")));
  auto ended = end_of(shell(2, "sleep 1000 & kill -SEGV $$"));
  EXPECT_EQ(ended.reason, "crashed: signal 11 (Segmentation fault)");
  EXPECT_THAT(task_pids(), IsEmpty());
}

TEST_F(Reach, AProgramInTmpIsNotFoundAndTheReasonSaysWhy) {
  join(options_);
  const auto ended = end_of(program(1, {"/tmp/heddle-no-such-program"}));
  EXPECT_EQ(ended.reason,
            "could not start: /tmp/heddle-no-such-program: execute it: No such file or directory "
            "(a command sees an empty /tmp; keep programs elsewhere)");
}

}  // namespace heddle::worker_reach_test
