#include "bench/heartbeat_worker.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <random>
#include <zmq.hpp>

#include "common/host_clock.h"
#include "net/dealer_socket.h"
#include "net/poller.h"
#include "wire/codec.h"
#include "worker/effect.h"
#include "worker/link.h"

namespace heddle::bench {
namespace {

using worker::Link;

constexpr std::uint64_t kSocketTag = 1;

std::uint64_t random_incarnation() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32 | device()) | 1;
}

/// Returns an endpoint of the same length as that of a real worker. No process connects to it.
std::string data_endpoint(const LightWorker& worker) {
  return worker.endpoint.starts_with("ipc://") ? worker.endpoint + "-data" : worker.endpoint;
}

std::string data_key(const LightWorker& worker) {
  if (!worker.curve) return "";
  const Result<net::KeyPair> made = net::make_key_pair();
  return made ? made->public_key : "";
}

class Player {
 public:
  Player(const LightWorker& worker, const std::atomic<bool>& measuring, BeatPage& page,
         net::Socket& socket, std::uint64_t incarnation)
      : measuring_(measuring),
        page_(page),
        socket_(socket),
        link_(
            {worker.run, worker.node, ::getpid(), data_endpoint(worker), data_key(worker), "", {}},
            incarnation, real::now()) {}

  void play(net::Poller& poller) {
    while (!over_) {
      const real::Time at = real::now();
      carry_out(link_.tick(at));
      if (link_.hello_due(at)) link_.hello_sent(send(link_.hello(at)) > 0, at);
      if (link_.heartbeat_due(at)) beat(at);
      bool any = false;
      while (std::optional<std::string> text = socket_.receive()) handle(*text), any = true;
      if (!any && !over_) (void)poller.wait(link_.next_due());
    }
  }

 private:
  std::size_t send(const wire::Message& message) {
    const std::string text = wire::encode(message);
    return socket_.send(text) ? text.size() : 0;
  }

  void beat(real::Time at) {
    wire::Heartbeat heartbeat = link_.heartbeat(at);
    for (auto& [id, use] : containers_) {
      use.cpu += CoreTime(12'345);
      use.progress = use.progress < 0.9 ? use.progress + 0.001234 : 0.1;
      heartbeat.containers.push_back(use);
      heartbeat.node_cpu += use.cpu;
      heartbeat.node_memory += use.memory;
    }
    heartbeat.worker_cpu_s = 0.123456;
    heartbeat.data_cpu_s = 0.012345;
    const bool counts = measuring_;
    const std::size_t bytes = send(heartbeat);
    if (!counts) return;
    page_.count_beat(bytes);
    under_way_[heartbeat.sequence] = at;
  }

  void handle(const std::string& text) {
    Result<wire::Message> message = wire::decode(text);
    if (!message) return;
    carry_out(link_.on_message(*message, real::now()));
    const auto* reply = std::get_if<wire::HeartbeatReply>(&*message);
    if (!reply) return;
    auto sent = under_way_.find(reply->sequence);
    if (sent == under_way_.end()) return;
    page_.count_trip((real::now() - sent->second).count(), text.size());
    under_way_.erase(sent);
  }

  void carry_out(const std::vector<worker::LinkEvent>& events) {
    for (const worker::LinkEvent& event : events)
      std::visit([this](const auto& e) { on(e); }, event);
    const wire::Reports fresh = link_.take_fresh();
    if (!fresh.reports.empty()) send(fresh);
  }

  void on(const worker::Joined&) { page_.joined = true; }
  void on(const worker::Do& event) {
    const auto* launch = std::get_if<wire::LaunchCommand>(&event.command.what);
    if (!launch) return;
    containers_[launch->container] = {launch->container, CoreTime(0), launch->resources.memory};
    page_.containers = static_cast<int>(containers_.size());
    link_.report(worker::report_of(ContainerStarted{launch->container}, real::now()));
  }
  void on(const worker::Answer& event) { send(event.message); }
  void on(const worker::Clear&) {
    containers_.clear();
    link_.cleared(random_incarnation(), real::now());
  }
  void on(const worker::Leave& event) {
    send(wire::Goodbye{link_.incarnation(), event.why, 0, 0});
    over_ = true;
  }
  void on(const worker::GiveUp&) { over_ = true; }
  void on(const worker::Peers&) {}
  void on(const worker::Note&) {}
  void on(const worker::TryStart&) { send(wire::Probed{link_.incarnation(), ""}); }

  const std::atomic<bool>& measuring_;
  BeatPage& page_;
  net::Socket& socket_;
  Link link_;
  std::map<ContainerId, ContainerUse> containers_;
  std::map<std::int64_t, real::Time> under_way_;
  bool over_ = false;
};

/// The beginning of a message, which is sent back.
struct Stamp {
  std::int64_t sent_ns;
  bool counts;
};

}  // namespace

void BeatPage::count_beat(std::size_t bytes) {
  ++beats;
  sent += static_cast<std::int64_t>(bytes);
}

void BeatPage::count_trip(std::int64_t ns, std::size_t bytes) {
  received += static_cast<std::int64_t>(bytes);
  const int index = trips;
  if (index == kMostTrips) return;
  trip_ns[static_cast<std::size_t>(index)] = ns;
  trips = index + 1;
}

void play_light_worker(const LightWorker& worker, const std::atomic<bool>& measuring,
                       BeatPage& page) {
  const std::uint64_t incarnation = random_incarnation();
  auto socket = net::Socket::connect(worker.endpoint, worker.curve);
  auto poller = net::Poller::create();
  if (!socket || !poller || !poller->watch((*socket)->fd(), kSocketTag)) return;
  Player(worker, measuring, page, **socket, incarnation).play(*poller);
}

void serve_echo(const Echo& echo) {
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.set(zmq::sockopt::backlog, 1024);
  socket.bind(echo.endpoint);
  for (;;) {
    zmq::message_t identity, body;
    if (!socket.recv(identity) || !socket.recv(body)) continue;
    zmq::message_t answer(std::max(echo.answer, sizeof(Stamp)));
    std::memset(answer.data(), 'x', answer.size());
    std::memcpy(answer.data(), body.data(), std::min(body.size(), sizeof(Stamp)));
    socket.send(identity, zmq::send_flags::sndmore);
    socket.send(answer, zmq::send_flags::none);
  }
}

void play_echo_worker(const Echo& echo, real::Duration offset, const std::atomic<bool>& measuring,
                      BeatPage& page) {
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.connect(echo.endpoint);
  for (real::Time due = real::now() + offset;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - real::now());
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::max(left, std::chrono::milliseconds(0)));
    zmq::message_t answer;
    while (socket.recv(answer, zmq::recv_flags::dontwait)) {
      Stamp stamp;
      std::memcpy(&stamp, answer.data(), sizeof stamp);
      page.joined = true;
      if (stamp.counts)
        page.count_trip(real::now().time_since_epoch().count() - stamp.sent_ns, answer.size());
    }
    if (real::now() < due) continue;
    due += echo.period;
    zmq::message_t message(std::max(echo.message, sizeof(Stamp)));
    std::memset(message.data(), 'x', message.size());
    const Stamp stamp{real::now().time_since_epoch().count(), measuring};
    std::memcpy(message.data(), &stamp, sizeof stamp);
    if (stamp.counts) page.count_beat(message.size());
    socket.send(message, zmq::send_flags::none);
  }
}

}  // namespace heddle::bench
