// Tests command tasks: the user's programs in the cage, observed from inside and from outside.
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "cgroup/tree.h"
#include "common/file.h"
#include "tests/integration/command_bench.h"
#include "tests/support/matchers.h"
#include "worker/process_state.h"

namespace heddle::worker_command_test {

TEST_F(CommandTest, OutputExitStatusAndUse) {
  join(options_);
  wire::LaunchCommand launch =
      program(1, {"sh", "-c",
                  "echo \"$0 $1\"; echo oops >&2; i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done",
                  "{job}", "{task}-{attempt}"});
  start(launch);
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_EQ(output(1), "job 1-1\n");
  EXPECT_EQ(*read_file(logs(1, "stderr")), "oops\n");
  EXPECT_GT(ended.usage.cpu, core_seconds(0.01));
  EXPECT_GT(ended.usage.peak_memory, EmuBytes(0));
  EXPECT_EQ(ended.usage.ideal, EmuTime(0));

  ended = end_of(shell(2, "exit 3"));
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.reason, "exited with status 3");
  ended = end_of(shell(3, "kill -SEGV $$"));
  EXPECT_EQ(ended.exit_code, 128 + SIGSEGV);
  EXPECT_EQ(ended.reason, "crashed: signal 11 (Segmentation fault)");
  ended = end_of(program(4, {"no-such-program"}));
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.reason,
            "could not start: no-such-program: execute it: No such file or directory");
}

TEST_F(CommandTest, PageCacheIsNoUseAndIsDroppedAtTheEnd) {
  struct statfs files {};
  ASSERT_EQ(::statfs(directory_.c_str(), &files), 0);
  if (files.f_type == TMPFS_MAGIC) GTEST_SKIP() << "files in a tmpfs are no page cache";
  join(options_);
  // 40 MiB through a container of 17 MiB.
  const auto ended = end_of(shell(1, "dd if=/dev/zero of=f bs=1M count=40 && sleep 0.2"));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_EQ(ended.usage.peak_method, PeakMethod::kSamples);
  EXPECT_LT(ended.usage.peak_memory, emu_mib(6 * 64));
  EXPECT_GT(ended.usage.peak_memory, EmuBytes(0));
  EXPECT_TRUE(
      soon([&] { return home_->driver->memory_charge(group()).value() < real::Bytes(4 << 20); }));
  // The next container does not begin with what the last one left.
  const auto next = end_of(shell(2, "sleep 0.2"));
  EXPECT_EQ(next.usage.peak_method, PeakMethod::kKernel);
  EXPECT_LT(next.usage.peak_memory, emu_mib(4 * 64));
}

TEST_F(CommandTest, UserAndPrivileges) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run commands as another user";
  join(options_);
  std::string text = run("id; cat /proc/self/status; cat /etc/shadow 2>&1; true");
  EXPECT_THAT(text, StartsWith("uid=65534(nobody) gid=65534(nogroup) groups=65534(nogroup)\n"));
  for (const char* line :
       {"NoNewPrivs:\t1", "CapInh:\t0000000000000000", "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000",
        "SigBlk:\t0000000000000000", "Seccomp:\t2"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(text, HasSubstr("/etc/shadow: Permission denied"));
  struct stat status {};
  ASSERT_EQ(::stat(logs(1).c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534U);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
}

TEST_F(CommandTest, SetuidProgramsGainNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a setuid program of root's";
  // The program is not in /tmp, so that a command can see it.
  std::string suid = "/var/lib/heddle-test-" + std::to_string(::getpid());
  std::filesystem::copy_file("/usr/bin/id", suid);
  ASSERT_EQ(::chmod(suid.c_str(), 04755), 0);
  join(options_);
  EXPECT_EQ(run(suid + " -u"), "65534\n");
  leave();
  std::filesystem::remove(suid);
}

TEST_F(CommandTest, EnvironmentDirectoryDescriptorsAndLimits) {
  join(options_);
  ::setenv("HEDDLE_SECRET", "1", 1);
  std::string text =
      run("env | sort; echo --; pwd -P; echo --; ls /proc/$$/fd; readlink /proc/$$/fd/0; echo --; "
          "ulimit -c; cut -d' ' -f6 /proc/$$/stat; echo $$; umask");
  ::unsetenv("HEDDLE_SECRET");
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("HOME=")) lines.push_back(line);
  ASSERT_THAT(lines, SizeIs(18)) << text;
  std::string pid = lines[16];
  std::string directory = std::filesystem::canonical(directory_).string() + "/logs/job-map-1-1";
  EXPECT_THAT(lines, ElementsAre("HEDDLE_ATTEMPT=1", "HEDDLE_JOB=job", "HEDDLE_TASK=1",
                                 "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin",
                                 "PWD=" + directory, "--", directory, "--", "0", "1", "2",
                                 "/dev/null", "--", "0", pid, pid, "0022"));  // a new session
}

TEST_F(CommandTest, LivesInItsGroupWithItsLimits) {
  join(options_);
  command(shell(1, "sleep 100 & wait"));
  ASSERT_TRUE(soon([&] { return task_pids().size() == 2; }));
  std::string container = group("/n1/c0");
  Result<cgroup::CpuCap> cpu = home_->driver->cpu(container);
  ASSERT_TRUE(cpu);
  EXPECT_NEAR(cpu->cpus->value, 0.1, 0.001);  // exactly its cores, not 1.2 times as much
  Result<cgroup::MemoryCap> memory = home_->driver->memory(container);
  EXPECT_EQ(memory->limit, real::Bytes(17 << 20));
  std::string most;
  for (const std::string& directory : home_->driver->directories(container))
    if (Result<std::string> text = read_file(directory + "/pids.max")) most = *text;
  EXPECT_EQ(most, "256\n");
  // The supervisor is not in the container's group.
  for (pid_t pid : task_pids()) {
    std::string program = std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe");
    EXPECT_THAT(program, Not(HasSubstr("heddle")));
  }
}

TEST_F(CommandTest, TaskAfterACommandHasTheGroupAsIfItWereNew) {
  join(options_);
  complete(shell(1, "sleep 100 & sleep 100 & exit 0"));
  start(sleeper(2));
  std::string most;
  for (const std::string& directory : home_->driver->directories(group("/n1/c0")))
    if (Result<std::string> text = read_file(directory + "/pids.max")) most = *text;
  EXPECT_EQ(most, "max\n");
  EXPECT_NEAR(home_->driver->cpu(group("/n1/c0"))->cpus->value, 0.12, 0.001);
}

TEST_F(CommandTest, WithTheProgramEndsAllThatItStarted) {
  join(options_);
  command(shell(1, "setsid sh -c 'setsid sleep 1000 & sleep 1000; :' & sleep 1; exit 5"));
  ASSERT_TRUE(soon([&] { return task_pids().size() == 5; }));
  std::vector<pid_t> pids = task_pids();
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.exit_code, 5);
  for (pid_t pid : pids) EXPECT_TRUE(is_gone(pid));
}

