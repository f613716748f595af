#include "bench/launch_ways.h"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "bench/failed.h"
#include "common/host_clock.h"
#include "common/own_usage.h"

namespace heddle::bench {
namespace {

constexpr std::chrono::milliseconds kLimit(10'000);

/// Calls `work` and adds the CPU time that this thread uses for it.
template <class Work>
auto counted(double& sum_s, Work work) {
  struct Sum {
    ~Sum() { sum_s += thread_cpu_s() - began_s; }
    double& sum_s;
    double began_s = thread_cpu_s();
  } sum{sum_s};
  return work();
}

/// Starts a program by posix_spawn.
Result<worker::Child> spawn(std::vector<std::string> words,
                            const posix_spawn_file_actions_t& files) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  worker::Child child;
  if (int error = ::posix_spawn(&child.pid, argv[0], &files, nullptr, argv.data(), environ))
    return system_error("start " + words[0], error);
  child.pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  return child;
}

}  // namespace

OwnChildren::~OwnChildren() {
  for (const auto& [id, child] : children_) worker::Launcher::abandon(child);
}

void OwnChildren::abandon(std::int64_t id) {
  if (auto child = children_.extract(id)) worker::Launcher::abandon(child.mapped());
}

std::vector<std::int64_t> OwnChildren::wait() {
  std::vector<pollfd> items;
  for (const auto& [id, child] : children_) items.push_back({child.pidfd.get(), POLLIN, 0});
  const int n = ::poll(items.data(), items.size(), static_cast<int>(kLimit.count()));
  if (n < 0 && errno != EINTR) throw Failed(system_error("wait for processes", errno));
  if (n == 0) throw Failed("a process did not end within 10 s");
  std::vector<std::int64_t> ended;
  auto item = items.begin();
  for (auto it = children_.begin(); it != children_.end(); ++item) {
    if (item->revents == 0) {
      ++it;
      continue;
    }
    const std::optional<worker::Ended> end = need(worker::Launcher::reap(it->second));
    if (end && (end->by_signal || end->value != 0))
      throw Failed("a process ended with status " + std::to_string(end->value));
    if (end) cpu_s_ += std::chrono::duration<double>(end->cpu).count();
    ended.push_back(it->first);
    it = children_.erase(it);
  }
  return ended;
}

BareWay::BareWay(std::string task_program)
    : program_(std::move(task_program)),
      lines_(need(worker::CpuLines::create({Millicores(64'000), 1, CpuLimit::kStrict, {}}))) {}

void BareWay::start(std::int64_t id) {
  start(id, worker::order_for(TaskWork{}, Scale{}, Millicores(1000), 1, CpuLimit::kStrict,
                              Pacing::kLine));
}

pid_t BareWay::start(std::int64_t id, const TaskOrder& order) {
  const int page = need(lines_->add(ContainerId{id}, Millicores(1000), order, real::now()));
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, page, kTaskPageFd);
  ::posix_spawn_file_actions_adddup2(&files, lines_->doorbell_fd(), kTaskDoorbellFd);
  Result<worker::Child> started = counted(start_s_, [&] {
    return spawn({program_, std::to_string(id)}, files);
  });
  ::posix_spawn_file_actions_destroy(&files);
  worker::Child child = need(std::move(started));
  const pid_t pid = child.pid;
  children_.adopt(id, std::move(child));
  return pid;
}

void BareWay::abandon(std::int64_t id) {
  children_.abandon(id);
  lines_->remove(ContainerId{id}, real::now());
}

std::vector<std::int64_t> BareWay::wait() {
  std::vector<std::int64_t> ended = children_.wait();
  for (std::int64_t id : ended) lines_->remove(ContainerId{id}, real::now());
  return ended;
}

GroupWay::GroupWay(const BenchPlace& place, wire::Welcome node, std::string task_program)
    : program_(std::move(task_program)), launcher_(need(worker::Launcher::create())) {
  node.spec.name = "direct";
  enforcer_ = need(worker::Enforcer::create(place.driver(), place.dir().run(), node));
}

LaunchCpu GroupWay::cpu() const {
  LaunchCpu all = cpu_;
  all.process = children_.cpu_s();
  return all;
}

void GroupWay::start(std::int64_t id) {
  const wire::LaunchCommand launch = empty_task(id);
  worker::LaunchPlan plan = counted(cpu_.limits, [&] {
    worker::LaunchPlan made = need(enforcer_->prepare(launch));
    made.page = need(enforcer_->publish(launch, real::now()));
    return made;
  });
  plan.program = program_;
  plan.arguments = {std::to_string(id)};
  worker::Child child = counted(cpu_.start, [&] { return need(launcher_.launch(plan)); });
  enforcer_->begin(launch.container, child.pid, real::now());
  children_.adopt(id, std::move(child));
}

std::vector<std::int64_t> GroupWay::wait() {
  const std::vector<std::int64_t> ended = children_.wait();
  counted(cpu_.measure, [&] {
    for (std::int64_t id : ended) {
      need(enforcer_->sample(ContainerId{id}));
      need(enforcer_->release(ContainerId{id}, real::now()));
    }
  });
  return ended;
}

std::vector<std::int64_t> WorkerWay::wait() {
  if (!commands_.empty()) worker_.send(std::exchange(commands_, {}));
  std::vector<std::int64_t> ended;
  for (const real::Time until = real::now() + kLimit; ended.empty();) {
    if (real::now() >= until)
      throw Failed("the worker did not report the end of a task within 10 s");
    for (const auto& [report, at] : worker_.hear(until)) {
      const auto* end = std::get_if<ContainerEnded>(&report.what);
      if (!end) continue;
      if (end->outcome != Outcome::kCompleted) throw Failed("a task failed: " + end->reason);
      ended.push_back(end->container.value);
    }
  }
  return ended;
}

}  // namespace heddle::bench
