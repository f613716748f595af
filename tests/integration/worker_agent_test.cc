// Tests the whole worker: real tasks in real control groups; the test plays the master.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cgroup/tree.h"
#include "common/fd.h"
#include "common/file.h"
#include "tests/integration/fill_rate.h"
#include "tests/integration/worker_bench.h"
#include "tests/support/matchers.h"
#include "worker/process_state.h"

namespace heddle::worker_agent_test {

using std::chrono::milliseconds;

TEST_F(WorkerTest, RunsATaskToItsEnd) {
  join();
  EXPECT_EQ(hellos_[0].run, run_);
  EXPECT_EQ(hellos_[0].node, "n1");
  EXPECT_EQ(hellos_[0].pid, worker_);
  wire::LaunchCommand launch = task(1, core_seconds(4));
  launch.work.memory = {{0, emu_mib(512)}};
  command(launch);
  auto started = await<ContainerStarted>(1);
  EXPECT_THAT(task_pids(), SizeIs(1));
  beats(3);
  const wire::Heartbeat& beat = heartbeats_.back();
  ASSERT_THAT(beat.containers, SizeIs(1));
  EXPECT_EQ(beat.containers[0].container, ContainerId{1});
  EXPECT_GT(beat.containers[0].cpu, CoreTime(0));
  EXPECT_GT(beat.containers[0].progress, 0);
  EXPECT_NEAR(static_cast<double>(beat.containers[0].memory.count()), 512 << 20, 64 << 20);
  EXPECT_GE(beat.node_memory, beat.containers[0].memory - EmuBytes(64 << 20));

  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kCompleted);
  EXPECT_EQ(ended.reason, "");
  // 4 emulated seconds on one core take 0.4 s.
  double took = static_cast<double>(ended.monotonic_ns - started.monotonic_ns) / 1e9;
  EXPECT_NEAR(took - to_seconds(ended.usage.host_lost) * 0.1, 0.4, 0.04);
  EXPECT_EQ(ended.usage.ideal, emu_seconds(4));
  // The start of the process takes some CPU time too: 1 core-second is 10 ms real here.
  EXPECT_NEAR(to_core_seconds(ended.usage.cpu), 4, 1);
  EXPECT_FALSE(ended.usage.contended);
  ASSERT_TRUE(ended.usage.memory);
  EXPECT_THAT(ended.usage.memory->lag_ms, SizeIs(1));  // one step, at the start
  EXPECT_FALSE(ended.usage.memory->peak_missed);
  EXPECT_GT(ended.usage.memory->cpu_s, 0);
  EXPECT_NEAR(static_cast<double>(ended.usage.peak_memory.count()), 512 << 20, 80 << 20);
  // The bound allows for four samples: the rise at the start may fall between two.
  EXPECT_NEAR(ended.usage.memory_byte_seconds, 4.0 * (512 << 20), 1.5 * (512 << 20));
  serve_until([&] { return heartbeats_.back().containers.empty(); }, "an empty list");
}

TEST_F(WorkerTest, TaskThatWaitsGoesOnWhenItsInputsAreReady) {
  join();
  wire::LaunchCommand waiting = task(1, core_seconds(1), emu_seconds(1));
  waiting.work.waits = true;
  waiting.work.memory = {{0, emu_mib(512)}};
  start(waiting);
  beats(6);
  ASSERT_THAT(heartbeats_.back().containers, SizeIs(1));
  EXPECT_EQ(heartbeats_.back().containers[0].progress, 0);
  EXPECT_NEAR(static_cast<double>(heartbeats_.back().containers[0].memory.count()), 512 << 20,
              64 << 20);
  std::int64_t ready_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  command(InputsReady{ContainerId{1}});
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kCompleted);
  // From then on the task sleeps for a second and uses a core for a second: 0.2 s.
  double took = static_cast<double>(ended.monotonic_ns - ready_ns) / 1e9;
  EXPECT_NEAR(took - to_seconds(ended.usage.host_lost) * 0.1, 0.2, 0.04);
  EXPECT_EQ(ended.usage.ideal, EmuTime(0));

  // The inputs are reported ready before the task has started.
  waiting.container = ContainerId{2};
  command(waiting);
  command(InputsReady{ContainerId{2}});
  EXPECT_EQ(await<ContainerEnded>(2).outcome, Outcome::kCompleted);
}