TEST_F(CommandTest, KillReachesGrandchildren) {
  join(options_);
  command(shell(
      1, "trap '' TERM; setsid sh -c 'trap \"\" TERM; setsid sleep 1000 & sleep 1000; :' & wait"));
  ASSERT_TRUE(soon([&] { return task_pids().size() == 4; }));
  std::vector<pid_t> pids = task_pids();
  command(Kill{ContainerId{1}});
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kKilled);
  EXPECT_EQ(ended.reason, "killed as asked");
  for (pid_t pid : pids) EXPECT_TRUE(is_gone(pid));
}

// The kill may come before the program is in its group, or before its supervisor has done anything.
TEST_F(CommandTest, KillRightAfterTheStart) {
  join(options_);
  for (int i = 1; i <= 10; ++i) {
    start(program(i, {"sleep", "1000"}));
    kill(i);
  }
  EXPECT_THAT(task_pids(), IsEmpty());
}

class CommandStopTest : public CommandTest, public testing::WithParamInterface<SuspendWith> {};

TEST_P(CommandStopTest, StopsAllProcesses) {
  welcome_.suspend_with = GetParam();
  join(options_);
  command(shell(1, "setsid sh -c 'while :; do :; done' & while :; do :; done"));
  ASSERT_TRUE(soon([&] { return task_pids().size() == 2; }));
  std::vector<pid_t> pids = task_pids();
  suspend(1);
  if (GetParam() == SuspendWith::kSignal) {
    for (pid_t pid : pids) EXPECT_TRUE(worker::is_stopped(pid));
  }
  auto used = [&] { return home_->driver->cpu_stats(group("/n1/c0"))->usage; };
  auto before = used();
  ::usleep(100'000);
  EXPECT_LT(used() - before, std::chrono::milliseconds(2));
  resume(1);
  before = used();
  ::usleep(300'000);
  EXPECT_GT(used() - before, std::chrono::milliseconds(5));

  reports_.clear();
  suspend(1);
  kill(1);
  for (pid_t pid : pids) EXPECT_TRUE(is_gone(pid));
}

INSTANTIATE_TEST_SUITE_P(With, CommandStopTest,
                         testing::Values(SuspendWith::kSignal, SuspendWith::kFreezer),
                         [](const auto& test) {
                           return test.param == SuspendWith::kSignal ? "Signal" : "Freezer";
                         });

// A shell waits uninterruptibly for a child that it has made with vfork, and that child may be
// stopped before its exec.
TEST_F(CommandTest, StopsInTheMiddleOfStartingProcesses) {
  join(options_);
  command(shell(1, "while :; do /bin/true; done"));
  ASSERT_TRUE(soon([&] { return !task_pids().empty(); }));
  for (int i = 0; i < 30; ++i) {
    reports_.clear();
    command(Suspend{ContainerId{1}});
    ASSERT_EQ(await<ContainerSuspended>(1).container, ContainerId{1}) << i;
    auto used = [&] { return home_->driver->cpu_stats(group("/n1/c0"))->usage; };
    auto before = used();
    ::usleep(10'000);
    EXPECT_LT(used() - before, std::chrono::milliseconds(2));
    resume(1);
    ::usleep(1'000 * i);
  }
  kill(1);
}

TEST_F(CommandTest, SigkillOfTheWorkerLeavesNothing) {
  for (std::int64_t id : {1, 2, 3}) {
    bool suspended = id > 1;
    welcome_.suspend_with = id == 3 ? SuspendWith::kFreezer : SuspendWith::kSignal;
    join(options_);
    const std::vector<pid_t> pids = start_family(id);
    if (suspended) suspend(id);
    kill_worker();
    expect_gone(pids);
    EXPECT_THAT(task_pids(), IsEmpty());
  }
  EXPECT_TRUE(cgroup::remove_tree(*home_->driver, group(), std::chrono::milliseconds(5000)));
}

// All processes end even if the supervisor, which should notice the worker's end, is stopped.
TEST_F(CommandTest, StoppedSupervisorStillEndsAll) {
  for (bool worker_dies : {false, true}) {
    join(options_);
    std::int64_t id = worker_dies ? 2 : 1;
    std::vector<pid_t> pids = start_family(id);
    pids.push_back(supervisor());
    send_signal(pids.back(), SIGSTOP);
    if (worker_dies) {
      kill_worker();
    } else {
      kill(id);
    }
    expect_gone(pids);
    if (!worker_dies) leave();
  }
  EXPECT_TRUE(cgroup::remove_tree(*home_->driver, group(), std::chrono::milliseconds(5000)));
}

TEST_F(CommandTest, SigkillOfTheSupervisorEndsTheRestAsWell) {
  join(options_);
  const std::vector<pid_t> pids = start_family(1);
  send_signal(supervisor(), SIGKILL);
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.reason, "killed by signal 9 (Killed), not by Heddle");
  expect_gone(pids);
}

TEST_F(CommandTest, BeyondItsRequestItIsOomKilled) {
  join(options_);
  // The limit is 1 GiB / 64 and 1 MiB: 17 MiB. A child exceeds it; the program waits for the child.
  auto ended = end_of(shell(1, "sh -c 'a=x; while :; do a=$a$a; done' & sleep 1000"));
  EXPECT_EQ(ended.outcome, Outcome::kOomKilled) << ended.reason;
  EXPECT_EQ(ended.oom, OomCause::kContainer);
  EXPECT_THAT(task_pids(), IsEmpty());
}

TEST_F(CommandTest, ProcessesAreLimited) {
  welcome_.scale.memory = 1.0 / 8;  // enough memory for hundreds of processes
  join(options_);
  wire::LaunchCommand launch =
      shell(1, "i=0; while [ $i -lt 400 ]; do sleep 1000 & i=$((i+1)); echo $i > count; done");
  launch.resources.cores = Millicores(4000);
  auto ended = end_of(launch);
  EXPECT_EQ(ended.outcome, Outcome::kFailed) << ended.reason;
  EXPECT_THAT(*read_file(logs(1, "stderr")), HasSubstr("fork"));
  EXPECT_EQ(*read_file(logs(1, "count")), "255\n");  // and the shell
  EXPECT_THAT(task_pids(), IsEmpty());
}

TEST_F(CommandTest, PacedNeighbourGetsItsTimeBesideBusyCommands) {
  join(options_);
  for (int i = 1; i <= 3; ++i) command(shell(i, "while :; do :; done"));
  for (int i = 1; i <= 3; ++i) await<ContainerStarted>(i);
  command(task(4, core_seconds(10)));
  auto started = await<ContainerStarted>(4);
  auto ended = await<ContainerEnded>(4);
  double took = static_cast<double>(ended.monotonic_ns - started.monotonic_ns) / 1e9;
  EXPECT_FALSE(ended.usage.contended);
  EXPECT_NEAR(took - to_seconds(ended.usage.host_lost) * 0.1, 1.0, 0.1);
}

TEST_F(CommandTest, SameNameTwiceIsAnotherDirectory) {
  join(options_);
  for (std::int64_t id : {1, 2}) {
    wire::LaunchCommand launch = shell(id, "echo {task} $$");
    launch.task = 1;
    complete(launch);
  }
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/logs/job-map-1-1/stdout"));
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/logs/job-map-1-1-c2/stdout"));
}

TEST_F(CommandTest, RefusedWhereNotAllowed) {
  join();
  auto ended = end_of(shell(1, "echo > " + directory_ + "/ran"));
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.reason,
            "could not start: this worker does not allow commands (--allow-commands)");
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/ran"));
}

TEST_F(CommandTest, BadUsersAndLooseOptionsAreRefused) {
  const std::map<std::string, std::map<std::string, std::string>> cases = {
      {"root", {{"--task-user", "root"}}}, {"unknown", {{"--task-user", "no-such-user"}}}};
  for (const auto& [name, more] : cases) {
    std::map<std::string, std::string> options = options_;
    for (const auto& [key, value] : more) options[key] = value;
    start_worker(options);
    EXPECT_EQ(await_exit(), 2) << name;
  }
  start_worker({{"--task-user", "nobody"}});  // without --allow-commands
  EXPECT_EQ(await_exit(), 2);
}

}  // namespace heddle::worker_command_test
