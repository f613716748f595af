#include "bench/launch_ways.h"

#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "bench/failed.h"
#include "cgroup/ownership.h"
#include "common/host_clock.h"
#include "common/installed.h"
#include "common/own_usage.h"
#include "wire/codec.h"

namespace heddle::bench {
namespace {

constexpr std::chrono::seconds kJoinLimit(10);
constexpr std::chrono::milliseconds kEndLimit(1500), kGroupLimit(900);
constexpr EmuBytes kContainerMemory{64 << 20};

cgroup::Home find_home(const std::optional<std::string>& cgroup, const host::RunDirectory& dir) {
  Result<cgroup::Home> home = cgroup::find_home(
      cgroup, [&](const std::string& directory) { return dir.note_home(directory); });
  if (!home) (void)dir.remove();
  return naming("a place for control groups", [&] { return need(std::move(home)); });
}

zmq::socket_t bound(zmq::context_t& context, const std::string& endpoint) try {
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.set(zmq::sockopt::linger, 0);
  socket.bind(endpoint);
  return socket;
} catch (const zmq::error_t& error) {
  throw Failed(system_error("listen at " + endpoint, error.num()));
}

host::Child start_worker(const BenchPlace& place, const std::string& node) {
  return need(host::Child::spawn(
      {program_path("heddle-worker"), "--connect", place.dir().control_endpoint(), "--run",
       place.dir().run(), "--node", node, "--cgroup", place.address(), "--die-with-parent"},
      place.dir().lock()));
}

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

BenchPlace::BenchPlace(const std::optional<std::string>& cgroup)
    : dir_(need(host::RunDirectory::create(host::base_directories()[0]))),
      home_(find_home(cgroup, dir_)) {
  // The directory is recorded before the first group is made.
  need(dir_.write({dir_.run(), address(), dir_.path(), {}}));
}

BenchPlace::~BenchPlace() {
  // If the groups can't be removed, only `heddle clean` can help, and it needs the directory.
  auto left = cgroup::remove_run(driver(), dir_.run(), "", true, kGroupLimit);
  if (!left || !left->empty()) return;
  cgroup::leave_home(home_);
  (void)dir_.remove();
}

// SIGTERM makes the worker kill its tasks and remove its groups.
BenchWorker::BenchWorker(const BenchPlace& place, const wire::Welcome& node)
    : place_(place),
      welcome_(node),
      socket_(bound(context_, place.dir().control_endpoint())),
      worker_(start_worker(place, node.spec.name), SIGTERM, kEndLimit) {
  if (auto mark = host::mark_of(pid(), "heddle-worker"))
    need(place.dir().write({place.dir().run(), place.address(), place.dir().path(), {*mark}}));
  try {
    for (const real::Time until = real::now() + kJoinLimit; !joined_; hear(until))
      if (real::now() >= until) throw Failed("the worker did not register in time");
  } catch (const Failed&) {
    if (worker_->reap()) throw Failed(machine_error("heddle-worker: " + last_words(*worker_)));
    throw;
  }
}

void BenchWorker::post(const wire::Message& message) {
  socket_.send(zmq::buffer(peer_), zmq::send_flags::sndmore);
  socket_.send(zmq::buffer(wire::encode(message)), zmq::send_flags::none);
}

void BenchWorker::send(std::vector<What> commands) {
  wire::Commands fresh{welcome_.incarnation, {}};
  for (What& what : commands) fresh.commands.push_back({++last_command_, std::move(what)});
  post(fresh);
  commands_.insert(commands_.end(), fresh.commands.begin(), fresh.commands.end());
}

std::vector<wire::Report> BenchWorker::hear(real::Time until) {
  zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                             {nullptr, place_.bench().signals(), ZMQ_POLLIN, 0},
                             {nullptr, worker_->pidfd(), ZMQ_POLLIN, 0}};
  std::vector<wire::Report> heard;
  try {
    zmq::poll(items, std::size(items),
              std::max(std::chrono::ceil<std::chrono::milliseconds>(until - real::now()),
                       std::chrono::milliseconds(0)));
    zmq::message_t identity, body;
    while (socket_.recv(identity, zmq::recv_flags::dontwait) && socket_.recv(body)) {
      peer_ = identity.to_string();
      take(body.to_string(), heard);
    }
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
  if (items[1].revents != 0) throw Failed("interrupted");
  if (items[2].revents != 0) throw Failed("the worker ended");
  return heard;
}

void BenchWorker::take(const std::string& text, std::vector<wire::Report>& heard) {
  const wire::Message message =
      naming("what the worker said", [&] { return need(wire::decode(text)); });
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    welcome_.run = hello->run;
    welcome_.incarnation = hello->incarnation;
    post(welcome_);
  } else if (const auto* reports = std::get_if<wire::Reports>(&message)) {
    take(reports->reports, heard);
  } else if (const auto* beat = std::get_if<wire::Heartbeat>(&message)) {
    joined_ = true;
    take(beat->reports, heard);
    std::erase_if(commands_,
                  [&](const wire::Command& c) { return c.number <= beat->last_command; });
    post(wire::HeartbeatReply{beat->incarnation, beat->sequence, last_report_, commands_});
  } else if (const auto* error = std::get_if<wire::ErrorMessage>(&message)) {
    throw Failed("the worker: " + error->text);
  }
}

void BenchWorker::take(const std::vector<wire::Report>& reports, std::vector<wire::Report>& heard) {
  for (const wire::Report& report : reports) {
    if (report.number != last_report_ + 1) continue;
    last_report_ = report.number;
    heard.push_back(report);
    if (std::holds_alternative<wire::CommandRefused>(report.what))
      throw Failed("the worker refused to " + report.reason());
    const auto* ended = std::get_if<ContainerEnded>(&report.what);
    if (ended && ended->outcome != Outcome::kCompleted)
      throw Failed("a task failed: " + ended->reason);
  }
}

wire::Welcome bench_node(double cores, double core_fraction, int max_containers) {
  wire::Welcome node;
  node.node = NodeId{0};
  node.spec.name = "n1";
  node.spec.capacity = {Millicores(static_cast<std::int64_t>(cores * 1000)),
                        kContainerMemory * max_containers};
  node.spec.allowance = node.spec.capacity;
  node.scale = {1, core_fraction, 1.0 / 16, 1.0 / 16};
  node.overhead = real::Bytes(2 << 20);
  node.heartbeat = emu_seconds(0.1);
  node.node_timeout = emu_seconds(60);
  node.max_containers = max_containers;
  return node;
}

wire::LaunchCommand empty_task(std::int64_t id) {
  wire::LaunchCommand launch;
  launch.container = ContainerId{id};
  launch.job = launch.phase = "bench";
  launch.resources = {Millicores(1000), kContainerMemory};
  return launch;
}

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
    for (const wire::Report& report : worker_.hear(until))
      if (const auto* end = std::get_if<ContainerEnded>(&report.what))
        ended.push_back(end->container.value);
  }
  return ended;
}

}  // namespace heddle::bench