/// Returns a map's output of 64 MiB, 1 MiB real, which the only node hands over.
DataWrite hands_over(std::uint64_t object) { return {object, emu_mib(64), true, {}}; }
DataRead fetches(std::uint64_t object, int source) {
  return {object, EmuBytes(0), emu_mib(64), {NodeId{0}}, source};
}
constexpr std::uint64_t kOutput = output_object(ContainerId{1}, 0);

TEST_F(WorkerTest, TaskThatWaitsForItsInputsBurnsNothingAndHoldsItsMemory) {
  join();
  send(wire::Peers{{hellos_.back().data}});
  wire::LaunchCommand reduce = task(2, core_seconds(1));
  reduce.work.sources = 1;
  reduce.work.memory = {{0, emu_mib(512)}};
  start(reduce);
  auto held = [&] {
    return !heartbeats_.back().containers.empty() &&
           heartbeats_.back().containers[0].memory > emu_mib(480);
  };
  serve_until(held, "its memory");
  const ContainerUse before = heartbeats_.back().containers.at(0);
  std::size_t count = heartbeats_.size();
  serve_until([&] { return heartbeats_.size() >= count + 10; }, "heartbeats");
  const ContainerUse after = heartbeats_.back().containers.at(0);
  // CPU that was charged to the group in 10 emulated seconds, in which a core could have given 10.
  EXPECT_LT(to_core_seconds(after.cpu - before.cpu), 0.05);
  EXPECT_NEAR(static_cast<double>(after.memory.count()), 512 << 20, 64 << 20);
  EXPECT_EQ(after.progress, 0);

  wire::LaunchCommand map = task(1, core_seconds(1));
  map.work.writes = {hands_over(kOutput)};
  auto mapped = complete(map);
  EXPECT_EQ(mapped.usage.written, emu_mib(64));
  EXPECT_EQ(mapped.usage.ideal, EmuTime(0));
  command(Fetch{ContainerId{2}, {fetches(kOutput, 0)}});
  auto read = await<InputsRead>(2);
  auto reduced = await<ContainerEnded>(2);
  EXPECT_EQ(reduced.outcome, Outcome::kCompleted) << reduced.reason;
  EXPECT_EQ(reduced.usage.read_local, emu_mib(64));
  EXPECT_EQ(reduced.usage.read_remote, EmuBytes(0));
  EXPECT_FALSE(reduced.usage.contended);
  // The task works for a second after it got its input: 0.1 s.
  double took = static_cast<double>(reduced.monotonic_ns - read.monotonic_ns) / 1e9;
  EXPECT_GE(took, 0.099);
  EXPECT_LT(took - to_seconds(reduced.usage.host_lost) * 0.1, 0.2);
  leave();
  EXPECT_GT(goodbyes_.at(0).data_cpu_s, 0);
}

TEST_F(WorkerTest, ExecutorDoesItsPartsAndFinishes) {
  join();
  send(wire::Peers{{hellos_.back().data}});
  wire::LaunchCommand executor = task(1, CoreTime(0));
  executor.resources.cores = Millicores(2000);
  executor.work.executor = true;
  executor.work.memory = {{0, emu_mib(256)}, {1, emu_mib(512)}};
  command(executor);
  const auto started = await<ContainerStarted>(1);
  // Part 1 takes two cores for a second, part 2 one core for half a second on the output of part 1.
  command(RunPart{ContainerId{1}, {1, 0, core_seconds(2), 2, {}, {hands_over(kOutput)}, 0.5}});
  const auto first = await<PartDone>(1);
  EXPECT_EQ(first.part, 1);
  EXPECT_GE(first.monotonic_ns - started.monotonic_ns, 99'000'000);
  // A heartbeat between the work and the end of the write has the progress but not the data.
  auto half = [&] {
    return !heartbeats_.back().containers.empty() &&
           heartbeats_.back().containers[0].progress >= 0.5 &&
           heartbeats_.back().containers[0].disk > EmuBytes(0);
  };
  serve_until(half, "progress");
  EXPECT_EQ(heartbeats_.back().containers[0].progress, 0.5);
  EXPECT_EQ(heartbeats_.back().containers[0].disk, emu_mib(64));
  EXPECT_EQ(heartbeats_.back().containers[0].network, EmuBytes(0));
  EXPECT_NEAR(static_cast<double>(heartbeats_.back().containers[0].memory.count()), 384 << 20,
              64 << 20);

  reports_.clear();
  command(RunPart{ContainerId{1}, {2, 1, core_seconds(0.5), 1, {fetches(kOutput, 0)}, {}, 1}});
  const auto read = await<InputsRead>(1);
  const auto second = await<PartDone>(1);
  EXPECT_EQ(second.part, 2);
  EXPECT_GE(second.monotonic_ns - read.monotonic_ns, 49'000'000);
  for (const wire::Report& report : reports_)
    EXPECT_FALSE(std::holds_alternative<ContainerEnded>(report.what));
  command(Finish{ContainerId{1}});
  const auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_NEAR(to_core_seconds(ended.usage.cpu), 2.5, fills_memory_slowly() ? 2.5 : 0.5);
  EXPECT_EQ(ended.usage.read_local, emu_mib(64));
  EXPECT_EQ(ended.usage.written, emu_mib(64));
  EXPECT_FALSE(ended.usage.contended);
}

