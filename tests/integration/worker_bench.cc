#include "tests/integration/worker_bench.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include "cgroup/tree.h"
#include "common/file.h"
#include "wire/codec.h"
#include "worker/process_state.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

}  // namespace

void send_signal(pid_t process, int signal) {
  ASSERT_GT(process, 1);
  ::kill(process, signal);
}

bool is_gone(pid_t pid) {
  Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return !stat || worker::state_of(*stat) == 'Z';
}

bool soon(const std::function<bool()>& done) {
  for (int i = 0; i < 5000 && !done(); ++i) ::usleep(1000);
  return done();
}

void expect_gone(const std::vector<pid_t>& pids) {
  EXPECT_TRUE(soon([&] { return std::all_of(pids.begin(), pids.end(), is_gone); }));
}

void WorkerTest::SetUp() {
  Result<cgroup::Home> home = cgroup::find_home(std::nullopt);
  if (!home) GTEST_SKIP() << home.error().text;
  home_ = *std::move(home);
  run_ = "test-worker-" + std::to_string(::getpid());
  std::string pattern = testing::TempDir() + "heddle-worker-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  directory_ = pattern;
  open_socket();

  welcome_.run = run_;
  welcome_.node = NodeId{0};
  welcome_.spec.name = "n1";
  welcome_.spec.capacity = {Millicores(4000), EmuBytes(4LL << 30)};
  welcome_.spec.allowance = welcome_.spec.capacity;
  welcome_.scale = {0.1, 0.1, 1.0 / 64, 1.0 / 64};
  welcome_.overhead = real::Bytes(1 << 20);
  welcome_.heartbeat = emu_seconds(1);
  welcome_.node_timeout = emu_seconds(600);
  welcome_.max_containers = 8;
}

void WorkerTest::open_socket() {
  socket_ = zmq::socket_t(context_, zmq::socket_type::router);
  socket_.set(zmq::sockopt::linger, 0);
  socket_.bind("ipc://" + directory_ + "/master");
}

void WorkerTest::TearDown() {
  if (!home_) return;
  if (worker_ > 0 && welcomed_) leave();
  if (worker_ > 0) {
    ::kill(worker_, SIGKILL);
    ::waitpid(worker_, nullptr, 0);
  } else {
    EXPECT_FALSE(home_->driver->exists(group()));
  }
  // A worker that has left its group is an error of one test, and not of those after it.
  const Result<void> removed = cgroup::remove_tree(*home_->driver, group(), milliseconds(5000));
  EXPECT_TRUE(removed) << removed.error().text;
  EXPECT_FALSE(home_->driver->exists(group()));
  cgroup::leave_home(*home_);
  std::filesystem::remove_all(directory_);
}

std::string WorkerTest::group(const std::string& below) const {
  return cgroup::run_group(run_) + below;
}

std::string WorkerTest::script(const std::string& text) {
  std::string path = directory_ + "/script";
  std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
  ::chmod(path.c_str(), 0755);
  return path;
}

void WorkerTest::start_worker(const std::map<std::string, std::string>& other,
                              const std::string& program) {
  std::map<std::string, std::string> options = {{"--connect", "ipc://" + directory_ + "/master"},
                                                {"--run", run_},
                                                {"--node", "n1"},
                                                {"--cgroup", home_->address},
                                                {"--task", HEDDLE_TASK_PATH}};
  for (const auto& [name, value] : other) options[name] = value;
  std::vector<std::string> words = {program, "--die-with-parent"};
  for (const auto& [name, value] : options) {
    words.push_back(name);
    if (!value.empty()) words.push_back(value);  // a flag has no value
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ASSERT_EQ(::posix_spawn(&worker_, argv[0], nullptr, nullptr, argv.data(), environ), 0);
}

void WorkerTest::join(const std::map<std::string, std::string>& other) {
  hellos_.clear();
  heartbeats_.clear();
  start_worker(other);
  serve_until([&] { return !hellos_.empty(); }, "a hello");
  send(welcome_);
  serve_until([&] { return !heartbeats_.empty(); }, "a heartbeat");
}

wire::LaunchCommand WorkerTest::task(std::int64_t container, CoreTime cpu, EmuTime sleep) {
  wire::LaunchCommand launch;
  launch.container = ContainerId{container};
  launch.job = "job";
  launch.phase = "map";
  launch.resources = {Millicores(1000), EmuBytes(1LL << 30)};
  launch.work.cpu = cpu;
  launch.work.sleep = sleep;
  return launch;
}

void WorkerTest::command(decltype(wire::Command::what) what) {
  commands_.push_back({++last_command_, std::move(what)});
  send(wire::Commands{hellos_.back().incarnation, commands_});
}

void WorkerTest::send(wire::Message message) {
  if (auto* welcome = std::get_if<wire::Welcome>(&message)) {
    welcome->incarnation = hellos_.back().incarnation;
    welcomed_ = true;
  }
  if (auto* rejoin = std::get_if<wire::Rejoin>(&message))
    rejoin->incarnation = hellos_.back().incarnation;
  socket_.send(zmq::buffer(peer_), zmq::send_flags::sndmore);
  socket_.send(zmq::buffer(wire::encode(message)), zmq::send_flags::none);
}

void WorkerTest::serve_until(const std::function<bool()>& done, const char* what,
                             milliseconds limit) {
  auto until = steady_clock::now() + limit;
  while (!done()) {
    auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now());
    ASSERT_GT(left.count(), 0) << "waited in vain for " << what;
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(std::min<std::int64_t>(left.count(), 20)));
    zmq::message_t identity, body;
    if (!socket_.recv(identity) || !socket_.recv(body)) continue;
    Result<wire::Message> message = wire::decode(body.to_string_view());
    ASSERT_TRUE(message) << message.error().text;
    hear(identity.to_string(), *message);
  }
}

