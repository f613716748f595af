#include "bench/launch_ways.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "common/host_clock.h"
#include "common/own_usage.h"

namespace heddle::bench {
namespace {

constexpr std::chrono::milliseconds kLimit(10'000);

/// Adds the CPU time that this thread uses while the object lives.
class ThreadCpu {
 public:
  explicit ThreadCpu(double& sum_s) : sum_s_(sum_s), began_s_(thread_cpu_s()) {}
  ThreadCpu(const ThreadCpu&) = delete;
  ThreadCpu& operator=(const ThreadCpu&) = delete;
  ~ThreadCpu() { sum_s_ += thread_cpu_s() - began_s_; }

 private:
  double& sum_s_;
  double began_s_;
};

}  // namespace

wire::LaunchCommand empty_task(std::int64_t id) {
  wire::LaunchCommand launch;
  launch.container = ContainerId{id};
  launch.job = launch.phase = "bench";
  launch.resources = {Millicores(1000), EmuBytes(64 << 20)};
  return launch;
}

SpawnedChildren::~SpawnedChildren() {
  for (const auto& [id, child] : children_) worker::Launcher::abandon(child);
}

void SpawnedChildren::abandon(std::int64_t id) {
  auto it = children_.find(id);
  if (it == children_.end()) return;
  worker::Launcher::abandon(it->second);
  children_.erase(it);
}

Result<pid_t> SpawnedChildren::spawn(std::int64_t id, const std::vector<std::string>& words,
                                     const posix_spawn_file_actions_t* files) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  worker::Child child;
  if (int error = ::posix_spawn(&child.pid, argv[0], files, nullptr, argv.data(), environ))
    return system_error("start " + words[0], error);
  child.pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  const pid_t pid = child.pid;
  adopt(id, std::move(child));
  return pid;
}

Result<std::vector<std::int64_t>> SpawnedChildren::wait(int expected) {
  std::vector<pollfd> items;
  for (const auto& [id, child] : children_) items.push_back({child.pidfd.get(), POLLIN, 0});
  int n = ::poll(items.data(), items.size(), static_cast<int>(kLimit.count()));
  if (n < 0 && errno != EINTR) return system_error("wait for processes", errno);
  if (n == 0) return aborted_error("a process did not end within 10 s");
  std::vector<std::int64_t> ended;
  auto item = items.begin();
  for (auto it = children_.begin(); it != children_.end(); ++item) {
    if (item->revents == 0) {
      ++it;
      continue;
    }
    Result<std::optional<worker::Ended>> end = worker::Launcher::reap(it->second);
    if (!end) return std::move(end).error();
    if (*end && ((*end)->by_signal || (*end)->value != expected))
      return aborted_error("a process ended with status " + std::to_string((*end)->value));
    if (*end) cpu_s_ += std::chrono::duration<double>((*end)->cpu).count();
    ended.push_back(it->first);
    it = children_.erase(it);
  }
  return ended;
}

Result<std::unique_ptr<BareWay>> BareWay::create(const std::string& task_program) {
  Result<std::unique_ptr<worker::CpuLines>> lines =
      worker::CpuLines::create({Millicores(64'000), 1, CpuLimit::kStrict, {}});
  if (!lines) return std::move(lines).error();
  return std::unique_ptr<BareWay>(new BareWay(task_program, *std::move(lines)));
}

Result<void> BareWay::start(std::int64_t id) {
  const TaskOrder order =
      worker::order_for(TaskWork{}, Scale{}, Millicores(1000), 1, CpuLimit::kStrict, Pacing::kLine);
  Result<pid_t> pid = start(id, order);
  return pid ? Result<void>() : std::move(pid).error();
}

Result<pid_t> BareWay::start(std::int64_t id, const TaskOrder& order) {
  Result<int> page = lines_->add(ContainerId{id}, Millicores(1000), order, real::now());
  if (!page) return std::move(page).error();
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, *page, kTaskPageFd);
  ::posix_spawn_file_actions_adddup2(&files, lines_->doorbell_fd(), kTaskDoorbellFd);
  Result<pid_t> pid = [&] {
    const ThreadCpu cpu(start_s_);
    return children_.spawn(id, {program_, std::to_string(id)}, &files);
  }();
  ::posix_spawn_file_actions_destroy(&files);
  return pid;
}

void BareWay::abandon(std::int64_t id) {
  children_.abandon(id);
  lines_->remove(ContainerId{id}, real::now());
}

Result<std::vector<std::int64_t>> BareWay::wait() {
  Result<std::vector<std::int64_t>> ended = children_.wait(0);
  if (ended)
    for (std::int64_t id : *ended) lines_->remove(ContainerId{id}, real::now());
  return ended;
}

Result<std::unique_ptr<GroupWay>> GroupWay::create(cgroup::Driver& driver, const std::string& run,
                                                   const wire::Welcome& welcome,
                                                   const std::string& task_program) {
  Result<worker::Launcher> launcher = worker::Launcher::create();
  if (!launcher) return std::move(launcher).error();
  wire::Welcome own = welcome;
  own.spec.name = "direct";
  auto enforcer = worker::Enforcer::create(driver, run, own);
  if (!enforcer) return std::move(enforcer).error();
  return std::unique_ptr<GroupWay>(
      new GroupWay(task_program, *std::move(enforcer), *std::move(launcher)));
}

GroupWay::~GroupWay() { (void)enforcer_->teardown(std::chrono::milliseconds(500)); }

Result<void> GroupWay::start(std::int64_t id) {
  const wire::LaunchCommand launch = empty_task(id);
  Result<worker::LaunchPlan> plan = [&]() -> Result<worker::LaunchPlan> {
    const ThreadCpu cpu(cpu_.limits);
    Result<worker::LaunchPlan> made = enforcer_->prepare(launch);
    if (made) HEDDLE_TRY(put(enforcer_->publish(launch, real::now()), made->page));
    return made;
  }();
  if (!plan) return std::move(plan).error();
  plan->program = program_;
  plan->arguments = {std::to_string(id)};
  Result<worker::Child> child = [&] {
    const ThreadCpu cpu(cpu_.start);
    return launcher_.launch(*plan);
  }();
  if (!child) return std::move(child).error();
  enforcer_->begin(launch.container, child->pid, real::now());
  children_.adopt(id, *std::move(child));
  return {};
}

Result<std::vector<std::int64_t>> GroupWay::wait() {
  Result<std::vector<std::int64_t>> ended = children_.wait(0);
  if (!ended) return ended;
  const ThreadCpu cpu(cpu_.measure);
  for (std::int64_t id : *ended) {
    HEDDLE_TRY(enforcer_->sample(ContainerId{id}));
    HEDDLE_TRY(enforcer_->release(ContainerId{id}, real::now()));
  }
  return ended;
}

Result<void> WorkerWay::start(std::int64_t id) {
  commands_.push_back(empty_task(id));
  return {};
}

Result<std::vector<std::int64_t>> WorkerWay::wait() {
  if (!commands_.empty()) master_.send(std::exchange(commands_, {}));
  std::vector<std::int64_t> ended;
  const real::Time until = real::now() + kLimit;
  while (ended.empty()) {
    if (real::now() >= until)
      return aborted_error("the worker did not report the end of a task within 10 s");
    Result<std::vector<WorkerMaster::Heard>> heard = master_.hear(until);
    if (!heard) return std::move(heard).error();
    for (const auto& [report, at] : *heard) {
      const auto* end = std::get_if<ContainerEnded>(&report.what);
      if (!end) continue;
      if (end->outcome != Outcome::kCompleted)
        return aborted_error("a task failed: " + end->reason);
      ended.push_back(end->container.value);
    }
  }
  return ended;
}

}  // namespace heddle::bench