TEST_F(WorkerTest, TaskEndsOnlyAfterItsWrites) {
  welcome_.spec.disk_bytes_per_s = 64e6;
  join();
  wire::LaunchCommand map = task(1, CoreTime(0));
  // At this rate the write takes two emulated seconds, 0.2 s.
  map.work.writes = {{kOutput, EmuBytes(128'000'000), false, {}}};
  command(map);
  const auto started = await<ContainerStarted>(1);
  const auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  EXPECT_GE(ended.monotonic_ns - started.monotonic_ns, 190'000'000);
  EXPECT_EQ(ended.usage.written, EmuBytes(128'000'000));
}

TEST_F(WorkerTest, LostBlockFailsTheAttemptAndALostOutputIsReported) {
  join();
  wire::LaunchCommand map = task(1, core_seconds(1));
  map.work.reads = {{7, EmuBytes(0), emu_mib(64), {NodeId{5}}, -1}};
  const auto failed = end_of(map);
  EXPECT_EQ(failed.outcome, Outcome::kFailed);
  EXPECT_THAT(failed.reason, StartsWith("could not read object 7 from node 5: "));

  wire::LaunchCommand reduce = task(2, core_seconds(1));
  reduce.work.sources = 1;
  reduce.work.reads = {fetches(kOutput, 0)};  // nobody has written it
  command(reduce);
  const auto lost = await<InputLost>(2);
  EXPECT_EQ(lost.source, 0);
  EXPECT_EQ(lost.object, kOutput);
  kill(2);
}

TEST_F(WorkerTest, NothingIsLeftOfItsData) {
  join();
  wire::LaunchCommand map = task(1, CoreTime(0));
  map.work.writes = {hands_over(kOutput)};
  complete(map);
  const std::string scratch = directory_ + "/heddle-" + run_ + "-n1";
  const auto files = [&] {  // except the worker's mark
    const std::filesystem::directory_iterator all(scratch);
    return std::distance(begin(all), end(all)) - 1;
  };
  EXPECT_EQ(files(), 1);
  kill_worker();
  join();
  EXPECT_EQ(files(), 0);  // the dead worker's file is gone
  leave();
  EXPECT_FALSE(std::filesystem::exists(scratch));
}

TEST_F(WorkerTest, RunsManyAtOnceAndReusesTheirGroups) {
  join();
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 8; ++i) command(task(round * 8 + i, core_seconds(0.2)));
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(await<ContainerEnded>(round * 8 + i).outcome, Outcome::kCompleted);
  }
}

TEST_F(WorkerTest, KillsATask) {
  join();
  const pid_t pid = start_alone(sleeper(1));
  command(Kill{ContainerId{1}});
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kKilled);
  EXPECT_EQ(ended.exit_code, 137);
  EXPECT_TRUE(is_gone(pid));
  command(Kill{ContainerId{1}});
  EXPECT_EQ(await<wire::CommandRefused>(1).reason, "kill container 1: not alive on this node");
}

