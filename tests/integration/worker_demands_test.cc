// Tests what a worker does for a master that asks for more than the worker's host has, or that
// keeps it from ending.

#include <csignal>

#include "tests/integration/worker_bench.h"
#include "tests/support/matchers.h"
#include "worker/process_state.h"

namespace heddle::worker_demands_test {

/// More than any host of these tests has.
constexpr EmuBytes kTooMuch{1LL << 40};
/// The longest time that a fault may last.
constexpr EmuTime kLongest = emu_seconds(36e6);

class DemandsTest : public WorkerTest {
 protected:
  void SetUp() override {
    WorkerTest::SetUp();
    welcome_.scale.memory = 1;
    welcome_.spec.capacity.memory = emu_mib(64);
  }
  void freeze(EmuTime length) {
    command(wire::FaultCommand{FaultKind::kFreezeWorker, length, {}});
    EXPECT_TRUE(soon([&] { return worker::is_stopped(worker_); }));
  }
  std::string last_words() const { return goodbyes_.empty() ? "none" : goodbyes_.back().reason; }
};

TEST_F(DemandsTest, ANodeThatIsLargerThanTheHostIsRefused) {
  welcome_.spec.capacity.memory = kTooMuch;
  start_worker();
  serve_until([&] { return !hellos_.empty(); }, "a hello");
  send(welcome_);
  EXPECT_EQ(await_exit(), 3);
  EXPECT_THAT(last_words(), StartsWith("node n1 needs 0.4 CPUs and 1048584 MiB of this host; "
                                       "expected at most its "));
  EXPECT_FALSE(home_->driver->exists(group()));
}

TEST_F(DemandsTest, AContainerThatIsLargerThanTheHostIsRefused) {
  join();
  wire::LaunchCommand launch = sleeper(1);
  launch.resources.memory = kTooMuch;
  const auto ended = end_of(launch);
  EXPECT_EQ(ended.outcome, Outcome::kNotStarted);
  EXPECT_THAT(ended.reason, StartsWith("could not start: the container needs 0.1 CPUs and 1048576 "
                                       "MiB of this host; expected at most its "));
  launch = sleeper(2);
  launch.resources.memory = emu_mib(16);
  start(launch);
}

TEST_F(DemandsTest, AnExternalLoadThatIsLargerThanTheHostIsRefused) {
  join();
  command(ExternalLoad{NodeId{0}, {Millicores(0), emu_mib(16)}});
  serve_until([&] { return task_pids().size() == 1; }, "the load");
  const std::vector<pid_t> present = task_pids();
  command(ExternalLoad{NodeId{0}, {Millicores(0), kTooMuch}});
  beats(3);
  EXPECT_EQ(task_pids(), present);
  command(ExternalLoad{NodeId{0}, {Millicores(0), EmuBytes(0)}});
  serve_until([&] { return task_pids().empty(); }, "the load's end");
}

TEST_F(DemandsTest, AFrozenWorkerEndsOnASignal) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    join();
    start(sleeper(1));
    freeze(kLongest);
    send_signal(worker_, signal);
    ASSERT_EQ(await_exit(), 0);
    EXPECT_EQ(last_words(), "signal " + std::to_string(signal));
    EXPECT_FALSE(home_->driver->exists(group()));
  }
}

TEST_F(DemandsTest, AFreezeEndsByItself) {
  join();
  freeze(emu_seconds(3));  // 0.3 s real
  beats(2);
  EXPECT_FALSE(worker::is_stopped(worker_));
}

// Each probe starts a process, so the worker is busy with them for seconds.
TEST_F(DemandsTest, ManyMessagesDoNotKeepItFromEnding) {
  join();
  for (int i = 0; i < 900; ++i) send(wire::Probe{hellos_.back().incarnation});
  send_signal(worker_, SIGTERM);
  EXPECT_EQ(await_exit(), 0);
  EXPECT_LT(probed_.size(), 450U);
}

}  // namespace heddle::worker_demands_test