void WorkerTest::hear(const std::string& identity, const wire::Message& message) {
  peer_ = identity;
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    if (hellos_.empty() || hellos_.back().incarnation != hello->incarnation) {
      welcomed_ = false;
      last_command_ = last_report_ = 0;
      commands_.clear();
      reports_.clear();
    }
    hellos_.push_back(*hello);
  } else if (const auto* reports = std::get_if<wire::Reports>(&message)) {
    take(reports->reports);
  } else if (const auto* beat = std::get_if<wire::Heartbeat>(&message)) {
    take(beat->reports);
    std::erase_if(commands_,
                  [&](const wire::Command& c) { return c.number <= beat->last_command; });
    if (answering_)
      send(wire::HeartbeatReply{beat->incarnation, beat->sequence, last_report_, commands_});
    heartbeats_.push_back(*beat);
  } else if (const auto* goodbye = std::get_if<wire::Goodbye>(&message)) {
    goodbyes_.push_back(*goodbye);
  } else if (const auto* probed = std::get_if<wire::Probed>(&message)) {
    probed_.push_back(*probed);
  } else {
    FAIL() << "unexpected: " << wire::encode(message);
  }
}

void WorkerTest::take(const std::vector<wire::Report>& reports) {
  for (const wire::Report& report : reports) {
    if (report.number != last_report_ + 1) continue;
    last_report_ = report.number;
    reports_.push_back(report);
  }
}

std::string WorkerTest::probe() {
  const std::size_t before = probed_.size();
  send(wire::Probe{hellos_.back().incarnation});
  serve_until([&] { return probed_.size() > before; }, "the answer to a probe");
  return probed_.size() > before ? probed_.back().reason : "no answer";
}

void WorkerTest::beats(std::size_t count) {
  const std::size_t before = heartbeats_.size();
  serve_until([&] { return heartbeats_.size() >= before + count; }, "heartbeats");
}

void WorkerTest::start(wire::LaunchCommand launch) {
  const std::int64_t container = launch.container.value;
  command(std::move(launch));
  await<ContainerStarted>(container);
}

pid_t WorkerTest::start_alone(wire::LaunchCommand launch) {
  start(std::move(launch));
  const std::vector<pid_t> pids = task_pids();
  EXPECT_EQ(pids.size(), 1U);
  return pids.size() == 1 ? pids[0] : -1;
}

Reported<ContainerEnded> WorkerTest::end_of(wire::LaunchCommand launch) {
  const std::int64_t container = launch.container.value;
  command(std::move(launch));
  return await<ContainerEnded>(container);
}

Reported<ContainerEnded> WorkerTest::complete(wire::LaunchCommand launch) {
  auto ended = end_of(std::move(launch));
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  return ended;
}

Reported<ContainerSuspended> WorkerTest::suspend(std::int64_t container) {
  command(Suspend{ContainerId{container}});
  return await<ContainerSuspended>(container);
}

Reported<ContainerResumed> WorkerTest::resume(std::int64_t container) {
  command(Resume{ContainerId{container}});
  return await<ContainerResumed>(container);
}

void WorkerTest::kill(std::int64_t container) {
  command(Kill{ContainerId{container}});
  EXPECT_EQ(await<ContainerEnded>(container).outcome, Outcome::kKilled);
}

void WorkerTest::leave() {
  send(wire::Shutdown{"done"});
  EXPECT_EQ(await_exit(), 0);
}

void WorkerTest::kill_worker() {
  send_signal(worker_, SIGKILL);
  EXPECT_EQ(await_exit(), 128 + SIGKILL);
}

int WorkerTest::await_exit() {
  int status = 0;
  bool ended = false;
  serve_until([&] { return ended = ::waitpid(worker_, &status, WNOHANG) == worker_; },
              "the worker's end");
  if (!ended) return -1;
  worker_ = -1;
  // The worker's last messages may still be on their way.
  auto until = steady_clock::now() + milliseconds(50);
  serve_until([&] { return steady_clock::now() >= until; }, "");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<pid_t> WorkerTest::task_pids() {
  std::vector<pid_t> pids;
  Result<std::vector<std::string>> children = home_->driver->children(group("/n1"));
  if (!children) return pids;
  for (const std::string& child : *children)
    if (auto members = home_->driver->members(group("/n1/" + child)))
      pids.insert(pids.end(), members->begin(), members->end());
  std::sort(pids.begin(), pids.end());
  return pids;
}

}  // namespace heddle