TEST_F(WorkerTest, SuspendsAndResumes) {
  for (SuspendWith with : {SuspendWith::kSignal, SuspendWith::kFreezer}) {
    welcome_.suspend_with = with;
    join();
    const pid_t pid = start_alone(task(1, core_seconds(6)));
    auto suspended = suspend(1);
    if (with == SuspendWith::kSignal) {
      EXPECT_TRUE(worker::is_stopped(pid));
    }
    std::size_t before = heartbeats_.size();
    serve_until([&] { return heartbeats_.size() >= before + 3; }, "heartbeats");
    EXPECT_EQ(heartbeats_[before].containers[0].cpu, heartbeats_.back().containers[0].cpu);
    auto resumed = resume(1);
    EXPECT_GT(resumed.monotonic_ns - suspended.monotonic_ns, 100'000'000);
    auto ended = await<ContainerEnded>(1);
    EXPECT_EQ(ended.outcome, Outcome::kCompleted);
    EXPECT_TRUE(ended.usage.contended);
    leave();
  }
}

// Where a group has no process, there is none that could be stopped.
TEST_F(WorkerTest, AStopThatTakesMoreThanASecondIsGivenUp) {
  join();
  const pid_t pid = start_alone(sleeper(1));
  const std::string own = group("/n1/c0"), other = group("/n1/other");
  ASSERT_TRUE(home_->driver->create(other));
  ASSERT_TRUE(home_->driver->attach(other, pid));
  command(Suspend{ContainerId{1}});
  EXPECT_EQ(await<wire::CommandRefused>(1).reason,
            "suspend container 1: did not stop within a second");
  ASSERT_TRUE(home_->driver->attach(own, pid));
  ASSERT_TRUE(home_->driver->remove(other));
  suspend(1);
  kill(1);
}

// The task has 1 s of work left when it is resumed, and resuming takes 5 s, so it ends after those.
TEST_F(WorkerTest, ResumingCosts) {
  welcome_.suspend_cost = emu_seconds(5);
  join();
  start(task(1, core_seconds(1)));
  suspend(1);
  const auto resumed = resume(1);
  const auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kCompleted);
  EXPECT_GE(ended.monotonic_ns - resumed.monotonic_ns,
            welcome_.scale.to_real(emu_seconds(5)).count());
}

// A frozen group stands for one that is out of quota: a process that joins it does not reach its
// exec.
TEST_F(WorkerTest, StartThatHangsHoldsNothingElseUp) {
  join();
  start(task(1, core_seconds(1000)));
  const std::string second = group("/n1/c1");
  ASSERT_TRUE(home_->driver->create(second));
  ASSERT_TRUE(home_->driver->freeze(second, true));
  command(sleeper(2));
  serve_until([&] { return !home_->driver->members(second).value().empty(); }, "its process");
  suspend(1);
  command(Suspend{ContainerId{2}});  // reported once it has started
  beats(3);
  for (const wire::Report& report : reports_) EXPECT_EQ(report.container(), ContainerId{1});
  ASSERT_TRUE(home_->driver->freeze(second, false));
  await<ContainerStarted>(2);
  await<ContainerSuspended>(2);
}

TEST_F(WorkerTest, KillsASuspendedTask) {
  for (SuspendWith with : {SuspendWith::kSignal, SuspendWith::kFreezer}) {
    welcome_.suspend_with = with;
    join();
    command(task(1, core_seconds(100)));
    suspend(1);
    kill(1);
    // The killed task's group can be used again.
    complete(task(2, core_seconds(1)));
    leave();
  }
}

TEST_F(WorkerTest, ExecErrorOfHeddleTaskIsNoAttempt) {
  join({{"--task", "/nonexistent/task"}});
  auto ended = end_of(task(1, core_seconds(1)));
  EXPECT_EQ(ended.outcome, Outcome::kNotStarted);
  EXPECT_EQ(ended.reason, "could not start: exec (/nonexistent/task): No such file or directory");
  for (const wire::Report& report : reports_)
    EXPECT_FALSE(std::holds_alternative<ContainerStarted>(report.what));
}

TEST_F(WorkerTest, NonZeroExitFailsTheAttempt) {
  join({{"--task", script("exit 3")}});
  start(task(1, core_seconds(1)));
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_EQ(ended.reason, "exited with status 3");
}

