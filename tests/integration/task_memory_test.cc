// Tests the memory of real heddle-task processes, without a control group and in one of the test's
// own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "common/file.h"
#include "tests/integration/fill_rate.h"
#include "tests/integration/task_bench.h"

namespace heddle::task_memory_test {

using std::chrono::milliseconds;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kMiB = 1 << 20;

/// Returns the number that follows `word` and blanks in `text`; -1 if it is not there.
std::int64_t number_after(const std::string& text, const std::string& word) {
  std::size_t at = text.find(word);
  return at == std::string::npos ? -1 : std::atoll(text.c_str() + at + word.size());
}

/// A memory group below the test's own, removed with the object. Not valid if it cannot be made.
class MemoryGroup {
 public:
  MemoryGroup() {
    Result<std::string> groups = read_file("/proc/self/cgroup");
    if (!groups) return;
    if (std::string path = path_in(*groups, ":memory:"); !path.empty()) {
      make("/sys/fs/cgroup/memory" + path);
      v1_ = true;
    } else if (std::string unified = path_in(*groups, "0::"); !unified.empty()) {
      make("/sys/fs/cgroup" + unified);
    }
    if (valid() && ::access(file(v1_ ? "memory.usage_in_bytes" : "memory.current").c_str(), R_OK))
      remove();  // exists, but without the controller
  }
  ~MemoryGroup() { remove(); }

  bool valid() const { return !directory_.empty(); }
  std::string procs() const { return file("cgroup.procs"); }
  Fd open_usage() const {
    return Fd(::open(file(v1_ ? "memory.usage_in_bytes" : "memory.current").c_str(),
                     O_RDONLY | O_CLOEXEC));
  }
  std::int64_t usage() const {
    return std::atoll(read_file(file(v1_ ? "memory.usage_in_bytes" : "memory.current"))->c_str());
  }
  std::int64_t oom_kills() const {
    return number_after(*read_file(file(v1_ ? "memory.oom_control" : "memory.events")),
                        "oom_kill ");
  }
  void limit(std::int64_t bytes) const {
    ASSERT_TRUE(
        write_control(file(v1_ ? "memory.limit_in_bytes" : "memory.max"), std::to_string(bytes)));
  }

 private:
  static std::string path_in(const std::string& groups, const std::string& word) {
    std::size_t at = groups.find(word);
    if (at == std::string::npos) return "";
    at += word.size();
    return groups.substr(at, groups.find('\n', at) - at);
  }
  void make(const std::string& parent) {
    std::string directory = parent + (parent.back() == '/' ? "" : "/") + "heddle-test-task-" +
                            std::to_string(::getpid());
    if (::mkdir(directory.c_str(), 0755) == 0) directory_ = directory;
  }
  void remove() {
    // The kernel may need a moment to release the last process.
    for (int i = 0; valid() && ::rmdir(directory_.c_str()) < 0 && errno == EBUSY && i < 1000; ++i)
      ::usleep(1000);
    directory_.clear();
  }
  std::string file(const char* name) const { return directory_ + "/" + name; }

