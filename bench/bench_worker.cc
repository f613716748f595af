#include "bench/bench_worker.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>

#include "bench/failed.h"
#include "cgroup/ownership.h"
#include "common/host_clock.h"
#include "common/installed.h"
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

std::vector<BenchWorker::Heard> BenchWorker::hear(real::Time until) {
  zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                             {nullptr, place_.bench().signals(), ZMQ_POLLIN, 0},
                             {nullptr, worker_->pidfd(), ZMQ_POLLIN, 0}};
  std::vector<Heard> heard;
  try {
    zmq::poll(items, std::size(items),
              std::max(std::chrono::ceil<std::chrono::milliseconds>(until - real::now()),
                       std::chrono::milliseconds(0)));
    zmq::message_t identity, body;
    while (socket_.recv(identity, zmq::recv_flags::dontwait) && socket_.recv(body)) {
      peer_ = identity.to_string();
      take(body.to_string(), real::now(), heard);
    }
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
  if (items[1].revents != 0) throw Failed("interrupted");
  if (items[2].revents != 0) throw Failed("the worker ended");
  return heard;
}

void BenchWorker::take(const std::string& text, real::Time at, std::vector<Heard>& heard) {
  const wire::Message message =
      naming("what the worker said", [&] { return need(wire::decode(text)); });
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    welcome_.run = hello->run;
    welcome_.incarnation = hello->incarnation;
    post(welcome_);
  } else if (const auto* reports = std::get_if<wire::Reports>(&message)) {
    take(reports->reports, at, heard);
  } else if (const auto* beat = std::get_if<wire::Heartbeat>(&message)) {
    joined_ = true;
    take(beat->reports, at, heard);
    std::erase_if(commands_,
                  [&](const wire::Command& c) { return c.number <= beat->last_command; });
    post(wire::HeartbeatReply{beat->incarnation, beat->sequence, last_report_, commands_});
  } else if (const auto* error = std::get_if<wire::ErrorMessage>(&message)) {
    throw Failed("the worker: " + error->text);
  }
}

void BenchWorker::take(const std::vector<wire::Report>& reports, real::Time at,
                       std::vector<Heard>& heard) {
  for (const wire::Report& report : reports) {
    if (report.number != last_report_ + 1) continue;
    last_report_ = report.number;
    heard.push_back({report, at});
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

}  // namespace heddle::bench