TEST_F(WorkerTest, SignalsFromOutsideAreNoKillsOfOurs) {
  join();
  send_signal(start_alone(sleeper(1)), SIGKILL);
  auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.oom, OomCause::kNone);
  EXPECT_EQ(ended.reason, "killed by signal 9 (Killed), not by Heddle");
  send_signal(start_alone(sleeper(2)), SIGSEGV);
  EXPECT_THAT(await<ContainerEnded>(2).reason, StartsWith("crashed: signal 11"));
}

TEST_F(WorkerTest, TaskBeyondItsRequestIsOomKilledByItsOwnLimit) {
  join();
  wire::LaunchCommand launch = sleeper(1);
  launch.work.memory = {{0, emu_mib(1536)}};
  auto ended = end_of(launch);
  EXPECT_EQ(ended.outcome, Outcome::kOomKilled);
  EXPECT_EQ(ended.oom, OomCause::kContainer);
  EXPECT_THAT(ended.reason, HasSubstr("its own memory limit of 1024 MiB"));
  EXPECT_GT(ended.usage.peak_memory, emu_mib(900));
}

TEST_F(WorkerTest, NodeBeyondItsCapacityIsANodeKill) {
  welcome_.spec.capacity.memory = EmuBytes(2LL << 30);
  welcome_.max_containers = 3;
  join();
  // The three tasks stay within their own limits but need 3 GiB together.
  for (int i = 1; i <= 3; ++i) {
    wire::LaunchCommand launch = sleeper(i);
    launch.work.memory = {{0, emu_mib(1000)}};
    command(launch);
  }
  auto kills = [&] {
    return std::count_if(reports_.begin(), reports_.end(), [](const wire::Report& report) {
      return std::holds_alternative<ContainerEnded>(report.what);
    });
  };
  serve_until([&] { return kills() >= 1; }, "a kill");
  for (const wire::Report& report : reports_) {
    const auto* ended = std::get_if<ContainerEnded>(&report.what);
    if (!ended) continue;
    EXPECT_EQ(ended->outcome, Outcome::kOomKilled);
    EXPECT_EQ(ended->oom, OomCause::kNode) << ended->reason;
  }
}

TEST_F(WorkerTest, ShutdownEndsEverything) {
  join();
  for (int i = 1; i <= 4; ++i) command(sleeper(i));
  for (int i = 1; i <= 4; ++i) await<ContainerStarted>(i);
  std::vector<pid_t> pids = task_pids();
  EXPECT_THAT(pids, SizeIs(4));
  send(wire::Shutdown{"the run is over"});
  EXPECT_EQ(await_exit(), 0);
  ASSERT_THAT(goodbyes_, SizeIs(1));
  EXPECT_EQ(goodbyes_[0].incarnation, hellos_[0].incarnation);
  EXPECT_GT(goodbyes_[0].worker_cpu_s, 0);
  for (pid_t pid : pids) EXPECT_TRUE(is_gone(pid));
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(await<ContainerEnded>(i).outcome, Outcome::kKilled);
}