  std::string directory_;
  bool v1_ = false;
};

TaskOrder profile(std::initializer_list<TaskOrder::Point> points) {
  TaskOrder order;
  for (const TaskOrder::Point& point : points) order.memory[order.memory_points++] = point;
  return order;
}

TaskOrder sleeping(TaskOrder order, std::int64_t ms) {
  order.part.sleep_ns = ms * kMs;
  order.part.sleep_share = 1;
  return order;
}

std::int64_t anonymous(pid_t pid) {
  return number_after(*read_file("/proc/" + std::to_string(pid) + "/status"), "RssAnon:") * 1024;
}

/// Returns the memory that the profile 0 -> 16 MiB -> 0 asks for.
double tent(double progress) { return 32.0 * kMiB * (progress < 0.5 ? progress : 1 - progress); }

/// Looks nine times at a task of `order`, whose profile is tent(). Fails at the first look at which
/// the task's memory is off by more than 1 MiB. A burst is half a percent of the work, or 160 KiB
/// of the profile.
testing::AssertionResult follows_tent(const TaskOrder& order) {
  TaskBench bench(1, 0.1);
  bench.start(1, 1, order);
  for (int i = 0; i < 9; ++i) {
    bench.serve(milliseconds(100));
    const double progress = bench.said(1).progress;
    const auto held = static_cast<double>(anonymous(bench.run(1).pid));
    if (std::abs(held - tent(progress)) > 1.0 * kMiB) {
      return testing::AssertionFailure()
             << "held " << held << " for " << tent(progress) << " at progress " << progress;
    }
  }
  bench.serve_all();
  if (bench.run(1).status != 0)
    return testing::AssertionFailure() << "status " << bench.run(1).status;
  if (bench.run(1).wall() < milliseconds(1000))
    return testing::AssertionFailure() << "ended after " << bench.run(1).wall().count() << " ns";
  return testing::AssertionSuccess();
}

TEST(TaskMemory, FollowsARisingAndFallingProfile) {
  if (fills_memory_slowly()) GTEST_SKIP() << "this machine fills memory at less than 1 GB/s";
  TaskOrder order = profile({{0, 0}, {0.5, 16 * kMiB}, {1, 0}});
  order.part.cpu_ns_per_thread = 100 * kMs;
  EXPECT_TRUE(once_of_three([&] { return follows_tent(order); }));
}

TEST(TaskMemory, FollowsTheProfileAsleep) {
  const TaskOrder order = sleeping(profile({{0, 0}, {0.5, 16 * kMiB}, {1, 0}}), 1000);
  EXPECT_TRUE(once_of_three([&] { return follows_tent(order); }));
}

/// Returns work on two threads: 0.4 s at 1.5 cores, 0.2 s of nothing, 0.4 s at 2 cores. Memory
/// rises to 16 MiB, stays, and falls to 8 MiB.
TaskWork curve() {
  TaskWork work;
  work.threads = 2;
  work.pieces = {{core_seconds(0.6), emu_seconds(0.1)},
                 {core_seconds(0), emu_seconds(0.2)},
                 {core_seconds(0.8), emu_seconds(0)}};
  work.cpu = core_seconds(1.4);
  auto mib = [](std::int64_t n) { return EmuBytes(n * kMiB); };
  work.memory = {{0, mib(0)}, {0.4, mib(16)}, {0.6, mib(16)}, {1, mib(8)}};
  return work;
}

testing::AssertionResult follows_curve() {
  const Scale scale{1, 0.1, 1, 1};
  TaskBench bench(2, 0.1);
  bench.start(
      1, 2,
      worker::order_for(curve(), scale, Millicores(2000), 1, CpuLimit::kStrict, Pacing::kLine));
  double paused_ms = 0;  // CPU in the middle of its pause
  for (int i = 1; i < 10; ++i) {
    bench.serve(milliseconds(100));
    const double progress = bench.said(1).progress;
    const double wanted = progress < 0.4 ? 40 * progress : progress < 0.6 ? 16 : 28 - 20 * progress;
    const auto held = static_cast<double>(anonymous(bench.run(1).pid));
    if (std::abs(held - wanted * kMiB) > 1.0 * kMiB || std::abs(progress - 0.1 * i) > 0.15) {
      return testing::AssertionFailure() << "after " << i << " tenths: progress " << progress
                                         << ", held " << held / kMiB << " MiB for " << wanted;
    }
    if (i == 5) paused_ms = static_cast<double>(bench.said(1).cpu.count()) / kMs;
  }
  bench.serve_all();
  const TaskRun& run = bench.run(1);
  const double cpu_ms = static_cast<double>(run.said.cpu.count()) / kMs;
  const double wall_ms = static_cast<double>(run.wall().count()) / kMs;
  const double forfeited_ms = static_cast<double>(run.said.forfeited.count()) / kMs;
  if (run.status == 0 && std::abs(paused_ms - 60) <= 6 && std::abs(cpu_ms - 140) <= 6 &&
      wall_ms >= 1000 && wall_ms - forfeited_ms <= 1150)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "status " << run.status << ", CPU when paused " << paused_ms << " ms of 60, in all "
         << cpu_ms << " of 140, " << wall_ms << " ms, " << forfeited_ms << " forfeited";
}

TEST(TaskMemory, FollowsAUsageCurve) {
  if (fills_memory_slowly()) GTEST_SKIP() << "this machine fills memory at less than 1 GB/s";
  EXPECT_TRUE(once_of_three(follows_curve));
}

TEST(TaskMemory, LargeMemoryDoesNotLengthenTheTask) {
  TaskOrder order = profile({{0, 64 * kMiB}});
  order.part.cpu_ns_per_thread = 150 * kMs;
  TaskBench bench(1, 0.3);
  bench.start(1, 1, order);
  bench.serve_all();
  EXPECT_EQ(bench.run(1).status, 0);
  EXPECT_GE(bench.run(1).wall(), milliseconds(500));
  EXPECT_LT((bench.run(1).wall() - bench.run(1).said.forfeited).count(), 575 * kMs);
}

TEST(TaskMemory, ChargeIsTheProfileFootprintIncluded) {
  MemoryGroup group;
  if (!group.valid()) GTEST_SKIP() << "no memory group may be made below ours";
  TaskBench bench(1, 0.1);
  Fd usage = group.open_usage();
  bench.start(1, 1, sleeping(profile({{0, 8 * kMiB}}), 600), usage.get(), {group.procs()});
  bench.serve(milliseconds(400));
  EXPECT_NEAR(static_cast<double>(group.usage()), 8.0 * kMiB, 0.6 * kMiB);
  bench.serve_all();
  EXPECT_EQ(bench.run(1).status, 0);
}

TEST(TaskMemory, MoreThanTheLimitIsTheKernelsKill) {
  MemoryGroup group;
  if (!group.valid()) GTEST_SKIP() << "no memory group may be made below ours";
  group.limit(6 * kMiB);
  TaskBench bench(1, 0.1);
  Fd usage = group.open_usage();
  bench.start(1, 1, sleeping(profile({{0, 8 * kMiB}}), 20'000), usage.get(), {group.procs()});
  bench.serve_all();
  ASSERT_TRUE(WIFSIGNALED(bench.run(1).status));
  EXPECT_EQ(WTERMSIG(bench.run(1).status), SIGKILL);
  EXPECT_EQ(group.oom_kills(), 1);
  EXPECT_FALSE(bench.run(1).said.done);
}

}  // namespace heddle::task_memory_test