TEST_F(WorkerTest, SigtermEndsEverythingWithoutTellingEnds) {
  join();
  start(sleeper(1));
  command(task(2, core_seconds(1000)));
  suspend(2);
  std::vector<pid_t> pids = task_pids();
  EXPECT_THAT(pids, SizeIs(2));
  auto before = std::chrono::steady_clock::now();
  send_signal(worker_, SIGTERM);
  EXPECT_EQ(await_exit(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(1500));
  EXPECT_THAT(goodbyes_, SizeIs(1));
  for (pid_t pid : pids) EXPECT_TRUE(is_gone(pid));
  for (const wire::Report& report : reports_)
    EXPECT_FALSE(std::holds_alternative<ContainerEnded>(report.what));
}

TEST_F(WorkerTest, SigkillOfTheWorkerEndsItsTasksAndTheNextOneCleansUp) {
  join();
  command(sleeper(1));
  command(task(2, core_seconds(1000)));
  suspend(2);
  await<ContainerStarted>(1);
  std::vector<pid_t> pids = task_pids();
  EXPECT_THAT(pids, SizeIs(2));
  kill_worker();
  expect_gone(pids);
  EXPECT_TRUE(home_->driver->exists(group("/n1")));
  std::uint64_t dead = hellos_.back().incarnation;
  join();
  EXPECT_NE(hellos_.back().incarnation, dead);
  complete(task(3, core_seconds(1)));
}

TEST_F(WorkerTest, DiesWithItsParentAndItsTasksWithIt) {
  // The parent is a shell with the worker as its child; the worker gets the shell's arguments.
  std::string parent =
      script(std::string("trap '' TERM\n") + HEDDLE_WORKER_PATH + " \"$@\" & wait");
  start_worker({}, parent);
  serve_until([&] { return !hellos_.empty(); }, "a hello");
  send(welcome_);
  const pid_t task = start_alone(sleeper(1)), worker = static_cast<pid_t>(hellos_[0].pid);
  ASSERT_NE(worker, worker_);
  kill_worker();
  expect_gone({task, worker});
  EXPECT_TRUE(cgroup::remove_tree(*home_->driver, group(), milliseconds(5000)));
}

TEST_F(WorkerTest, InheritedLockLivesAsLongAsTheWorkerAndNoLonger) {
  std::string path = directory_ + "/lock";
  auto locked = [&] {
    Fd mine(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    return ::flock(mine.get(), LOCK_EX | LOCK_NB) < 0;
  };
  {
    Fd lock(::open(path.c_str(), O_RDWR | O_CREAT, 0600));
    ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
    join();
  }
  EXPECT_TRUE(locked());
  start(sleeper(1));
  EXPECT_TRUE(locked());
  for (pid_t pid : task_pids())
    EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(pid) + "/fd/7"));
  leave();
  EXPECT_FALSE(locked());
}

TEST_F(WorkerTest, RejoinKillsAllAndBeginsAnew) {
  join();
  const pid_t pid = start_alone(sleeper(1));
  std::uint64_t first = hellos_.back().incarnation;
  send(wire::Rejoin{"given up"});
  serve_until([&] { return hellos_.back().incarnation != first; }, "a hello of a new life");
  EXPECT_TRUE(is_gone(pid));
  EXPECT_FALSE(home_->driver->exists(group("/n1")));
  EXPECT_THAT(reports_, IsEmpty());
  send(welcome_);
  complete(task(2, core_seconds(1)));
}

TEST_F(WorkerTest, DeadMasterIsLostAndTasksEnd) {
  welcome_.node_timeout = emu_seconds(1);  // the minimum of 2 s applies
  join();
  const pid_t pid = start_alone(sleeper(1));
  std::uint64_t first = hellos_.back().incarnation;
  close_socket();
  expect_gone({pid});
  open_socket();
  serve_until([&] { return hellos_.back().incarnation != first; }, "a hello of a new life");
}

// A master on the same machine that is silent, but has not died, only does not run. There are ten
// heartbeats per second, and a master may be silent for 2 s.
TEST_F(WorkerTest, StoppedMasterIsWaitedFor) {
  welcome_.node_timeout = emu_seconds(1);
  join();
  const pid_t pid = start_alone(sleeper(1));
  answering_ = false;
  beats(30);
  answering_ = true;
  beats(2);
  EXPECT_FALSE(is_gone(pid));
  EXPECT_EQ(hellos_.back().incarnation, hellos_.front().incarnation);
}

TEST_F(WorkerTest, FatalErrorEndsIt) {
  start_worker();
  serve_until([&] { return !hellos_.empty(); }, "a hello");
  send(wire::ErrorMessage{"protocol 1 is not ours", true});
  EXPECT_EQ(await_exit(), 4);
}

TEST_F(WorkerTest, DoesNotBusyWait) {
  welcome_.heartbeat = emu_seconds(10);
  join();
  start(sleeper(1));
  double before = heartbeats_.back().worker_cpu_s;
  std::size_t count = heartbeats_.size();
  serve_until([&] { return heartbeats_.size() == count + 2; }, "heartbeats");
  EXPECT_LT(heartbeats_.back().worker_cpu_s - before, 0.03);
}

TEST_F(WorkerTest, RefusesWhatItCantDo) {
  const std::map<std::string, std::string> wrong = {
      {"--connect", "tcp://127.0.0.1"}, {"--node", "../n1"}, {"--run", ""}, {"--nonsense", "1"}};
  for (const auto& [name, value] : wrong) {
    start_worker({{name, value}});
    EXPECT_EQ(await_exit(), 2) << name;
  }
}

}  // namespace heddle::worker_agent_test
